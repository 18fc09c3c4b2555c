"""The keys of many members: given ones in one run of bytes, derived ones as the numbers they follow from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.domain.members import DERIVED_KEY_LENGTH
from heldout.storage.caches.digest_index import Digests, in_order

_LIKE_DERIVED = re.compile(r"([0-9a-f]{16})(?:-(?!1$)([1-9][0-9]*))?")
_LARGEST = 2**31 - 1
_WORD = 8
_LONGEST = 64  # bytes of a key, up to which keys are sorted as numbers


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of n rows.

    `derived` says which nobody gave. A key in the form of a derived one (`stemmed`) is `stems` as 16 hex digits, and
    behind a hyphen `numbers` where that is not 1; another is the UTF-8 text `data[offsets[i]:offsets[i + 1]]`. `hashes`
    are of those texts, equal for equal ones in this process.
    """

    derived: NDArray[np.bool_]
    stemmed: NDArray[np.bool_]
    stems: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    data: bytes | bytearray
    offsets: NDArray[np.int64]
    hashes: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> list[str]:
        """The keys of these rows."""
        data, result = self.data, []
        columns = (self.stemmed[rows], self.stems[rows], self.numbers[rows], self.offsets[rows], self.offsets[rows + 1])
        for stemmed, stem, number, low, high in zip(*(column.tolist() for column in columns), strict=True):
            if stemmed:
                key = f"{stem:0{DERIVED_KEY_LENGTH}x}"
                result.append(key if number == 1 else f"{key}-{number}")
            else:
                result.append(data[low:high].decode())
        return result

    def marks(self) -> NDArray[np.int64]:
        """A number a row: rows of one input with equal marks have one key, save by a collision of hashes."""
        return np.where(self.stemmed, self.numbers, self.hashes)

    def order(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The permutation that sorts the keys of these rows by code points, which is also the order of UTF-8."""
        if self.stemmed[rows].all():
            numbers = self.numbers[rows]
            behind = np.where(numbers == 1, b"", numbers.astype("S10")) if (numbers != 1).any() else numbers
            return np.lexsort((behind, self.stems[rows]))
        lengths = np.where(self.stemmed[rows], 27, self.offsets[rows + 1] - self.offsets[rows])
        longest = int(lengths.max(initial=0))
        words = -(-longest // _WORD)
        if longest > _LONGEST or b"\0" in self.data:
            keys = self.take(rows)
            return np.array(sorted(range(rows.size), key=keys.__getitem__), np.int64)
        table = np.empty((words, rows.size), np.uint64)
        for low in range(0, rows.size, 1 << 14):
            block = rows[low : low + (1 << 14)]
            items = np.array([key.encode() for key in self.take(block)], f"S{words * _WORD}")
            table[:, low : low + block.size] = items.view(">u8").reshape(-1, words).T
        return np.lexsort(table[::-1]) if words else np.arange(rows.size)

    def first_repeat(self, split: NDArray[np.int32]) -> tuple[int, int] | None:
        """The first row that repeats a given key of its split, and the row that had it first."""
        rows = np.flatnonzero(~self.derived)
        order = rows[np.lexsort((rows, split[rows], self.hashes[rows]))]
        same = (self.hashes[order[1:]] == self.hashes[order[:-1]]) & (split[order[1:]] == split[order[:-1]])
        suspects = np.unique(np.concatenate([order[1:][same], order[:-1][same]]))
        first: dict[tuple[int, str], int] = {}
        for row, number, key in zip(suspects.tolist(), split[suspects].tolist(), self.take(suspects), strict=True):
            if first.setdefault((number, key), row) != row:
                return row, first[number, key]
        return None

    @classmethod
    def of(cls, keys: Sequence[tuple[str, bool]]) -> Keys:
        """Keys that are known as texts, each with whether it is derived."""
        count = len(keys)
        derived = np.fromiter((flag for _, flag in keys), np.bool_, count)
        stemmed, stems, numbers = np.zeros(count, np.bool_), np.zeros(count, np.uint64), np.ones(count, np.int32)
        given = [key for key, _ in keys]
        for row in np.flatnonzero(derived).tolist():
            match = _LIKE_DERIVED.fullmatch(given[row])
            if match is not None and int(match[2] or 1) <= _LARGEST:
                stemmed[row], stems[row], numbers[row], given[row] = True, int(match[1], 16), int(match[2] or 1), ""
        texts = [key.encode() for key in given]
        offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
        hashes = np.fromiter(map(hash, texts), np.int64, count)
        return cls(derived, stemmed, stems, numbers, b"".join(texts), offsets, hashes)


def numbered(
    derived: NDArray[np.bool_], stems: NDArray[np.uint64], split: NDArray[np.int32], examples: Digests, given: Keys
) -> NDArray[np.int32]:
    """The number of each derived key, by the rule of `heldout.domain.members.with_derived_keys`."""
    numbers = np.ones(derived.size, np.int32)
    rows = np.flatnonzero(derived)
    taken = _taken(given, split)
    rows = rows[np.lexsort((rows, stems[rows], split[rows]))]
    opens = np.ones(rows.size, np.bool_)
    opens[1:] = (stems[rows[1:]] != stems[rows[:-1]]) | (split[rows[1:]] != split[rows[:-1]])
    starts = np.flatnonzero(opens)
    sizes = np.diff(starts, append=rows.size)
    crowded = sizes > 1
    if taken:
        known = np.fromiter((stem for _, stem in taken), np.uint64, len(taken))
        crowded |= np.isin(stems[rows[starts]], known)
    ranks = _ranks(rows, np.repeat(np.arange(sizes.size), sizes), np.repeat(crowded, sizes), examples)
    numbers[rows] = ranks + 1
    for (number, stem), busy in taken.items():
        group = rows[(split[rows] == number) & (stems[rows] == stem)]
        free = [place for place in range(1, group.size + len(busy) + 1) if place not in busy]
        numbers[group] = np.array(free, np.int32)[numbers[group] - 1] if group.size else 1
    return numbers


def _ranks(
    rows: NDArray[np.int64], group: NDArray[np.int64], wanted: NDArray[np.bool_], examples: Digests
) -> NDArray[np.int64]:
    """The place of each of the rows in its group by example digest, equal ones by row; 0 where it is not wanted."""
    ranks = np.zeros(rows.size, np.int64)
    places = np.flatnonzero(wanted)
    if places.size:
        by_digest = places[in_order(examples[rows[places]])]  # the rows of a group ascend, and the order is stable
        order = by_digest[np.argsort(group[by_digest], kind="stable")]
        opens = np.flatnonzero(np.diff(group[order], prepend=-1))
        ranks[order] = np.arange(order.size) - np.repeat(opens, np.diff(opens, append=order.size))
    return ranks


def _taken(given: Keys, split: NDArray[np.int32]) -> dict[tuple[int, int], set[int]]:
    """Numbers that given keys use up by looking like derived ones, by (split, stem)."""
    taken: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    lengths = np.diff(given.offsets)
    rows = np.flatnonzero(~given.derived & (lengths >= DERIVED_KEY_LENGTH))
    if given.derived.any():
        for low in range(0, rows.size, 1 << 14):
            block = rows[low : low + (1 << 14)]
            for number, key in zip(split[block].tolist(), given.take(block), strict=True):
                if match := _LIKE_DERIVED.fullmatch(key):
                    taken[number, int(match[1], 16)].add(int(match[2] or 1))
    return dict(taken)
