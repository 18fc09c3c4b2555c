"""Findings out of committed records, and the examples that one of them is about.

Listing reads records only. A working copy is listed by the record of its content; content that nobody recorded is
scanned for advice by `heldout scan NAME` (B44).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from heldout.domain.coverage import Knowledge
from heldout.domain.example import Example
from heldout.domain.finding import Finding, Kind, Side, in_order
from heldout.domain.kind import CORPUS, is_no_dataset
from heldout.domain.listing import FindingListing, FindingRow, Names, contaminated_by, merged, seen_from
from heldout.domain.names import Subject
from heldout.errors import MissingDataError, UsageError
from heldout.services.contents import Contents, read_contents
from heldout.services.payloads import fetch_payloads
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Located, Workspace, readable_state

_LEAST_PREFIX = 4

Address = tuple[str, str, str]
"""Split, key and input digest: which example of a dataset a side is."""


def list_findings(
    workspace: Workspace,
    subject: str | None = None,
    *,
    holdout_only: bool = False,
    kinds: Collection[Kind] = (),
) -> FindingListing:
    """Findings with a side in the subject; without one, in any version that takes part or in HEAD.

    Those that contaminate the subject come first, then other contaminations, then by severity. `kinds` match a
    finding's first kind and its further ones.
    """
    knowledge = workspace.knowledge()
    located = workspace.find(subject) if subject else None
    scope = {located.state.source} if located else knowledge.live | workspace.sources_at_head()
    rows = [_row(finding, located, knowledge) for finding in _findings(knowledge, scope)]
    rows += _covered(workspace, located)
    wanted = [row for row in rows if not kinds or set(kinds).intersection(row.finding.kinds)]
    if holdout_only:
        wanted = [row for row in wanted if row.finding.holdout_contamination]
    return FindingListing(
        subject=located.subject if located else None,
        source=located.state.source if located else None,
        rows=tuple(in_order(wanted, lambda row: _order(row, scope))),
        total=len(rows),
        recorded=any(scan.record.source in scope for scan in knowledge.scans),
        names=Names.of(knowledge, workspace.sources_at_head()),
        edited=_edited(workspace, located),
    )


def _edited(workspace: Workspace, located: Located | None) -> tuple[str, ...]:
    if located is None or located.commit is not None:
        return ()
    return tuple(output.path for output in workspace.store.edited(located.state.outputs))


def _findings(knowledge: Knowledge, scope: Collection[str]) -> Iterator[Finding]:
    """Every record is asked, for one that was made later knows more versions that hold the two examples."""
    for finding in merged(finding for scan in knowledge.scans for finding in scan.findings):
        if set(scope).intersection((*finding.a.versions, *finding.b.versions)):
            yield finding


def _covered(workspace: Workspace, located: Located | None) -> list[FindingRow]:
    """What locks and corpora say of the subject, or of every version that takes part and of HEAD."""
    knowledge = workspace.knowledge()
    covers = list(knowledge.covers)
    if located is not None:
        places = {(located.state.name, located.state.source)}
    else:
        places = {(version.dataset, version.source) for version in knowledge.taking_part} | workspace.states_at_head()
    found: dict[str, tuple[Finding, str, set[str]]] = {}
    for dataset, source in sorted(places) if covers else ():
        for finding, method in (item for cover in covers for item in cover.findings(dataset, source)):
            _, _, sources = found.setdefault(finding.id, (finding, method, set()))
            sources.update([source] if finding.holdout_contamination else [])
    return [FindingRow(finding, tuple(sorted(sources)), method) for finding, method, sources in found.values()]


def _row(finding: Finding, located: Located | None, knowledge: Knowledge) -> FindingRow:
    if located is not None:
        finding = seen_from(finding, located.state.source)
    return FindingRow(finding, contaminated_by(finding, knowledge.live))


def _order(row: FindingRow, scope: Collection[str]) -> tuple[object, ...]:
    mine = not set(row.contaminates).isdisjoint(scope)
    return (not mine, not row.contaminates, *row.finding.sort_key())


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A finding and the two examples, read from data that holds them. Their texts are for a screen, never for a file.

    `frozen` are the sources of versions that take part, for advice.
    """

    row: FindingRow
    a: Example
    b: Example
    names: Names
    frozen: frozenset[str]


