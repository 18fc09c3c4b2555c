"""Rows with known fields, decoded straight into objects with the parts that conditions look at.

A program that writes JSON Lines gives every row the same fields, or leaves some out. msgspec makes an object of such a
row in less time than a dict, and refuses a row of another shape or with a part of another type; whoever asks then reads
the block another way. So a shape never has to say what is wrong with a row, only that it is not plainly in order. A
part that a row does not have is UNSET there, which no condition takes for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeAlias

from heldout.storage.exact_numbers import exact_float
from heldout.storage.quick.keys import are_keys, can_name_fields

Rows: TypeAlias = "list[Any]"
"""Objects with the attributes of `QuickRow`."""

_MOST: Final = 100
"""Fields of a row."""

_TEXTS: Final = ("source_kind", "review_status", "source_id")


class Fields:
    """The fields that rows have: `all` of them, and those that `every` row has."""

    def __init__(self) -> None:
        self.all: dict[str, None] = {}
        self.every: set[str] | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        if self.every is None or row.keys() != self.every or len(row) != len(self.all):
            self.all |= dict.fromkeys(row)
            self.every = set(row) if self.every is None else self.every & row.keys()


class Shape:
    """How rows with these fields are decoded. `names` maps the parts of an example to fields; `split` is fixed, or None
    for the row's own."""

    def __init__(self, fields: Fields, names: Mapping[str, str], split: str | None) -> None:
        from msgspec import UNSET, defstruct
        from msgspec.json import Decoder

        parts = {name: part for part, name in names.items() if not (part == "split" and split is not None)}
        attributes = {parts.get(name, f"other{index}"): name for index, name in enumerate(fields.all)}
        types, every = _types(), fields.every or set()
        self._missing = {
            attribute: () if attribute == "tags" else UNSET
            for attribute, name in attributes.items()
            if name not in every
        }
        described: list[Any] = [
            (attribute, types.get(attribute, Any), *((self._missing[attribute],) if attribute in self._missing else ()))
            for attribute in attributes
        ]
        row = defstruct(
            "Row",
            described,
            namespace={name: value for name, value in _absent(split).items() if name not in attributes},
            rename=attributes,
            forbid_unknown_fields=True,
            kw_only=True,
            omit_defaults=True,
            gc=False,
        )
        self._size = len(attributes)
        self._has_metadata = "metadata" in attributes
        self._nested = [name for name in attributes if types.get(name, Any) is Any or name == "metadata"]
        self._decode: Callable[[bytes], Any] = Decoder(row, float_hook=exact_float).decode
        self._splits: set[str] = set()
        self._own_split = split is None

    def decode(self, block: bytes, lines: Iterable[bytes]) -> Rows | None:
        """Every line of a block as an object, None where one is not plainly such a row."""
        from msgspec import MsgspecError

        try:
            rows = list(map(self._decode, lines))
        except (MsgspecError, RecursionError):
            return None
        if None in [row.input for row in rows] or (self._own_split and not self._are_named(rows)):
            return None
        return rows if are_keys(block, self._keys(rows), rows, lambda: self._values(rows)) else None

    def _keys(self, rows: Rows) -> int:
        """Keys of the rows and of their metadata."""
        inside = sum([len(row.metadata) for row in rows]) if self._has_metadata else 0
        absent = sum([getattr(row, name) for row in rows].count(value) for name, value in self._missing.items())
        return self._size * len(rows) + inside - absent

    def _values(self, rows: Rows) -> list[list[Any]]:
        """Of each row the values that can hold others."""
        return [[getattr(row, name) for name in self._nested] for row in rows]

    def _are_named(self, rows: Rows) -> bool:
        """Whether every split has a name that is not blank."""
        fresh = {row.split for row in rows} - self._splits
        if not all(split.strip() for split in fresh):
            return False
        self._splits |= fresh
        return True


def shape_of(fields: Fields, names: Mapping[str, str], split: str | None) -> Shape | None:
    """The shape of such rows; None where two parts are one field, a part that is needed comes and goes, or the fields
    are too many or too strangely named to be fields."""
    needed = {names["input"], names["key"], *(() if split is not None else (names["split"],))}
    if "metadata" in fields.all:
        needed.add("metadata")
    if len(set(names.values())) < len(names) or len(fields.all) > _MOST or not needed <= (fields.every or set()):
        return None
    return Shape(fields, names, split) if can_name_fields(fields.all) else None


def _types() -> dict[str, Any]:
    from msgspec import Meta

    text = Annotated[str, Meta(min_length=1)]
    return {
        "key": text,
        "split": text,
        "tags": list[text],
        "metadata": dict[str, Any],
        "synthetic": bool | None,
        "payload": None,
        **dict.fromkeys(_TEXTS, text | None),
    }


def _absent(split: str | None) -> dict[str, Any]:
    """What a row has for parts that are no fields of it."""
    parts = dict.fromkeys(("expected", "synthetic", "payload", *_TEXTS))
    return {**parts, "split": split, "metadata": {}, "tags": (), "has_input": True}
