"""Rows of a run file decoded a block at a time, into objects of exactly the fields that rows so far had.

A program that writes a run gives every row the same fields, so msgspec makes objects of them at a tenth of the time
that a strict reader takes. A block that is not plainly so is read strictly, and the shape learns from it. Metadata that
no slice asks for is passed over undecoded; a key with few values, all texts, is decoded to one object for each value,
so that a look-up of its code needs no hashing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, Literal

from heldout.domain.results.run import FIELDS, RunRow
from heldout.storage.exact_numbers import exact_float
from heldout.storage.quick.keys import are_keys, can_name_fields

_FEW: Final = 64
"""Values that one key of metadata has and that are told apart while decoding."""

_MOST: Final = 100
"""Keys of metadata that a shape has; a file with more is read strictly."""

_NUMBERS: Final = ("score", "confidence")
_NESTED: Final = ("trajectory", "retrieval", "relevant", "extra")


class _Names:
    """Names that rows have: how many rows were seen, and in how many each name was."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.rows = 0

    def add(self, names: Collection[str]) -> None:
        self.rows += 1
        for name in names:
            self.seen[name] = self.seen.get(name, 0) + 1

    def optional(self, name: str) -> bool:
        return self.seen[name] < self.rows


class Learned:
    """What strict rows taught: fields, keys of metadata, and the values of those that are asked for."""

    def __init__(self, wanted: Collection[str]) -> None:
        self.wanted = frozenset(wanted)
        self.fields = _Names()
        self.metadata = _Names()
        self.values: dict[str, set[str] | None] = {key: set() for key in wanted}

    def add(self, given: Collection[str], row: RunRow) -> None:
        self.fields.add(given)
        if "metadata" not in given:
            return
        self.metadata.add(row.metadata)
        for key in self.wanted & row.metadata.keys():
            few, value = self.values[key], row.metadata[key]
            if few is not None:
                few.add(value) if value.__class__ is str else self.values.update({key: None})
                if len(few) > _FEW:
                    self.values[key] = None

    def shape(self) -> Shape | None:
        keys = self.metadata.seen
        return Shape(self) if self.fields.rows and len(keys) <= _MOST and can_name_fields(keys) else None


class Shape:
    def __init__(self, learned: Learned) -> None:
        from msgspec import UNSET, Raw, UnsetType, defstruct
        from msgspec.json import Decoder

        self._unset = UNSET
        self.keys = tuple(learned.metadata.seen)
        inner: list[Any] = []
        for index, key in enumerate(self.keys):
            kind: Any = _kind(learned.values[key]) if key in learned.wanted else Raw
            optional = learned.metadata.optional(key)
            inner.append((f"m{index}", kind | UnsetType, UNSET) if optional else (f"m{index}", kind))
        self._inner_optional = [index for index, key in enumerate(self.keys) if learned.metadata.optional(key)]
        options: dict[str, Any] = {
            "forbid_unknown_fields": True,
            "kw_only": True,
            "omit_defaults": True,
            "gc": False,
        }
        metadata = defstruct("Metadata", inner, rename=dict(_renames(self.keys)), **options)
        types = {**_types(), "metadata": metadata}
        self.fields = tuple(learned.fields.seen)
        self._flat = (
            0 if "metadata" in self.fields and learned.fields.optional("metadata") else 1 + ("metadata" in self.fields)
        )
        self._optional = [name for name in self.fields if learned.fields.optional(name)]
        self._numbers = [name for name in _NUMBERS if name in self.fields]
        described: list[Any] = [
            (name, types[name] | UnsetType, UNSET) if name in self._optional else (name, types[name])
            for name in self.fields
        ]
        absent = {name: None for name in FIELDS if name not in self.fields}
        row = defstruct("Row", described, namespace=absent, **options)
        self._decode: Callable[[bytes], list[Any]] = Decoder(row, float_hook=exact_float).decode_lines

    def decode(self, block: bytes) -> list[Any] | None:
        """Every line of a block, or None where it has to be read strictly."""
        from msgspec import MsgspecError

        try:
            rows = self._decode(block)
        except (MsgspecError, RecursionError):
            return None
        if not _is_a_row_a_line(block, len(rows)):
            return None
        for part in self._numbers:
            if not {getattr(row, part).__class__ for row in rows} <= {int, float, type(None), type(self._unset)}:
                return None
        count = len(self.fields) * len(rows)
        for name in self._optional:
            column = [getattr(row, name) for row in rows]
            absent = column.count(self._unset)
            count -= absent
            if absent:
                for row in rows:
                    if getattr(row, name) is self._unset:
                        setattr(row, name, None)
        count += self._metadata_keys(rows)
        if (
            self._flat
            and block.count(b"{") + block.count(b"[") == self._flat * len(rows)
            and block.count(b":") == count
        ):
            return rows  # nothing is nested, and every key is there once
        return rows if are_keys(block, count, rows, lambda: self._nested(rows)) else None

    def _metadata_keys(self, rows: list[Any]) -> int:
        if "metadata" not in self.fields:
            return 0
        inside = [row.metadata for row in rows if row.metadata is not None]
        missing = sum(
            [getattr(item, f"m{index}") for item in inside].count(self._unset) for index in self._inner_optional
        )
        return len(self.keys) * len(inside) - missing

    def _nested(self, rows: list[Any]) -> list[list[Any]]:
        return [[getattr(row, name) for name in _NESTED] for row in rows]

    def columns(self, rows: list[Any], wanted: Iterable[str]) -> dict[str, Sequence[Any]]:
        """Values of the wanted keys of metadata, one a row; UNSET where a row has none."""
        from msgspec.structs import astuple

        absent = [self._unset] * len(rows)
        if "metadata" not in self.fields or not self.keys:
            return dict.fromkeys(wanted, absent)
        places = {key: place for place, key in enumerate(self.keys)}
        if "metadata" in self._optional:
            nothing = (self._unset,) * len(self.keys)
            across = list(zip(*[astuple(row.metadata) if row.metadata else nothing for row in rows], strict=True))
        else:
            across = list(zip(*map(astuple, [row.metadata for row in rows]), strict=True))
        return {key: across[places[key]] if key in places else absent for key in wanted}


def _is_a_row_a_line(block: bytes, rows: int) -> bool:
    """Whether rows end where lines do: msgspec takes two of a line, and one of two lines.

    Nothing in JSON has a brace that closes, the end of a line and a brace that opens but two values after each other.
    """
    apart = block.count(b"}\n{")
    ends = block.count(b"\n")
    return rows - 1 == ends == (apart if apart == ends else apart + block.count(b"}\r\n{"))


def _kind(few: set[str] | None) -> Any:
    return Literal[tuple(sorted(few))] if few else Any


def _renames(keys: Sequence[str]) -> Iterable[tuple[str, str]]:
    return ((f"m{index}", key) for index, key in enumerate(keys))


def _types() -> dict[str, Any]:
    from typing import Annotated

    from msgspec import Meta

    text = Annotated[str, Meta(min_length=1)]
    return {
        **dict.fromkeys(("key", "split", "metric"), text),
        "route": text | None,
        "outcome": bool | None,
        # As Any, a number with a fraction is asked about, and one that no float keeps is refused.
        **dict.fromkeys(_NUMBERS, Any),
        "excluded": bool | text | None,
        "trajectory": dict[str, Any] | None,
        "retrieval": dict[str, Any] | None,
        "relevant": Any,
        "extra": Any,
    }
