"""Parquet: real files of parquet-testing, corrupt ones among them, and types written here with pyarrow."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.data import DATA

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.readers import read_rows
from heldout.storage.readers.parquet import process

FILES = sorted((DATA / "awkward" / "parquet").rglob("*.parquet"))


def read(data: bytes, on_bad_row: Any = None, columns: tuple[str, ...] = ()) -> list[Any]:
    item = DataFile("f.parquet", columns=columns)
    return [row.value for row in read_rows(io.BytesIO(data), item, "f.parquet", on_bad_row)]


def written(columns: dict[str, pa.Array]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


@pytest.mark.req("A50")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_is_read_like_pyarrow_or_refused(path: Path) -> None:
    error: DataError | None = None
    try:
        found = read(path.read_bytes())
    except DataError as caught:
        error = caught
    if error is not None:
        assert error.slug in ("bad-parquet", "unsupported-type", "bad-value", "row-too-large"), str(error)
        assert error.file == "f.parquet"
        return
    table = pq.read_table(path)
    assert len(found) == table.num_rows
    simple = [field.name for field in table.schema if pa.types.is_integer(field.type) or pa.types.is_string(field.type)]
    expected = table.select(simple).to_pylist()
    assert [{name: row[name] for name in simple} for row in found] == expected


@pytest.mark.req("A50")
def test_values_are_exact() -> None:
    utc = dt.UTC
    data = written(
        {
            "big": pa.array([2**64 - 1], pa.uint64()),
            "single": pa.array([0.1], pa.float32()),
            "decimal": pa.array([decimal.Decimal("1.50")], pa.decimal128(10, 2)),
            "tiny": pa.array([decimal.Decimal("0.0000000001")], pa.decimal128(20, 10)),
            "ns": pa.array([1], pa.timestamp("ns")),
            "zoned": pa.array([dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=utc)], pa.timestamp("s", "Europe/Berlin")),
            "date": pa.array([dt.date(2024, 1, 2)]),
            "text": pa.array(["a\u2028"]).dictionary_encode(),
            "nested": pa.array([[{"k": None, "l": [True]}]]),
            "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
            "null": pa.array([None]),
        }
    )
    assert read(data) == [
        {
            "big": 18446744073709551615,
            "single": 0.10000000149011612,
            "decimal": "1.50",
            "tiny": "0.0000000001",
            "ns": "1970-01-01T00:00:00.000000001",
            "zoned": "2024-01-02T03:04:05Z",
            "date": "2024-01-02",
            "text": "a\u2028",
            "nested": [{"k": None, "l": [True]}],
            "map": {"a": 1},
            "null": None,
        }
    ]


def test_a_bad_row_is_skipped_by_its_number() -> None:
    data = written({"x": pa.array([1.0, float("nan"), 3.0]), "y": pa.array([[1.0], [2.0], [float("inf")]])})
    bad: list[DataError] = []
    assert read(data, bad.append) == [{"x": 1.0, "y": [1.0]}]
    assert [(error.slug, error.row, error.field) for error in bad] == [("bad-value", 2, "x"), ("bad-value", 3, "y")]
    with pytest.raises(DataError, match="NaN"):
        read(data)


def test_columns_leave_out_what_json_cannot_hold() -> None:
    data = written({"text": pa.array(["a"]), "image": pa.array([b"\x00"])})
    with pytest.raises(DataError) as caught:
        read(data)
    assert caught.value.slug == "unsupported-type"
    assert read(data, columns=("text",)) == [{"text": "a"}]
    with pytest.raises(DataError, match="is not there"):
        read(data, columns=("txt",))


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\x00" * 40 + b"PAR1", b"not parquet at all"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DataError) as caught:
        read(data)
    assert caught.value.slug == "bad-parquet"


def test_truncated_files_are_refused() -> None:
    data = written({"x": pa.array(range(1000))})
    for cut in range(0, len(data), len(data) // 10 + 1):
        with pytest.raises(DataError):
            read(data[:cut])


# --- times inside lists, structs and maps -----------------------------------------------------------------------------

NESTED: list[tuple[str, Any, pa.DataType, Any]] = [
    # an int64 count, the type it is of, and the text (by hand)
    ("nanoseconds", 1, pa.timestamp("ns"), "1970-01-01T00:00:00.000000001"),
    ("no fraction", 1_000_000, pa.timestamp("us"), "1970-01-01T00:00:01"),
    ("half a second", 1500, pa.timestamp("ms"), "1970-01-01T00:00:01.5"),
    ("before 1970", -1, pa.timestamp("s"), "1969-12-31T23:59:59"),
    ("a zone", 0, pa.timestamp("s", "Europe/Berlin"), "1970-01-01T00:00:00Z"),
    ("a year of five digits", 253402300800, pa.timestamp("s"), "10000-01-01T00:00:00"),
    ("a time of nanoseconds", 1, pa.time64("ns"), "00:00:00.000000001"),
    ("a time of microseconds", 86_399_500_000, pa.time64("us"), "23:59:59.500000"),
    ("the same, counted in nanoseconds", 86_399_500_000_000, pa.time64("ns"), "23:59:59.500000"),
    ("a whole second, counted in nanoseconds", 1_000_000_000, pa.time64("ns"), "00:00:01"),
]


@pytest.mark.req("A50")
@pytest.mark.parametrize(("count", "kind", "text"), [row[1:] for row in NESTED], ids=[row[0] for row in NESTED])
def test_a_time_is_the_same_text_at_every_depth(count: int, kind: pa.DataType, text: str) -> None:
    flat = pa.array([count, None], pa.int64()).cast(kind)
    struct = pa.StructArray.from_arrays([flat, pa.array(["x", "y"])], names=["t", "x"])
    columns = {
        "flat": flat,
        "dictionary": flat.dictionary_encode() if pa.types.is_timestamp(kind) else flat,
        "list": pa.ListArray.from_arrays([0, 2, 2], flat),
        "large": pa.LargeListArray.from_arrays([0, 1, 2], flat),
        "fixed": pa.FixedSizeListArray.from_arrays(flat, 1),
        "struct": struct,
        "map": pa.MapArray.from_arrays([0, 1, 2], ["a", "b"], flat),
        "deep": pa.ListArray.from_arrays([0, 1, 2], struct),
    }
    assert read(written(columns)) == [
        {
            "flat": text,
            "dictionary": text,
            "list": [text, None],
            "large": [text],
            "fixed": [text],
            "struct": {"t": text, "x": "x"},
            "map": {"a": text},
            "deep": [{"t": text, "x": "x"}],
        },
        {
            "flat": None,
            "dictionary": None,
            "list": [],
            "large": [None],
            "fixed": [None],
            "struct": {"t": None, "x": "y"},
            "map": {"b": None},
            "deep": [{"t": None, "x": "y"}],
        },
    ]


@pytest.mark.req("A50")
def test_decimals_and_dates_inside_others_are_exact_too() -> None:
    data = written(
        {
            "list": pa.array([[decimal.Decimal("1.50"), None]], pa.list_(pa.decimal128(10, 2))),
            "struct": pa.array([{"d": dt.date(2024, 1, 2)}]),
            "map": pa.array([[("a", decimal.Decimal("-0.10"))]], pa.map_(pa.string(), pa.decimal128(5, 2))),
        }
    )
    assert read(data) == [{"list": ["1.50", None], "struct": {"d": "2024-01-02"}, "map": {"a": "-0.10"}}]


@pytest.mark.req("A50")
def test_what_has_no_exact_form_is_refused_inside_others_too() -> None:
    beyond = pa.ListArray.from_arrays([0, 1, 2], pa.array([2**62, 0], pa.int64()).cast(pa.timestamp("us")))
    bad: list[DataError] = []
    assert read(written({"x": beyond}), bad.append) == [{"x": ["1970-01-01T00:00:00"]}]
    assert [(error.slug, error.row, error.field) for error in bad] == [("bad-value", 1, "x")]
    for kind in (pa.list_(pa.duration("s")), pa.map_(pa.timestamp("s"), pa.string()), pa.list_(pa.binary())):
        with pytest.raises(DataError) as caught:
            read(written({"x": pa.array([None], kind)}))
        assert caught.value.slug == "unsupported-type"


# --- the process that reads -------------------------------------------------------------------------------------------


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Workers started from now on; none that waits from before is taken."""
    made: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(process, "_idle", [])
    monkeypatch.setattr(process.subprocess, "Popen", Noted)
    yield made
    process._end_all()


