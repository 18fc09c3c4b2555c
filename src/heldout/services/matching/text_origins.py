"""Where texts came from, and how they are read from there once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.texts import normalise_batch
from heldout.services.matching.held_texts import Block
from heldout.storage.caches.digest_index import DIGEST, Digests
from heldout.storage.regular_files import changed

Again = Callable[[NDArray[np.int64]], Iterator[tuple[str, bytes, str]]]
"""Reads the rows with these ascending numbers again: (file, input digest, text) of each."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where texts `first` and following came from, up to the next origin; None where they cannot be read again."""

    first: int
    again: Again | None


def read_again(
    again: Again, rows: NDArray[np.int64], digests: Digests, named: tuple[NDArray[np.int64], int]
) -> Iterator[Block]:
    """The texts of rows, under their numbers, about so many characters at a time (`named`).

    Raises DataError (slug changed-while-reading) where a row is not the input it was.
    """
    numbers, characters = named
    known = digests.tobytes()
    low = at = size = 0
    file, texts = "", list[str]()
    for file, digest, text in again(rows):
        if digest != known[DIGEST * at : DIGEST * (at + 1)]:
            raise changed(file)
        texts.append(text)
        size += len(text)
        at += 1
        if size >= characters:
            yield numbers[low:at], normalise_batch(texts)
            low, size, texts = at, 0, []
    if at != numbers.size:
        raise changed(file)
    if texts:
        yield numbers[low:at], normalise_batch(texts)
