"""`findings` and `findings show`: which versions hold an overlap, both texts, and advice that helps."""

from __future__ import annotations

import shutil

import pytest
from support.cli import Ran, heldout
from support.story import Team, around, nearly, sentence
from versions.conftest import NEXT_TEST, NEXT_TRAIN, labelled, write_support


def listed(team: Team, *arguments: str) -> list[dict]:  # type: ignore[type-arg]
    said = heldout(team.path, "findings", *arguments, "--json")
    assert said.code == 0, said.err
    assert said.json["format"] == "heldout/findings@1"
    return list(said.json["findings"])


def sides(row: dict) -> tuple[str, str, str]:  # type: ignore[type-arg]
    return (row["kind"], *(f"{row[side]['split']}/{row[side]['key']}" for side in "ab"))  # type: ignore[return-value]


def versions_of(side: dict) -> list[str]:  # type: ignore[type-arg]
    return [name for version in side["versions"] for name in version["versions"]]


@pytest.mark.req("B46", "A29")
def test_a_version_lists_its_example_first_and_the_versions_that_contain_either(versions: Team) -> None:
    rows = {sides(row): row for row in listed(versions, "support@v1.0.0")}
    assert ("exact", "test/copied", "train/t1") in rows
    assert ("near", "test/close", "train/t2") in rows
    assert ("containment", "test/h0", "train/wide") in rows
    copied = rows["exact", "test/copied", "train/t1"]
    assert versions_of(copied["a"]) == ["support@v1.0.0"]
    assert versions_of(copied["b"]) == ["support@v1.0.0", "support@v2.0.0"]
    assert [name for version in copied["contaminates"] for name in version["versions"]] == ["support@v1.0.0"]


@pytest.mark.req("B40", "B46", "A28", "A29")
def test_the_fix_is_a_moved_finding_that_contaminates_the_frozen_parent_only(versions: Team) -> None:
    rows = [row for row in listed(versions, "support@v2.0.0") if "moved" in (row["kind"], *row["also"])]
    assert {row["a"]["key"] for row in rows} == {"copied", "close"}
    for row in rows:
        assert "support@v2.0.0" in versions_of(row["a"])
        assert [name for version in row["contaminates"] for name in version["versions"]] == ["support@v1.0.0"]


@pytest.mark.req("B47")
def test_holdout_contamination_only(versions: Team) -> None:
    rows = listed(versions, "support@v1.0.0", "--holdout-only")
    assert rows
    assert all(row["holdout_contamination"] for row in rows)
    assert "containment" not in {row["kind"] for row in rows}
    everything = listed(versions, "support@v1.0.0")
    assert len([row for row in everything if row["holdout_contamination"]]) == len(rows)
    assert everything[: len(rows)] == rows, "they come first"


def test_kind_and_limit(versions: Team) -> None:
    assert {row["kind"] for row in listed(versions, "--kind", "containment")} == {"containment"}
    said = heldout(versions.path, "findings", "support@v1.0.0", "--limit", "1").out
    assert "more (--limit" in said
    assert "next: heldout findings show" in said


def test_without_a_subject_each_finding_is_listed_once(versions: Team) -> None:
    rows = listed(versions)
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["id"] for row in rows} >= {row["id"] for row in listed(versions, "support@v1.0.0")}


@pytest.mark.req("A43", "B44")
def test_content_that_nobody_recorded_is_not_an_empty_list(own: Team) -> None:
    own.write("datasets/support/dataset.yaml", own.show("HEAD:datasets/support/dataset.yaml") + "\non_bad_row: skip\n")
    said = heldout(own.path, "findings", "support")
    assert said.code == 3
    assert "nothing is known" in said.out
    assert "heldout scan support" in said.out


def test_a_working_copy_with_edits_says_that_its_list_is_older(own: Team) -> None:
    own.write("datasets/support/extra.txt", "")
    (own.path / "datasets/support/train.csv").unlink()
    own.write("datasets/support/train.csv", "id,text,label\n1,other,yes\n")
    assert (
        "datasets/support/train.csv: edited since; heldout scan support" in heldout(own.path, "findings", "support").out
    )


