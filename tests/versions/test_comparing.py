"""`diff` between versions, commits and the working copy."""

from __future__ import annotations

import shutil

import pytest
from support.cli import heldout
from support.story import Team, sentence
from versions.conftest import NEXT_TEST, NEXT_TRAIN, labelled, write_support

COUNTS = {"added": 1, "removed": 1, "changed": 2, "moved": 2, "relabelled": 1, "unchanged": 15}


@pytest.mark.req("B40", "A28")
def test_each_kind_by_key_and_split(versions: Team) -> None:
    found = heldout(versions.path, "diff", "support@v1.0.0", "support@v2.0.0", "--json").json
    assert found["format"] == "heldout/diff@1"
    assert found["counts"] == COUNTS
    assert [(row["split"], row["key"]) for row in found["added"]] == [("train", "new")]
    assert [(row["split"], row["key"]) for row in found["removed"]] == [("train", "t4")]
    assert [(row["key"], row["input_changed"], row["expected_changed"]) for row in found["changed"]] == [
        ("t5", True, False),
        ("t6", False, True),
    ]
    assert [(row["key"], row["from"]["split"], row["to"]["split"]) for row in found["moved"]] == [
        ("close", "test", "train"),
        ("copied", "test", "train"),
    ]
    assert [row["key"] for row in found["relabelled"]] == ["t6"]
    assert found["by_split"]["test"]["moved_out"] == found["by_split"]["train"]["moved_in"] == 2
    assert (found["part"], found["suggested"]) == ("major", None)


def test_the_way_back(versions: Team) -> None:
    found = heldout(versions.path, "diff", "support@v2.0.0", "support@v1.0.0", "--json").json
    assert found["counts"] == {**COUNTS, "added": 1, "removed": 1}
    assert [row["key"] for row in found["added"]] == ["t4"]


def test_the_text_form_lists_up_to_the_limit(versions: Team) -> None:
    said = heldout(versions.path, "diff", "support@v1.0.0", "support@v2.0.0", "--limit", "1").out
    assert "1 added, 1 removed, 2 changed, 2 moved, 1 relabelled, 15 unchanged" in said
    assert "test/close -> train" in said
    assert "test/copied" not in said
    assert "and 1 more" in said
    assert "MAJOR" in said


def test_a_working_copy_is_compared_as_its_files_lie(own: Team) -> None:
    """Edits that DVC has not seen are part of it."""
    train = {**NEXT_TRAIN, **labelled({"late": sentence("late")})}
    write_support(own, train, NEXT_TEST)
    own.git("reset", "-q", "--hard")
    lines = [f"{key},{text},{label}" for key, (text, label) in train.items()]
    (own.path / "datasets/support/train.csv").unlink(missing_ok=True)
    own.write("datasets/support/train.csv", "\n".join(["id,text,label", *lines]) + "\n")
    found = heldout(own.path, "diff", "support@v2.0.0", "support", "--json").json
    assert [row["key"] for row in found["added"]] == ["late"]
    assert (found["part"], found["suggested"]) == ("minor", "support@v2.1.0")
    assert "next: heldout freeze support (proposes support" not in heldout(own.path, "diff", "support", "support").out


def test_a_working_copy_without_its_files_is_read_from_the_cache(own: Team) -> None:
    for split in ("train", "test"):
        (own.path / f"datasets/support/{split}.csv").unlink()
    found = heldout(own.path, "diff", "support@v2.0.0", "support", "--json").json
    assert found["same_content"]


def test_what_is_missing_is_fetched_and_said(own: Team) -> None:
    shutil.rmtree(own.path / ".dvc/cache")
    said = heldout(own.path, "diff", "support@v1.0.0", "support@v2.0.0")
    assert said.code == 0
    assert "fetching datasets/support/test.csv" in said.err


def test_two_datasets_have_no_diff(own: Team) -> None:
    own.dataset("faq", train={"a": sentence("a")})
    said = heldout(own.path, "diff", "support", "faq")
    assert said.code == 2
    assert "two-datasets" in said.err
