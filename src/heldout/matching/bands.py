"""Locality-sensitive hashing by sorting: texts that agree in a whole band become candidate pairs.

Per band the texts are sorted by the hash of the band's rows, so that a bucket is a run. No dictionaries, no shuffles:
the cost is one sort a band plus the candidates themselves. A hash collision between two bands of different values can
only add a candidate, which exact verification then refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import kernels_for
from heldout.matching.ragged import blocks, segments
from heldout.matching.shingles import mix64

_BLOCK = 1 << 21  # candidate pairs held at a time

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Band:
    """One band's buckets: bucket i is `members[starts[i]:starts[i] + sizes[i]]`, its text indices ascending.

    Buckets of one text are left out.
    """

    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BandIndex:
    """All bands of n texts. `keys` (bands, n) uint64 are band hashes.

    A bucket with more than `cap` texts is capped. `family` (n) int64 names, for texts in capped buckets, the connected
    component of capped buckets they are in by its lowest text index, and is -1 for other texts.
    """

    keys: NDArray[np.uint64]
    bands: tuple[Band, ...]
    family: NDArray[np.int64]
    cap: int

    @property
    def capped_buckets(self) -> int:
        return sum(int((band.sizes > self.cap).sum()) for band in self.bands)

    def grouped(self) -> NDArray[np.int64]:
        """Ascending indices of the texts that share a bucket with another: nothing else needs verification."""
        present = np.zeros(self.keys.shape[1], np.bool_)
        for band in self.bands:
            present[band.members[segments(band.starts, band.sizes)]] = True
        return np.flatnonzero(present)

    def candidates(self) -> Iterator[Pairs]:
        """Blocks of pairs (a, b), a < b, that share a bucket and are not of one family; each pair once.

        A pair comes out at the first band in which it agrees, so nothing has to be sorted to remove repeats.
        """
        for number, band in enumerate(self.bands):
            for a, b in _bucket_pairs(self.opened(band)):
                kept = (self.family[a] != self.family[b]) | (self.family[a] < 0)
                for earlier in range(number):
                    kept &= self.keys[earlier][a] != self.keys[earlier][b]
                yield a[kept], b[kept]

    def opened(self, band: Band) -> Band:
        """The band without the buckets that lie whole inside one family, as capped ones do."""
        if not band.starts.size:
            return band
        labels = self.family[band.members]
        places = segments(band.starts, band.sizes)
        firsts = np.cumsum(band.sizes) - band.sizes
        lowest, highest = (extreme.reduceat(labels[places], firsts) for extreme in (np.minimum, np.maximum))
        mixed = (lowest != highest) | (lowest < 0)
        return Band(band.members, band.starts[mixed], band.sizes[mixed])


def band_index(keys: NDArray[np.uint64], present: NDArray[np.int64], *, cap: int) -> BandIndex:
    """Sort band keys, shape (bands, n), into buckets; only texts in `present` (ascending) take part.

    `keys` may be a memory-mapped file: a band is read whole while it is sorted, and other bands only at candidates.
    """
    kernels = kernels_for(present.size * keys.shape[0])
    if kernels is not None:
        from heldout.matching.kernels.on_pairs import grouped

        built = tuple(Band(*parts) for parts in grouped(kernels, keys, present))
    else:
        built = tuple(_sort_band(row, present) for row in keys)
    return BandIndex(keys, built, _families(keys.shape[1], built, cap), cap)


def _families(count: int, bands: tuple[Band, ...], cap: int) -> NDArray[np.int64]:
    """Connected components by spreading the lowest label through each capped bucket until nothing moves."""
    label = np.arange(count, dtype=np.int64)
    inside = np.zeros(count, np.bool_)
    buckets = []
    for band in bands:
        large = band.sizes > cap
        if large.any():
            members = band.members[segments(band.starts[large], band.sizes[large])]
            buckets.append((members, band.sizes[large]))
            inside[members] = True
    moving = bool(buckets)
    while moving:
        before = label.copy()
        for members, sizes in buckets:
            label[members] = np.repeat(np.minimum.reduceat(label[members], np.cumsum(sizes) - sizes), sizes)
        moving = not np.array_equal(before, label)
    label[~inside] = -1
    return label


def band_keys(signatures: NDArray[np.uint32], bands: int) -> NDArray[np.uint64]:
    """A 64-bit hash of each band's rows, shape (bands, n): rows are taken two at a time and mixed in order."""
    count, width = signatures.shape
    rows = width // bands
    if rows * bands != width:
        raise ValueError(f"{width} permutations do not divide into {bands} bands")
    kernels = kernels_for(signatures.size)
    if kernels is not None:
        from heldout.matching.kernels import on_texts

        return on_texts.band_keys(kernels, signatures, bands)
    keys = np.empty((bands, count), np.uint64)
    for band in range(bands):
        state = np.full(count, (band + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF, np.uint64)
        for row in range(band * rows, (band + 1) * rows, 2):
            word = signatures[:, row].astype(np.uint64)
            if row + 1 < (band + 1) * rows:
                word |= signatures[:, row + 1].astype(np.uint64) << np.uint64(32)
            state = mix64(state ^ word)
        keys[band] = state
    return keys


def _sort_band(keys: NDArray[np.uint64], present: NDArray[np.int64]) -> Band:
    members = present[np.argsort(keys[present], kind="stable")]
    ordered = keys[members]
    opens = np.ones(members.size, np.bool_)
    opens[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(opens)
    sizes = np.diff(starts, append=members.size)
    shared = sizes > 1
    return Band(members, starts[shared], sizes[shared])


def _bucket_pairs(band: Band) -> Iterator[Pairs]:
    """Every pair inside each bucket."""
    places = segments(band.starts, band.sizes)
    following = np.repeat(band.starts + band.sizes, band.sizes) - places - 1
    for low, high in blocks(following, _BLOCK):
        counts = following[low:high]
        left = np.repeat(places[low:high], counts)
        right = segments(places[low:high] + 1, counts)
        yield band.members[left], band.members[right]
