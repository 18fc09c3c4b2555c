"""A list for JSON whose items are made one by one while it is written: a million findings are 10 GB of dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

Item = TypeVar("Item")


class Rows(Sequence[Any]):
    """`make` of every one of `items`, made anew each time that it is asked for.

    `json` does not know it: an encoder writes it with `default=written`, and by `iterencode`.
    """

    def __init__(self, items: Sequence[Item], make: Callable[[Item], Any]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return map(self._make, self._items)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self._make(item) for item in self._items[at]]
        return self._make(self._items[at])

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    __hash__ = None  # type: ignore[assignment]


class _AsList(list[Any]):
    """What `json` takes for a list, and iterates over."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)


def written(value: object) -> list[Any]:
    """For the `default` of an encoder. Raises TypeError for what is no `Rows`."""
    if isinstance(value, Rows):
        return _AsList(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
