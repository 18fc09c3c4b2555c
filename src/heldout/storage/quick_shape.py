"""Rows that all have the same fields, decoded straight into objects with the parts that conditions look at.

A program that writes JSON Lines gives every row the same fields. msgspec makes an object of such a row in less time
than a dict, and refuses a row of another shape or with a part of another type; whoever asks then reads the block
another way. So a shape never has to say what is wrong with a row, only that it is not plainly in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeAlias

from heldout.storage.exact_numbers import exact_float

Rows: TypeAlias = "list[Any]"
"""Objects with the attributes of `QuickRow`."""

_TEXTS: Final = ("source_kind", "review_status", "source_id")


class Shape:
    """How rows with just these fields are decoded. `names` maps the parts of an example to fields, `split` is fixed or
    None for the row's own."""

    def __init__(self, fields: Iterable[str], names: Mapping[str, str], split: str | None) -> None:
        from msgspec import defstruct
        from msgspec.json import Decoder

        parts = {name: part for part, name in names.items() if not (part == "split" and split is not None)}
        attributes = {parts.get(name, f"other{index}"): name for index, name in enumerate(fields)}
        types = _types()
        row = defstruct(
            "Row",
            [(attribute, types.get(attribute, Any)) for attribute in attributes],
            namespace={name: value for name, value in _absent(split).items() if name not in attributes},
            rename=attributes,
            forbid_unknown_fields=True,
            gc=False,
        )
        self.size = len(attributes)
        self.has_metadata = "metadata" in attributes
        self._nested = [name for name in attributes if types.get(name, Any) is Any or name == "metadata"]
        self._decode: Callable[[bytes], Any] = Decoder(row, float_hook=exact_float).decode
        self._splits: set[str] = set()
        self._own_split = split is None

    def decode(self, lines: Iterable[bytes]) -> Rows | None:
        """Every line as an object, None where one is not plainly such a row."""
        from msgspec import MsgspecError

        try:
            rows = list(map(self._decode, lines))
        except (MsgspecError, RecursionError):
            return None
        if None in [row.input for row in rows]:
            return None
        return rows if not self._own_split or self._are_named(rows) else None

    def keys(self, rows: Rows) -> int:
        """Keys of the rows and of their metadata."""
        inside = sum([len(row.metadata) for row in rows]) if self.has_metadata else 0
        return self.size * len(rows) + inside

    def nested(self, rows: Rows) -> list[list[Any]]:
        """Of each row the values that can have keys of their own."""
        return [[getattr(row, name) for name in self._nested] for row in rows]

    def _are_named(self, rows: Rows) -> bool:
        """Whether every split has a name that is not blank."""
        fresh = {row.split for row in rows} - self._splits
        if not all(split.strip() for split in fresh):
            return False
        self._splits |= fresh
        return True


def shape_of(value: Mapping[str, Any], names: Mapping[str, str], split: str | None) -> Shape | None:
    """The shape of one row that is in order; None where two parts are one field, or what is needed is not there."""
    needed = {names["input"], names["key"], *(() if split is not None else (names["split"],))}
    if len(set(names.values())) < len(names) or not needed <= value.keys():
        return None
    return Shape(value, names, split)


def _types() -> dict[str, Any]:
    from msgspec import Meta

    text = Annotated[str, Meta(min_length=1)]
    return {
        "key": text,
        "split": text,
        "tags": list[text],  # type: ignore[valid-type]
        "metadata": dict[str, Any],
        "synthetic": bool | None,
        "payload": None,
        **dict.fromkeys(_TEXTS, text | None),
    }


def _absent(split: str | None) -> dict[str, Any]:
    """What a row has for parts that are no fields of it."""
    parts = dict.fromkeys(("expected", "synthetic", "payload", *_TEXTS))
    return {**parts, "split": split, "metadata": {}, "tags": (), "has_input": True}
