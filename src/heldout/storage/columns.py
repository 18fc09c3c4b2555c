"""Columns of numbers that only grow: in memory, or in a file of hashes and numbers where memory is short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 22  # bytes read at a time


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """An error of writing names no file by itself, and nobody knows this one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


class Column:
    """Rows of `width` numbers of one type.

    `append` takes rows; `all` and `take` give them back, shape (rows,) for a width of 1 and (rows, width) otherwise.
    After `move_to` the rows are in a file, which whoever gave the path removes.
    """

    def __init__(self, dtype: Any, width: int = 1) -> None:
        self._dtype = np.dtype(dtype)
        self._width = width
        self._parts: list[NDArray[Any]] = []
        self._path: Path | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes that it holds in memory."""
        return 0 if self._path else self._count * self._row

    @property
    def _row(self) -> int:
        return int(self._dtype.itemsize) * self._width

    def append(self, rows: NDArray[Any]) -> None:
        if not len(rows):
            return
        rows = np.ascontiguousarray(rows, self._dtype)
        self._count += len(rows)
        if self._path is None:
            self._parts.append(rows)
        else:
            with _named(self._path), self._path.open("ab") as stream:
                stream.write(rows.data.cast("B"))

    def move_to(self, path: Path) -> None:
        """Write the rows to a file, and all later ones behind them."""
        with _named(path), path.open("wb") as stream:
            for part in self._parts:
                stream.write(part.data.cast("B"))
        self._parts = []
        self._path = path

    def all(self) -> NDArray[Any]:
        """Every row."""
        if self._path is not None:
            return self._shaped(np.fromfile(self._path, self._dtype))
        if len(self._parts) != 1:
            self._parts = [self._shaped(np.concatenate([np.zeros(0, self._dtype), *map(np.ravel, self._parts)]))]
        return self._parts[0]

    def take(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """The rows with these ascending numbers."""
        if self._path is None:
            return self.all()[rows]
        result = np.empty((rows.size, self._width), self._dtype)
        for low, block in self._blocks():
            first, last = np.searchsorted(rows, (low, low + len(block)))
            result[first:last] = block[rows[first:last] - low]
        return self._shaped(result.reshape(-1))

    def _blocks(self) -> Iterator[tuple[int, NDArray[Any]]]:
        assert self._path is not None
        count = max(_BLOCK // self._row, 1)
        with self._path.open("rb") as stream:
            for low in range(0, self._count, count):
                data = stream.read(count * self._row)
                yield low, np.frombuffer(data, self._dtype).reshape(-1, self._width)

    def _shaped(self, flat: NDArray[Any]) -> NDArray[Any]:
        return flat if self._width == 1 else flat.reshape(-1, self._width)
