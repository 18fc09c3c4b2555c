"""The texts of a scan: each distinct one is normalised and sketched once, and held at most once.

Up to the memory limit the normalised texts stay. Beyond it they are dropped: what their comparison needs of every one
(band keys, bitmaps, counts of windows) goes into files of hashes and numbers, and the few texts that something else may
be near to are read again from where they came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.domain.method import Method
from heldout.matching.bands import band_keys
from heldout.matching.jaccard import BITMAP, bitmaps
from heldout.matching.marked import with_many_marks
from heldout.matching.minhash import signatures
from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.matching.window_counts import WindowCounts
from heldout.services.matching.held_texts import Block, HeldTexts
from heldout.services.matching.link_memory import LinkMemory
from heldout.services.matching.memory_limit import MemoryLimit, default_limit, spare_memory
from heldout.services.matching.text_origins import Again, Origin, read_again
from heldout.storage.caches.digest_index import DigestIndex, Digests
from heldout.storage.columns import Column
from heldout.storage.scratch import Scratch

_CHARACTERS = 1 << 20  # read again at a time
_UNCACHED = 1 << 18  # signatures kept before a cache is given them
_TOGETHER = 1 << 16  # texts whose bitmaps are made at a time


class SignatureStore(Protocol):
    """Signatures of one method by input digest; `find` also says which of the asked it has."""

    def find(self, inputs: Digests) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]: ...

    def add(self, inputs: Digests, signatures: NDArray[np.uint32]) -> None: ...


class TextStore:
    """Normalised texts of distinct inputs, numbered in the order in which they came; inputs are ordinals of `index`."""

    def __init__(
        self,
        method: Method,
        limit: MemoryLimit | None = None,
        cache: SignatureStore | None = None,
        *,
        marks: bool = False,
        memory: LinkMemory | None = None,
        sketches: bool = True,
    ) -> None:
        """Without `sketches` texts are only kept, for another engine to compare."""
        self.memory = memory
        self.index = DigestIndex()
        self.limit = limit or default_limit()
        self.counts: WindowCounts | None = None
        self._method = method
        self._cache = cache
        self._unsaved: list[tuple[NDArray[np.int64], NDArray[np.uint32]]] = []
        self._number = np.full(1024, -1, np.int64)  # of the text of each input
        self._inputs, self._rows, self._lengths = Column(np.int64), Column(np.int64), Column(np.int64)
        self._keys = [Column(np.uint64) for _ in range(method.bands if sketches else 0)]
        self._bitmaps = Column(np.uint64, BITMAP)
        self._marked = Column(np.bool_) if marks else None
        self._held = HeldTexts()
        self._origins: list[Origin] = []
        self._scratch: Scratch | None = None

    def __len__(self) -> int:
        return len(self._inputs)

    @property
    def spilled(self) -> bool:
        """Whether texts have to be read again."""
        return self._scratch is not None

    @property
    def bands(self) -> int:
        return len(self._keys)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return self._lengths.all()

    def numbers(self, inputs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the texts of inputs, -1 where there is none."""
        self._grow()
        return self._number[inputs]

    def marked(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which texts have many combining marks."""
        assert self._marked is not None
        return self._marked.all()[numbers]

    # --- filling ------------------------------------------------------------------------------------------------------

    def begin(self, again: Again | None) -> None:
        """Texts that are taken from now on come from here."""
        self._origins.append(Origin(len(self), again))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Texts of a version that turns out not to be readable are forgotten: nobody could read them again."""
        first = len(self)
        try:
            yield
        except BaseException:
            self._grow()
            self._number[self._inputs.all()[first:]] = -1
            raise

    def take(self, inputs: NDArray[np.int64], texts: Sequence[str], rows: NDArray[np.int64]) -> None:
        """Texts of rows, of which those of inputs that have none yet are kept."""
        fresh = self._fresh(inputs)
        chosen = [texts[at] for at in fresh.tolist()]
        if self._marked is not None:
            self._marked.append(with_many_marks(chosen))
        if self.memory is None or self.spilled:
            self._add(inputs[fresh], normalise_batch(chosen), rows[fresh])
        else:
            self._add_known(self.memory, inputs[fresh], chosen, rows[fresh])

    def adopt(self, inputs: NDArray[np.int64], texts: NormalisedTexts) -> None:
        """Normalised texts that cannot be read again, from another store."""
        fresh = self._fresh(inputs)
        if self._marked is not None:
            self._marked.append(np.zeros(fresh.size, np.bool_))
        self.begin(None)
        self._add(inputs[fresh], texts.take(fresh), np.zeros(fresh.size, np.int64))

    def _fresh(self, inputs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ascending positions of the first row of each input without a text."""
        self._grow()
        missing = np.flatnonzero(self._number[inputs] < 0)
        _, first = np.unique(inputs[missing], return_index=True)
        return missing[np.sort(first)]

    def _grow(self) -> None:
        if len(self.index) > self._number.size:
            grown = np.full(len(self.index) * 5 // 4, -1, np.int64)
            grown[: self._number.size] = self._number
            self._number = grown

    def _add(self, inputs: NDArray[np.int64], texts: NormalisedTexts, rows: NDArray[np.int64]) -> None:
        if not inputs.size:
            return
        numbers = self._number_them(inputs, rows, texts.lengths)
        if self._keys:
            self._add_keys(band_keys(self._signatures(inputs, texts), len(self._keys)))
        if self.counts is not None:
            self._bitmaps.append(bitmaps(texts))
            self.counts.add(texts)
        if not self.spilled or self._origins[-1].again is None:
            self._held.add(numbers, texts)
        self._stay_within_limit()

    def _add_known(
        self, memory: LinkMemory, inputs: NDArray[np.int64], texts: Sequence[str], rows: NDArray[np.int64]
    ) -> None:
        """Texts of which an earlier scan remembers all but the text itself wait until somebody asks for it."""
        lengths, keys, known = memory.recall(self.index.digests()[inputs], len(self._keys))
        waiting, others = np.flatnonzero(known), np.flatnonzero(~known)
        normalised = normalise_batch([texts[at] for at in others.tolist()])
        lengths[others] = normalised.lengths
        keys[:, others] = band_keys(self._signatures(inputs[others], normalised), len(self._keys))
        numbers = self._number_them(inputs, rows, lengths)
        self._add_keys(keys)
        if others.size:
            self._held.add(numbers[others], normalised)
        self._held.add_raw(numbers[waiting], [texts[at] for at in waiting.tolist()])
        self._stay_within_limit()

    def _number_them(
        self, inputs: NDArray[np.int64], rows: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        numbers = np.arange(len(self), len(self) + inputs.size)
        self._number[inputs] = numbers
        self._inputs.append(inputs)
        self._rows.append(rows)
        self._lengths.append(lengths)
        return numbers

    def _add_keys(self, keys: NDArray[np.uint64]) -> None:
        for column, of_band in zip(self._keys, keys, strict=True):
            column.append(of_band)

    def _stay_within_limit(self) -> None:
        if not self.spilled and self._held.nbytes + len(self) * 8 * len(self._keys) > self.limit.texts:
            self._spill()

    def settle(self) -> None:
        """Normalise the texts that wait: they are about to be compared, all of them."""
        self._held.settle()

    def _signatures(self, inputs: NDArray[np.int64], texts: NormalisedTexts) -> NDArray[np.uint32]:
        """Of these texts, computed where the cache does not know them (B37)."""
        options = {"count": self._method.permutations, "seed": self._method.seed}
        if self._cache is None:
            return signatures(texts, **options)
        result, known = self._cache.find(self.index.digests()[inputs])
        missing = np.flatnonzero(~known)
        if missing.size:
            result[missing] = signatures(texts.take(missing), **options)
            self._unsaved.append((inputs[missing], result[missing]))
            if sum(len(rows) for rows, _ in self._unsaved) >= _UNCACHED:
                self.save()
        return result

    def save(self) -> None:
        """Give the cache what it does not have yet."""
        if self._cache is not None and self._unsaved:
            inputs, rows = (np.concatenate(parts) for parts in zip(*self._unsaved, strict=True))
            self._cache.add(self.index.digests()[inputs], rows)
            self._unsaved = []

    # --- beyond the limit ---------------------------------------------------------------------------------------------

    def _spill(self) -> None:
        """Drop what can be read again, and put down what is needed of it."""
        if all(origin.again is None for origin in self._origins):
            return
        self.settle()
        if self._keys:
            counts = self.window_counts()
            for low in range(0, len(self), _TOGETHER):
                self._bitmaps.append(self.bitmaps(np.arange(low, min(low + _TOGETHER, len(self)))))
            for _, texts in self._held.blocks(np.arange(len(self))):
                counts.add(texts)
            self.counts = counts
        self._scratch = Scratch()
        for band, column in enumerate(self._keys):
            column.move_to(self._scratch.path(f"keys-{band}"))
        self._bitmaps.move_to(self._scratch.path("bitmaps"))
        self._held.keep(lambda number: self._origin(number).again is None)
        spare_memory()

    def window_counts(self) -> WindowCounts:
        """An empty table, in proportion to the limit."""
        bits = 20 if self.limit.work < 1 << 26 else 26 if self.limit.work > 1 << 30 else 24
        return WindowCounts(self._method.containment_min_length, int(self.lengths.sum()), bits)

    def _origin(self, number: int) -> Origin:
        return next(origin for origin in reversed(self._origins) if origin.first <= number)

    def path(self, name: str) -> Path:
        """Where a file of numbers may be put, once `spilled`."""
        assert self._scratch is not None
        return self._scratch.path(name)

    def close(self) -> None:
        """Drop everything."""
        self._held = HeldTexts()
        if self._scratch is not None:
            self._scratch.close()

    # --- reading ------------------------------------------------------------------------------------------------------

    def keys(self, band: int) -> NDArray[np.uint64]:
        """A band's keys of all texts."""
        return self._keys[band].all()

    def bitmaps(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Of the texts with these ascending numbers."""
        if self.spilled:
            return self._bitmaps.take(numbers)
        result = np.empty((numbers.size, BITMAP), np.uint64)
        unknown = numbers
        if self.memory is not None:
            known = self.memory.bitmaps(self.index.digests()[self._inputs.all()[numbers]], result)
            unknown = numbers[~known]
        for part, texts in self.blocks(unknown):
            result[np.searchsorted(numbers, part)] = bitmaps(texts)
        return result

    def blocks(self, numbers: NDArray[np.int64]) -> Iterator[Block]:
        """The texts with these ascending numbers, some at a time; the numbers of each block ascend."""
        if not self.spilled:
            yield from self._held.blocks(numbers)
            return
        for origin, end in zip(self._origins, [*(o.first for o in self._origins[1:]), len(self)], strict=True):
            low, high = np.searchsorted(numbers, (origin.first, end))
            wanted = numbers[low:high]
            if origin.again is None:
                yield from self._held.blocks(wanted)
            elif wanted.size:
                digests = self.index.digests()[self._inputs.all()[wanted]]
                yield from read_again(origin.again, self._rows.all()[wanted], digests, (wanted, _CHARACTERS))