def shown(team: Team, key: str, subject: str, *arguments: str) -> Ran:
    rows = [row for row in listed(team, subject) if row["a"]["key"] == key and row["b"]["key"] != key]
    row = next(row for row in rows if row["b"]["key"] in ("t1", "t2", "wide", "leak"))
    return heldout(team.path, "findings", "show", row["id"][:10], *arguments)


@pytest.mark.req("B46", "A47", "B51")
def test_both_texts_side_by_side_with_the_words_that_differ(versions: Team) -> None:
    said = shown(versions, "close", "support@v1.0.0", "support@v1.0.0")
    assert said.code == 0
    assert "near (block), similarity 33/34 = 0.9706" in said.out
    last = sentence("t2").split()[-1]
    assert f"[-{nearly('t2').split()[-1]}-]" in said.out
    assert f"{{+{last}+}}" in said.out
    assert "longest shared piece, 70 characters" in said.out
    assert "Move or remove the held-out example test/close" in said.out
    assert "Removing train/t2 would not help" in said.out
    assert "\x1b" not in said.out, "no colour when piped"


@pytest.mark.req("A46")
def test_a_containment_is_marked_in_the_longer_text(versions: Team) -> None:
    said = shown(versions, "h0", "support@v1.0.0")
    assert f"[{sentence('h0')}]" in said.out
    assert "A stands whole in the other (prefix, at word boundaries)" in said.out
    assert "It blocks nothing" in said.out
    found = shown(versions, "h0", "support@v1.0.0", "--json").json
    assert (found["a"]["text"], found["b"]["text"]) == (sentence("h0"), around("h0"))


def test_texts_are_fetched_where_they_are_not_here(own: Team) -> None:
    shutil.rmtree(own.path / ".dvc/cache")
    said = shown(own, "close", "support@v1.0.0")
    assert said.code == 0
    assert "fetching datasets/support/test.csv" in said.err


@pytest.mark.req("A47")
def test_what_was_never_frozen_outside_a_holdout_can_simply_go(own: Team) -> None:
    train = {**NEXT_TRAIN, **labelled({"leak": sentence("h3")})}
    write_support(own, train, NEXT_TEST)
    own.save("Add a leak")
    said = shown(own, "h3", "support@HEAD", "support@HEAD")
    assert "Remove train/leak, or move or remove test/h3; then commit." in said.out
    assert "Both read:" in said.out


@pytest.mark.req("A29", "B51")
def test_the_fix_seen_from_the_parent_asks_for_nothing(versions: Team) -> None:
    rows = [row for row in listed(versions, "support@v1.0.0") if row["a"]["key"] == row["b"]["key"] == "close"]
    said = heldout(versions.path, "findings", "show", rows[0]["id"])
    assert "left the holdout after support@v1.0.0: that is the fix" in said.out
    assert "Move or remove" not in said.out


@pytest.mark.parametrize("start", ["ffffffffffffffff", "ffff", "g"])
def test_an_id_that_is_none(versions: Team, start: str) -> None:
    said = heldout(versions.path, "findings", "show", start)
    assert said.code == 2
    assert "unknown-finding" in said.err


@pytest.mark.parametrize("length", [0, 1, 3])
def test_the_start_of_an_id_that_says_too_little(versions: Team, length: int) -> None:
    said = heldout(versions.path, "findings", "show", listed(versions)[0]["id"][:length])
    assert said.code == 2
    assert "ambiguous-finding" in said.err
    assert "4 characters or more" in said.err


def test_example_text_is_in_no_file_of_the_repository(own: Team) -> None:
    shown(own, "close", "support@v1.0.0")
    for folder in (".heldout", "datasets/support/scans"):
        for file in (own.path / folder).rglob("*"):
            assert not file.is_file() or nearly("t2").encode() not in file.read_bytes()
