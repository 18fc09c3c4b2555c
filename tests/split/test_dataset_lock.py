"""A dataset's locked split: what commits and verify say when the data no longer fits it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from story.conftest import copy
from support.story import Team, rows, sentence

from heldout.domain.members import Member
from heldout.domain.splitting.lock import DatasetLock, dataset_changes
from heldout.errors import ConfigError
from heldout.storage.splitting.lock_file import parse_lock_file, render_lock_file

BOB = {
    "GIT_AUTHOR_NAME": "Bob",
    "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}
DIGEST = "sha256:" + "0" * 64


def member(split: str, key: str, text: str) -> Member:
    return Member(split, key, f"input {text}", f"example {text}")


@pytest.mark.req("C16")
def test_what_became_of_locked_examples() -> None:
    locked = [member("test", key, key) for key in "abcd"] + [member("sealed", "s", "s"), member("train", "t", "t")]
    lock = DatasetLock.of("support", locked, {"test", "sealed"})
    assert dataset_changes(lock, locked, {"test", "sealed"}) == []
    now = [
        member("train", "b", "b"),
        member("test", "c", "edited"),
        member("test", "d", "d"),
        member("test", "s", "s"),  # from one holdout into another
        member("test", "e", "e"),
        member("train", "t", "edited"),
    ]
    assert dataset_changes(lock, now, {"test", "sealed"}) == [
        ("sealed", "s", "moved"),
        ("test", "a", "removed"),
        ("test", "b", "moved"),
        ("test", "c", "edited"),
        ("test", "s", "added"),
        ("test", "e", "added"),
    ]
    # a split that is no holdout any more has moved as a whole
    assert ("test", "d", "moved") in dataset_changes(lock, locked, {"sealed"})


@pytest.mark.req("C7")
def test_the_file_reads_back_and_is_checked() -> None:
    lock = DatasetLock("support", {"sealed": {}, "test": {"a: b": DIGEST, "7": DIGEST}})
    assert parse_lock_file(render_lock_file(lock), "split.lock") == lock
    for text in (
        "format: heldout/split-lock@2\ndataset: a\nheld_out: {}\n",
        "format: heldout/split-lock@1\nheld_out: {}\n",
        "format: heldout/split-lock@1\ndataset: a\nheld_out: {test: [a]}\n",
        "format: heldout/split-lock@1\ndataset: a\nheld_out: {test: {a: 0}}\n",
        "format: heldout/split-lock@1\ndataset: a\nheld_out: {}\nmore: 1\n",
    ):
        with pytest.raises(ConfigError):
            parse_lock_file(text.encode(), "split.lock")


@pytest.fixture(scope="module")
def locked_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("locked")
    team = Team.start(base)
    team.dataset("support", train=rows("t", 6), test=rows("h", 4))
    team.save("Add support")
    made = team.succeeds("split", "lock", "support")
    assert "4 held-out examples locked in datasets/support/split.lock" in made.out
    team.git("add", "datasets/support/split.lock")
    assert "lock_changed" not in team.save("Lock the split")
    team.git("push", "-q", "origin", "main")
    return base


@pytest.fixture
def team(locked_template: Path, tmp_path: Path) -> Team:
    return copy(locked_template, tmp_path)


@pytest.mark.req("C16", "A51")
def test_a_change_of_what_is_locked_is_named_at_commit_and_by_verify(team: Team) -> None:
    held = rows("h", 4)
    changed = {**held, "h0": sentence("edited"), "h9": sentence("h9")}
    del changed["h1"], changed["h2"]
    team.dataset("support", train={**rows("t", 6), "h2": held["h2"]}, test=changed)
    said = team.save("Work on the test split")
    for key, change in (("h0", "edited"), ("h1", "removed"), ("h2", "moved"), ("h9", "added")):
        assert f"support: test/{key} was {change} since the split was locked [lock_changed]" in said
    verified = team.heldout("verify")
    assert verified.code == 1
    assert "failed: datasets/support/split.lock: test/h0 was edited since the split was locked" in verified.out
    # meant: locked anew, and the review sees that
    team.succeeds("split", "lock", "support")
    team.git("add", "datasets/support/split.lock")
    assert "lock_changed" not in team.save("Lock the split anew")
    assert "reported: datasets/support/split.lock: the split was locked anew since" in team.heldout("verify").out


@pytest.mark.req("C16")
def test_training_examples_are_free_and_a_lock_that_goes_is_named(team: Team) -> None:
    team.dataset("support", train=rows("t", 9), test=rows("h", 4))
    assert "lock_changed" not in team.save("More training examples")
    assert team.heldout("verify").code == 0
    team.git("rm", "-q", "datasets/support/split.lock")
    assert "support: split.lock is removed" in team.save("Drop the lock")
    assert "the lock was removed since" in team.heldout("verify").out


@pytest.mark.req("C10", "C16")
def test_a_lock_that_says_nothing_is_refused_and_missing_data_is_unknown(team: Team) -> None:
    text = (team.path / "datasets/support/split.lock").read_text()
    team.add("datasets/support/split.lock", text.replace("dataset: support", "dataset: other"))
    refused = team.run("commit", "-q", "-m", "x")
    assert refused.returncode == 1
    assert "lock belongs to another dataset" in refused.stderr
    team.add("datasets/support/split.lock", text + "\n")
    shutil.rmtree(team.path / ".dvc/cache")
    assert "the split's lock was not looked at" in team.save("Touch the lock")
    assert team.heldout("split", "lock", "nothing").code == 2


def frozen_after_an_edit(team: Team) -> str:
    """h0 was edited behind its lock, and the content frozen all the same."""
    team.dataset("support", train=rows("t", 6), test={**rows("h", 4), "h0": sentence("edited")})
    assert "test/h0 was edited since the split was locked" in team.save("Edit a held-out example")
    frozen = team.heldout("freeze", "support", "--json")
    assert frozen.json["verdict"] == "contaminated", str(frozen)
    return "support@v1.0.0"


@pytest.mark.req("C16", "B48", "B50")
def test_a_locked_split_that_was_edited_stops_gate_and_push_until_it_is_locked_anew(team: Team) -> None:
    version = frozen_after_an_edit(team)
    answer = team.answer(version)
    assert (answer["verdict"], [item["kind"] for item in answer["findings"]]) == ("contaminated", ["lock_changed"])
    said = team.heldout("gate", version)
    assert said.code == 1
    assert "1 held-out example is not as it was locked" in said.out
    assert "support:test/h0 was edited since the split was locked  lock_changed" in said.out
    assert "changed since the split was locked" in team.heldout("status").out
    assert "support:test/h0 was edited" in team.succeeds("findings", version, "--holdout-only").out
    pushed = team.push("main", version)
    assert (pushed.code, f"refused: {version} is contaminated" in pushed.err) == (1, True)
    # meant: a new lock beside the same content settles it, once others have it too
    team.succeeds("split", "lock", "support")
    team.git("add", "datasets/support/split.lock")
    team.save("Lock the split anew")
    assert team.gate(version) == 0
    alone = team.push(version)
    assert (alone.code, f"{version} is contaminated" in alone.err) == (1, True)
    together = team.push("main", version)
    assert together.code == 0, str(together)


@pytest.mark.req("C16")
def test_the_change_taken_back_needs_no_new_lock(team: Team) -> None:
    frozen_after_an_edit(team)
    team.dataset("support", train=rows("t", 6), test=rows("h", 4))
    team.save("Take it back")
    assert team.heldout("freeze", "support", "--json").json["verdict"] == "clean"
    assert team.gate("support@v1.0.0") == 1


@pytest.mark.req("C16", "A51")
def test_two_people_may_accept_a_change_and_every_answer_lists_it(team: Team) -> None:
    version = frozen_after_an_edit(team)
    finding = team.answer(version)["findings"][0]["id"]
    team.succeeds("review", "accept", finding, "--reason", "a typo, the answer is the same", "--commit")
    assert team.gate(version) == 1
    done = team.heldout("review", "approve", finding, "--commit", env=BOB)
    assert done.code == 0, str(done)
    answer = team.answer(version)
    assert (answer["verdict"], [item["id"] for item in answer["accepted"]]) == ("clean", [finding])
    verified = team.heldout("verify")
    assert (verified.code, "test/h0 was edited since the split was locked; accepted: a typo" in verified.out) == (
        0,
        True,
    )
    assert team.push("main", version).code == 0
    # another edit is another change
    team.dataset("support", train=rows("t", 6), test={**rows("h", 4), "h0": sentence("edited once more")})
    team.save("Edit it again")
    assert team.gate("support@HEAD") == 1


@pytest.mark.req("B50", "C16")
def test_what_nobody_held_against_its_lock_is_unknown(team: Team) -> None:
    """Hooks that did not run leave no answer; `scan --all` and `verify` give one from the data."""
    off = ("-c", "core.hooksPath=/dev/null")
    team.dataset("support", train=rows("t", 6), test={**rows("h", 4), "h0": sentence("edited")})
    team.git(*off, "commit", "-q", "-m", "Edit past the hooks")
    team.git(*off, "tag", "-a", "support@v1.0.0", "-m", "past the hooks")
    answer = team.answer("support@v1.0.0")
    assert answer["verdict"] == "unknown"
    assert [gap["kind"] for gap in answer["gaps"]] == ["not_scanned", "lock_not_checked"]
    team.succeeds("scan", "--all", "--commit")
    answer = team.answer("support@v1.0.0")
    assert (answer["verdict"], [item["kind"] for item in answer["findings"]]) == ("contaminated", ["lock_changed"])


@pytest.mark.req("B50", "C16")
@pytest.mark.parametrize("forged", ["unread", "believable"])
def test_a_forged_answer_about_a_lock_is_found_out(team: Team, forged: str) -> None:
    version = frozen_after_an_edit(team)
    (check,) = [p for p in team.files("HEAD") if "/scans/locked/" in p and "edited" in team.git("show", f"HEAD:{p}")]
    text = (team.path / check).read_text()
    start, end = text.index("["), text.index("],[") if "],[" in text else text.index("]]")
    team.add(check, text[: start + 1] + text[end + 1 :] if forged == "believable" else text.replace("edited", "eaten"))
    team.git("commit", "-q", "--no-verify", "-m", "Forge")
    assert team.gate(version) == 1  # the version's own commit still has the other
    verified = team.heldout("verify", "--all")
    assert (verified.code, f"failed: {check}" in verified.out) == (1, True)
