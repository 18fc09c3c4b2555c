"""Findings at both ends of a branch, out of records: what is new, what was resolved, what was there before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldout.domain.answer import Accepted, Contamination
from heldout.domain.branch import DatasetChange, FindingChanges, once
from heldout.domain.coverage import Knowledge, Version
from heldout.domain.finding import Finding, Kind, in_order
from heldout.domain.listing import merged
from heldout.domain.names import VersionName
from heldout.domain.versioning import FIRST
from heldout.services.branching.ends import Ends
from heldout.storage.catalog import DatasetState


def changed_findings(ends: Ends, datasets: Sequence[DatasetChange]) -> FindingChanges:
    """A finding is named by what its two examples are, so one that moved or was found again is the same finding."""
    before, after = ([state for state in states.values() if isinstance(state, DatasetState)] for states in ends.states)
    accepted: dict[str, Accepted] = {}
    old = once(_contaminations(ends.before, before, ends.base, {}))
    new = once(_contaminations(ends.after, after, ends.head, accepted))
    new |= once(hit for version in ends.new_versions for hit in _of_version(ends.after, version, accepted))
    touched = {item.name for item in datasets}
    unread = {item.name for item in datasets if item.broken}  # what is in them now, nobody can tell
    others_old, others_new = (
        _others(known, [state for state in states if state.name in touched], {key[0] for key in hits})
        for known, states, hits in ((ends.before, before, old), (ends.after, after, new))
    )
    return FindingChanges(
        new=_ordered(new[key] for key in new.keys() - old.keys()),
        resolved=_ordered(
            old[key] for key in old.keys() - new.keys() if unread.isdisjoint(_datasets(old[key].finding))
        ),
        remaining=_ordered(new[key] for key in new.keys() & old.keys()),
        accepted=tuple(accepted[name] for name in sorted(accepted)),
        others_new=_sorted(others_new[name] for name in others_new.keys() - others_old.keys()),
        others_resolved=_sorted(
            others_old[name]
            for name in others_old.keys() - others_new.keys()
            if unread.isdisjoint(_datasets(others_old[name]))
        ),
    )


def _datasets(finding: Finding) -> set[str]:
    return {finding.a.dataset, finding.b.dataset}


def _contaminations(
    known: Knowledge, states: Sequence[DatasetState], commit: str, accepted: dict[str, Accepted]
) -> Iterator[Contamination]:
    """Held-out examples of the states that are given away, and those of others that they give away."""
    for state in states:
        answer = known.answer(state.name, state.source)
        accepted.update({item.contamination.finding.id: item for item in answer.accepted})
        yield from answer.findings
        yield from (item.contamination for item in answer.accepted)
        as_version = Version(VersionName(state.name, FIRST), commit, state.source)
        for hits in known.contaminates(as_version).values():
            yield from hits


def _of_version(known: Knowledge, version: Version, accepted: dict[str, Accepted]) -> Iterator[Contamination]:
    answer = known.answer(version.dataset, version.source)
    accepted.update({item.contamination.finding.id: item for item in answer.accepted})
    yield from answer.findings
    yield from (item.contamination for item in answer.accepted)


def _others(known: Knowledge, states: Sequence[DatasetState], named: set[str]) -> dict[str, Finding]:
    """Findings that give nothing away: both examples in one state, or the other one in another dataset's version."""
    found: dict[str, Finding] = {}
    for state in states:
        findings = merged(finding for scan in known.scans_of(state.source) for finding in scan.findings)
        for finding in findings:
            if finding.id not in named and not finding.holdout_contamination and _holds(finding, state, known):
                found[finding.id] = finding
    return found


def _holds(finding: Finding, state: DatasetState, known: Knowledge) -> bool:
    for mine, other in ((finding.a, finding.b), (finding.b, finding.a)):
        if state.source in mine.versions:
            elsewhere = other.dataset != state.name and not known.live.isdisjoint(other.versions)
            if elsewhere or state.source in other.versions:
                return True
    return False


def _ordered(hits: Iterator[Contamination]) -> tuple[Contamination, ...]:
    """The plainest first: equal texts, then those that are the more alike."""
    return tuple(sorted(hits, key=_plainness))


def _plainness(hit: Contamination) -> tuple[object, ...]:
    finding = hit.finding
    return (_KINDS.index(finding.kind), -(finding.similarity or 0), hit.held.identity(), finding.id)


_KINDS = tuple(Kind)


def _sorted(findings: Iterator[Finding]) -> tuple[Finding, ...]:
    return tuple(in_order(findings, Finding.sort_key))