def exhibit(workspace: Workspace, finding: str, subject: str | None, progress: Progress = SILENT) -> Exhibit:
    """Both examples of a finding, named by its id or the start of it; data that is not here is fetched.

    Raises UsageError: unknown-finding, ambiguous-finding; MissingDataError: example-out-of-reach.
    """
    listing = list_findings(workspace, subject)
    row = choose(listing, finding)
    if is_no_dataset(row.finding.b.dataset):
        place = row.finding.b.dataset
        hint = f"heldout corpus show {place.removeprefix(CORPUS)}" if place.startswith(CORPUS) else "heldout diff"
        raise UsageError("one-example", f"{row.finding.id} is about one example and a {place}", hint=hint)
    common = set(row.finding.a.versions) & set(row.finding.b.versions)
    reader = ExampleReader(workspace, subject, progress, common=common)
    a, b = (reader.example(side) for side in (row.finding.a, row.finding.b))
    return Exhibit(row, a, b, listing.names, workspace.knowledge().live)


def choose(listing: FindingListing, prefix: str) -> FindingRow:
    """The one finding whose id starts with `prefix`. Raises UsageError: unknown-finding, ambiguous-finding."""
    rows = [row for row in listing.rows if row.finding.id.startswith(prefix)]
    if rows and len(prefix) < _LEAST_PREFIX:
        message = f"{prefix!r} is too little of an id: another finding may start with it tomorrow"
        raise UsageError("ambiguous-finding", message, hint=f"write {_LEAST_PREFIX} characters or more")
    if not rows:
        hint = f"heldout findings {listing.subject or ''}".rstrip()
        where = f"of {listing.subject}" if listing.subject else "in this clone's records"
        raise UsageError("unknown-finding", f"no finding {where} has an id that starts with {prefix!r}", hint=hint)
    if len(rows) > 1:
        shown = ", ".join(row.finding.id for row in rows[:4])
        raise UsageError("ambiguous-finding", f"{len(rows)} findings start with {prefix!r}: {shown}", hint="write more")
    return rows[0]


class ExampleReader:
    """Reads examples by side. `common` are sources that hold both sides: preferred, since one reading serves both."""

    def __init__(self, workspace: Workspace, subject: str | None, progress: Progress, common: Collection[str]) -> None:
        self._workspace = workspace
        self._subject = subject
        self._progress = progress
        self._common = common
        self._contents: dict[str, Contents] = {}

    def example(self, side: Side) -> Example:
        """Raises MissingDataError (slug example-out-of-reach)."""
        located = self.place(side)
        for example in self.read(located, {(side.split, side.key, side.input)}).values():
            return example
        raise MissingDataError(
            "example-out-of-reach",
            f"{side.dataset}: {side.label()} is not in the data of {located.subject}",
            hint="a record disagrees with its data: heldout verify --all",
        )

    def read(self, located: Located, wanted: Collection[Address]) -> dict[Address, Example]:
        """Those of the wanted examples that a state holds, in one pass over its data."""
        source = located.state.source
        if source not in self._contents:
            fetch_payloads(self._workspace, located, self._progress)
            self._contents[source] = read_contents(self._workspace, located, self._progress)
        contents = self._contents[source]
        found: dict[Address, Example] = {}
        for member, example in zip(contents.reading.members, contents.examples(), strict=True):
            address = (member.split, member.key, member.input)
            if address in wanted:
                found[address] = example
                if len(found) == len(wanted):
                    break
        return found

    def place(self, side: Side) -> Located:
        """Where to read a side: the subject asked about, a version, HEAD or a remote branch."""
        places = self._asked_or_frozen(side) or self._at_branches(side)
        if not places:
            raise MissingDataError(
                "example-out-of-reach",
                f"{side.dataset}: no tag or branch here holds {side.label()} any more, so its text cannot be read",
                hint="git fetch --tags, or name the commit: heldout findings show ID NAME@COMMIT",
            )
        return min(places, key=lambda located: located.state.source not in self._common)

    def _asked_or_frozen(self, side: Side) -> list[Located]:
        asked = [self._workspace.find(self._subject)] if self._subject else []
        places = [item for item in asked if item.state.source in side.versions]
        for version in self._workspace.versions_of(side.dataset):
            if version.source in side.versions:
                state = self._workspace.catalog(version.commit).state(side.dataset)
                places.append(Located(Subject(side.dataset, str(version.name.number)), state, version.commit, version))
        return places

    def _at_branches(self, side: Side) -> list[Located]:
        head = self._workspace.git.head()
        places = []
        for commit in [*([head] if head else []), *(ref.oid for ref in self._workspace.git.remote_refs())]:
            state = readable_state(self._workspace.catalog(commit), side.dataset)
            if state is not None and state.source in side.versions:
                places.append(Located(Subject(side.dataset, commit[:10]), state, commit))
        return places
