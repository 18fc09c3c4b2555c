"""One block of a corpus against held-out inputs: the step that every engine runs, whatever carries the blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from json.encoder import encode_basestring as _quote

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import DIGEST_PREFIX, digest
from heldout.domain.corpora.corpus import Hit, HitKind, Inside
from heldout.domain.example import JSON
from heldout.domain.text import text_of
from heldout.matching.containment import POSITIONS
from heldout.matching.holdout_index import ITEM_INSIDE_ROW, NEAR, Hits, HoldoutIndex
from heldout.matching.texts import normalise_batch


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One row of a corpus: its number in its shard (the line, or the row of a Parquet file, from 1), the digest of its
    input and the text of it."""

    number: int
    input: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What one block holds: `rows` it has, how many of them without text, and hits as (item, hit) by row, then item."""

    rows: int
    no_text: int
    hits: tuple[tuple[int, Hit], ...]


def row_of(number: int, value: JSON) -> CorpusRow:
    """The row of an input. Raises `heldout.domain.canonical.CanonicalError` for a value that has no digest."""
    return CorpusRow(number, digest(value), text_of(value))


def text_row(number: int, text: str) -> CorpusRow:
    """The same for an input that is a text, which most are: its canonical JSON is the text in quotes."""
    return CorpusRow(number, DIGEST_PREFIX + sha256(_quote(text).encode()).hexdigest(), text)


def scan_block(index: HoldoutIndex, digests: Mapping[str, int], rows: Sequence[CorpusRow]) -> BlockResult:
    """Hits between some rows and the indexed inputs; pure, so that it may run anywhere and again.

    `digests` maps the digest of each indexed input to its number. A row that is an input exactly is that and nothing
    else to it; of the others a pair is near, or one text contains the other, or both.
    """
    texts = normalise_batch([row.text for row in rows])
    exact = {(position, digests[row.input]) for position, row in enumerate(rows) if row.input in digests}
    found = {pair: Hit(HitKind.EXACT, rows[pair[0]].number, rows[pair[0]].input) for pair in exact}
    hits = index.probe(texts)
    for number in range(len(hits)):
        pair = int(hits.row[number]), int(hits.item[number])
        if pair not in exact:
            found[pair] = _with(found.get(pair), hits, number, rows[pair[0]])
    ordered = sorted(found.items())
    return BlockResult(len(rows), _blank(texts.lengths), tuple((item, hit) for (_, item), hit in ordered))


def _with(known: Hit | None, hits: Hits, number: int, row: CorpusRow) -> Hit:
    """A near hit comes first in its pair, and a containment of the same pair joins it."""
    if hits.kind[number] == NEAR:
        similarity = int(hits.intersection[number]), int(hits.union[number])
        return Hit(HitKind.NEAR, row.number, row.input, similarity)
    inside = Inside(
        holdout_is_short=bool(hits.kind[number] == ITEM_INSIDE_ROW),
        position=POSITIONS[hits.position[number]],
        offset=int(hits.offset[number]),
        word_aligned=bool(hits.aligned[number]),
    )
    if known is None:
        return Hit(HitKind.CONTAINMENT, row.number, row.input, inside=inside)
    return Hit(known.kind, known.row, known.input, known.similarity, inside)


def _blank(lengths: NDArray[np.int64]) -> int:
    return int((lengths == 0).sum())
