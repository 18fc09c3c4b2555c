"""Examples against a sealed holdout: by digest, then by its texts where they can be read, else by its signatures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Final

from heldout.domain.corpora.corpus import HeldOut, Inside
from heldout.domain.kind import Kind, Severity
from heldout.domain.method import Method
from heldout.domain.sealing.estimate import estimate, least
from heldout.domain.sealing.keyed import Secret
from heldout.domain.sealing.sealed import PublishedExample, SealedMatch
from heldout.matching.containment import POSITIONS
from heldout.matching.holdout_index import ITEM_INSIDE_ROW, NEAR, HoldoutIndex
from heldout.matching.published import PublishedIndex
from heldout.matching.texts import normalise_batch
from heldout.services.corpora.holdouts import Holdouts
from heldout.services.matching.near_method import near_parameters
from heldout.services.sealing.rows import SubjectRow
from heldout.storage.signature_file import Published

_BLOCK: Final = 1 << 14  # rows compared at a time


@dataclass(slots=True)
class Counts:
    """`compared` rows had a text, `no_text` none that can be read here."""

    compared: int = 0
    no_text: int = 0


@dataclass(frozen=True)
class Sealed:
    """One published holdout, with its texts (`holdouts`) where they can be read here."""

    published: Published
    method: Method
    secret: Secret | None = None
    holdouts: Holdouts | None = None

    @property
    def exact_known(self) -> bool:
        return self.holdouts is not None or self.published.info.key_id is None or self.secret is not None

    def matches(self, rows: Iterable[SubjectRow], dataset: str, counts: Counts) -> Iterator[SealedMatch]:
        """Every match of rows of `dataset` ("" for files), in the order of the rows."""
        stream = iter(rows)
        while block := list(islice(stream, _BLOCK)):
            missing = sum(row.text is None for row in block)
            counts.compared += len(block) - missing
            counts.no_text += missing
            found = [*self._exact(block, dataset), *self._near(block, dataset)]
            yield from (match for _, match in sorted(found, key=lambda item: item[0]))

    # --- by digest ----------------------------------------------------------------------------------------------------

    @cached_property
    def _by_input(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self.published.inputs):
            found[name].append(number)
        return found

    def _name(self, digest: str) -> str:
        """An input as the file calls it."""
        if self.published.info.key_id is None:
            return digest
        return self.secret.keyed(digest) if self.secret else ""

    def _exact(self, block: Sequence[SubjectRow], dataset: str) -> Iterator[tuple[int, SealedMatch]]:
        for place, row in enumerate(block):
            for sealed in self._same(row.input):
                match = self._match(row, sealed, dataset, Kind.EXACT, Severity.BLOCK)
                if match is not None:
                    yield place, match

    def _same(self, digest: str) -> Iterator[PublishedExample]:
        """The sealed examples with this input."""
        if self.holdouts is not None and not self._name(digest):
            item = self._held_inputs.get(digest)
            yield from () if item is None else map(_held, self.holdouts.members[item])
        else:
            yield from (self._example(number) for number in self._by_input.get(self._name(digest), ()))

    @cached_property
    def _held_inputs(self) -> Mapping[str, int]:
        assert self.holdouts is not None
        return self.holdouts.digests()

    # --- by text, or by signature -------------------------------------------------------------------------------------

    def _near(self, block: Sequence[SubjectRow], dataset: str) -> Iterator[tuple[int, SealedMatch]]:
        if self.holdouts is not None:
            yield from self._verified(self._index, self.holdouts, block, dataset)
        elif self.published.info.has_signatures:
            yield from self._estimated(block, dataset)

    @cached_property
    def _index(self) -> HoldoutIndex:
        assert self.holdouts is not None
        return self.holdouts.index(self.method)

    def _verified(
        self, index: HoldoutIndex, holdouts: Holdouts, block: Sequence[SubjectRow], dataset: str
    ) -> Iterator[tuple[int, SealedMatch]]:
        hits = index.probe(normalise_batch([row.text or "" for row in block]))
        near = {(int(hits.row[n]), int(hits.item[n])) for n in range(len(hits)) if hits.kind[n] == NEAR}
        for number in range(len(hits)):
            place, item, kind = int(hits.row[number]), int(hits.item[number]), int(hits.kind[number])
            row = block[place]
            if row.input == holdouts.inputs[item] or (kind != NEAR and (place, item) in near):
                continue
            similarity = inside = None
            if kind == NEAR:
                similarity = Fraction(int(hits.intersection[number]), int(hits.union[number]))
            else:
                inside = Inside(
                    kind == ITEM_INSIDE_ROW, POSITIONS[hits.position[number]], int(hits.offset[number]),
                    bool(hits.aligned[number]),
                )  # fmt: skip
            for held in holdouts.members[item]:
                match = self._match(
                    row, _held(held), dataset,
                    Kind.NEAR if kind == NEAR else Kind.CONTAINMENT,
                    Severity.BLOCK if kind == NEAR else Severity.REVIEW,
                )  # fmt: skip
                if match is not None:
                    yield place, replace(match, similarity=similarity, inside=inside)

    @cached_property
    def _signatures(self) -> PublishedIndex:
        enough = least(self.method.threshold)
        return PublishedIndex.build(self.published.marks, self.published.shingles, near_parameters(self.method), enough)

    def _estimated(self, block: Sequence[SubjectRow], dataset: str) -> Iterator[tuple[int, SealedMatch]]:
        found = self._signatures.probe(normalise_batch([row.text or "" for row in block]))
        for number in range(len(found)):
            place, item = int(found.row[number]), int(found.item[number])
            row = block[place]
            if self.published.inputs[item] == self._name(row.input):
                continue
            told = estimate(int(found.matches[number]), int(found.shingles[number]), int(self.published.shingles[item]))
            if told.reaches(self.method.threshold):
                match = self._match(row, self._example(item), dataset, Kind.NEAR, Severity.REVIEW)
                if match is not None:
                    yield place, replace(match, estimate=told)

    # --- what a pair means --------------------------------------------------------------------------------------------

    def _example(self, number: int) -> PublishedExample:
        split = self.published.splits[number]
        return PublishedExample(split, self.published.keys[number], split in self.published.info.holdout)

    def _match(
        self, row: SubjectRow, sealed: PublishedExample, dataset: str, kind: Kind, severity: Severity
    ) -> SealedMatch | None:
        """None for a pair that gives nothing away: both sides open, or one example under its own address (A28).

        Where both sides hold out it is a note (A32).
        """
        key = self.secret.key(row.key, row.input) if self.secret and self.published.info.key_id else row.key
        is_itself = dataset == self.published.info.dataset and row.split == sealed.split
        if is_itself and sealed.key in (key, row.key):
            return None
        if not (row.is_held or sealed.is_held):
            return None
        told = severity if row.is_held != sealed.is_held else Severity.NOTE
        return SealedMatch(sealed, kind, told, row.input, row.place, row.split, row.key)


def _held(example: HeldOut) -> PublishedExample:
    return PublishedExample(example.split, example.key, is_held=True)
