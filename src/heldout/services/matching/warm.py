"""A pool of which an earlier scan compared most inputs: only the others are compared, with everything.

Which pairs are links depends on the two texts alone, as long as nothing is capped. So links between inputs that were
compared with each other are taken over. What is compared again are the new inputs and the members of families, whose
links depend on who else is there. For each, old ones are picked that any link could be about: those that share a band
key, and those that by their winnowed pieces may stand in a new text or hold one. All of a bucket with one of them is
picked, so buckets over the cap, and families, are there what they are in the whole pool; and what was picked goes
through the same comparison as a whole pool does. Where a containment is over its cap, nothing is taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.domain.finding import Span
from heldout.domain.method import Method
from heldout.matching.bands import band_index
from heldout.matching.classes import Classes
from heldout.matching.containment import Containments
from heldout.matching.near import NearPairs
from heldout.matching.ragged import offsets_of
from heldout.matching.winnowed import Rarity, Winnowed, joined, may_hold, may_stand_in, winnowed
from heldout.services.matching.feed import PoolTexts
from heldout.storage.caches.digest_index import Digests
from heldout.storage.caches.links import LIMIT, Compared

REMEMBER_FROM = 1_000_000
"""Code points from which a pool's links are worth remembering: less is compared in a twentieth of a second."""

_NEW_PART = 32  # a set is written again once more than one in so many code points is new
_FILTER = 18  # bits of a key that say whether it may be a new text's

Find = tuple[Callable[[PoolTexts, Classes], NearPairs], Callable[[PoolTexts, Classes], Containments]]
Spans = Mapping[tuple[int, int], Span]


@dataclass(frozen=True, slots=True)
class Taken:
    """Links of a whole pool, and spans of pairs that an earlier scan asked for."""

    pairs: NearPairs
    inside: Containments
    spans: dict[tuple[int, int], Span]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the inputs of a pool are in a compared set: `rows` by input, -1 for a new one; `places` the other way.
    `fresh` are the ascending indices of inputs with a text that are new, `again` marks those and members of families.
    """

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    fresh: NDArray[np.int64]
    again: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: PoolTexts, found: NDArray[np.int64], known: Compared) -> _Place:
        """An input of which this pool holds no text takes part in nothing, whatever was known of it."""
        with_text = texts.numbers >= 0
        rows = np.where(with_text, found, -1)
        places = np.full(len(known), -1, np.int64)
        old = np.flatnonzero(rows >= 0)
        places[rows[old]] = old
        again = with_text & (rows < 0)
        again[places[known.families][places[known.families] >= 0]] = True
        return cls(rows, places, np.flatnonzero(with_text & (rows < 0)), again)


def taken_over(
    texts: PoolTexts, digests: Digests, method: Method, find: Find, classes: Callable[[], Classes]
) -> Taken | None:
    """The links of a pool by what is remembered; None where that does not serve, and the whole pool is to be compared.

    `digests` and `classes` are of the pool's inputs, in order; `find` finds all near pairs, and all containments, of
    some texts.
    """
    memory = texts.store.memory
    if memory is None or texts.store.spilled:
        return None
    found = memory.rows(digests)
    if memory.known is None:
        return None
    known, place = memory.known, _Place.of(texts, found, memory.known)
    if 2 * int(place.again.sum()) > int((place.rows >= 0).sum()):
        return None
    inside = _moved(known.inside, place)
    if place.fresh.size:
        new_inside = _new_inside(texts, place, known, (method, find))
        if new_inside is None:
            return None
        inside = np.concatenate([inside, new_inside])
    if inside.size and int(np.bincount(inside[:, 0]).max()) > method.containment_cap:
        return None
    spans = {(a, b): Span(*rest) for a, b, *rest in _moved(known.spans, place).tolist()}
    return Taken(_near(texts, place, _moved(known.near, place), (method, find, classes)), _containments(inside), spans)


def _moved(links: NDArray[np.int32], place: _Place) -> NDArray[np.int64]:
    """Links of the compared set as links of the pool, those with an end outside it left out."""
    moved = links.astype(np.int64)
    moved[:, :2] = place.places[links[:, :2]]
    return moved[(moved[:, :2] >= 0).all(axis=1)]


def _near(
    texts: PoolTexts,
    place: _Place,
    old: NDArray[np.int64],
    how: tuple[Method, Find, Callable[[], Classes]],
) -> NearPairs:
    """All near pairs: the `old` ones whose ends are not of one family now, and what is found for what is compared
    again, in the way of a family or not."""
    method, find, classes = how
    again = np.flatnonzero(place.again & (texts.lengths > 0))
    if not again.size:
        return _near_pairs(np.pad(old, ((0, 0), (0, 1))), 0)
    rows = np.union1d(again, _sharing(texts, again, np.flatnonzero(~place.again & (texts.lengths > 0))))
    part = _subset(texts, rows)
    index = band_index(part.keys(), np.arange(rows.size), cap=method.bucket_cap)
    family = np.full(texts.lengths.size, -1, np.int64)
    family[rows] = index.family
    found = find[0](part, _only(classes(), rows) if index.capped_buckets else _no_classes(rows))
    links = [rows[found.a], rows[found.b], found.intersection, found.union, found.capped.astype(np.int64)]
    new = np.stack(links, axis=1)
    new = new[place.again[new[:, :2]].any(axis=1) | _of_one(family, new)]
    kept = np.pad(old[~_of_one(family, old)], ((0, 0), (0, 1)))
    return _near_pairs(np.concatenate([kept, new]), found.capped_buckets)


def _of_one(family: NDArray[np.int64], links: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Links between members of one family."""
    first, second = family[links[:, 0]], family[links[:, 1]]
    of_one: NDArray[np.bool_] = (first == second) & (first >= 0)
    return of_one


