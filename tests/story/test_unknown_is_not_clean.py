"""Every way in which a version could pass for clean while something was not compared: the gate answers 3."""

from __future__ import annotations

from pathlib import Path

import pytest
from story.conftest import CLEAN_TEST, TEST, TRAIN
from support.git import Repo
from support.story import Team, csv, rows


def gap_kinds(team: Team, subject: str) -> list[str]:
    return [gap["kind"] for gap in team.answer(subject)["gaps"]]


@pytest.mark.req("B43", "B49", "A30")
def test_a_version_tagged_past_the_hooks(clean: Team) -> None:
    clean.dataset("support", train={**TRAIN, "t99": "another training example"}, test=CLEAN_TEST)
    clean.bypass("commit", "-q", "-m", "no record")
    refused = clean.run("tag", "-a", "support@v1.1.0", "-m", "x")
    assert refused.returncode != 0
    assert "heldout freeze support" in refused.stderr
    clean.bypass("tag", "-a", "support@v1.1.0", "-m", "x")
    assert gap_kinds(clean, "support@v1.1.0") == ["not_scanned", "not_compared"]
    assert clean.gate("support@v1.1.0") == 3
    assert "nobody knows yet whether support@v1.1.0 is clean" in clean.push("support@v1.1.0").err
    # the older one, that was clean, cannot be called so any more
    assert gap_kinds(clean, "support@v1.0.0") == ["not_compared"]

    clean.succeeds("scan", "--all")
    assert clean.gate("support@v1.1.0") == 3  # untracked
    clean.git("add", "datasets")
    assert clean.gate("support@v1.1.0") == 3  # staged
    clean.save("Record")
    assert clean.gate("support@v1.1.0") == 0
    assert clean.gate("support@v1.0.0") == 0
    assert clean.succeeds("scan", "--all").out == "every frozen version has been compared with every other\n"
    # the record is in a later commit than the tag names; without that commit nobody knows
    clean.git("checkout", "-q", "support@v1.1.0")
    assert clean.gate("support@v1.1.0") == 3


@pytest.mark.req("A30", "B49")
def test_versions_frozen_on_parallel_branches(clean: Team) -> None:
    mine, hers = clean, clean.clone("hers")
    hers.dataset("sealed", holdout=None, train=rows("s", 3), sealed=rows("k", 3))
    hers.git("switch", "-q", "-c", "sealed")
    hers.save("Add sealed")
    # a commit fetches no data, so her record does not know support yet; freezing does
    hers.succeeds("freeze", "sealed")
    hers.push_data()
    assert hers.push("sealed", "sealed@v1.0.0").code == 0
    assert hers.gate("sealed@v1.0.0") == 0

    mine.dataset("support", train=TRAIN, test={**CLEAN_TEST, **rows("k", 1)})
    mine.save("A held-out example that sealed has too, held out")
    mine.git("tag", "-a", "support@v1.1.0", "-m", "mine")
    assert mine.gate("support@v1.1.0") == 0  # as far as this clone knows
    mine.git("fetch", "-q", "--tags")
    assert gap_kinds(mine, "support@v1.1.0") == ["not_compared"]  # known from its tag, merged or not
    mine.git("merge", "-q", "--no-edit", "origin/sealed")
    assert gap_kinds(mine, "support@v1.1.0") == ["not_compared"]
    assert mine.gate("sealed@v1.0.0") == 3
    assert "has not been compared with sealed@v1.0.0" in mine.push("support@v1.1.0").err
    mine.succeeds("scan", "--all", "--commit")
    assert mine.gate("support@v1.1.0") == 0  # held out on both sides is no contamination
    assert mine.gate("sealed@v1.0.0") == 0
    assert mine.push("main", "support@v1.1.0").code == 0


@pytest.mark.req("A30", "B50")
@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (("--depth=1",), "shallow"),
        (("--no-tags",), "unfetched"),
        (("--single-branch",), "unfetched"),
    ],
)
def test_a_clone_that_cannot_know_every_version(clean: Team, options: tuple[str, ...], kind: str) -> None:
    narrow = clean.clone("narrow", *options)
    narrow.git("fetch", "-q", "origin", "refs/tags/support@v1.0.0:refs/tags/support@v1.0.0")
    assert gap_kinds(narrow, "support@v1.0.0")[0] == kind
    assert narrow.gate("support@v1.0.0") == 3
    narrow.git("config", "remote.origin.tagOpt", "--tags")
    narrow.git("fetch", "-q", *(["--unshallow"] if kind == "shallow" else []))
    assert narrow.gate("support@v1.0.0") == 0


@pytest.mark.req("A27", "A52", "A29")
def test_a_holdout_that_was_declared_late(empty: Team) -> None:
    empty.dataset("support", holdout=None, train=TRAIN, test=CLEAN_TEST)
    said = empty.save("Add support")
    assert "no example is in a holdout split" in said
    empty.git("tag", "-a", "support@v1.0.0", "-m", "x")
    assert gap_kinds(empty, "support@v1.0.0") == ["no_holdout"]
    assert empty.gate("support@v1.0.0") == 3

    # `test` was open to training in v1.0.0: nobody knows whether it still is unseen, until somebody says so
    empty.dataset("support", holdout=["test"], train=TRAIN, test=CLEAN_TEST)
    empty.save("Hold out test")
    empty.git("tag", "-a", "support@v2.0.0", "-m", "x")
    assert gap_kinds(empty, "support@v2.0.0") == ["redeclared"]
    refused = empty.push("support@v2.0.0")
    assert "its holdout test was not held out in support@v1.0.0" in refused.err
    assert "heldout retire support@v1.0.0" in refused.err
    empty.succeeds("retire", "support@v1.0.0", "--reason", "nothing was trained on it")
    assert empty.gate("support@v2.0.0") == 0
    assert empty.push("support@v2.0.0").code == 0


