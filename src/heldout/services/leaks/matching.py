"""From records to leaks: distinct canonical texts are compared once, whatever stands where."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.domain.leaks.leak import LeakKind, LeakSettings, NearTexts, Shingles, TextInside
from heldout.domain.leaks.leaks import Leaks, grouped
from heldout.domain.leaks.text import digest_of
from heldout.matching.classes import Classes
from heldout.matching.containment import POSITIONS, containments
from heldout.matching.gram_bands import band_candidates, estimated_pairs
from heldout.matching.grams import Grams, character_rows, flat_texts, grams, word_rows
from heldout.matching.jaccard import intersections
from heldout.matching.set_join import MIXED, SetPairs, set_join, verified
from heldout.services.leaks.read import LeakInput
from heldout.services.progress import Progress


def find_leaks(
    found: LeakInput, settings: LeakSettings, progress: Progress, kinds: Collection[LeakKind] = tuple(LeakKind)
) -> Leaks:
    """Everything of these kinds between the records. The result depends on records and settings only."""
    texts = [settings.steps.apply(text) for text in found.texts]
    groups = grouped(found.records, texts)
    digests = {text: digest_of(text) for text in groups}
    order = sorted(groups, key=digests.__getitem__)
    splits = found.splits()
    labels = _labels([sorted({record.split for record in groups[text]}) for text in order], sorted(splits))
    progress.stage(f"comparing {len(order):,} distinct texts")
    near: tuple[NearTexts, ...] = ()
    sizes: list[int] = []
    if LeakKind.NEAR in kinds:
        shingled = _shingled(order, settings)
        sizes = shingled.sets.sizes.tolist()
        near = _near(shingled, settings, labels, progress)
    return Leaks(
        settings=settings,
        splits=splits,
        groups=tuple(tuple(groups[text]) for text in order),
        digests=tuple(digests[text] for text in order),
        sizes=tuple(sizes),
        near=near,
        inside=_inside(order, settings.min_length, labels) if LeakKind.CONTAINMENT in kinds else (),
        kinds=tuple(kind for kind in LeakKind if kind in kinds),
        no_text=len(groups.get("", ())),
    )


def _labels(held: Sequence[Sequence[str]], splits: Sequence[str]) -> NDArray[np.int64]:
    """The number of the one split that a text stands in, or `MIXED`."""
    number = {name: position for position, name in enumerate(splits)}
    return np.array([number[names[0]] if len(names) == 1 else MIXED for names in held], np.int64)


def _shingled(texts: Sequence[str], settings: LeakSettings) -> Grams:
    rows = character_rows(flat_texts(texts)) if settings.shingles is Shingles.CHARS else word_rows(texts)
    return grams(rows, settings.k)


def _near(
    shingled: Grams, settings: LeakSettings, labels: NDArray[np.int64], progress: Progress
) -> tuple[NearTexts, ...]:
    threshold = (settings.threshold.numerator, settings.threshold.denominator)
    if settings.estimate:
        progress.stage("estimating similarities", settings.num_perm)
        pairs = estimated_pairs(shingled, settings.num_perm, threshold, labels, progress.advance)
        shared = intersections(shingled.sets, pairs.a, pairs.b)
        sizes = shingled.sets.sizes
        exact = SetPairs(pairs.a, pairs.b, shared, sizes[pairs.a] + sizes[pairs.b] - shared)
        return _near_texts(exact, pairs.intersection.tolist())
    if (bands := settings.bands) is None:
        pairs = set_join(shingled.sets, threshold, labels)
    else:
        candidates = band_candidates(shingled, bands=bands.bands, rows=bands.rows)
        pairs = verified(shingled.sets, candidates, threshold, labels)
    return _near_texts(pairs, [None] * len(pairs))


def _near_texts(pairs: SetPairs, equal: Sequence[int | None]) -> tuple[NearTexts, ...]:
    columns = (column.tolist() for column in (pairs.a, pairs.b, pairs.intersection, pairs.union))
    return tuple(NearTexts(*values) for values in zip(*columns, equal, strict=True))


def _inside(texts: Sequence[str], min_length: int, labels: NDArray[np.int64]) -> tuple[TextInside, ...]:
    """Texts of at least `min_length` characters that stand in longer ones of another split; none is left out."""
    count = len(texts)
    nobody = Classes(np.zeros(0, np.int32), np.zeros(count + 1, np.int64))
    found = containments(flat_texts(texts), min_length, nobody, max_matches=count)
    across = (labels[found.short] != labels[found.long]) | (labels[found.short] == MIXED)
    columns = (found.short[across].tolist(), found.long[across].tolist(), found.position[across].tolist())
    return tuple(TextInside(short, long, POSITIONS[position]) for short, long, position in zip(*columns, strict=True))
