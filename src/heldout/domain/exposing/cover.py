"""What the logs of exposures mean for a version: part of the gate's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heldout.domain.answer import Accepted, Contamination, Gap, GapKind
from heldout.domain.deciding.review import Reviews
from heldout.domain.exposing.exposure import Exposure, ExposureCheck, ExposureLog, How, MemberName, line_digest
from heldout.domain.finding import Finding, Side
from heldout.domain.kind import EXPOSURE, Kind, Severity


@dataclass(frozen=True)
class ExposureCover:
    """Logs by dataset, the checks of versions against them, and the kinds after which an example counts as seen.

    `damaged` are logs that cannot be read, as (dataset, what is wrong): they may name anything.
    """

    logs: Mapping[str, ExposureLog]
    checks: Sequence[ExposureCheck]
    spoiling: frozenset[How]
    damaged: Sequence[tuple[str, str]] = ()

    def gaps(self, dataset: str, source: str) -> Iterator[Gap]:
        """Exposed examples that nobody has looked for in the version, and logs that cannot be read."""
        for name, what in self.damaged:
            if name == dataset:
                yield Gap(GapKind.UNREADABLE_RECORD, f"the log of exposures cannot be trusted: {what}")
        log = self.logs.get(dataset)
        wanted = {text for line in self.spoiling_lines(dataset) for text in line.inputs}
        if log is None or not wanted:
            return
        for check in self._of(dataset, source):
            for line in log.up_to(check.log):
                wanted -= line.inputs
        if wanted:
            count = f"{len(wanted)} exposed {'example' if len(wanted) == 1 else 'examples'}"
            text = f"nobody has looked whether it holds out {count} (heldout exposures check {dataset})"
            yield Gap(GapKind.EXPOSURE_NOT_CHECKED, text)

    def contaminations(self, dataset: str, source: str) -> tuple[Contamination, ...]:
        """Held-out examples of the version that were exposed, each by the first line that says so."""
        first = self._first_lines(dataset)
        held = {member for check in self._of(dataset, source) for member in check.held}
        return tuple(_contamination(dataset, source, m, first[m[2]]) for m in sorted(held) if m[2] in first)

    def judged(
        self, dataset: str, source: str, _reviews: Reviews
    ) -> tuple[tuple[Contamination, ...], tuple[Accepted, ...]]:
        """What was exposed stays exposed: nobody accepts it away, and policy says which kinds count."""
        return self.contaminations(dataset, source), ()

    def findings(self, _dataset: str, _source: str) -> Iterator[tuple[Finding, str]]:
        """None of them is up for a decision; `heldout exposures` lists what people logged."""
        return iter(())

    def spoiling_lines(self, dataset: str) -> Iterator[Exposure]:
        log = self.logs.get(dataset)
        return (line for line in log.in_order if line.how in self.spoiling) if log else iter(())

    def _first_lines(self, dataset: str) -> dict[str, Exposure]:
        first: dict[str, Exposure] = {}
        for line in self.spoiling_lines(dataset):
            for text in line.inputs:
                first.setdefault(text, line)
        return first

    def _of(self, dataset: str, source: str) -> Iterator[ExposureCheck]:
        return (check for check in self.checks if check.dataset == dataset and check.source == source)

    def held(self, dataset: str, source: str) -> frozenset[MemberName]:
        """Held-out examples of the content that the log names, exposed by whatever kind."""
        return frozenset(member for check in self._of(dataset, source) for member in check.held)


def joined(first: ExposureCover | None, second: ExposureCover | None) -> ExposureCover | None:
    """What both know together, under the policy of the first."""
    if first is None or second is None:
        return first or second
    logs = {
        name: ExposureLog({**(a.lines if (a := first.logs.get(name)) else {}), **(b.lines if b else {})})
        for name in {*first.logs, *second.logs}
        for b in (second.logs.get(name),)
    }
    checks = tuple(dict.fromkeys((*first.checks, *second.checks)))
    damaged = tuple(dict.fromkeys((*first.damaged, *second.damaged)))
    return ExposureCover(logs, checks, first.spoiling, damaged)


def _contamination(dataset: str, source: str, member: MemberName, line: Exposure) -> Contamination:
    """In the shape of a finding between versions: the log's line stands where the other example would."""
    a = Side(dataset, *member, held_out_in=(source,))
    b = Side(EXPOSURE, line.how.value, f"line {line.number}", member[2], open_in=(line_digest(line),))
    return Contamination(Finding(Kind.EXPOSED, Severity.BLOCK, a, b), a, b)
