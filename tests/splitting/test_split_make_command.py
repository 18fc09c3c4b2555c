"""`heldout split make`: what comes out of it shares nothing, by `heldout check` and by an oracle of its own."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli import heldout
from support.data import data_path, prepared
from support.story import around, nearly, sentence

BANKING = ("--share", "train=0.8", "--share", "test=0.2", "--stratify", "category")
HALVES = ("--share", "a=0.5", "--share", "b=0.5")


def banking(folder: Path) -> list[bytes]:
    """train.csv and test.csv in the folder, and the records of both, cut by Python's own csv reader."""
    records = []
    for name in ("train", "test"):
        data = gzip.decompress(data_path(f"banking77/{name}.csv").read_bytes())
        (folder / f"{name}.csv").write_bytes(data)
        records += cut(data)[1:]
    return records


def cut(data: bytes) -> list[bytes]:
    """The records of a csv file as bytes, header included."""
    lines = data.decode().splitlines(keepends=True)
    records, at = [], 0
    reader = csv.reader(iter(lines))
    for _ in reader:
        records.append("".join(lines[at : reader.line_num]).encode())
        at = reader.line_num
    return [record if record.endswith(b"\n") else record + b"\n" for record in records]


def write(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.req("D57")
def test_banking77_joined_and_split_again_shares_nothing_and_comes_out_the_same_twice(tmp_path: Path) -> None:
    records = banking(tmp_path)
    made = heldout(tmp_path, "split", "make", "train.csv", "test.csv", "-o", "one", *BANKING, "--json")
    assert made.code == 0
    report = made.json
    assert report["rows"] == 13083
    assert report["held_together"] == {"near": 401}  # 175 across and 226 within the published splits
    for name, share in (("train", 0.8), ("test", 0.2)):
        part = report["splits"][name]
        assert abs(part["rows"] / (share * 13083) - 1) < 0.01
        assert part["share"] == pytest.approx(share, abs=0.0001)
        for label, count in part["strata"].items():
            total = report["splits"]["train"]["strata"][label] + report["splits"]["test"]["strata"][label]
            assert abs(count - share * total) < 2, label
    written = [(tmp_path / "one" / f"{name}.csv").read_bytes() for name in ("train", "test")]
    assert sorted(record for data in written for record in cut(data)[1:]) == sorted(records)

    check = heldout(tmp_path, "check", "one/train.csv", "one/test.csv", "--holdout", "test", "--json")
    assert check.code == 0
    pairs = check.json["pairs"]
    assert (pairs["exact"], pairs["near"], pairs["moved"]) == (0, 0, 0)

    again = heldout(tmp_path, "split", "make", "train.csv", "test.csv", "-o", "two", *BANKING)
    assert again.code == 0
    assert [(tmp_path / "two" / f"{name}.csv").read_bytes() for name in ("train", "test")] == written
    other = heldout(tmp_path, "split", "make", "train.csv", "test.csv", "-o", "three", *BANKING, "--seed", "8")
    assert other.code == 0
    assert (tmp_path / "three" / "test.csv").read_bytes() != written[1]


def test_shuffled_rows_and_joined_files_make_the_same_split(tmp_path: Path) -> None:
    rows = [{"text": row["input"], "label": row["metadata"]["label"]} for row in prepared("banking77")[:1500]]
    write(tmp_path / "all.jsonl", rows)
    shuffled = random.Random(5).sample(rows, len(rows))
    write(tmp_path / "left.jsonl", shuffled[:400])
    write(tmp_path / "right.jsonl", shuffled[400:])
    options = ("--share", "train=3/4", "--share", "test=1/4", "--stratify", "label")
    assert heldout(tmp_path, "split", "make", "all.jsonl", "-o", "one", *options).code == 0
    assert heldout(tmp_path, "split", "make", "right.jsonl", "left.jsonl", "-o", "two", *options).code == 0
    for name in ("train", "test"):
        one, two = (sorted(map(str, lines(tmp_path / folder / f"{name}.jsonl"))) for folder in ("one", "two"))
        assert one == two


row = st.fixed_dictionaries(
    {
        "text": st.tuples(st.sampled_from("pqrst"), st.sampled_from([sentence, nearly, around])).map(
            lambda made: made[1](made[0])
        ),
        "customer": st.sampled_from([None, "", "x", "y", "z"]),
        "id": st.sampled_from(["1", "2", "3", None]),
    }
)


@pytest.mark.req("D57")
@settings(max_examples=25, deadline=None)
@given(rows=st.lists(row, min_size=2, max_size=14), containment=st.booleans(), seed=st.integers(0, 3))
def test_no_link_and_no_group_crosses(
    rows: list[dict[str, Any]], containment: bool, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("made")
    rows.append({"text": sentence("last"), "customer": "only", "id": "only"})
    write(folder / "rows.jsonl", [{**row, "n": number} for number, row in enumerate(rows)])
    options = ["--group", "customer", "--key", "id", *["--containment"] * containment, "--tolerance", "1"]
    done = heldout(folder, "split", "make", "rows.jsonl", "-o", "out", *HALVES, *options, "--seed", str(seed))
    if done.code:  # one cluster of everything leaves a split empty
        assert "would be empty" in done.err
        return
    split = {item["n"]: name for name in ("a", "b") for item in lines(folder / "out" / f"{name}.jsonl")}
    assert len(split) == len(rows)
    for x, y in combinations(range(len(rows)), 2):
        if linked(rows[x], rows[y], containment=containment):
            assert split[x] == split[y], (rows[x], rows[y])


def linked(x: dict[str, Any], y: dict[str, Any], *, containment: bool) -> bool:
    """By the definitions; these texts are normalised already."""
    a, b = ({row["text"][at : at + 5] for at in range(len(row["text"]) - 4)} for row in (x, y))
    near = len(a & b) >= 0.8 * len(a | b)
    inside = containment and (x["text"] in y["text"] or y["text"] in x["text"])
    return near or inside or any(x[field] and x[field] == y[field] for field in ("customer", "id"))


@pytest.mark.req("D57")
def test_a_family_too_large_to_list_stays_together(tmp_path: Path) -> None:
    """300 variants of one template are a family: only some of its pairs are listed, and none may cross."""
    template = sentence("template") + " " + sentence("more of it")
    rows = [{"text": f"{template} {number:03}"} for number in range(300)]
    write(tmp_path / "rows.jsonl", [*rows, *({"text": sentence(f"alone {number}")} for number in range(700))])
    done = heldout(tmp_path, "split", "make", "rows.jsonl", "-o", "out", *HALVES, "--json")
    assert done.code == 0
    assert done.json["largest_cluster"] == 300
    check = heldout(tmp_path, "check", "out/a.jsonl", "out/b.jsonl", "--json").json
    assert check["capped"]["buckets"] > 0
    assert (check["pairs"]["near"], check["splits"]) == (0, {"a": 500, "b": 500})


def test_what_was_made_from_a_row_stays_with_it(tmp_path: Path) -> None:
    rows = [{"id": str(number), "from": str(number // 4) if number >= 4 else "", "text": sentence(str(number))}
            for number in range(16)]  # fmt: skip
    write(tmp_path / "rows.jsonl", rows)
    options = (*HALVES, "--key", "id", "--source", "from", "--tolerance", "0.2")
    assert heldout(tmp_path, "split", "make", "rows.jsonl", "-o", "out", *options).code == 0
    split = {item["id"]: name for name in ("a", "b") for item in lines(tmp_path / "out" / f"{name}.jsonl")}
    assert all(split[item["id"]] == split[item["from"]] for item in rows if item["from"])


def test_a_cluster_too_large_is_named_with_the_tolerance_that_would_do(tmp_path: Path) -> None:
    rows = [
        {"text": sentence(str(number)), "customer": "acme" if number >= 40 else str(number)} for number in range(100)
    ]
    write(tmp_path / "rows.jsonl", rows)
    command = ("split", "make", "rows.jsonl", "-o", "out", *HALVES, "--group", "customer")
    refused = heldout(tmp_path, *command)
    assert refused.code == 2
    assert "split-too-uneven" in refused.err
    assert "The largest of 41 clusters has 60 of 100 rows, the first at rows.jsonl:41" in refused.err
    assert "60 of them have customer=acme" in refused.err
    assert "--tolerance 0.1 would do" in refused.err
    assert not (tmp_path / "out").exists()
    assert heldout(tmp_path, *command, "--tolerance", "0.1").code == 0


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"text": sentence(str(number))} for number in range(10)])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.jsonl").write_text("mine")
    refused = heldout(tmp_path, "split", "make", "rows.jsonl", "-o", "out", *HALVES)
    assert refused.code == 2
    assert "output-exists" in refused.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.jsonl"]
    assert (tmp_path / "out" / "b.jsonl").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--share", "a=0.5"), "sum to 0.5"),
        (("--share", "a=0.5", "--share", "b=0.6"), "sum to 1.1"),
        (("--share", "a=0.5", "--share", "a=0.5"), "each once"),
        (("--share", "../a=0.5", "--share", "b=0.5"), "expected a split's name"),
        (("--share", "a=half", "--share", "b=0.5"), "a number from 0 to 1"),
        (("--share", "a=1", "--share", "b=0"), "without rows"),
        ((*HALVES, "--stratify", "colour"), "no row has the field 'colour'"),
        ((*HALVES, "--source", "text"), "--key is not given"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    write(tmp_path / "rows.jsonl", [{"text": sentence(str(number))} for number in range(10)])
    refused = heldout(tmp_path, "split", "make", "rows.jsonl", "-o", "out", *options)
    assert refused.code == 2
    assert message in refused.err


CSV = (
    b'\xef\xbb\xbftext,note\r\n"two\r\nlines\n\nof it",a\r\n\r\nplain one here,b\n'
    b'something else entirely,"c ""d"""\r\nlast of all rows,e'
)


def test_rows_are_copied_byte_by_byte(tmp_path: Path) -> None:
    """A byte order mark, mixed line ends, blank lines inside a cell and between rows, no end of line at the end."""
    (tmp_path / "rows.csv").write_bytes(CSV)
    assert heldout(tmp_path, "split", "make", "rows.csv", "-o", "out", *HALVES, "--text-field", "text").code == 0
    made = [(tmp_path / "out" / f"{name}.csv").read_bytes() for name in ("a", "b")]
    assert all(data.startswith(b"\xef\xbb\xbftext,note\r\n") for data in made)
    assert sorted(record for data in made for record in cut(data)[1:]) == sorted(
        [
            b'"two\r\nlines\n\nof it",a\r\n',
            b"plain one here,b\n",
            b'something else entirely,"c ""d"""\r\n',
            b"last of all rows,e\r\n",
        ]
    )


def test_other_formats_are_written_as_json_lines_and_csv_on_demand(tmp_path: Path) -> None:
    rows = [{"text": sentence(str(number)), "big": 12345678901234567890123, "x": 0.1} for number in range(4)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    assert heldout(tmp_path, "split", "make", "rows.json", "-o", "out", *HALVES, "--text-field", "text").code == 0
    found = [item for name in ("a", "b") for item in lines(tmp_path / "out" / f"{name}.jsonl")]
    assert sorted(found, key=str) == sorted(rows, key=str)
    refused = heldout(
        tmp_path, "split", "make", "rows.json", "-o", "as-csv", *HALVES, "--text-field", "text", "--format", "csv"
    )
    assert "rows-not-copied" in refused.err
    write(tmp_path / "texts.jsonl", [{"text": row["text"], "label": 'a "b"\n'} for row in rows])
    options = (*HALVES, "--text-field", "text", "--format", "csv")
    assert heldout(tmp_path, "split", "make", "texts.jsonl", "-o", "as-csv", *options).code == 0
    texts = Counter(
        line["label"]
        for name in ("a", "b")
        for line in csv.DictReader(io.StringIO((tmp_path / "as-csv" / f"{name}.csv").read_text()))
    )
    assert texts == {'a "b"\n': 4}


def test_files_that_do_not_go_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\none two three,x\n")
    (tmp_path / "b.csv").write_text("label,text\ny,four five six\n")
    write(tmp_path / "c.jsonl", [{"text": "seven eight nine", "label": "z"}])
    command = ("-o", "out", *HALVES, "--text-field", "text", "--tolerance", "0.5")
    assert "headers-differ" in heldout(tmp_path, "split", "make", "a.csv", "b.csv", *command).err
    assert "in which format" in heldout(tmp_path, "split", "make", "a.csv", "c.jsonl", *command).err
    (tmp_path / "mac.csv").write_bytes(b"text\rone two three\rfour five six\r")
    assert "two rows stand in one line" in heldout(tmp_path, "split", "make", "mac.csv", *command).err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    done = heldout(tmp_path, "split", "make", "a.csv", "b.csv", "c.jsonl", *command, "--format", "jsonl")
    assert done.code == 0, done.err
