"""The scan: read the subject and the versions it is compared with, match, and write down what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heldout.domain.canonical import digest_bytes
from heldout.domain.finding import Cluster, Finding
from heldout.domain.method import Method
from heldout.domain.overlap import Expansion, Overlaps
from heldout.domain.pool import Pool
from heldout.domain.record import Capped, Compared, Examples, ScanRecord
from heldout.services.matching_pool import Links, SignatureStore, match
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading
from heldout.storage.finding_lines import render_findings
from heldout.storage.records import FINDINGS_FILE, RECORD_FILE, render_record

NAMED = 20
"""How many examples without text a record names; it counts them all."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """A record and its findings, and the bytes that stand for them in Git."""

    record: ScanRecord
    findings: tuple[Finding, ...]
    clusters: tuple[Cluster, ...]
    findings_bytes: bytes

    def files(self) -> dict[str, bytes]:
        """What a commit of this record holds, by path from the repository's top."""
        folder = self.record.folder()
        return {f"{folder}/{RECORD_FILE}": render_record(self.record), f"{folder}/{FINDINGS_FILE}": self.findings_bytes}


def scan(
    subject: Reading,
    others: Sequence[Reading],
    method: Method,
    progress: Progress = SILENT,
    cache: SignatureStore | None = None,
) -> ScanResult:
    """Compare a version with itself across splits and with the others (B38).

    A function of its arguments' data and the method alone: the same bytes on any machine, in any order.
    """
    pool = Pool(subject.holding(), [reading.holding() for reading in others])
    texts = {digest: text for reading in (subject, *others) for digest, text in reading.texts.items()}
    links = match(pool, texts, method, progress, cache)
    overlaps = expand(pool, links, method)
    return _result(subject, others, method, pool, links, overlaps)


def expand(pool: Pool, links: Links, method: Method) -> Overlaps:
    """Findings of the pool's subject; links that do not concern it are left aside."""
    expansion = Expansion(pool, method.pair_cap)
    concerned = [pool.concerns_subject(position) for position in range(len(pool.inputs))]
    expansion.near(link for link in links.near if concerned[link.first] or concerned[link.second])
    expansion.contained(link for link in links.contained if concerned[link.short] or concerned[link.long])
    return expansion.overlaps(links.span)


def _result(
    subject: Reading, others: Sequence[Reading], method: Method, pool: Pool, links: Links, overlaps: Overlaps
) -> ScanResult:
    sources = [holding.source for holding in pool.holdings]
    data = render_findings(overlaps.findings, overlaps.clusters, sources)
    by_source = {reading.source: reading for reading in others}
    record = ScanRecord(
        dataset=subject.spec.name,
        source=subject.source,
        content=subject.content,
        method_id=method.id,
        method_digest=method.digest,
        method_parameters=method.parameters(),
        examples=_examples(subject, pool, links),
        holdout_splits=subject.holdout_splits,
        holdout_members=sum(subject.by_split[split] for split in subject.holdout_splits),
        incomplete=subject.incomplete,
        compared=tuple(
            Compared(by_source[source].spec.name, source, not by_source[source].incomplete) for source in sources[1:]
        ),
        counts=overlaps.counts(),
        capped=Capped(links.capped_buckets, overlaps.capped_pairs, links.capped_containments),
        findings_digest=digest_bytes(data),
        findings_lines=len(overlaps.findings) + len(overlaps.clusters),
    )
    return ScanResult(record, overlaps.findings, overlaps.clusters, data)


def _examples(subject: Reading, pool: Pool, links: Links) -> Examples:
    without_text = sorted(
        f"{member.split}/{member.key}"
        for member in subject.members
        if member.input in subject.texts and not links.has_text(pool.index[member.input])
    )
    total = len(subject.members)
    return Examples(
        total=total,
        scanned=total - len(without_text) - subject.payload_missing,
        no_text=len(without_text),
        no_text_named=tuple(without_text[:NAMED]),
        payload_missing=subject.payload_missing,
        rows_skipped=len(subject.skipped),
        by_split=subject.by_split,
    )
