"""Shingles of any length over characters or words, as exact sets, for methods whose parameters people choose.

`heldout.matching.shingles` is the fixed method of scans (5 characters, one hash). Here a text is a row of symbols, each
a number from 1: a character, or a word. A shingle is k symbols in a row; a text of 1 to k - 1 symbols is one shingle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import offsets_of, segments
from heldout.matching.shingles import ShingleSets, mix64
from heldout.matching.texts import NormalisedTexts

_RANKS = np.int64(0xFFFFFFFF)
_SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class SymbolRows:
    """Texts as rows of symbols: `symbols` int64 flat, from 1; `offsets` the n + 1 boundaries.

    `alphabet[s - 1]` is what symbol s looks like, `joiner` what stands between two of them in a text.
    """

    symbols: NDArray[np.int64]
    offsets: NDArray[np.int64]
    alphabet: tuple[str, ...]
    joiner: str


@dataclass(frozen=True, slots=True)
class Grams:
    """The shingle sets of all texts, and what each shingle is.

    Shingle r (its rank in `sets`) stands at `places[r]` of `rows.symbols` and is `lengths[r]` symbols long.
    """

    sets: ShingleSets
    rows: SymbolRows
    places: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def hashes(self) -> NDArray[np.uint32]:
        """A 32-bit hash of each shingle by its characters alone, so that other texts beside it change nothing."""
        looks = np.array([_word_hash(symbol) for symbol in self.rows.alphabet], np.uint64)
        state = self.lengths.astype(np.uint64) * _SALT
        for step in range(int(self.lengths.max(initial=0))):
            live = np.flatnonzero(self.lengths > step)
            state[live] = mix64(state[live] ^ looks[self.rows.symbols[self.places[live] + step] - 1])
        return (mix64(state) >> np.uint64(32)).astype(np.uint32)

    def texts(self) -> Iterator[bytes]:
        """The characters of each shingle as UTF-8, in the order of ranks."""
        alphabet, joiner = self.rows.alphabet, self.rows.joiner
        for place, length in zip(self.places.tolist(), self.lengths.tolist(), strict=True):
            window = self.rows.symbols[place : place + length].tolist()
            yield joiner.join([alphabet[symbol - 1] for symbol in window]).encode("utf-8", "surrogatepass")


def flat_texts(texts: Sequence[str]) -> NormalisedTexts:
    """Texts that are canonical already, in the form that matching reads."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return NormalisedTexts(points.astype(np.uint32, copy=False), offsets_of(lengths))


def character_rows(texts: NormalisedTexts) -> SymbolRows:
    present, symbols = np.unique(texts.codepoints, return_inverse=True)
    alphabet = tuple(present.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass"))
    return SymbolRows(symbols.reshape(-1).astype(np.int64) + 1, texts.offsets, alphabet, "")


def word_rows(texts: Sequence[str]) -> SymbolRows:
    """Words are what stands between whitespace; numbered as they are met."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers) + 1) for word in text.split()] for text in texts]
    symbols = np.fromiter((symbol for row in rows for symbol in row), np.int64)
    return SymbolRows(symbols, offsets_of(np.fromiter(map(len, rows), np.int64, len(rows))), tuple(numbers), " ")


def grams(rows: SymbolRows, k: int) -> Grams:
    """The set of shingles of every text. A text without symbols has the empty set."""
    lengths = np.diff(rows.offsets)
    counts = np.where(lengths == 0, 0, np.maximum(lengths - k + 1, 1))
    names = _names(rows, lengths, k)[segments(rows.offsets[:-1] + (k - 1) * np.arange(lengths.size), counts)]
    distinct, first, ranks = np.unique(names, return_index=True, return_inverse=True)
    tagged = np.repeat(np.arange(lengths.size, dtype=np.int64), counts) << np.int64(32) | ranks.reshape(-1)
    tagged = np.unique(tagged)
    sizes = np.bincount(tagged >> np.int64(32), minlength=lengths.size)
    sets = ShingleSets(np.arange(lengths.size), tagged & _RANKS, offsets_of(sizes), int(distinct.size))
    places = segments(rows.offsets[:-1], counts)[first]
    short = np.repeat(np.minimum(lengths, k), counts)[first]
    return Grams(sets, rows, places, short)


def _names(rows: SymbolRows, lengths: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """One integer a position, the same for two positions exactly if the k symbols from there are the same.

    Each text is followed by k - 1 zeros, so that a short text's shingle is none of the longer ones. Symbols are digits
    of a number; before it would grow past 63 bits it is replaced by its rank among those that occur.
    """
    padded = np.zeros(rows.symbols.size + (k - 1) * lengths.size, np.int64)
    starts = rows.offsets[:-1] + (k - 1) * np.arange(lengths.size)
    padded[segments(starts, lengths)] = rows.symbols
    size = max(padded.size - k + 1, 0)
    base = len(rows.alphabet) + 1
    names, bound = padded[:size].copy(), base
    for step in range(1, k):
        if bound * base >= 1 << 63:
            known, ranks = np.unique(names, return_inverse=True)
            names, bound = ranks.reshape(-1).astype(np.int64), int(known.size)
        names *= base
        names += padded[step : step + size]
        bound *= base
    return names


def _word_hash(symbol: str) -> int:
    return int.from_bytes(hashlib.blake2b(symbol.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
