"""What `heldout report` says of a branch, against what was done on it by hand."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from reviews.conftest import BOB
from story.conftest import CLEAN_TEST, TRAIN
from support.cli import heldout
from support.story import Team, rows, sentence

SLICE = """\
format: heldout/slice@1
name: first
definition:
  match: all
  conditions:
  - {{subject: field, key: input, operator: contains, value: "{0}"}}
"""


def report(team: Team, *options: str) -> Any:
    return team.succeeds("report", "--base", "origin/main", "--json", *options).json


def markdown(team: Team, *options: str) -> str:
    return team.succeeds("report", "--base", "origin/main", "--markdown", *options).out


def branch(team: Team, name: str = "work") -> Team:
    team.git("switch", "-q", "-c", name)
    return team


def test_a_branch_without_data_says_so_and_marks_it(clean: Team) -> None:
    branch(clean).commit("Words", README="words")
    found = report(clean)
    assert (found["verdict"], found["commits"], found["datasets"]) == ("unchanged", 1, [])
    lines = markdown(clean).splitlines()
    assert lines[:2] == ["<!-- heldout-report -->", "<!-- heldout-report: unchanged -->"]


@pytest.mark.req("B52")
def test_rows_are_counted_by_split(clean: Team) -> None:
    """Two training rows come, one goes, one is edited; one held-out row moves to training, another goes."""
    train = {**TRAIN, **rows("n", 2), "t3": sentence("edited"), "h7": CLEAN_TEST["h7"]}
    del train["t9"]
    test = {key: text for key, text in CLEAN_TEST.items() if key not in ("h0", "h7")}
    branch(clean).dataset("support", train=train, test=test)
    clean.save("Change rows")
    (dataset,) = report(clean)["datasets"]
    splits = dataset["rows"]["by_split"]
    counted = {split: {name: count for name, count in row.items() if count} for split, row in splits.items()}
    assert counted == {
        "train": {"added": 2, "removed": 1, "changed": 1, "moved_in": 1, "unchanged": 18},
        "test": {"removed": 1, "moved_out": 1, "unchanged": 7},
    }
    assert (dataset["rows"]["part"], dataset["rows"]["suggested"]) == ("major", "support@v2.0.0")
    assert dataset["governed"]["counts"] == {"added": 0, "removed": 1, "edited": 0, "moved_in": 0, "moved_out": 1}
    assert dataset["outdates"] == [{"version": "support@v1.0.0", "held_out_examples": 1}]


def test_a_leak_is_new_then_from_before_then_resolved(clean: Team) -> None:
    branch(clean, "leak").dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("Leak")
    found = report(clean)
    assert found["verdict"] == "leaks"
    assert [(hit["held"]["key"], hit["other"]["key"], hit["kind"]) for hit in found["findings"]["new"]] == [
        ("h1", "copy", "exact")
    ]
    assert found["given_away"] == {"new": 1, "resolved": 0, "remaining": 0}
    said = markdown(clean)
    assert "**1 of the 9 examples that `support` keeps for evaluation is repeated" in said
    assert "| `test/h1` | `train/copy` | the same text |" in said

    # The leak is merged in spite of that, and the next branch leaves it alone, or mends it.
    clean.push_data()
    clean.bypass("push", "-q", "origin", "leak:main")
    clean.git("fetch", "-q", "origin")
    branch(clean, "more").dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"], **rows("x", 1)}, test=CLEAN_TEST)
    clean.save("More")
    found = report(clean)
    assert (found["verdict"], found["given_away"]) == ("leaks", {"new": 0, "resolved": 0, "remaining": 1})
    branch(clean, "mend").dataset("support", train={**TRAIN, **rows("x", 1)}, test=CLEAN_TEST)
    clean.save("Mend")
    found = report(clean)
    assert (found["verdict"], found["given_away"]) == ("clean", {"new": 0, "resolved": 1, "remaining": 0})


def test_a_leak_of_another_datasets_holdout_is_the_branchs_own(clean: Team) -> None:
    """The new dataset only trains; what it gives away is held out elsewhere."""
    branch(clean).dataset("other", holdout=None, train={**rows("o", 3), "taken": CLEAN_TEST["h2"]})
    clean.save("Add other")
    found = report(clean)
    assert found["verdict"] == "leaks"
    assert [(hit["held"]["dataset"], hit["other"]["dataset"]) for hit in found["findings"]["new"]] == [
        ("support", "other")
    ]
    assert "| `test/h2` | `other: train/taken` |" in markdown(clean)


def test_an_accepted_leak_waits_for_a_second_person_and_then_counts(clean: Team) -> None:
    branch(clean).dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("Leak")
    finding = report(clean)["findings"]["new"][0]["id"]
    clean.succeeds("review", "accept", finding, "--reason", "<i>a greeting</i> @everyone", "--commit")
    found = report(clean)
    (decision,) = found["decisions"]
    assert (found["verdict"], decision["standing"], decision["new"]) == ("leaks", "awaits_reviewer", True)
    said = markdown(clean)
    assert "needs a second person" in said
    assert "<i>" not in said, "a reason is text"
    assert "@everyone" not in said, "and calls nobody"

    done = clean.heldout("review", "approve", finding, "--commit", env=BOB)
    assert done.code == 0, str(done)
    found = report(clean)
    assert found["verdict"] == "clean"
    assert [hit["id"] for hit in found["findings"]["accepted"]] == [finding]
    assert "Accepted by people: 1 finding" in markdown(clean)


@pytest.mark.req("B15")
def test_slices_are_told_by_definition_and_by_members(clean: Team) -> None:
    """`first` is redefined from one text to another, `second` stays and loses its only member, `third` is new."""
    h3, h4, h5 = (CLEAN_TEST[key][:20] for key in ("h3", "h4", "h5"))
    folder = "datasets/support/slices"
    clean.add(f"{folder}/first.yaml", SLICE.format(h3))
    clean.add(f"{folder}/second.yaml", SLICE.format(h4).replace("first", "second"))
    clean.save("Slices")
    clean.push("main")
    branch(clean).dataset("support", train=TRAIN, test={key: v for key, v in CLEAN_TEST.items() if key != "h4"})
    text = (clean.path / f"{folder}/first.yaml").read_text()
    clean.add(f"{folder}/first.yaml", text.replace(h3, h5, 1))
    clean.add(f"{folder}/third.yaml", SLICE.format(h3).replace("first", "third"))
    clean.save("Change slices")
    (dataset,) = report(clean)["datasets"]
    first, second, third = dataset["slices"]
    assert [item["what"] for item in (first, second, third)] == ["changed", None, "added"]
    assert first["members"] == {
        "entered": [{"split": "test", "key": "h5"}],
        "left": [{"split": "test", "key": "h3"}],
        "stayed": 0,
    }
    assert (first["before"]["number"], first["after"]["number"]) == (1, 2)
    assert [item and item["matched"] for item in (second["before"], second["after"])] == [1, 0]
    assert third["before"] is None
    said = markdown(clean)
    assert f"-   input contains {h3}" in said.replace('"', "")
    assert "1 enter, 1 leave, 0 stay" in said


def test_versions_on_the_branch_and_datasets_that_come_and_go(clean: Team) -> None:
    branch(clean).dataset("other", train=rows("o", 4), test=rows("p", 2))
    clean.save("Add other")
    clean.git("tag", "-a", "other@v1.0.0", "-m", "first")
    clean.git("rm", "-q", "-r", "datasets/support")
    clean.save("Remove support")
    found = report(clean)
    assert {item["name"]: item["what"] for item in found["datasets"]} == {"other": "added", "support": "removed"}
    assert [(item["name"], item["verdict"]) for item in found["versions"]] == [("other@v1.0.0", "clean")]
    assert found["datasets"][0]["rows"]["by_split"] == {"test": {"added": 2}, "train": {"added": 4}}
    assert [item["governed"] and item["governed"]["counts"]["removed"] for item in found["datasets"]] == [None, 9]
    said = markdown(clean)
    assert "`support` removed: 9 examples in `test` (held out); 20 examples in `train`" in said
    assert "`other@v1.0.0` is new and clean" in said


@pytest.mark.req("A43")
def test_what_was_not_compared_is_unknown(clean: Team) -> None:
    branch(clean).dataset("support", train={**TRAIN, **rows("n", 1)}, test=CLEAN_TEST)
    clean.bypass("commit", "-q", "-m", "No hooks here")
    found = report(clean)
    assert (found["verdict"], [gap["kind"] for gap in found["gaps"]]) == ("unknown", ["not_scanned", "not_compared"])
    assert "it has not been compared with `support@v1.0.0`" in markdown(clean)


def test_data_that_is_nowhere_leaves_the_rows_untold(clean: Team) -> None:
    """The numbers are missing and the report says why; what records tell is there all the same."""
    never_seen = {"once": uuid.uuid4().hex}
    branch(clean).dataset("support", train={**TRAIN, **never_seen, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("Leak")
    other = clean.clone("other")
    clean.git("push", "-q", "--no-verify", "origin", "work")
    other.git("fetch", "-q")
    other.git("switch", "-q", "work")
    found = report(other)
    (dataset,) = found["datasets"]
    assert dataset["rows"] is None
    assert "cannot be told here" in dataset["untold"][0]
    assert found["given_away"]["new"] == 1
    assert "which examples is not known here" in markdown(other)


def test_a_broken_dataset_file_is_named(clean: Team) -> None:
    branch(clean).add("datasets/support/dataset.yaml", "format: heldout/dataset@1\nname: [\n")
    clean.bypass("commit", "-q", "-m", "Break it")
    found = report(clean)
    assert found["verdict"] == "broken"
    assert "dataset.yaml" in found["datasets"][0]["broken"]
    assert "A dataset cannot be read" in markdown(clean)


def test_what_cannot_be_read_at_one_end_is_claimed_at_neither(clean: Team) -> None:
    """A leak is not resolved because nobody can read the dataset; and mended, it is no dataset that declares more."""
    branch(clean, "leak").dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("Leak")
    clean.push_data()
    clean.bypass("push", "-q", "origin", "leak:main")
    clean.git("fetch", "-q")
    name = "datasets/support/train.csv.dvc"
    whole = clean.show(f"HEAD:{name}") + "\n"
    branch(clean, "broken").add(name, "format: [\n")
    clean.bypass("commit", "-q", "-m", "Break it")
    found = report(clean)
    assert (found["verdict"], found["given_away"]["resolved"]) == ("broken", 0)
    assert "no longer given away" not in markdown(clean) + clean.succeeds("report", "--base", "origin/main").out.lower()
    clean.bypass("push", "-q", "origin", "broken:main")
    clean.git("fetch", "-q")
    branch(clean, "mended").add(name, whole)
    clean.save("Mend it")
    (dataset,) = report(clean)["datasets"]
    assert (dataset["what"], dataset["broken"]) == ("changed", None)
    assert dataset["holdout_before"] == dataset["holdout_after"] == ["test"]
    assert "what it was before cannot be read" in dataset["untold"][0]
    assert "`support` changed: 9 examples in `test` (held out); 21 examples in `train`" in markdown(clean)
    assert "what it was before cannot be read" in clean.succeeds("report", "--base", "origin/main").out


def test_a_dataset_that_goes_with_its_records_is_counted_all_the_same(clean: Team) -> None:
    """Without a record of it the data says how many went."""
    branch(clean).dataset("other", train=rows("o", 4), test=rows("p", 2))
    clean.bypass("commit", "-q", "-m", "Never scanned")
    clean.bypass("push", "-q", "origin", "work:main")
    clean.git("fetch", "-q")
    branch(clean, "gone").git("rm", "-q", "-r", "datasets/other")
    clean.save("Remove it")
    (dataset,) = report(clean)["datasets"]
    assert dataset["rows"]["by_split"] == {"test": {"removed": 2}, "train": {"removed": 4}}


def test_no_text_of_an_example_is_shown_unless_asked_for(clean: Team) -> None:
    texts = [*TRAIN.values(), *CLEAN_TEST.values()]
    branch(clean).dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("Leak")
    for options in (["--markdown"], ["--json"], ["--format", "text"]):
        said = clean.succeeds("report", "--base", "origin/main", *options).out
        assert not [text for text in texts if text in said], options
    shown = markdown(clean, "--with-text")
    assert shown.count(CLEAN_TEST["h1"]) == 2, "the held-out text and its copy"
    assert report(clean, "--with-text")["findings"]["new"][0]["held"]["text"] == CLEAN_TEST["h1"]


def test_it_describes_and_exits_0(clean: Team) -> None:
    """`succeeds` above holds it for everything found; without a base, or with a wrong one, there is no answer."""
    assert clean.heldout("report", "--base", "nowhere").code == 2
    clean.git("remote", "remove", "origin")
    done = clean.heldout("report")
    assert done.code == 2
    assert "no-base" in done.err


def test_a_shallow_clone_that_does_not_reach_the_base_says_so(clean: Team) -> None:
    """Compared with the base's last commit instead, everything that the base lacks would be this branch's doing."""
    branch(clean).commit("Words", README="words")
    clean.bypass("push", "-q", "origin", "work")
    shallow = clean.path.parent / "shallow"
    url = (clean.path.parent / "origin.git").as_uri()
    clean.git("clone", "-q", "--depth=1", "--no-single-branch", "-b", "work", url, str(shallow))
    told = heldout(shallow, "report", "--base", "origin/main")
    assert (told.code, "[no-base]" in told.err, "--unshallow" in told.err) == (2, True, True)


@pytest.mark.parametrize(
    "options", [("--markdown", "--json"), ("--format", "json", "--markdown"), ("--markdown", "--html", "page.html")]
)
def test_two_forms_at_once_are_refused(clean: Team, options: tuple[str, ...]) -> None:
    told = clean.heldout("report", "--base", "HEAD", *options)
    assert (told.code, "options-exclude" in told.out + told.err) == (2, True)


def test_a_name_of_a_split_stays_in_its_line(clean: Team) -> None:
    branch(clean)
    clean.dataset("support", train={**TRAIN, '"1\n::error::\x1b[2J"': CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("A copy under a name that is none")
    for text in (clean.succeeds("report", "--base", "origin/main").out, clean.heldout("gate", "support").out):
        assert "train/1\\u000a::error::\\u001b[2J" in text
        assert "\x1b" not in text
        assert "\n::" not in text