def _subset(texts: PoolTexts, rows: NDArray[np.int64]) -> PoolTexts:
    return PoolTexts(texts.store, texts.numbers[rows], texts.lengths[rows])


def _only(classes: Classes, rows: NDArray[np.int64]) -> Classes:
    owners, ids = classes.expand(rows)
    return Classes(ids, offsets_of(np.bincount(owners, minlength=rows.size)))


def _no_classes(rows: NDArray[np.int64]) -> Classes:
    """One for all: classes matter to what is capped only."""
    return Classes(np.zeros(rows.size, np.int32), np.arange(rows.size + 1, dtype=np.int64))


def _sharing(texts: PoolTexts, fresh: NDArray[np.int64], old: NDArray[np.int64]) -> NDArray[np.int64]:
    """The old texts that agree with a new one in a whole band."""
    drop = np.uint64(64 - _FILTER)
    chosen = np.zeros(old.size, np.bool_)
    for band in range(texts.store.bands):
        keys = texts.store.keys(band)
        theirs, wanted = keys[texts.numbers[old]], np.sort(keys[texts.numbers[fresh]])
        marked = np.zeros(1 << _FILTER, np.bool_)
        marked[wanted >> drop] = True
        likely = np.flatnonzero(marked[theirs >> drop])
        at = np.minimum(np.searchsorted(wanted, theirs[likely]), max(wanted.size - 1, 0))
        chosen[likely[wanted[at] == theirs[likely]]] = True
    return old[chosen]


def _new_inside(texts: PoolTexts, place: _Place, known: Compared, how: tuple[Method, Find]) -> NDArray[np.int64] | None:
    """Containments with a new end, as rows (short, long, position, offset, aligned); None where one is capped."""
    method, find = how
    new = _pieces(texts, place.fresh, np.arange(place.fresh.size), method.containment_min_length)
    rows = np.union1d(place.fresh, _picked(texts, place, known, new))
    found = find[1](_subset(texts, rows), _no_classes(rows))
    if found.capped:
        return None
    ends = (rows[found.short], rows[found.long])
    links = np.stack([*ends, found.position.astype(np.int64), found.offset, found.aligned.astype(np.int64)], axis=1)
    return links[(place.rows[links[:, :2]] < 0).any(axis=1)]


def _picked(texts: PoolTexts, place: _Place, known: Compared, new: Winnowed) -> NDArray[np.int64]:
    """The old texts that a new one may stand in, or that may stand in one."""
    old, rarity = Winnowed(known.owners, known.counts, known.values), Rarity(known.times, known.anchors)
    at = place.places[known.owners]
    inside = at[may_stand_in(old, rarity, new)]
    holder, held = may_hold(old, rarity, new)
    around = at[holder]
    longer = (around >= 0) & (texts.lengths[around] > texts.lengths[place.fresh[new.owners[held]]])
    return np.unique(np.concatenate([inside[inside >= 0], around[longer]]))


