"""The process that reads Parquet, started and talked to by `process.py` alone: files in, rows out."""

from __future__ import annotations

import marshal
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from heldout.domain.example import JSON
from heldout.storage.readers.parquet.values import Convert, Refused, column_values, converter
from heldout.storage.readers.source import ROW_LIMIT

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH: Final = 1024
_FRAME: Final = 1 << 22  # bytes of Arrow's, more or less, that are sent at a time
_IN_MEMORY: Final = 1 << 26  # bytes; Parquet's index stands at its end, so the stream is spooled first
_BUFFER: Final = 1 << 20  # bytes of a column that Arrow reads at a time; without it, all of a row group's


class _Fault(Exception):
    """Why the file cannot be read: what `DataError` is told of it."""

    def __init__(self, slug: str, message: str, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.said = ("fault", slug, message, field, hint)


def main() -> None:
    """One file after the other from standard input, answers to standard output, until there is no more input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while (header := _received(source)) is not None:
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
            for answer in _answers(marshal.loads(header), source, spool):
                data = marshal.dumps(answer)
                sink.write(len(data).to_bytes(8, "big") + data)
                sink.flush()


def _received(source: IO[bytes]) -> bytes | None:
    """The next piece that was sent; None where the other side has gone."""
    length = source.read(8)
    return source.read(int.from_bytes(length, "big")) if len(length) == 8 else None


def _answers(columns: Sequence[str], source: IO[bytes], spool: IO[bytes]) -> Iterator[tuple[Any, ...]]:
    try:
        _spool(source, spool)
        for first, entries in _read(columns, spool):
            yield "rows", first, entries
    except _Fault as fault:
        yield fault.said
    except Exception:
        yield "defect", traceback.format_exc(limit=-1)
    else:
        yield ("end",)


def _spool(source: IO[bytes], spool: IO[bytes]) -> None:
    fault = None
    while block := _received(source):
        try:
            if fault is None:
                spool.write(block)
        except OSError as error:
            message = f"there is no room for a temporary copy: {error.strerror or error}"
            hint = "Name a folder with more room in the environment variable TMPDIR."
            fault = _Fault("unreadable-file", message, hint=hint)
    if fault is not None:
        raise fault
    spool.seek(0)


def _read(names: Sequence[str], spool: IO[bytes]) -> Iterator[tuple[int, list[Any]]]:
    """Rows from a number on, each as an object, or as (slug, reason, column) where it cannot be read exactly."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(spool, buffer_size=_BUFFER, page_checksum_verification=True) as file:
            converts = _converters(names, file.schema_arrow)
            _refuse_int96(file, converts)
            if not names:
                _refuse_large_rows(file.metadata)
            first = 1
            for batch in file.iter_batches(_BATCH, columns=list(converts)):
                for part in _parts(batch):
                    yield first, _rows(part, converts)
                    first += part.num_rows
            _refuse_other_count(file.metadata, first - 1)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise _Fault("bad-parquet", f"the Parquet file cannot be read: {reason[:200]}") from None


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in pieces of a few megabytes: rows of a megabyte are not to be there three times over."""
    count = max(1, min(_BATCH, _FRAME * batch.num_rows // max(batch.nbytes, 1)))
    return (batch.slice(at, count) for at in range(0, batch.num_rows, count))


def _refuse_large_rows(footer: pq.FileMetaData) -> None:
    """By the sizes in the file's footer: a few kilobytes can unpack to gigabytes, and Arrow would do so first.

    Only sizes of whole row groups are asked for: on a damaged footer, asking for a column's ends the process.
    """
    for index in range(footer.num_row_groups):
        group = footer.row_group(index)
        if group.total_byte_size > ROW_LIMIT * max(group.num_rows, 1):
            message = f"rows are larger than {ROW_LIMIT >> 20} MiB on average"
            hint = "List the columns to read under `columns` in dataset.yaml to leave a large one out."
            raise _Fault("row-too-large", message, hint=hint)


def _refuse_other_count(footer: pq.FileMetaData, found: int) -> None:
    """Row groups that count other rows than their pages hold are damaged. (The total of some writers is wrong.)"""
    promised = sum(footer.row_group(index).num_rows for index in range(footer.num_row_groups))
    if promised != found:
        message = f"the Parquet file cannot be read: it says {promised} rows and holds {found}"
        raise _Fault("bad-parquet", message)


def _rows(batch: pa.RecordBatch, converts: dict[str, Convert]) -> list[Any]:
    columns = [column_values(batch.column(name)) for name in converts]
    functions = list(converts.values())
    entries: list[Any] = []
    for index in range(batch.num_rows):
        value: dict[str, JSON] = {}
        name = ""
        try:
            for name, column, convert in zip(converts, columns, functions, strict=True):
                item = column[index]
                if isinstance(item, Refused):
                    raise item
                value[name] = None if item is None else convert(item)
        except Refused as error:
            entries.append((error.slug, str(error), name))
        else:
            entries.append(value)
    return entries


def _converters(wanted: Sequence[str], schema: pa.Schema) -> dict[str, Convert]:
    converts: dict[str, Convert] = {}
    for name in list(wanted) or list(schema.names):
        indices = schema.get_all_field_indices(name)
        if len(indices) != 1:
            reason = "is there twice" if indices else f"is not there; the file has {', '.join(schema.names[:20])}"
            raise _Fault("missing-column", f"the column {name!r} {reason}", name)
        try:
            converts[name] = converter(schema.field(indices[0]).type)
        except Refused as error:
            hint = "List the columns to read under `columns` in dataset.yaml to leave this one out."
            raise _Fault("unsupported-type", str(error), name, hint) from None
    return converts


def _refuse_int96(file: Any, converts: dict[str, Convert]) -> None:
    """Arrow reads these old timestamps as 64-bit nanoseconds and wraps around silently outside 1677 to 2262."""
    for index in range(len(file.schema)):
        column = file.schema.column(index)
        name = column.path.split(".")[0]
        if column.physical_type == "INT96" and name in converts:
            message = "the column holds INT96 timestamps, which cannot be read exactly"
            hint = "Write the column as a TIMESTAMP, or leave it out by listing the others under `columns`."
            raise _Fault("unsupported-type", message, name, hint)


if __name__ == "__main__":
    main()
