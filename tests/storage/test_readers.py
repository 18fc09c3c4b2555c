"""Readers on real files: every row read right, or refused with file, line and reason."""

from __future__ import annotations

import csv
import gzip
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.data import DATA, data_path, original

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.readers import Row, read_rows

AWKWARD = DATA / "awkward"


class Pipe(io.RawIOBase):
    """A stream that can only be read forwards, a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(min(len(buffer), 7))
        buffer[: len(data)] = data
        return len(data)


def rows(data: bytes | Path, name: str = "f.csv", on_bad_row: Any = None, **settings: Any) -> list[Row]:
    if isinstance(data, Path):
        data, name = data.read_bytes(), data.name
    return list(read_rows(io.BytesIO(data), DataFile(name, **settings), name, on_bad_row))


def values(data: bytes | Path, name: str = "f.csv", **settings: Any) -> list[Any]:
    return [row.value for row in rows(data, name, **settings)]


def refused(data: bytes | Path, name: str = "f.csv", **settings: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        rows(data, name, **settings)
    assert caught.value.file == (data.name if isinstance(data, Path) else name)
    return caught.value


@pytest.mark.req("A50")
@pytest.mark.parametrize(("name", "count"), [("train", 10003), ("test", 3080)])
def test_banking77_mixes_line_ends_and_breaks_lines_inside_quotes(name: str, count: int) -> None:
    path = data_path(f"banking77/{name}.csv")
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8", newline="")
    expected = list(csv.DictReader(io.StringIO(text, newline="")))
    found = rows(path)
    assert [row.value for row in found] == expected
    assert len(found) == count
    lines = text.replace("\r\n", "\n").split("\n")
    for row in found:
        assert isinstance(row.value, dict)
        first = str(row.value["text"]).replace("\r\n", "\n").split("\n")[0]
        assert first.replace('"', '""') in lines[row.line - 1]


@pytest.mark.req("A50")
def test_gsm8k_has_line_separators_inside_strings() -> None:
    found = values(data_path("gsm8k/train.jsonl"))
    assert len(found) == 7473
    assert any("\u2028" in json.dumps(row, ensure_ascii=False) for row in found + values(data_path("gsm8k/test.jsonl")))


@pytest.mark.req("A50")
def test_mgsm_has_no_header_and_a_quote_that_is_data() -> None:
    found = values(data_path("mgsm/mgsm_es.tsv"), header=False, columns=("question", "answer"))
    assert len(found) == 250
    assert [row["question"].count('"') for row in found if '"' in row["question"]] != []
    assert all(row["answer"].replace(",", "").lstrip("-").isdigit() for row in found)


def test_clinc150_names_splits_by_key(tmp_path: Path) -> None:
    path = original("clinc150/data_full.json", tmp_path)
    found = rows(path, records="{split}")
    document = json.loads(path.read_text("utf-8"))
    assert [(row.split, row.value) for row in found] == [(key, row) for key, part in document.items() for row in part]
    lines = path.read_text("utf-8").split("\n")
    assert all(lines[row.line - 1].strip() == "[" for row in found)
    hint = refused(path).hint
    assert "'oos_val'" in str(hint)
    assert "'train'" in str(refused(path, records="trian"))


@pytest.mark.req("A50")
def test_mbpp_sanitized_is_a_list_in_one_document(tmp_path: Path) -> None:
    path = original("mbpp/sanitized-mbpp.json", tmp_path)
    assert values(path) == json.loads(path.read_text("utf-8"))
    assert len(values(data_path("mbpp/mbpp.jsonl"))) == 974
    assert len(values(data_path("humaneval/HumanEval.jsonl"))) == 164


@pytest.mark.req("A50")
def test_snips_has_a_byte_that_is_not_utf8(tmp_path: Path) -> None:
    path = original("snips2017/PlayMusic/train_PlayMusic_full.json", tmp_path)
    error = refused(path, records="PlayMusic")
    assert (error.slug, error.offset, error.line) == ("bad-encoding", 150732, 9091)
    assert "latin-1" in str(error.hint)
    document = json.loads(path.read_bytes().decode("latin-1"))
    assert values(path, records="PlayMusic", encoding="latin-1") == document["PlayMusic"]


@pytest.mark.req("A50")
def test_nan_is_refused_with_line_and_path() -> None:
    error = refused(AWKWARD / "nan" / "Luis_metrics.json", records="intents")
    assert (error.slug, error.line) == ("not-finite", 53)
    assert "$.intents" in str(error)


@pytest.mark.parametrize("path", sorted((AWKWARD / "csv-spectrum" / "csvs").glob("*.csv")), ids=lambda path: path.stem)
def test_csv_spectrum(path: Path) -> None:
    expected = json.loads((path.parents[1] / "json" / f"{path.stem}.json").read_text("utf-8"))
    if path.stem == "location_coordinates":
        # Its answer is one object instead of a list, with another phone number than the file.
        expected = [{**expected, "Contact Phone Number": "2095257564"}]
    # The two CRLF files keep their line ends inside quotes; csv-spectrum's answers fold them.
    found = [{key: cell.replace("\r\n", "\n") for key, cell in row.items()} for row in values(path)]
    assert found == [{key: cell.replace("\r\n", "\n") for key, cell in row.items()} for row in expected]


@pytest.mark.parametrize(
    ("name", "slug", "line"),
    [
        ("capital-invalid.csv", "bad-header", 1),
        ("duplicate-headers.csv", "bad-header", 1),
        ("duplicate-column.csv", "bad-header", 1),
        ("invalid.csv", "bad-header", 1),
        ("latin1.csv", "bad-encoding", 3),
        ("table-infer-iso-8859-7.csv", "bad-encoding", 2),
        ("implicit-zip.csv", "bad-encoding", 2),
    ],
)
def test_frictionless_files_that_are_refused(name: str, slug: str, line: int) -> None:
    error = refused(AWKWARD / "frictionless" / name)
    assert (error.slug, error.line) == (slug, line)


def test_frictionless_files_that_are_read() -> None:
    people = [{"id": "1", "name": "english"}, {"id": "2", "name": "中国人"}]
    assert values(AWKWARD / "frictionless" / "bom.csv") == people
    assert values(AWKWARD / "frictionless" / "implicit-gz.csv") == people
    assert values(AWKWARD / "frictionless" / "latin1.csv", encoding="latin-1")[1]["name"].endswith("©")


def test_naughty_strings() -> None:
    path = AWKWARD / "blns"
    assert values(path / "blns.json") == json.loads((path / "blns.json").read_text("utf-8"))
    lines = (path / "blns.txt").read_bytes().decode("utf-8").split("\n")
    assert values(path / "blns.txt") == [line for line in lines if line]
    assert len(values(AWKWARD / "bom" / "evaluation_dataset_context.jsonl")) == 4


CSV_FAULTS = [
    (b"a,b\n1,2\n1,2,3\n", "ragged-row", 3),
    (b"a,b\n1\n", "ragged-row", 2),
    (b'a,b\n1,"x\ny",\n', "ragged-row", 2),
    (b'a,b\n1,2\n"x""y",\n3,"open\n4,5\n', "open-quote", 4),
    (b'a,b\n"1\n2","open ""still\n', "open-quote", 3),
    (b'a,b\n"1"x,2\n', "bad-csv", 2),
    (b"a,b\n1,\x00\n", "nul-byte", 2),
    (b"a,b\n1,\xff\n", "bad-encoding", 2),
    (b"", "no-header", None),
    (b"a,\n", "bad-header", 1),
    ("a,b\n1,2\n".encode("utf-16"), "bad-encoding", 1),
    ("a,b\n".encode("utf-16-le"), "nul-byte", 1),
]


@pytest.mark.req("A50")
@pytest.mark.parametrize(("data", "slug", "line"), CSV_FAULTS)
def test_csv_faults(data: bytes, slug: str, line: int | None) -> None:
    error = refused(data)
    assert (error.slug, error.line) == (slug, line)


def test_bad_rows_are_skipped_and_reported_where_the_structure_holds() -> None:
    bad: list[DataError] = []
    data = b'a,b\n1,2\n1,2,3\n"x\n\xff",y\n3,4\n'
    found = rows(data, on_bad_row=bad.append)
    assert [(row.value, row.line) for row in found] == [({"a": "1", "b": "2"}, 2), ({"a": "3", "b": "4"}, 6)]
    assert [(error.slug, error.line) for error in bad] == [("ragged-row", 3), ("bad-encoding", 5)]
    bad.clear()
    data = b'{"a":1}\n{"a":NaN}\n\xff\n\n{"a":2}\n'
    assert [row.line for row in rows(data, "f.jsonl", bad.append)] == [1, 5]
    assert [(error.slug, error.line) for error in bad] == [("not-finite", 2), ("bad-encoding", 3)]
    bad.clear()
    data = b'[\n{"a":1},\n{"a":1,"a":2},\n{"a":[NaN,2]},\n{"a":3}]'
    assert [row.line for row in rows(data, "f.json", bad.append)] == [2, 5]
    assert [(error.slug, error.line) for error in bad] == [("duplicate-key", 3), ("not-finite", 4)]
    with pytest.raises(DataError, match="never closed"):
        rows(b'a\n"x', on_bad_row=bad.append)


def test_line_ends_and_blank_lines() -> None:
    assert values(b"a,b\r1,2\r3,4") == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert values(b'a,b\r\n\r\n1,"x\r\ny\x85\xe2"\n', encoding="latin-1") == [{"a": "1", "b": "x\r\ny\x85â"}]
    assert values("x\u2028y\x85z\r\n\n last ".encode(), "f.txt") == ["x\u2028y\x85z", " last "]
    assert values(b"a\n") == []
    assert values(b"", "f.jsonl") == values(b"", "f.txt") == values(b"[]", "f.json") == []


def test_headers_can_be_absent_or_renamed() -> None:
    assert values(b"1,2\n", header=False, columns=("x", "y")) == [{"x": "1", "y": "2"}]
    assert values(b",text\n0,hi\n", columns=("index", "text")) == [{"index": "0", "text": "hi"}]
    assert values(b'a\tb\n"1"\t2\n', "f.tsv", format="csv", delimiter="\t") == [{"a": "1", "b": "2"}]
    assert values(b"a;b\n1;2\n", delimiter=";") == [{"a": "1", "b": "2"}]
    assert refused(b"a,b\n", columns=("x",)).slug == "ragged-row"


def test_other_encodings() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "shift_jis"):
        assert values("a,b\n日,本\n".encode(encoding), encoding=encoding) == [{"a": "日", "b": "本"}]
    assert refused("a,b\n日".encode("utf-16")[:-1], encoding="utf-16").offset == 10


@pytest.mark.parametrize("name", ["f.csv", "f.tsv", "f.json", "f.jsonl", "f.txt", "f.manifest"])
def test_gzip_and_pipes(name: str) -> None:
    samples = {
        "csv": b"a,b\n1,2\n",
        "tsv": b"a\tb\n1\t2\n",
        "json": b'[{"a":1}]',
        "jsonl": b'{"a":1}\n',
        "txt": b"one\n",
        "manifest": b"split: s\nid: 1\ntext: x\n",
    }
    data = samples[name.split(".")[1]]
    expected = values(data, name)
    assert expected
    half = len(data) // 2
    packed = gzip.compress(data[:half]) + gzip.compress(data[half:])
    assert values(packed, name + ".gz") == expected
    assert values(packed, name) == expected, "the bytes say gzip"
    piped = read_rows(Pipe(packed), DataFile(name), name)  # type: ignore[arg-type]
    assert [row.value for row in piped] == expected
    assert refused(packed[:-6], name + ".gz").slug == "bad-gzip"
    assert refused(packed[:20] + b"\xff\xff" + packed[22:], name + ".gz").slug == "bad-gzip"
    assert refused(data, name + ".gz").slug == "bad-gzip"


@pytest.mark.req("E4", "E5", "E6")
def test_manifest() -> None:
    data = b"# sample\nsplit: train\n\nid: t1\ntext:  Hello: world \nid: t2\n# note\ntext: x\n"
    assert rows(data, "f.manifest") == [
        Row({"key": "t1", "input": "Hello: world"}, 4, "train"),
        Row({"key": "t2", "input": "x"}, 6, "train"),
    ]


@pytest.mark.req("E6", "E7")
@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"id: 1\ntext: x\n", 1),
        (b"", 1),
        (b"split: a\nsplit: b\n", 2),
        (b"split: a\nid: 1\nid: 2\ntext: x\n", 2),
        (b"split: a\nid: 1\n", 2),
        (b"split: a\ntext: x\n", 2),
        (b"split: a\nid: 1\ntext: x\nid: 1\ntext: y\n", 4),
        (b"split: a\nid:\n", 2),
        (b"split: a\nbody: x\n", 2),
    ],
)
def test_malformed_manifests(data: bytes, line: int) -> None:
    bad: list[DataError] = []
    with pytest.raises(DataError) as caught:
        rows(data, "f.manifest", bad.append)
    assert (caught.value.slug, caught.value.line, bad) == ("bad-manifest", line, [])


def test_json_documents_that_are_no_list_of_rows() -> None:
    assert refused(b"", "f.json").slug == "bad-json"
    assert refused(b"3", "f.json").slug == "no-rows"
    hint = refused(b'{"a":1}\n{"a":2}\n', "f.json").hint
    assert "jsonl" in str(hint)
    assert refused(b'{"a":[1],"a":[2]}', "f.json", records="a").slug == "duplicate-key"
    assert refused(b"[1,2] x", "f.json").slug == "bad-json"
    assert rows(b'{"x":[{"rows":[7]}]}', "f.json", records="x.0.rows") == [Row(7, 1)]


OPENS = b'x,y\n1,2\n3,"opened here\n'


@pytest.mark.req("A50")
@pytest.mark.parametrize("line", [b"a,b\n", b"\n", b"a\r\n", b"a\r", "é\u2028,ü\n".encode()])
def test_an_open_quote_over_many_short_lines_is_refused_at_its_line_and_soon(line: bytes) -> None:
    data = OPENS + line * 2_000_000
    start = time.process_time()
    with pytest.raises(DataError) as caught:
        rows(data)
    assert time.process_time() - start < 1.5, "line by line it takes several seconds"
    assert (caught.value.slug, caught.value.line) == ("open-quote", 3)


@pytest.mark.req("A50")
@pytest.mark.parametrize(
    ("middle", "end", "expected"),
    [
        (b"a,b\n" * 500, b'c"\n5,6\n', [("3", "opened here\n" + "a,b\n" * 500 + "c"), ("5", "6")]),
        (b"a\r\rb\r\n" * 500, b'c"\r5,6\r', [("3", "opened here\n" + "a\r\rb\r\n" * 500 + "c"), ("5", "6")]),
        (b'a""b\n\n' * 500, b'"\n5,6\n', [("3", "opened here\n" + 'a"b\n\n' * 500), ("5", "6")]),
        (b"\n" * 70 + b'""\n' + b"\n" * 70, b'"\n5,6',
         [("3", "opened here\n" + "\n" * 70 + '"\n' + "\n" * 70), ("5", "6")]),
    ],
)  # fmt: skip
def test_a_cell_of_many_lines_is_read_exactly(middle: bytes, end: bytes, expected: list[tuple[str, str]]) -> None:
    """Python's csv module on the whole text is the other opinion."""
    data = OPENS + middle + end
    found = [tuple(row.values()) for row in values(data)]
    assert found == [("1", "2"), *expected]
    assert [tuple(row) for row in csv.reader(io.StringIO(data.decode(), newline=""))][1:] == found


@pytest.mark.req("A50")
@pytest.mark.parametrize(("bad", "slug"), [(b"\xff\n", "bad-encoding"), (b"a\0b\n", "nul-byte")])
def test_a_fault_deep_in_a_long_cell_is_told_at_its_own_line(bad: bytes, slug: str) -> None:
    found: list[DataError] = []
    data = OPENS + b"a,b\n" * 1000 + bad + b"a,b\n" * 1000 + b'"\n5,6\n'
    assert [row.value for row in rows(data, on_bad_row=found.append)] == [{"x": "1", "y": "2"}, {"x": "5", "y": "6"}]
    assert [(error.slug, error.line) for error in found] == [(slug, 1004)]
