"""Arrow columns and NumPy arrays: how texts and integers travel between Spark and the matching steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes
from heldout.matching.kernels import set_threads
from heldout.matching.ragged import offsets_of
from heldout.matching.texts import NormalisedTexts
from heldout.matching.width import narrowest

if TYPE_CHECKING:
    import pyarrow as pa

Batch = Any
"""A pyarrow.RecordBatch: some rows of a partition."""

Rows = Any
"""A pyarrow.Table: all rows of a group, or of a result."""


def one_core() -> None:
    """In a task: Spark runs one for each core already, so matching is to use no threads."""
    set_threads(1)


def batch(**columns: Any) -> Batch:
    """A record batch of NumPy arrays, lists or Arrow arrays by name."""
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(
        {name: value if isinstance(value, pa.Array) else pa.array(value) for name, value in columns.items()}
    )


def rows_of(batches: Iterable[Batch]) -> Rows:
    """All batches, of which there is at least one, as one table."""
    import pyarrow as pa

    return pa.Table.from_batches(batches)


def binary(values: Sequence[bytes | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.binary())


def strings(values: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())


def flags(values: Sequence[bool | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.bool_())


def string_lists(values: Sequence[Sequence[str]]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.list_(pa.string()))


def chosen(columns: Sequence[pa.Array], places: NDArray[np.int64]) -> pa.Array:
    """The values at `places` of columns laid end to end."""
    import pyarrow as pa

    return pa.concat_arrays(columns).take(pa.array(places))


def ints(rows: Batch | Rows, name: str) -> NDArray[np.int64]:
    column: NDArray[np.int64] = rows.column(name).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return column


def text_column(texts: NormalisedTexts) -> pa.Array:
    """Texts as UTF-8 in a binary column."""
    import pyarrow as pa

    points = texts.codepoints.astype("<u4", copy=False)
    data = points.tobytes().decode("utf-32-le").encode()
    width = np.ones(points.size, np.int64)
    for above in (0x7F, 0x7FF, 0xFFFF):
        width += points > above
    offsets = offsets_of(width)[texts.offsets].astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(texts), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def column_texts(column: pa.Array | pa.ChunkedArray) -> NormalisedTexts:
    """The reverse. The column must hold what `text_column` wrote, in any order, and no nulls."""
    values: Sequence[bytes] = column.to_pylist()
    data = np.frombuffer(b"".join(values), np.uint8)
    bounds = offsets_of(np.fromiter(map(len, values), np.int64, len(values)))
    # A code point starts at every byte that does not continue one.
    starts = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
    points = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.dtype("<u4"))
    return NormalisedTexts(narrowest(points.astype(np.uint32, copy=False)), starts[bounds].astype(np.int64))


def class_lists(column: pa.Array | pa.ChunkedArray) -> tuple[Classes, list[str]]:
    """A column of lists of class names as numbers, and the name of each number."""
    lists: list[list[str]] = column.to_pylist()
    names = sorted({name for row in lists for name in row})
    number: Mapping[str, int] = {name: place for place, name in enumerate(names)}
    flat = np.array([number[name] for row in lists for name in row], np.int32)
    return Classes(flat, offsets_of(np.fromiter(map(len, lists), np.int64, len(lists)))), names
