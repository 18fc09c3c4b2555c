"""What policy asks of corpora, and the answer that their records give: part of the gate's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from heldout.domain.answer import Contamination, Gap, GapKind
from heldout.domain.corpora.corpus import CorpusFinding, CorpusRecord, HitKind
from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.kind import CORPUS
from heldout.domain.settings import RequiredCorpus

_KINDS = {HitKind.EXACT: Kind.EXACT, HitKind.NEAR: Kind.NEAR, HitKind.CONTAINMENT: Kind.CONTAINMENT}


class CorpusEvidence:
    """A record of a corpus and, loaded only when needed, its findings."""

    def __init__(self, record: CorpusRecord, load_findings: Callable[[], tuple[CorpusFinding, ...]]) -> None:
        self.record = record
        self._load = load_findings

    @cached_property
    def findings(self) -> tuple[CorpusFinding, ...]:
        return self._load()


@dataclass(frozen=True)
class CorpusCover:
    """`required` by policy, and the records of accepted methods that committed trees have.

    `damaged` are records that cannot be trusted, as (corpus, what is wrong); they count as absent.
    """

    required: Sequence[RequiredCorpus]
    evidence: Sequence[CorpusEvidence]
    damaged: Sequence[tuple[str, str]] = ()

    def gaps(self, dataset: str, source: str) -> Iterator[Gap]:
        """Corpora that have to be scanned against the version and were not, or only in part."""
        for corpus in self._required_of(dataset):
            found = [item.record for item in self._of(corpus) if _names(item.record, source)]
            if any(record.covers(source) for record in found):
                continue
            what = f"the corpus {corpus.name}"
            if corpus.manifest is not None:
                what += f" (manifest {corpus.manifest.removeprefix('sha256:')[:12]})"
            if found:
                text = f"{what} was scanned against it only in part: not every row or held-out example could be read"
            else:
                text = f"{what} has not been scanned against it"
            yield Gap(GapKind.CORPUS_NOT_SCANNED, text)
            for name, problem in self.damaged:
                if name == corpus.name:
                    yield Gap(GapKind.UNREADABLE_RECORD, f"a record cannot be trusted: {problem}")

    def contaminations(self, dataset: str, source: str) -> tuple[Contamination, ...]:
        """Held-out examples of the version that a required corpus holds; one a corpus and example, gravest first."""
        hits: dict[str, tuple[tuple[object, ...], Contamination]] = {}
        for corpus in self._required_of(dataset):
            for item in self._of(corpus):
                if not (item.record.contaminated and _names(item.record, source)):
                    continue
                for finding in item.findings:
                    if finding.contaminates and source in finding.held.versions:
                        order = finding.sort_key()
                        known = hits.get(finding.id)
                        if known is None or order < known[0]:
                            hits[finding.id] = order, _contamination(finding, item.record)
        return tuple(hit for _, hit in sorted(hits.values(), key=lambda pair: (pair[0], pair[1].finding.id)))

    def _required_of(self, dataset: str) -> list[RequiredCorpus]:
        return [corpus for corpus in self.required if corpus.concerns(dataset)]

    def _of(self, corpus: RequiredCorpus) -> Iterator[CorpusEvidence]:
        for item in self.evidence:
            if item.record.corpus == corpus.name and corpus.manifest in (None, item.record.manifest):
                yield item


def _names(record: CorpusRecord, source: str) -> bool:
    return any(item.source == source for item in record.against)


def _contamination(finding: CorpusFinding, record: CorpusRecord) -> Contamination:
    """The finding in the shape of one between versions: the first row stands for all that the corpus holds."""
    held, first = finding.held, finding.hits[0]
    a = Side(held.dataset, held.split, held.key, held.input, held_out_in=held.versions)
    row = f"row {first.hit.row}"
    b = Side(CORPUS + finding.corpus, first.shard, row, first.hit.input, open_in=(record.manifest,))
    similarity = Fraction(1) if finding.kind is HitKind.EXACT else None
    if first.hit.similarity is not None:
        similarity = Fraction(*first.hit.similarity)
    return Contamination(Finding(_KINDS[finding.kind], Severity.BLOCK, a, b, similarity=similarity), a, b)
