"""The scan: read the subject and the versions it is compared with, match, and write down what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import digest_bytes
from heldout.domain.finding import Cluster, Finding
from heldout.domain.method import Method
from heldout.domain.overlap import Expansion, Overlaps
from heldout.domain.pool import Pool
from heldout.domain.record import Capped, Compared, Examples, ScanRecord
from heldout.services.matching.pool import Links, keep, match
from heldout.services.matching.rows import Held, PoolRows
from heldout.services.matching.texts import TextStore
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading
from heldout.services.splitting.grouping import groups_crossed
from heldout.services.splitting.lineage import crossed
from heldout.storage.finding_lines import render_findings
from heldout.storage.member_table import MemberTable, packed
from heldout.storage.records import FINDINGS_FILE, RECORD_FILE, render_record

Matcher = Callable[[PoolRows, TextStore, Method, Progress], Links]
"""As `heldout.services.matching.pool.match`."""

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
    store: TextStore | None = None,
    matcher: Matcher = match,
) -> ScanResult:
    """Compare a version with itself across splits and with the others (B38).

    A function of its arguments' data and the method alone: the same bytes on any machine, in any order. `store` holds
    the texts of the readings; what it lacks is put there. `matcher` finds the links, the same ones whichever it is.
    """
    store = TextStore(method) if store is None else store
    held = {reading.source: held_of(reading, store) for reading in (subject, *others)}
    rows = PoolRows.of(held[subject.source], [held[reading.source] for reading in others])
    links = matcher(rows, store, method, progress)
    overlaps = expand(rows, links, method).overlaps
    keep(rows, links, method)
    if found := (*crossed(subject, others), *groups_crossed(subject, others)):
        overlaps = replace(overlaps, findings=(*sorted((*overlaps.findings, *found), key=Finding.sort_key),))
    return _result(subject, others, method, rows, links, overlaps)


def held_of(reading: Reading, store: TextStore) -> Held:
    """A reading's rows, its inputs numbered by the store and their texts in it."""
    table = reading.members
    if not isinstance(table, MemberTable) or table.known is not store.index:
        texts = reading.texts
        inline = [member.input in texts for member in reading.members]
        table = MemberTable.of(tuple(reading.members), store.index, inline)
        inputs = store.index.add(packed(list(texts)))
        store.begin(None)
        store.take(inputs, list(texts.values()), np.zeros(inputs.size, np.int64))
    complete = not reading.incomplete
    return Held(reading.spec.name, reading.source, table, frozenset(reading.holdout_splits), complete)


@dataclass(frozen=True, slots=True)
class Expanded:
    """What links mean for examples. `pool` holds only those that take part in anything; `place` finds inputs in it."""

    pool: Pool
    place: NDArray[np.int64]
    overlaps: Overlaps


def expand(rows: PoolRows, links: Links, method: Method) -> Expanded:
    """Findings of the pool's subject; links that do not concern it are left aside."""
    involved = rows.involved(links.linked)
    pool = rows.pool(involved)
    place = np.full(rows.inputs.size, -1, np.int64)
    place[involved] = np.arange(involved.size)
    concerned = [pool.concerns_subject(position) for position in range(len(pool.inputs))]
    expansion = Expansion(pool, method.pair_cap)
    expansion.near(link for link in links.near(place) if concerned[link.first] or concerned[link.second])
    expansion.contained(link for link in links.contained(place) if concerned[link.short] or concerned[link.long])
    pairs = sorted({*expansion.span_pairs()})
    spans = links.spans([(int(involved[a]), int(involved[b])) for a, b in pairs])
    return Expanded(pool, place, expansion.overlaps(lambda a, b: spans[int(involved[a]), int(involved[b])]))


def _result(
    subject: Reading,
    others: Sequence[Reading],
    method: Method,
    rows: PoolRows,
    links: Links,
    overlaps: Overlaps,
) -> ScanResult:
    sources = [held.source for held in rows.held]
    data = render_findings(overlaps.findings, overlaps.clusters, sources)
    by_source = {reading.source: reading for reading in others}
    by_split = subject.by_split
    record = ScanRecord(
        dataset=subject.spec.name,
        source=subject.source,
        content=subject.content,
        method_id=method.id,
        method_digest=method.digest,
        method_parameters=method.parameters(),
        examples=_examples(subject, rows, links),
        holdout_splits=subject.holdout_splits,
        holdout_members=sum(by_split[split] for split in subject.holdout_splits),
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


def _examples(subject: Reading, rows: PoolRows, links: Links) -> Examples:
    blank = blank_rows(rows, links)
    without_text = sorted(f"{member.split}/{member.key}" for member in rows.held[0].table.take(blank))
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


def blank_rows(rows: PoolRows, links: Links) -> NDArray[np.int64]:
    """The subject's rows whose input it holds as text, and that text has no letter and no digit."""
    places, inline = rows.places[0], np.zeros(rows.inputs.size, np.bool_)
    inline[places[rows.held[0].table.inline]] = True
    return np.flatnonzero(inline[places] & (links.texts.lengths[places] == 0))
