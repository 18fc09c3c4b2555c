"""Changes of held-out examples: shown, approved exactly as they are, refused by verify without (B52)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from reviews.conftest import BOB
from story.conftest import clean_template, copy, empty_template  # noqa: F401
from support.story import Run, Team, around, rows, sentence

TRAIN = rows("t", 20)
TEST = {**rows("h", 8), "longer": around("t5")}
POLICY = "format: heldout/project@1\nholdout_changes: {required: 1}\n"


@dataclass(frozen=True)
class Governed:
    team: Team

    def change(self, message: str = "Change", **splits: dict[str, str]) -> None:
        self.team.dataset("support", **{"train": TRAIN, "test": TEST, **splits})
        self.team.save(message)

    def listed(self, *options: str) -> Run:
        return self.team.heldout("changes", "list", "--json", *options)

    def counts(self, *options: str) -> dict[str, int]:
        (change,) = self.listed(*options).json["changes"]
        return {what: count for what, count in change["counts"].items() if count}

    def verify(self) -> Run:
        return self.team.heldout("verify", "--base", "origin/main")

    def approve_as_bob(self) -> Run:
        return self.team.heldout("changes", "approve", "support", "--reason", "right", "--commit", env=BOB)


@pytest.fixture
def governed(clean_template: Path, tmp_path: Path) -> Governed:  # noqa: F811
    team = copy(clean_template, tmp_path)
    team.write("heldout.yaml", POLICY)
    team.git("add", "heldout.yaml")
    team.save("Policy")
    assert team.push("main").code == 0
    team.git("switch", "-q", "-c", "topic")
    return Governed(team)


@pytest.mark.req("B52")
def test_every_way_to_touch_a_holdout_is_shown(governed: Governed) -> None:
    test = {**TEST, "h0": sentence("other"), "new": sentence("new"), "t3": sentence("t3")}
    del test["h1"], test["h2"]
    train = {**{key: text for key, text in TRAIN.items() if key != "t3"}, "h2": sentence("h2")}
    governed.change(train=train, test=test)
    assert governed.counts() == {"added": 1, "removed": 1, "edited": 1, "moved_in": 1, "moved_out": 1}
    assert governed.listed().code == 1
    assert "test/new" in governed.team.heldout("changes", "list").out


def declare(governed: Governed, *holdout: str) -> None:
    """Another `holdout` in dataset.yaml, and not a row changed."""
    governed.team.dataset("support", train=TRAIN, test=TEST, holdout=holdout or None)
    governed.team.save("Declare")


@pytest.mark.req("B52")
@pytest.mark.parametrize(
    ("holdout", "counts"),
    [
        ((), {"moved_out": len(TEST)}),
        (("train",), {"moved_out": len(TEST), "moved_in": len(TRAIN)}),
        (("test", "train"), {"moved_in": len(TRAIN)}),
    ],
)
def test_what_is_held_out_is_declared_otherwise(
    governed: Governed, holdout: tuple[str, ...], counts: dict[str, int]
) -> None:
    """No row says that it is held out no more: dataset.yaml does."""
    declare(governed, *holdout)
    assert governed.counts() == counts
    assert "[change-not-approved]" in governed.verify().out
    assert governed.approve_as_bob().code == 0
    assert "[change-not-approved]" not in governed.verify().out


@pytest.mark.req("B52")
def test_a_split_that_is_declared_otherwise_and_edited_has_each_example_once(governed: Governed) -> None:
    test = {**TEST, "h0": sentence("other"), "new": sentence("new")}
    del test["h1"]
    governed.team.dataset("support", train=TRAIN, test=test, holdout=None)
    governed.team.save("Declare and edit")
    assert governed.counts() == {"moved_out": len(TEST) - 1, "removed": 1}


@pytest.mark.req("B52")
@pytest.mark.parametrize("again", [False, True])
def test_a_holdout_that_goes_with_its_dataset(governed: Governed, again: bool) -> None:
    """Or stands under another name: the base's holdout is gone either way."""
    governed.team.git("rm", "-q", "-r", "datasets/support")
    if again:
        governed.team.dataset("renamed", train=TRAIN, test={**TEST, "new": sentence("new")})
    governed.team.save("Remove it")
    assert governed.counts() == {"removed": len(TEST)}
    assert "[change-not-approved]" in governed.verify().out
    assert governed.approve_as_bob().code == 0
    assert "[change-not-approved]" not in governed.verify().out


@pytest.mark.req("B52")
def test_a_dataset_that_cannot_be_read_at_the_head_is_untold(governed: Governed) -> None:
    governed.team.write("datasets/support/dataset.yaml", "format: heldout/dataset@1\nname: [\n")
    governed.team.git("add", "datasets")
    governed.team.bypass("commit", "-q", "-m", "Break it")
    listed = governed.listed()
    assert (listed.code, [item["dataset"] for item in listed.json["unread"]]) == (3, ["support"])


@pytest.mark.req("B52")
def test_training_examples_are_nobodys_business(governed: Governed) -> None:
    governed.change(train={**TRAIN, "more": sentence("more")})
    assert governed.listed().json["changes"] == []
    assert governed.verify().code == 0


