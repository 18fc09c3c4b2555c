"""Rows on their way into a `MemberTable`: some thousand at a time are Python objects, the rest is columns."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.storage.caches.digest_index import DIGEST, DigestIndex, Digests, prefixes
from heldout.storage.columns import Column
from heldout.storage.keys import Keys, numbered
from heldout.storage.member_table import MemberTable

_ROWS: Final = 1 << 13
_CHARACTERS: Final = 1 << 20
_FIRST_LOOK: Final = 1 << 12  # rows after which keys are looked at for the first time


class TextSink(Protocol):
    """Takes the texts of inputs, in the order of the rows; inputs and texts may come again."""

    def take(self, inputs: NDArray[np.int64], texts: Sequence[str], rows: NDArray[np.int64]) -> None: ...


class RepeatedKeyError(Exception):
    """A key was given to two rows of one split; `row` is the later one. Places are (file's number, line)."""

    def __init__(self, split: str, key: str, row: tuple[int, int], first: tuple[int, int]) -> None:
        super().__init__(key)
        self.split, self.key, self.row, self.first = split, key, row, first


class MemberBuilder:
    """Collects rows. `texts` is given each row's text, with the ordinal of its input in `index`."""

    def __init__(self, index: DigestIndex, texts: TextSink | None = None, *, expected: bool = True) -> None:
        self.files: list[str] = []
        self._index = index
        self._texts = texts
        self._keeps_expected = expected
        self._splits: dict[str, int] = {}
        self._keys = bytearray()
        self._next_look = _FIRST_LOOK
        self._done: dict[str, Column] = {
            "inputs": Column(np.int64),
            "split": Column(np.int32),
            "examples": Column(np.uint8, DIGEST),
            "expected": Column(np.uint8, DIGEST),
            "has_expected": Column(np.bool_),
            "inline": Column(np.bool_),
            "file": Column(np.int32),
            "line": Column(np.int64),
            "ends": Column(np.int64),
            "hashes": Column(np.int64),
            "derived": Column(np.bool_),
            "stems": Column(np.uint64),
        }
        self._clear()

    def __len__(self) -> int:
        return len(self._done["inputs"]) + len(self._inputs)

    def file(self, name: str) -> int:
        """The number of a file; rows of one file come together."""
        if not self.files or self.files[-1] != name:
            self.files.append(name)
        return len(self.files) - 1

    def add(
        self,
        split: str,
        key: str | None,
        digests: tuple[bytes, bytes, bytes],
        text: str | None,
        place: tuple[int, int],
    ) -> None:
        """`digests` are of input, example and expected output, the last b"" where there is none; `text` is None where
        the input is kept outside. Raises RepeatedKeyError, at once or some rows later."""
        number = self._splits.get(split)
        if number is None:
            number = self._splits[split] = len(self._splits)
        self._split.append(number)
        content, example, expected = digests
        self._inputs.append(content)
        self._examples.append(example)
        if self._keeps_expected:
            self._expected.append(expected)
        self._given.append(key)
        self._file.append(place[0])
        self._line.append(place[1])
        self._text.append(text)
        if text is not None:
            self._characters += len(text)
        if len(self._inputs) >= _ROWS or self._characters >= _CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Turn what was collected into columns."""
        count = len(self._inputs)
        if not count:
            return
        first = len(self._done["inputs"])
        digests = np.frombuffer(b"".join(self._inputs), np.uint8).reshape(-1, DIGEST)
        inputs = self._index.add(digests)
        inline = np.fromiter((text is not None for text in self._text), np.bool_, count)
        done = self._done
        done["inputs"].append(inputs)
        done["split"].append(np.frombuffer(self._split, np.int32))
        done["examples"].append(np.frombuffer(b"".join(self._examples), np.uint8).reshape(-1, DIGEST))
        done["inline"].append(inline)
        done["file"].append(np.frombuffer(self._file, np.int32))
        done["line"].append(np.frombuffer(self._line, np.int64))
        if self._keeps_expected:
            done["has_expected"].append(np.fromiter(map(bool, self._expected), np.bool_, count))
            done["expected"].append(np.frombuffer(b"".join(self._expected), np.uint8).reshape(-1, DIGEST))
        self._flush_keys(digests)
        texts, self._characters = self._text, 0
        self._clear()
        if self._texts is not None:
            rows = np.flatnonzero(inline)
            self._texts.take(inputs[rows], [text for text in texts if text is not None], rows + first)
        if len(self) >= self._next_look:
            self.check_keys()
            self._next_look = 2 * len(self)

    def _flush_keys(self, digests: Digests) -> None:
        given = [b"" if key is None else key.encode() for key in self._given]
        base = len(self._keys)
        self._keys += b"".join(given)
        lengths = np.fromiter(map(len, given), np.int64, len(given))
        self._done["ends"].append(base + np.cumsum(lengths))
        self._done["hashes"].append(np.fromiter(map(hash, given), np.int64, len(given)))
        derived = np.fromiter((key is None for key in self._given), np.bool_, len(given))
        self._done["derived"].append(derived)
        self._done["stems"].append(np.where(derived, prefixes(digests), np.uint64(0)))

    def _clear(self) -> None:
        self._inputs: list[bytes] = []
        self._examples: list[bytes] = []
        self._expected: list[bytes] = []
        self._given: list[str | None] = []
        self._text: list[str | None] = []
        self._split, self._file, self._line = array("i"), array("i"), array("q")
        self._characters = 0

    def check_keys(self) -> None:
        """Raises RepeatedKeyError for the first row that repeats a key of its split."""
        self.flush()
        keys, split = self._all_keys(None), self._done["split"].all()
        repeat = keys.first_repeat(split)
        if repeat is None:
            return
        file, line = self._done["file"].all(), self._done["line"].all()
        row, first = ((int(file[at]), int(line[at])) for at in repeat)
        (key,) = keys.take(np.array(repeat[:1]))
        raise RepeatedKeyError(tuple(self._splits)[split[repeat[0]]], key, row, first)

    def _all_keys(self, numbers: NDArray[np.int32] | None) -> Keys:
        derived = self._done["derived"].all()
        return Keys(
            derived=derived,
            stemmed=derived,
            stems=self._done["stems"].all(),
            numbers=np.ones(derived.size, np.int32) if numbers is None else numbers,
            data=self._keys,
            offsets=np.concatenate([np.zeros(1, np.int64), self._done["ends"].all()]),
            hashes=self._done["hashes"].all(),
        )

    def table(self) -> MemberTable:
        """All rows, with derived keys. Raises RepeatedKeyError. Nothing can be added after it."""
        self.check_keys()
        columns: dict[str, Any] = {name: column.all() for name, column in self._done.items()}
        if not self._keeps_expected:
            columns["has_expected"] = np.zeros(len(columns["inputs"]), np.bool_)
        for name in ("ends", "hashes", "derived", "stems"):
            del columns[name]
        given = self._all_keys(None)
        numbers = numbered(given.derived, given.stems, columns["split"], columns["examples"], given)
        return MemberTable(
            known=self._index,
            splits=tuple(self._splits),
            files=tuple(self.files),
            keys=self._all_keys(numbers),
            **columns,
        )
