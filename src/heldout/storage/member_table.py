"""The members of one version as columns: about 60 bytes a row without keys, where an object a row takes 600.

A table is a sequence of `Member`s, made when they are asked for. What a scan asks of every row (content digest, counts,
derived keys, which rows share an input or a key) is computed from the columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring as _quote
from typing import overload

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.members import Member
from heldout.storage.caches.digest_index import DIGEST, DigestIndex, Digests
from heldout.storage.keys import Keys

_BLOCK = 1 << 14  # rows turned into Python objects at a time


@dataclass(frozen=True, eq=False)
class MemberTable(Sequence[Member]):
    """n members in the order of their files.

    `inputs` (int64) are ordinals in `known`; `split` (int32) numbers `splits`, which are in the order of their first
    rows; `examples` are digests of whole examples; `expected` holds digests for the rows in `has_expected`, in order.
    `inline` says that the row holds its input's text. `file` (int32) numbers `files`, `line` is where the row starts.
    """

    known: DigestIndex
    splits: tuple[str, ...]
    files: tuple[str, ...]
    inputs: NDArray[np.int64]
    split: NDArray[np.int32]
    keys: Keys
    examples: Digests
    has_expected: NDArray[np.bool_]
    expected: Digests
    inline: NDArray[np.bool_]
    file: NDArray[np.int32]
    line: NDArray[np.int64]

    def __len__(self) -> int:
        return self.inputs.size

    @overload
    def __getitem__(self, at: int) -> Member: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Member, ...]: ...
    def __getitem__(self, at: int | slice) -> Member | tuple[Member, ...]:
        if isinstance(at, slice):
            return tuple(self.take(np.arange(len(self))[at]))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return next(self.take(np.array([at % len(self)])))

    def __iter__(self) -> Iterator[Member]:
        for low in range(0, len(self), _BLOCK):
            yield from self.take(np.arange(low, min(low + _BLOCK, len(self))))

    def take(self, rows: NDArray[np.int64]) -> Iterator[Member]:
        """The members in these rows."""
        inputs, examples = digest_texts(self.known.digests()[self.inputs[rows]]), digest_texts(self.examples[rows])
        present = self.has_expected[rows]
        expected = iter(digest_texts(self.expected[self._expected_places()[rows[present]]]))
        wanted = [next(expected) if there else "" for there in present.tolist()]
        columns = (self.split[rows].tolist(), self.keys.take(rows), inputs, examples, wanted)
        for split, key, content, example, answer, derived in zip(
            *columns, self.keys.derived[rows].tolist(), strict=True
        ):
            yield Member(self.splits[split], key, content, example, answer, derived)

    def _expected_places(self) -> NDArray[np.int64]:
        return np.cumsum(self.has_expected) - 1

    def by_split(self) -> dict[str, int]:
        counts = np.bincount(self.split, minlength=len(self.splits)).tolist()
        return dict(zip(self.splits, counts, strict=True))

    def content_digest(self) -> str:
        """As `heldout.domain.members.content_digest`."""
        state = hashlib.sha256()
        for number in sorted(range(len(self.splits)), key=lambda at: self.splits[at]):
            rows = np.flatnonzero(self.split == number)
            rows = rows[self.keys.order(rows)]
            head = f"[{_quote(self.splits[number])},"
            for low in range(0, rows.size, _BLOCK):
                block = rows[low : low + _BLOCK]
                pairs = zip(self.keys.take(block), digest_texts(self.examples[block]), strict=True)
                state.update("".join([f'{head}{_quote(key)},"{example}"]\n' for key, example in pairs]).encode())
        return DIGEST_PREFIX + state.hexdigest()

    @classmethod
    def of(cls, members: Sequence[Member], index: DigestIndex, inline: Iterable[bool]) -> MemberTable:
        """The table of members whose keys are known."""
        splits = tuple(dict.fromkeys(member.split for member in members))
        number = {split: position for position, split in enumerate(splits)}
        count = len(members)
        has_expected = np.fromiter((bool(member.expected) for member in members), np.bool_, count)
        return cls(
            known=index,
            splits=splits,
            files=(),
            inputs=index.add(packed([member.input for member in members])),
            split=np.fromiter((number[member.split] for member in members), np.int32, count),
            keys=Keys.of([(member.key, member.derived) for member in members]),
            examples=packed([member.example for member in members]),
            has_expected=has_expected,
            expected=packed([member.expected for member in members if member.expected]),
            inline=np.fromiter(inline, np.bool_, count),
            file=np.zeros(count, np.int32),
            line=np.zeros(count, np.int64),
        )


def packed(digests: Sequence[str]) -> Digests:
    """Digests as they stand in files, as rows of bytes."""
    data = bytes.fromhex("".join([digest.removeprefix(DIGEST_PREFIX) for digest in digests]))
    if len(data) != DIGEST * len(digests):
        raise ValueError("a digest has 64 hex digits")
    return np.frombuffer(data, np.uint8).reshape(-1, DIGEST)


def digest_texts(digests: Digests) -> list[str]:
    data, width = np.ascontiguousarray(digests).tobytes().hex(), 2 * DIGEST
    return [DIGEST_PREFIX + data[at : at + width] for at in range(0, len(data), width)]
