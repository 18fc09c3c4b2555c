"""Blocks of texts through the kernels: normalised, signed, sketched."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import in_threads, threads
from heldout.matching.kernels.writing import CHUNK
from heldout.matching.ragged import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import CodePoint, NormalisedTexts

_SPACE = 32
_NORMALISED = 1 << 20  # characters normalised at a time by one thread
_SIGNED = 1 << 18  # code points signed at a time by one thread, about

Block = tuple["NDArray[CodePoint]", NDArray[np.int64]]


def normalised_blocks(
    kernels: Kernels,
    texts: Sequence[str],
    fold: Callable[[Sequence[str]], list[str]],
    letters: Callable[[], NDArray[np.uint32]],
) -> list[Block]:
    """(code points at their narrowest, ends of the texts in them) of consecutive blocks of the texts.

    `fold` is what has to be done to texts that are not ASCII before the table `letters` may map their characters.
    """
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))

    def run(low: int, high: int) -> Block:
        return _collapsed(kernels, texts[low:high], sizes[low:high], fold, letters)

    return in_threads(run, list(blocks(sizes, _NORMALISED)))


def _collapsed(
    kernels: Kernels,
    texts: Sequence[str],
    sizes: NDArray[np.int64],
    fold: Callable[[Sequence[str]], list[str]],
    letters: Callable[[], NDArray[np.uint32]],
) -> Block:
    joined = "".join(texts)
    ends = np.empty(len(texts), np.int64)
    if joined.isascii():
        plain = np.frombuffer(joined.encode("ascii"), np.uint8)
        nothing, out = np.zeros(len(texts), np.uint8), np.empty(plain.size + 1, np.uint8)
        starts = np.cumsum(sizes) - sizes
        size = kernels.collapse(
            plain, _NO_WORDS, nothing, starts, sizes, len(texts), _ascii_letters(), _NO_WORDS, 1, out, _NO_WORDS, ends
        )
        return out[:size], ends
    is_wide = np.fromiter((not text.isascii() for text in texts), np.bool_, len(texts))
    folded = fold([text for text in texts if not text.isascii()])
    plain = np.frombuffer("".join(text for text in texts if text.isascii()).encode("ascii"), np.uint8)
    wide = np.frombuffer("".join(folded).encode("utf-32-le", "surrogatepass"), np.dtype("<u4")).astype(np.uint32)
    lengths = sizes.copy()
    lengths[is_wide] = np.fromiter(map(len, folded), np.int64, len(folded))
    starts = np.empty_like(lengths)
    for side in (is_wide, ~is_wide):
        starts[side] = np.cumsum(lengths[side]) - lengths[side]
    words = np.empty(plain.size + wide.size + 1, np.uint32)
    size = kernels.collapse(
        plain, wide, is_wide.view(np.uint8), starts, lengths, len(texts), _ascii_letters(), _table(letters),
        0, _NO_BYTES, words, ends,
    )  # fmt: skip
    from heldout.matching.texts import narrowest

    return narrowest(words[:size]), ends


_NO_WORDS = np.zeros(1, np.uint32)
_NO_BYTES = np.zeros(1, np.uint8)
_NO_LONGS = np.zeros(1, np.uint64)


@cache
def _ascii_letters() -> NDArray[np.uint8]:
    """Small letters and digits of ASCII as themselves, capitals as small letters, the rest as a space."""
    return np.array([ord(chr(code).lower()) if chr(code).isalnum() else _SPACE for code in range(128)], np.uint8)


_TABLES: list[NDArray[np.uint32]] = []


def _table(letters: Callable[[], NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """The table with a space for what is no letter."""
    if not _TABLES:
        table = letters()
        _TABLES.append(np.where(table == 0, np.uint32(_SPACE), table))
    return _TABLES[0]


def _ranges(texts: NormalisedTexts) -> list[tuple[int, int]]:
    """Even parts of the texts, small enough for all threads to end at about the same time."""
    return list(texts.blocks(max(_SIGNED, min(texts.codepoints.size // (8 * threads()), 16 * _SIGNED))))


def signatures(
    kernels: Kernels, texts: NormalisedTexts, a: NDArray[np.uint32], b: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """As `heldout.matching.minhash.signatures`, with the factors and summands of the permutations."""
    rows = np.empty((len(texts), a.size), np.uint32)

    def run(low: int, high: int) -> int:
        return kernels.sign(
            texts.codepoints, texts.offsets, low, high, a.size, a, b, _room(), _room(), rows, 0, _NO_LONGS
        )

    in_threads(run, _ranges(texts))
    return rows


def bitmaps(kernels: Kernels, texts: NormalisedTexts) -> NDArray[np.uint64]:
    """As `heldout.matching.jaccard.bitmaps`."""
    bits = np.empty((len(texts), 16), np.uint64)

    def run(low: int, high: int) -> int:
        return kernels.sign(
            texts.codepoints, texts.offsets, low, high, 0, _NO_WORDS, _NO_WORDS, _room(), _room(), _NO_WORDS, 1, bits
        )

    in_threads(run, _ranges(texts))
    return bits


def sketched(
    kernels: Kernels, texts: NormalisedTexts, a: NDArray[np.uint32], b: NDArray[np.uint32], bands: int, *, keep: bool
) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64]]:
    """(signatures, band keys, bitmaps) in one pass; no signatures unless they are kept."""
    keys, bits = np.empty((bands, len(texts)), np.uint64), np.empty((len(texts), 16), np.uint64)
    rows = np.empty((len(texts) if keep else 0, a.size), np.uint32)

    def run(low: int, high: int) -> None:
        part = texts.part(low, high)
        own = rows[low:high] if keep else np.empty((high - low, a.size), np.uint32)
        own_keys = np.empty((bands, high - low), np.uint64)
        kernels.sign(
            part.codepoints, part.offsets, 0, high - low, a.size, a, b, _room(), _room(), own, 1, bits[low:high]
        )
        kernels.keys(own, 0, high - low, bands, a.size // bands, high - low, own_keys)
        keys[:, low:high] = own_keys

    in_threads(run, _ranges(texts))
    return rows, keys, bits


def band_keys(kernels: Kernels, rows: NDArray[np.uint32], bands: int) -> NDArray[np.uint64]:
    """As `heldout.matching.bands.band_keys`."""
    count, width = rows.shape
    keys = np.empty((bands, count), np.uint64)
    rows = np.ascontiguousarray(rows)

    def run(low: int, high: int) -> int:
        return kernels.keys(rows, low, high, bands, width // bands, count, keys)

    in_threads(run, even(count, 1 << 14))
    return keys


def even(count: int, least: int) -> list[tuple[int, int]]:
    """[0, count) in a few ranges a thread, of at least so many."""
    step = max(least, -(-count // (4 * threads())))
    return [(low, min(low + step, count)) for low in range(0, count, step)]


def _room() -> NDArray[np.uint32]:
    return np.empty(CHUNK + 4, np.uint32)