@pytest.mark.req("B52")
def test_verify_refuses_what_nobody_approved(governed: Governed) -> None:
    governed.change(test={**TEST, "new": sentence("new")})
    refused = governed.verify()
    assert refused.code == 1
    assert "[change-not-approved]" in refused.out
    own = governed.team.heldout("changes", "approve", "support", "--reason", "mine")
    assert (own.code, "[own-review]" in own.err) == (2, True)
    assert governed.approve_as_bob().code == 0
    assert governed.listed().code == 0, str(governed.listed())
    assert governed.verify().code == 0


@pytest.mark.req("B52")
def test_an_approval_is_of_exactly_one_change(governed: Governed) -> None:
    governed.change(test={**TEST, "new": sentence("new")})
    assert governed.approve_as_bob().code == 0
    governed.change(train={**TRAIN, "more": sentence("more")}, test={**TEST, "new": sentence("new")})
    assert governed.verify().code == 0  # other splits go on
    governed.change(test={**TEST, "new": sentence("new"), "sneaked": sentence("sneaked")})
    assert governed.verify().code == 1


@pytest.mark.req("B52")
def test_a_change_cannot_waive_its_own_approval(governed: Governed) -> None:
    """Policy counts as the base has it."""
    governed.team.write("heldout.yaml", "format: heldout/project@1\n")
    governed.team.git("add", "heldout.yaml")
    governed.change(test={**TEST, "new": sentence("new")})
    assert governed.verify().code == 1


@pytest.mark.req("B52")
def test_a_forged_approval_has_nobody_behind_it(governed: Governed) -> None:
    governed.change(test={**TEST, "new": sentence("new")})
    assert governed.team.heldout("changes", "approve", "support", "--reason", "r", env=BOB).code == 0
    governed.team.git("add", "datasets")
    governed.team.save("Approved by Bob, says the author")
    assert governed.verify().code == 1


@pytest.mark.req("B52")
def test_an_approval_that_was_taken_back_is_not_written_again(governed: Governed) -> None:
    """Bob takes his name out; the author reverts that."""
    governed.change(test={**TEST, "new": sentence("new")})
    assert governed.approve_as_bob().code == 0
    assert governed.verify().code == 0
    (path,) = governed.team.git("ls-files", "datasets/support/reviews").split()
    governed.team.git("rm", "-q", path)
    assert governed.team.run("commit", "-q", "-m", "No", env=BOB).returncode == 0
    governed.team.git("revert", "--no-edit", "HEAD")
    assert governed.verify().code == 1


@pytest.mark.req("B52")
@pytest.mark.parametrize(("approvers", "code"), [("Bob <bob@example.org>", 0), ("Eve <eve@example.org>", 1)])
def test_policy_names_who_may_approve(governed: Governed, approvers: str, code: int) -> None:
    governed.team.git("switch", "-q", "main")
    governed.team.write("heldout.yaml", f"holdout_changes: {{approvers: ['{approvers}']}}\n")
    governed.team.git("add", "heldout.yaml")
    governed.team.save("Name approvers")
    assert governed.team.push("main").code == 0
    governed.team.git("switch", "-q", "-C", "topic")
    governed.change(test={**TEST, "new": sentence("new")})
    governed.approve_as_bob()
    assert governed.verify().code == code


@pytest.mark.req("B52")
def test_where_data_is_missing_nobody_knows(governed: Governed, tmp_path: Path) -> None:
    governed.change(test={**TEST, "new": sentence("new")})
    assert governed.team.push("topic").code == 0
    other = governed.team.clone("elsewhere", "--branch", "topic")
    (other.path / ".dvc/config.local").write_text("['remote \"store\"']\n    url = ../../nowhere\n")
    found = other.heldout("changes", "list", "--base", "origin/main")
    assert found.code == 3
    assert "cannot be told here" in found.out


def test_without_policy_changes_are_shown_and_nobody_has_to_approve(clean_template: Path, tmp_path: Path) -> None:  # noqa: F811
    plain = Governed(copy(clean_template, tmp_path))
    plain.team.git("switch", "-q", "-c", "topic")
    plain.change(test={**TEST, "new": sentence("new")})
    listed = plain.listed()
    assert (listed.code, len(listed.json["changes"])) == (0, 1)
    assert "change-not-approved" not in plain.verify().out


@pytest.mark.parametrize(
    "text",
    ["holdout_changes: {required: -1}", "holdout_changes: {required: yes}", "holdout_changes: {who: [a]}",
     "holdout_changes: [a]", "holdout_changes: {required: 2, approvers: [a]}"],
)  # fmt: skip
def test_policy_that_cannot_be_meant_is_refused(text: str) -> None:
    from heldout.errors import ConfigError
    from heldout.storage.settings_file import parse_settings

    with pytest.raises(ConfigError) as caught:
        parse_settings(f"{text}\n".encode())
    assert (caught.value.field or "").startswith("holdout_changes")
