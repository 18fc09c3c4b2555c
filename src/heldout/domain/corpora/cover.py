"""What policy asks of corpora, and the answer that their records give: part of the gate's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from heldout.domain.answer import Accepted, Contamination, Gap, GapKind
from heldout.domain.canonical import digest
from heldout.domain.corpora.corpus import CorpusFinding, CorpusRecord, HitKind
from heldout.domain.deciding.review import Reviews, parted
from heldout.domain.evidence import Evidence
from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.kind import CORPUS
from heldout.domain.settings import RequiredCorpus

_KINDS = {HitKind.EXACT: Kind.EXACT, HitKind.NEAR: Kind.NEAR, HitKind.CONTAINMENT: Kind.CONTAINMENT}


class CorpusEvidence(Evidence[CorpusRecord, CorpusFinding]):
    """A record of a corpus."""


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

    def judged(
        self, dataset: str, source: str, reviews: Reviews
    ) -> tuple[tuple[Contamination, ...], tuple[Accepted, ...]]:
        """Held-out examples of the version that a required corpus holds: open and accepted ones.

        Of several records' findings about one example in one corpus the gravest stands for all that are open.
        """
        graver = (item for item in self._evidence(dataset, source) if item.record.contaminated)
        found = ((hit, method) for hit, method in _hits(graver, source) if hit.finding.holdout_contamination)
        still_open, accepted = parted(found, reviews)
        first: dict[tuple[object, ...], Contamination] = {}
        for hit in still_open:
            first.setdefault((hit.other.dataset, *hit.held.identity()), hit)
        return tuple(first.values()), accepted

    def findings(self, dataset: str, source: str) -> Iterator[tuple[Finding, str]]:
        """(finding, method) of every record, containments too."""
        return ((hit.finding, method) for hit, method in _hits(self._evidence(dataset, source), source))

    def _evidence(self, dataset: str, source: str) -> Iterator[CorpusEvidence]:
        for corpus in self._required_of(dataset):
            yield from (item for item in self._of(corpus) if _names(item.record, source))

    def _required_of(self, dataset: str) -> list[RequiredCorpus]:
        return [corpus for corpus in self.required if corpus.concerns(dataset)]

    def _of(self, corpus: RequiredCorpus) -> Iterator[CorpusEvidence]:
        for item in self.evidence:
            if item.record.corpus == corpus.name and corpus.manifest in (None, item.record.manifest):
                yield item


def _names(record: CorpusRecord, source: str) -> bool:
    return any(item.source == source for item in record.against)


def _hits(evidence: Iterable[CorpusEvidence], source: str) -> Iterator[tuple[Contamination, str]]:
    """(hit, method), gravest kind first, then by example and row."""
    hits = {
        (finding.sort_key(), made.finding.id, item.record.method_digest): made
        for item in evidence
        for finding in item.findings
        if source in finding.held.versions
        for made in (_contamination(finding, item.record),)
    }
    return ((hits[order], order[2]) for order in sorted(hits))


def _contamination(finding: CorpusFinding, record: CorpusRecord) -> Contamination:
    """The finding in the shape of one between versions: the first row stands for all that the corpus holds.

    The row's side carries the digest of all inputs listed, so that a decision is about these rows and no later ones.
    """
    held, first = finding.held, finding.hits[0]
    a = Side(held.dataset, held.split, held.key, held.input, held_out_in=held.versions)
    inputs = sorted({placed.hit.input for placed in finding.hits})
    content = inputs[0] if len(inputs) == 1 else digest([*inputs])
    b = Side(CORPUS + finding.corpus, first.shard, f"row {first.hit.row}", content, open_in=(record.manifest,))
    similarity = Fraction(1) if finding.kind is HitKind.EXACT else None
    if first.hit.similarity is not None:
        similarity = Fraction(*first.hit.similarity)
    severity = Severity.BLOCK if finding.contaminates else Severity.REVIEW
    return Contamination(Finding(_KINDS[finding.kind], severity, a, b, similarity=similarity), a, b)
