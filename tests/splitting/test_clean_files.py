"""`heldout clean`: which rows leave, what is said of them, and what stays as it was."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli import heldout
from support.data import data_path, truth
from support.story import Team, around, nearly, sentence


def write(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.req("D57")
def test_banking77_loses_the_training_rows_that_the_truth_names(tmp_path: Path) -> None:
    for name in ("train", "test"):
        packed = data_path(f"banking77/{name}.csv")
        (tmp_path / f"{name}.csv").write_bytes(gzip.decompress(packed.read_bytes()))
    done = heldout(tmp_path, "clean", "train.csv", "test.csv", "--holdout", "test", "-o", "out", "--json")
    assert (done.code, done.json["clean"], done.json["remaining"]) == (0, True, 0)
    sides = [
        (pair["a"], pair["b"]) for pair in truth("banking77") if pair["kind"] == "near" and pair["scope"] == "cross"
    ]
    gone = {side["id"] for pair in sides for side in pair if side["split"] == "train"}
    assert done.json["removed"] == {"near": len(gone)}
    removed = lines(tmp_path / "out" / "removed.jsonl")
    assert len(removed) == len(gone) == 168
    assert "text" not in str(removed[0].keys())
    assert (tmp_path / "out" / "test.csv").read_bytes() == (tmp_path / "test.csv").read_bytes()
    before, after = ((tmp_path / folder / "train.csv").read_bytes() for folder in (".", "out"))
    assert done.json["files"][0]["kept"] == 10003 - 168
    check = heldout(tmp_path, "check", "out/train.csv", "out/test.csv", "--holdout", "test", "--json")
    assert (check.code, check.json["pairs"]["near"]) == (0, 0)
    left = iter(before.split(b"\n"))
    assert all(line in left for line in after.split(b"\n"))  # in order, every line as it was


def rows(folder: Path) -> None:
    write(
        folder / "train.jsonl",
        [
            {"id": "a", "text": sentence("a"), "who": "x"},
            {"id": "b", "text": nearly("b"), "who": "x"},
            {"id": "c", "text": sentence("c"), "who": "x"},
            {"id": "k", "text": sentence("another text under a key of the holdout"), "who": "x"},
            {"id": "d", "text": around("d"), "who": "x"},
            {"id": "e", "text": sentence("e"), "who": "acme"},
        ],
    )
    write(
        folder / "test.jsonl",
        [
            {"id": "1", "text": sentence("a"), "who": "y"},
            {"id": "2", "text": sentence("b"), "who": "y"},
            {"id": "k", "text": sentence("k"), "who": "y"},
            {"id": "4", "text": sentence("d"), "who": "y"},
            {"id": "5", "text": sentence("f"), "who": "acme"},
        ],
    )


COMMAND = ("clean", "train.jsonl", "test.jsonl", "--holdout", "test", "-o", "out", "--key", "id")


@pytest.mark.req("D57")
def test_each_row_that_leaves_is_listed_with_its_reason_and_partner(tmp_path: Path) -> None:
    rows(tmp_path)
    done = heldout(tmp_path, *COMMAND, "--containment", "--group", "who")
    assert done.code == 0, done.out + done.err
    assert [item["id"] for item in lines(tmp_path / "out" / "train.jsonl")] == ["c"]
    found = [
        (item["key"], item["line"], item["kind"], item.get("similarity"), item["partner"]["line"])
        for item in lines(tmp_path / "out" / "removed.jsonl")
    ]
    assert found == [
        ("a", 1, "exact", 1.0, 1),
        ("b", 2, "near", round(66 / 68, 4), 2),
        ("k", 4, "moved", None, 3),
        ("d", 5, "containment", None, 4),
        ("e", 6, "group_crosses_split", None, 5),
    ]
    plain = heldout(tmp_path, *COMMAND[:-4], "-o", "plain", "--key", "id", "--json").json
    assert plain["removed"] == {"exact": 1, "moved": 1, "near": 1}


def test_a_holdout_changes_only_when_it_is_asked_for(tmp_path: Path) -> None:
    rows(tmp_path)
    done = heldout(tmp_path, *COMMAND, "--drop", "holdout")
    assert done.code == 0, done.out
    assert [item["id"] for item in lines(tmp_path / "out" / "test.jsonl")] == ["4", "5"]
    assert (tmp_path / "out" / "train.jsonl").read_bytes() == (tmp_path / "train.jsonl").read_bytes()
    assert "give it a new version" in done.out
    again = heldout(tmp_path, *COMMAND)
    assert again.code == 2
    assert "output-exists" in again.err


def test_splits_by_a_column_and_by_structure(tmp_path: Path) -> None:
    texts = {"train": [sentence("a"), sentence("b")], "test": [sentence("a"), sentence("c")]}
    write(tmp_path / "all.jsonl", [{"s": name, "text": text} for name, found in texts.items() for text in found])
    command = ("--holdout", "test", "--text-field", "text")
    done = heldout(tmp_path, "clean", "all.jsonl", "-o", "one", "--split-field", "s", *command)
    assert done.code == 0, done.out + done.err
    assert lines(tmp_path / "one" / "all.jsonl") == [
        {"s": "train", "text": sentence("b")},
        {"s": "test", "text": sentence("a")},
        {"s": "test", "text": sentence("c")},
    ]
    (tmp_path / "all.json").write_text(
        json.dumps({name: [{"text": text} for text in found] for name, found in texts.items()})
    )
    done = heldout(tmp_path, "clean", "all.json", "-o", "two", "--records", "{split}", *command)
    assert done.code == 0, done.out + done.err
    assert [item["text"] for item in lines(tmp_path / "two" / "all.train.jsonl")] == [sentence("b")]
    assert [item["text"] for item in lines(tmp_path / "two" / "all.test.jsonl")] == texts["test"]


def test_values_are_written_where_bytes_cannot_be_copied(tmp_path: Path) -> None:
    for name, texts in (("train", "ab"), ("test", "a")):
        data = "\n".join(["text,label", *(f"{sentence(text)} é,x" for text in texts)])
        (tmp_path / f"{name}.csv").write_bytes(data.encode("utf-16"))
    command = ("clean", "train.csv", "test.csv", "--holdout", "test", "--text-field", "text", "--encoding", "utf-16")
    assert "rows-not-copied" in heldout(tmp_path, *command, "-o", "out").err
    assert not list((tmp_path / "out").iterdir())
    done = heldout(tmp_path, *command, "-o", "out", "--format", "jsonl")
    assert done.code == 0, done.err
    assert lines(tmp_path / "out" / "train.jsonl") == [{"text": f"{sentence('b')} é", "label": "x"}]


def test_a_working_copy_is_read_as_its_dataset_yaml_says(tmp_path: Path) -> None:
    team = Team.start(tmp_path)
    head = "format: heldout/dataset@1\nname: support\nfields: {input: question, key: id}\nholdout: [test]\n"
    team.write("datasets/support/dataset.yaml", f"{head}data:\n  - {{path: rows.jsonl}}\n")
    made = [("train", "a", "1"), ("train", "b", "2"), ("test", "a", "3"), ("test", "c", "4")]
    rows = [json.dumps({"split": split, "id": key, "question": sentence(name)}) for split, name, key in made]
    team.write("datasets/support/rows.jsonl", "\n".join(rows) + "\n")
    team.track("datasets/support/rows.jsonl")
    done = team.heldout("clean", "support", "-o", "../cleaned")
    assert done.code == 0, done.err
    assert (tmp_path / "cleaned" / "rows.jsonl").read_text() == "\n".join(rows[1:]) + "\n"
    (listed,) = lines(tmp_path / "cleaned" / "removed.jsonl")
    assert (listed["key"], listed["file"], listed["line"]) == ("1", "datasets/support/rows.jsonl", 1)
    assert team.heldout("clean", "nothing", "-o", "../none").code == 2


def test_everything_may_leave(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", [{"text": sentence("a")}])
    write(tmp_path / "test.jsonl", [{"text": sentence("a")}])
    done = heldout(tmp_path, "clean", "train.jsonl", "test.jsonl", "--holdout", "test", "-o", "out")
    assert done.code == 0
    assert (tmp_path / "out" / "train.jsonl").read_bytes() == b""


@pytest.mark.req("D57")
@settings(max_examples=20, deadline=None)
@given(
    train=st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from([sentence, nearly])), min_size=1, max_size=6),
    test=st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from([sentence, nearly])), min_size=1, max_size=4),
)
def test_what_leaves_is_what_brute_force_says(
    train: list[Any], test: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("clean")
    for name, made in (("train", train), ("test", test)):
        write(folder / f"{name}.jsonl", [{"text": make(letter)} for letter, make in made])
    done = heldout(folder, "clean", "train.jsonl", "test.jsonl", "--holdout", "test", "-o", "out")
    assert done.code == 0
    held = {letter for letter, _ in test}
    assert [item["text"] for item in lines(folder / "out" / "train.jsonl")] == [
        make(letter) for letter, make in train if letter not in held
    ]
