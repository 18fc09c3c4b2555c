"""Blocks of texts through the kernels: normalised, signed, sketched."""

from __future__ import annotations

from functools import cache
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.folding import SPACE, UNKNOWN, WHOLE
from heldout.matching.kernels import each_in_threads, in_threads, threads
from heldout.matching.kernels.writing import CHUNK
from heldout.matching.ragged import blocks, offsets_of
from heldout.matching.width import CodePoint, narrowest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.matching.folding import Folding
    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_NORMALISED = 1 << 20  # characters normalised at a time by one thread
_SIGNED = 1 << 18  # code points signed at a time by one thread, about

Block = tuple[NDArray[CodePoint], NDArray[np.int64]]


def normalised_blocks(
    kernels: Kernels, texts: Sequence[str], folding: Callable[[], Folding], fold: Callable[[str], str]
) -> Iterator[Block]:
    """(code points at their narrowest, ends of the texts in them) of consecutive blocks of the texts.

    `fold` is NFKC and lower case of one text, for those that `folding` cannot do by the character.
    """
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))

    def run(low: int, high: int) -> Block:
        joined = "".join(texts[low:high])
        if joined.isascii():
            return _ascii(kernels, joined, sizes[low:high])
        return _mixed(kernels, texts[low:high], sizes[low:high], folding(), fold)

    return each_in_threads(run, list(blocks(sizes, _NORMALISED)))


def _ascii(kernels: Kernels, joined: str, sizes: NDArray[np.int64]) -> Block:
    plain, ends = np.frombuffer(joined.encode("ascii"), np.uint8), np.empty(sizes.size, np.int64)
    nothing, out = np.zeros(sizes.size, np.uint8), np.empty(plain.size + 1, np.uint8)
    starts = np.cumsum(sizes) - sizes
    size = kernels.collapse(
        plain, _NO_WORDS, nothing, starts, sizes, sizes.size, _ascii_letters(), _NO_WORDS, _NO_WORDS,
        1, out, _NO_WORDS, ends,
    )  # fmt: skip
    return out[:size], ends


def _mixed(
    kernels: Kernels, texts: Sequence[str], sizes: NDArray[np.int64], folding: Folding, fold: Callable[[str], str]
) -> Block:
    plains = list(map(str.isascii, texts))
    kinds = (~np.array(plains, np.bool_)).view(np.uint8)
    wide = np.flatnonzero(kinds)
    plain = np.frombuffer("".join(compress(texts, plains)).encode("ascii"), np.uint8)
    words, offsets = _code_points([texts[place] for place in wide.tolist()]), offsets_of(sizes[wide])
    starts, lengths = np.empty_like(sizes), sizes.copy()
    starts[wide] = offsets[:-1]
    starts[kinds == 0] = np.cumsum(sizes[kinds == 0]) - sizes[kinds == 0]
    whole = wide[_to_fold_whole(kernels, words, offsets, folding)]
    if whole.size:
        folded = [fold(texts[place]) for place in whole.tolist()]
        kinds[whole], lengths[whole] = 2, np.fromiter(map(len, folded), np.int64, len(folded))
        starts[whole] = words.size + np.cumsum(lengths[whole]) - lengths[whole]
        words = np.concatenate([words, _code_points(folded)])
    out, ends = np.empty(int(lengths.sum()) + 1, np.uint32), np.empty(len(texts), np.int64)
    size = kernels.collapse(
        plain, words, kinds, starts, lengths, len(texts), _ascii_letters(), folding.table, folding.letters,
        0, _NO_BYTES, out, ends,
    )  # fmt: skip
    return narrowest(out[:size]), ends


def _to_fold_whole(
    kernels: Kernels, words: NDArray[np.uint32], offsets: NDArray[np.int64], folding: Folding
) -> NDArray[np.int64]:
    """Positions of the texts that the table cannot fold, once it knows all their characters."""
    most = np.empty(offsets.size - 1, np.uint32)
    kernels.highest(words, offsets, most.size, folding.table, most)
    if (most == UNKNOWN).any():
        folding.learn(words)
        kernels.highest(words, offsets, most.size, folding.table, most)
    return np.flatnonzero(most == WHOLE)


def _code_points(texts: Sequence[str]) -> NDArray[np.uint32]:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.dtype("<u4")).astype(
        np.uint32, copy=False
    )


_NO_WORDS = np.zeros(1, np.uint32)
_NO_BYTES = np.zeros(1, np.uint8)
_NO_LONGS = np.zeros(1, np.uint64)


@cache
def _ascii_letters() -> NDArray[np.uint8]:
    """Small letters and digits of ASCII as themselves, capitals as small letters, the rest as a space."""
    return np.array([ord(chr(code).lower()) if chr(code).isalnum() else SPACE for code in range(128)], np.uint8)


def _ranges(lengths: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Even parts of texts of these lengths, small enough for all threads to end at about the same time."""
    return list(blocks(lengths, max(_SIGNED, min(int(lengths.sum()) // (8 * threads()), 16 * _SIGNED))))


def signatures(
    kernels: Kernels, texts: NormalisedTexts, a: NDArray[np.uint32], b: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """As `heldout.matching.minhash.signatures`, with the factors and summands of the permutations."""
    rows, lengths = np.empty((len(texts), a.size), np.uint32), texts.lengths

    def run(low: int, high: int) -> int:
        return kernels.sign(
            texts.codepoints, texts.offsets, lengths, low, high, a.size, a, b, _room(), _room(), rows, 0, _NO_LONGS
        )

    in_threads(run, _ranges(lengths))
    return rows


def bitmaps(kernels: Kernels, texts: NormalisedTexts, chosen: NDArray[np.int64]) -> NDArray[np.uint64]:
    """As `heldout.matching.jaccard.bitmaps`, of the chosen texts."""
    bits, starts, lengths = np.empty((chosen.size, 16), np.uint64), texts.offsets[chosen], texts.lengths[chosen]

    def run(low: int, high: int) -> int:
        return kernels.sign(
            texts.codepoints, starts, lengths, low, high, 0, _NO_WORDS, _NO_WORDS, _room(), _room(), _NO_WORDS, 1, bits
        )

    in_threads(run, _ranges(lengths))
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
            part.codepoints,
            part.offsets,
            part.lengths,
            0,
            high - low,
            a.size,
            a,
            b,
            _room(),
            _room(),
            own,
            1,
            bits[low:high],
        )
        kernels.keys(own, 0, high - low, bands, a.size // bands, high - low, own_keys)
        keys[:, low:high] = own_keys

    in_threads(run, _ranges(texts.lengths))
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