class Deadly(io.BytesIO):
    """A file whose bytes end the process that gets them, as a damaged one can."""

    def __init__(self, data: bytes, started: list[subprocess.Popen[bytes]], by: signal.Signals) -> None:
        super().__init__(data)
        self.started = started
        self.by = by

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 0 and self.started[-1].poll() is None:
            os.kill(self.started[-1].pid, self.by)
            self.started[-1].wait()
        return super().read(size)


@pytest.mark.req("A49", "A50")
@pytest.mark.parametrize("by", [signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL])
def test_a_file_that_ends_its_reader_is_refused(started: list[subprocess.Popen[bytes]], by: signal.Signals) -> None:
    good = written({"x": pa.array(["a"])})
    stream = Deadly(good, started, by)
    with pytest.raises(DataError) as caught:
        list(read_rows(stream, DataFile("f.parquet"), "f.parquet"))
    assert (caught.value.slug, caught.value.file) == ("bad-parquet", "f.parquet")
    assert by.name in caught.value.message
    assert ("memory" in (caught.value.hint or "")) == (by is signal.SIGKILL)
    assert read(good) == [{"x": "a"}], "the next file has a reader again"


def test_one_reader_reads_file_after_file(started: list[subprocess.Popen[bytes]]) -> None:
    good = written({"x": pa.array(["a"])})
    assert [read(good) for _ in range(3)] == [[{"x": "a"}]] * 3
    assert len(started) == 1
    with pytest.raises(DataError):
        read(good[:-20])
    assert started[0].wait() != 0, "what met a damaged file is asked nothing more"
    rows = read_rows(io.BytesIO(good), DataFile("f.parquet"), "f.parquet")
    assert next(rows).value == {"x": "a"}
    assert read(good) == [{"x": "a"}], "while another file is being read"
    rows.close()  # type: ignore[attr-defined]
    assert [item.poll() for item in started[1:]] == [-signal.SIGKILL, None]


def test_large_rows_are_sent_apart(started: list[subprocess.Popen[bytes]]) -> None:
    texts = [str(number) * 300_000 for number in range(40)]
    assert [row["x"] for row in read(written({"x": pa.array(texts)}))] == texts