@pytest.mark.req("A52", "A43")
def test_an_incomplete_scan_stays_unknown_and_scan_all_says_so(clean: Team) -> None:
    clean.dataset("extra", extra="on_bad_row: skip", train=rows("x", 2), test=rows("y", 2))
    clean.write("datasets/extra/train.csv", csv(rows("x", 2)) + "broken,row,of,cells\n")
    clean.track("datasets/extra/train.csv")
    said = clean.save("A row too many")
    assert "incomplete" in said
    assert clean.run("tag", "-a", "extra@v1.0.0", "-m", "x").returncode != 0
    clean.bypass("tag", "-a", "extra@v1.0.0", "-m", "x")
    assert clean.gate("extra@v1.0.0") == 3
    assert clean.gate("support@v1.0.0") == 3
    swept = clean.heldout("scan", "--all")
    assert swept.code == 3
    assert "extra@v1.0.0" in swept.out
    # no state blocks for ever
    clean.succeeds("retire", "extra@v1.0.0", "--reason", "a broken row")
    assert clean.gate("support@v1.0.0") == 0


@pytest.mark.req("A47")
def test_a_retirement_counts_where_it_was_agreed_on(leaky: Team) -> None:
    leaky.git("tag", "-a", "support@v1.0.0", "-m", "first")
    leaky.dataset("support", train=rows("t", 1), test=TEST)
    leaky.save("Remove the training copies")
    leaky.git("tag", "-a", "support@v1.0.1", "-m", "second")
    leaky.git("switch", "-q", "-c", "topic")
    leaky.succeeds("retire", "support@v1.0.0", "--reason", "let me through")
    leaky.git("tag", "elsewhere")
    assert leaky.gate("support@v1.0.1") == 0  # on that branch
    assert leaky.push("topic").code == 0
    leaky.git("switch", "-q", "main")
    assert leaky.gate("support@v1.0.1") == 1  # nobody merged it
    leaky.git("merge", "-q", "topic")
    assert leaky.gate("support@v1.0.1") == 0


@pytest.mark.req("B48")
def test_a_record_that_was_edited_hides_nothing_that_another_tree_still_holds(leaky: Team) -> None:
    leaky.git("tag", "-a", "support@v1.0.0", "-m", "first")
    (record,) = leaky.records()
    text = leaky.show(f"HEAD:{record}")
    leaky.write(record, text.replace("holdout_contamination: 2", "holdout_contamination: 0") + "\n")
    leaky.bypass("commit", "-q", "-a", "-m", "Nothing to see")
    assert leaky.gate("support@v1.0.0") == 1
    # damaged everywhere it is looked for: absent, and the answer says why
    for damage in (text.replace("  holdout_contamination: 2\n", ""), text[: len(text) // 2], ""):
        leaky.write(record, damage)
        leaky.bypass("commit", "-q", "-a", "--allow-empty", "-m", "Damage")
        leaky.bypass("tag", "-f", "-a", "support@v1.0.0", "-m", "x")
        assert gap_kinds(leaky, "support@v1.0.0") == ["not_scanned", "unreadable_record"]
    # findings that are not those of the record: no verdict, not a clean one
    leaky.write(record, text)
    leaky.write(record.replace("scan.yaml", "findings.jsonl"), "")
    leaky.bypass("commit", "-q", "-a", "-m", "Lose findings")
    leaky.bypass("tag", "-f", "-a", "support@v1.0.0", "-m", "x")
    assert leaky.gate("support@v1.0.0") == 2


@pytest.mark.req("A30", "A31")
def test_one_content_under_two_names(clean: Team) -> None:
    clean.git("tag", "-a", "support@v1.0.1", "-m", "the same again")
    assert clean.gate("support@v1.0.1") == 0
    clean.succeeds("retire", "support@v1.0.1", "--reason", "a slip")
    assert clean.gate("support@v1.0.1") == 3
    # the same content still takes part under its other name
    clean.dataset("support", train={**TRAIN, "t77": CLEAN_TEST["h7"]}, test=rows("new", 4))
    clean.save("A held-out example was moved to training")
    clean.git("tag", "-a", "support@v2.0.0", "-m", "x")
    assert clean.gate("support@v2.0.0") == 0
    assert clean.gate("support@v1.0.0") == 1


@pytest.mark.req("B38", "A32")
def test_a_renamed_dataset_is_compared_with_what_it_was(clean: Team) -> None:
    clean.git("rm", "-q", "-r", "datasets/support")
    clean.dataset("helpdesk", train={**TRAIN, "t50": CLEAN_TEST["h0"]}, test={"h1": CLEAN_TEST["h1"]})
    clean.save("Rename support, and train on what it held out")
    clean.git("tag", "-a", "helpdesk@v1.0.0", "-m", "x")
    assert clean.gate("helpdesk@v1.0.0") == 0
    assert clean.gate("support@v1.0.0") == 1
    assert "gives away the holdout of another dataset" in clean.push("helpdesk@v1.0.0").err


def test_the_environment_of_another_hook_changes_no_answer(clean: Team, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "elsewhere")
    other.commit("start", readme="r")
    for variables in (
        {"GIT_DIR": str(clean.path / ".git"), "GIT_WORK_TREE": str(clean.path)},
        {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/none", "GIT_PREFIX": "datasets/"},
    ):
        done = clean.heldout("gate", "support@v1.0.0", "--json", env=variables)
        assert (done.code, done.json["as_of"]["HEAD"]) == (0, clean.head())
    # Git itself would answer for the other repository, which knows no such version
    strange = {"GIT_DIR": str(other.path / ".git")}
    assert clean.heldout("gate", "support@v1.0.0", env=strange).code == 2
