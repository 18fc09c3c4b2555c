"""`heldout.domain.marks` for many texts at once: which of them have many combining marks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import offsets_of

_OTHER, _LETTER, _MARK, _UNKNOWN = range(4)
_SHARE = 10  # letters to one mark


def with_many_marks(texts: Sequence[str]) -> NDArray[np.bool_]:
    """As `heldout.domain.marks.texts_with_many_marks`, a flag for each text."""
    flags = np.zeros(len(texts), np.bool_)
    wide = [at for at, text in enumerate(texts) if not text.isascii()]
    if wide:
        kinds, offsets = _kinds([texts[at] for at in wide])
        some = np.flatnonzero(np.logical_or.reduceat(kinds == _MARK, offsets[:-1]))
        rows = [wide[at] for at in some.tolist()]
        if rows:
            flags[rows] = _many(*_kinds([unicodedata.normalize("NFKC", texts[at]) for at in rows]))
    return flags


def _many(kinds: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Only marks behind a letter count, with marks between or not: that is where the last other character is one."""
    marks = np.flatnonzero(kinds == _MARK)
    last = np.where(kinds == _MARK, -1, np.arange(kinds.size, dtype=np.int32))
    before = np.maximum.accumulate(last)[marks]
    owners = np.searchsorted(offsets, marks, side="right") - 1
    behind = (before >= offsets[owners]) & (kinds[before] == _LETTER)
    letters = np.add.reduceat(kinds == _LETTER, offsets[:-1], dtype=np.int64)
    lost = np.bincount(owners[behind], minlength=letters.size)
    many: NDArray[np.bool_] = (letters > 0) & (lost * _SHARE >= letters)
    return many


def _kinds(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """What each character of some texts is, none of which is empty, and the texts' boundaries."""
    joined = "".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    table = _table()
    kinds = table[points]
    if (kinds == _UNKNOWN).any():
        for code in np.unique(points[kinds == _UNKNOWN]).tolist():
            table[code] = _kind(chr(code))
        kinds = table[points]
    return kinds, offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))


def _kind(character: str) -> int:
    if character.isalpha():
        return _LETTER
    return _MARK if unicodedata.category(character).startswith("M") else _OTHER


@cache
def _table() -> NDArray[np.uint8]:
    """By code point; filled for the characters that have been met."""
    return np.full(0x110000, _UNKNOWN, np.uint8)
