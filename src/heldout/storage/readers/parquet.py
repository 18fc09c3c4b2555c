"""Parquet, by pyarrow: the only module that imports it.

What JSON cannot hold exactly is settled here: a decimal becomes its exact text, a date, time or timestamp its ISO 8601
text, a map with string keys an object. Bytes without a text annotation, durations and NaN are refused, never guessed.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.readers.source import Row, Source

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH: Final = 1024
_IN_MEMORY: Final = 1 << 26  # bytes; Parquet's index stands at its end, so the stream is spooled first

Convert = Callable[[Any], JSON]


class _Refused(ValueError):
    """A value that has no exact JSON form; the message says what it is."""


def read_parquet(source: Source) -> Iterator[Row]:
    """Rows as objects, a batch of 1,024 in memory at a time; `columns` in dataset.yaml restricts what is read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        shutil.copyfileobj(source.stream, spool, 1 << 20)
        spool.seek(0)
        try:
            with pq.ParquetFile(spool, page_checksum_verification=True) as file:
                converts = _converters(source, file.schema_arrow)
                _refuse_int96(source, file, converts)
                first = 1
                for batch in file.iter_batches(_BATCH, columns=list(converts)):
                    yield from _rows(source, batch, converts, first)
                    first += batch.num_rows
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            message = f"the Parquet file cannot be read: {reason[:200]}"
            raise DataError("bad-parquet", message, file=source.name) from None


def _rows(source: Source, batch: pa.RecordBatch, converts: dict[str, Convert], first: int) -> Iterator[Row]:
    columns = [_column(source, batch, name, first) for name in converts]
    functions = list(converts.values())
    for index in range(batch.num_rows):
        value: dict[str, JSON] = {}
        name = ""
        try:
            for name, column, convert in zip(converts, columns, functions, strict=True):
                item = column[index]
                value[name] = None if item is None else convert(item)
        except _Refused as error:
            source.refuse_row(DataError("bad-value", str(error), file=source.name, row=first + index, field=name))
            continue
        yield Row(value, first + index)


def _column(source: Source, batch: pa.RecordBatch, name: str, first: int) -> list[Any]:
    """A batch's column as Python values; timestamps as text by Arrow, which keeps their nanoseconds."""
    import pyarrow as pa

    column = batch.column(name)
    zoned = False
    if pa.types.is_timestamp(column.type):
        zoned = column.type.tz is not None
        column = column.cast(pa.timestamp(column.type.unit)).cast(pa.string())
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        message = f"the column holds text that is not UTF-8, in rows {first} to {first + batch.num_rows - 1}"
        raise DataError("bad-encoding", message, file=source.name, field=name) from None
    return [value + "Z" if value is not None else None for value in values] if zoned else values


def _converters(source: Source, schema: pa.Schema) -> dict[str, Convert]:
    names = list(source.item.columns) or list(schema.names)
    converts: dict[str, Convert] = {}
    for name in names:
        indices = schema.get_all_field_indices(name)
        if len(indices) != 1:
            reason = "is there twice" if indices else f"is not there; the file has {', '.join(schema.names[:20])}"
            raise DataError("missing-column", f"the column {name!r} {reason}", file=source.name, field=name)
        kind = schema.field(indices[0]).type
        try:
            converts[name] = _iso_timestamp if _is_timestamp(kind) else _converter(kind)
        except _Refused as error:
            hint = "List the columns to read under `columns` in dataset.yaml to leave this one out."
            raise DataError("unsupported-type", str(error), file=source.name, field=name, hint=hint) from None
    return converts


def _refuse_int96(source: Source, file: Any, converts: dict[str, Convert]) -> None:
    """Arrow reads these old timestamps as 64-bit nanoseconds and wraps around silently outside 1677 to 2262."""
    for index in range(len(file.schema)):
        column = file.schema.column(index)
        name = column.path.split(".")[0]
        if column.physical_type == "INT96" and name in converts:
            message = "the column holds INT96 timestamps, which cannot be read exactly"
            hint = "Write the column as a TIMESTAMP, or leave it out by listing the others under `columns`."
            raise DataError("unsupported-type", message, file=source.name, field=name, hint=hint)


def _is_timestamp(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_timestamp(kind))


def _converter(kind: pa.DataType) -> Convert:
    """How values of an Arrow type become JSON; raises _Refused where they cannot exactly."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _converter(kind.value_type)
    if types.is_floating(kind):
        return _finite
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_null(kind):
        return _same
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _same
    if types.is_decimal(kind):
        return lambda value: format(value, "f")
    if types.is_date(kind) or (types.is_time(kind) and kind.unit != "ns"):
        return lambda value: str(value.isoformat())
    if types.is_struct(kind):
        return _struct({kind.field(index).name: kind.field(index).type for index in range(kind.num_fields)})
    if types.is_map(kind):
        return _map(kind)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _list(_converter(kind.value_type))
    what = "bytes that are not marked as text" if "binary" in str(kind) else f"values of the type {kind}"
    raise _Refused(f"the column holds {what}, which have no exact JSON form")


def _same(value: Any) -> JSON:
    return value  # type: ignore[no-any-return]


def _finite(value: float) -> JSON:
    if not math.isfinite(value):
        raise _Refused(f"{'NaN' if math.isnan(value) else 'an infinity'} is no JSON number")
    return value


def _iso_timestamp(value: str) -> JSON:
    """The same text for the same moment, whatever unit the column counts in: no zeros at the end of a fraction."""
    text, zone = (value[:-1], "Z") if value.endswith("Z") else (value, "")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(" ", "T", 1) + zone


def _list(convert: Convert) -> Convert:
    return lambda value: [None if item is None else convert(item) for item in value]


def _struct(kinds: dict[str, pa.DataType]) -> Convert:
    converts = {name: _converter(kind) for name, kind in kinds.items()}

    def convert(value: dict[str, Any]) -> JSON:
        return {name: None if value[name] is None else function(value[name]) for name, function in converts.items()}

    return convert


def _map(kind: pa.MapType) -> Convert:
    import pyarrow as pa

    if not (pa.types.is_string(kind.key_type) or pa.types.is_large_string(kind.key_type)):
        raise _Refused(f"the column holds maps with keys of the type {kind.key_type}, which JSON objects cannot have")
    function = _converter(kind.item_type)

    def convert(value: list[tuple[str, Any]]) -> JSON:
        result = {key: None if item is None else function(item) for key, item in value}
        if len(result) != len(value):
            raise _Refused("a map holds one key twice")
        return result

    return convert
