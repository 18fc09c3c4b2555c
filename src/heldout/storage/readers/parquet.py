"""Parquet, by pyarrow: the only module that imports it.

What JSON cannot hold exactly is settled here: a decimal becomes its exact text, a date, time or timestamp its ISO 8601
text, a map with string keys an object. Bytes without a text annotation, durations and NaN are refused, never guessed.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Final

from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.json_strict import MAX_DEPTH
from heldout.storage.readers.source import ROW_LIMIT, Row, Source

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH: Final = 1024
_IN_MEMORY: Final = 1 << 26  # bytes; Parquet's index stands at its end, so the stream is spooled first
_SPOOL_LIMIT: Final = 1 << 34  # bytes of that copy on disk, decompressed
_BLOCK: Final = 1 << 20
_BUFFER: Final = 1 << 20  # bytes of a column that Arrow reads at a time; without it, all of a row group's

Convert = Callable[[Any], JSON]


class _Refused(ValueError):
    """A value that has no exact JSON form; the message says what it is."""

    def __init__(self, reason: str, slug: str = "bad-value") -> None:
        super().__init__(reason)
        self.slug = slug


def read_parquet(source: Source) -> Iterator[Row]:
    """Rows as objects, a batch of 1,024 in memory at a time; `columns` in dataset.yaml restricts what is read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        _spool(source, spool)
        try:
            with pq.ParquetFile(spool, buffer_size=_BUFFER, page_checksum_verification=True) as file:
                converts = _converters(source, file.schema_arrow)
                _refuse_int96(source, file, converts)
                _refuse_large_rows(source, file.metadata)
                first = 1
                for batch in file.iter_batches(_BATCH, columns=list(converts)):
                    yield from _rows(source, batch, converts, first)
                    first += batch.num_rows
                _refuse_other_count(source, file.metadata, first - 1)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, RuntimeError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            message = f"the Parquet file cannot be read: {reason[:200]}"
            raise DataError("bad-parquet", message, file=source.name) from None


def _spool(source: Source, spool: IO[bytes]) -> None:
    size = 0
    try:
        while block := source.stream.read(_BLOCK):
            size += len(block)
            if size > _SPOOL_LIMIT:
                message = f"the file is larger than {_SPOOL_LIMIT >> 30} GiB"
                raise DataError("document-too-large", message, file=source.name, hint="Write it as several files.")
            spool.write(block)
        spool.seek(0)
    except OSError as error:
        message = f"there is no room for a temporary copy: {error.strerror or error}"
        hint = "Name a folder with more room in the environment variable TMPDIR."
        raise DataError("unreadable-file", message, file=source.name, hint=hint) from error


def _refuse_large_rows(source: Source, footer: pq.FileMetaData) -> None:
    """By the sizes in the file's footer: a few kilobytes can unpack to gigabytes, and Arrow would do so first.

    Only sizes of whole row groups are asked for: on a damaged footer, asking for a column's ends the process.
    """
    if source.item.columns:
        return
    for index in range(footer.num_row_groups):
        group = footer.row_group(index)
        if group.total_byte_size > ROW_LIMIT * max(group.num_rows, 1):
            message = f"rows are larger than {ROW_LIMIT >> 20} MiB on average"
            hint = "List the columns to read under `columns` in dataset.yaml to leave a large one out."
            raise DataError("row-too-large", message, file=source.name, hint=hint)


def _refuse_other_count(source: Source, footer: pq.FileMetaData, found: int) -> None:
    """Row groups that count other rows than their pages hold are damaged. (The total of some writers is wrong.)"""
    promised = sum(footer.row_group(index).num_rows for index in range(footer.num_row_groups))
    if promised != found:
        message = f"the Parquet file cannot be read: it says {promised} rows and holds {found}"
        raise DataError("bad-parquet", message, file=source.name)


def _rows(source: Source, batch: pa.RecordBatch, converts: dict[str, Convert], first: int) -> Iterator[Row]:
    columns = [_column(batch, name) for name in converts]
    functions = list(converts.values())
    for index in range(batch.num_rows):
        value: dict[str, JSON] = {}
        name = ""
        try:
            for name, column, convert in zip(converts, columns, functions, strict=True):
                item = column[index]
                if isinstance(item, _Refused):
                    raise item
                value[name] = None if item is None else convert(item)
        except _Refused as error:
            source.refuse_row(DataError(error.slug, str(error), file=source.name, row=first + index, field=name))
            continue
        yield Row(value, first + index)


def _column(batch: pa.RecordBatch, name: str) -> list[Any]:
    """A batch's column as Python values, a _Refused in place of one that Python cannot hold; timestamps as text by
    Arrow, which keeps their nanoseconds."""
    import pyarrow as pa

    column = batch.column(name)
    zoned = False
    if pa.types.is_timestamp(column.type):
        zoned = column.type.tz is not None
        column = column.cast(pa.timestamp(column.type.unit)).cast(pa.string())
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        values = [_one_value(column, index) for index in range(len(column))]
    return [value + "Z" if value is not None else None for value in values] if zoned else values


def _one_value(column: pa.Array, index: int) -> Any:
    try:
        return column[index].as_py()
    except UnicodeDecodeError:
        return _Refused("the text is not UTF-8", "bad-encoding")
    except (ValueError, OverflowError) as error:
        return _Refused(f"the value cannot be kept: {str(error)[:100]}")


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


def _converter(kind: pa.DataType, depth: int = 1) -> Convert:
    """How values of an Arrow type become JSON; raises _Refused where they cannot exactly. The row is one deep."""
    import pyarrow as pa

    types = pa.types
    if depth > MAX_DEPTH:
        raise _Refused(f"the column is nested more than {MAX_DEPTH} deep")
    if types.is_dictionary(kind):
        return _converter(kind.value_type, depth)
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
        fields = (kind.field(index) for index in range(kind.num_fields))
        return _struct({field.name: _converter(field.type, depth + 1) for field in fields})
    if types.is_map(kind):
        return _map(kind, depth)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _list(_converter(kind.value_type, depth + 1))
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
    if not text[-1:].isdigit():
        raise _Refused("the timestamp is beyond the years that have a date")  # Arrow says so inside the text
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(" ", "T", 1) + zone


def _list(convert: Convert) -> Convert:
    return lambda value: [None if item is None else convert(item) for item in value]


def _struct(converts: dict[str, Convert]) -> Convert:
    def convert(value: dict[str, Any]) -> JSON:
        return {name: None if value[name] is None else function(value[name]) for name, function in converts.items()}

    return convert


def _map(kind: pa.MapType, depth: int) -> Convert:
    import pyarrow as pa

    if not (pa.types.is_string(kind.key_type) or pa.types.is_large_string(kind.key_type)):
        raise _Refused(f"the column holds maps with keys of the type {kind.key_type}, which JSON objects cannot have")
    function = _converter(kind.item_type, depth + 1)

    def convert(value: list[tuple[str, Any]]) -> JSON:
        result = {key: None if item is None else function(item) for key, item in value}
        if len(result) != len(value):
            raise _Refused("a map holds one key twice")
        return result

    return convert