def _pieces(texts: PoolTexts, rows: NDArray[np.int64], names: NDArray[np.int64], window: int) -> Winnowed:
    """Winnowed pieces of texts (ascending `rows`), each under its name."""
    long_enough = texts.lengths[rows] >= window
    rows, names = rows[long_enough], names[long_enough]
    return joined(
        [winnowed(block, names[np.searchsorted(rows, part)], window) for part, block in texts.blocks(rows)]
    )  # fmt: skip


def _near_pairs(links: NDArray[np.int64], capped_buckets: int) -> NearPairs:
    a, b, intersection, union, capped = links[np.lexsort((links[:, 1], links[:, 0]))].T
    return NearPairs(a, b, intersection, union, capped.astype(np.bool_), capped_buckets)


def _containments(links: NDArray[np.int64]) -> Containments:
    short, long, position, offset, aligned = links[np.lexsort((links[:, 1], links[:, 0]))].T
    return Containments(short, long, position.astype(np.uint8), offset, aligned.astype(np.bool_), 0)


def remember(
    texts: PoolTexts, digests: Digests, method: Method, links: tuple[NearPairs, Containments], spans: Spans
) -> None:
    """Keep the links of a pool for later scans, where that is worth it and they are all there are."""
    memory, (near, inside) = texts.store.memory, links
    total = int(texts.lengths.sum())
    if memory is None or texts.store.spilled or inside.capped or total < REMEMBER_FROM:
        return
    with_text = np.flatnonzero(texts.numbers >= 0)
    if total // 2 + with_text.size * 16 * texts.store.bands > LIMIT:
        return
    known = memory.known
    place = None if known is None else _Place.of(texts, memory.rows(digests), known)
    fresh = with_text if place is None else place.fresh
    if place is not None and int(texts.lengths[fresh].sum()) * _NEW_PART <= total:
        return
    name = np.full(texts.numbers.size, -1, np.int64)
    name[with_text] = np.arange(with_text.size)
    pieces = _pieces(texts, fresh, name[fresh], method.containment_min_length)
    if known is not None and place is not None:
        theirs = np.where(place.places >= 0, name[place.places], -1)
        pieces = joined([Winnowed(known.owners, known.counts, known.values).only(theirs), pieces])
    families = _families(texts, near, method)
    open_ends = ~families[near.a] & ~families[near.b]
    numbers, rarity = texts.numbers[with_text], Rarity.of(pieces)
    memory.keep(
        Compared(
            digests=digests[with_text],
            lengths=texts.lengths[with_text].astype(np.uint32),
            keys=np.stack([texts.store.keys(band)[numbers] for band in range(texts.store.bands)], axis=1),
            bitmaps=texts.bitmaps(with_text),
            owners=pieces.owners,
            counts=pieces.counts,
            values=pieces.values,
            times=rarity.times,
            anchors=rarity.anchors,
            families=name[families & (name >= 0)].astype(np.uint32),
            near=_rows(name[near.a], name[near.b], near.intersection, near.union)[open_ends],
            inside=_rows(name[inside.short], name[inside.long], inside.position, inside.offset, inside.aligned),
            spans=_span_rows(spans, name),
        )
    )


def _families(texts: PoolTexts, near: NearPairs, method: Method) -> NDArray[np.bool_]:
    """Which inputs are in buckets over the cap."""
    if not near.capped_buckets:
        return np.zeros(texts.lengths.size, np.bool_)
    members: NDArray[np.bool_] = (
        band_index(texts.keys(), np.flatnonzero(texts.lengths), cap=method.bucket_cap).family >= 0
    )
    return members


def _rows(*columns: NDArray[np.generic]) -> NDArray[np.int32]:
    return np.stack([column.astype(np.int32) for column in columns], axis=1)


def _span_rows(spans: Spans, name: NDArray[np.int64]) -> NDArray[np.int32]:
    listed = [(int(name[a]), int(name[b]), span.a, span.b, span.length) for (a, b), span in sorted(spans.items())]
    return np.array(listed, np.int32).reshape(-1, 5)
