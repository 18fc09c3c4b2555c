"""Which examples of a version were made from others, where dataset.yaml declares `fields.source_id`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from heldout.domain.dataset import DatasetSpec
from heldout.domain.finding import Finding
from heldout.domain.pool import Holding
from heldout.domain.splitting.lineage import Derived, Lineage, crossings
from heldout.services.reading import Reading, examples
from heldout.services.sources import DataSource


def read_sources(spec: DatasetSpec, data: DataSource) -> dict[int, str]:
    """The source's key by the number of each row that has one; empty for a dataset that declares no such field."""
    if spec.fields.source_id is None:
        return {}
    skip = (lambda _: None) if spec.on_bad_row == "skip" else None
    rows = enumerate(examples(spec, data, skip))
    return {number: example.source_id for number, (_, example) in rows if example.source_id is not None}


def crossed(subject: Reading, others: Sequence[Reading]) -> tuple[Finding, ...]:
    """Source crossings of the scanned version, with itself and with the dataset's other versions."""
    versions = [subject, *(other for other in others if other.spec.name == subject.spec.name)]
    wanted = {source for reading in versions for source in reading.sources.values()}
    if not wanted:
        return ()
    own, *rest = (_lineage(reading, wanted) for reading in versions)
    return crossings(own, rest)


def _lineage(reading: Reading, wanted: Collection[str]) -> Lineage:
    members, derived = [], []
    for row, member in enumerate(reading.members):
        if (source := reading.sources.get(row)) is not None:
            derived.append(Derived(member, source))
        elif member.derived or member.key not in wanted:
            continue
        members.append(member)
    holdout = frozenset(reading.holdout_splits)
    return Lineage(Holding(reading.spec.name, reading.source, members, holdout, not reading.incomplete), derived)
