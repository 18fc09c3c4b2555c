"""Parquet: real files of parquet-testing, corrupt ones among them, and types written here with pyarrow."""

from __future__ import annotations

import datetime as dt
import decimal
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.data import DATA

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.readers import read_rows

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
