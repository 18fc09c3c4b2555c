"""The doctor's view of datasets: can they be read, is their data here, and are they recorded and compared?"""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.answer import Gap, GapKind
from heldout.domain.coverage import Knowledge, Version
from heldout.domain.standing import Check, CheckState
from heldout.errors import HeldoutError
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import Catalog, DatasetState

SWEEP = "heldout scan --all --commit"
_COVERAGE = (GapKind.NOT_SCANNED, GapKind.SCAN_INCOMPLETE, GapKind.NOT_COMPARED, GapKind.UNREADABLE_RECORD)


def data_checks(workspace: Workspace) -> Iterator[Check]:
    if not workspace.git.bare:
        yield from _readable(workspace.working_copy)
    head = workspace.git.head()
    if head is None:
        return
    catalog = workspace.catalog(head)
    states = [state for name in catalog.names if (state := readable_state(catalog, name))]
    knowledge = workspace.knowledge()
    yield from _data_here(workspace, states, knowledge)
    yield from _recorded(states, knowledge)
    yield from _covered(knowledge)


def _readable(catalog: Catalog) -> Iterator[Check]:
    seen: dict[str, str] = {}
    for name in catalog.names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            text = f"{other} and {name} differ only in case"
            yield Check(f"dataset {name}", CheckState.PROBLEM, text, "rename one of them")
        try:
            catalog.state(name)
        except HeldoutError as error:
            yield Check(f"dataset {name}", CheckState.PROBLEM, str(error), error.hint or "see docs/formats.md")
        else:
            yield Check(f"dataset {name}", CheckState.GOOD, "its dataset.yaml and pointers can be read")
    if not catalog.names:
        yield Check("datasets", CheckState.ADVICE, "there is none yet", "heldout add NAME FILE...")


def _data_here(workspace: Workspace, states: list[DatasetState], knowledge: Knowledge) -> Iterator[Check]:
    complete = True
    for state in states:
        if names := _missing(workspace, state):
            complete = False
            yield Check(f"data of {state.name}", CheckState.PROBLEM, f"not in the DVC cache: {names}", "dvc pull")
    current = {state.source for state in states}
    for version in knowledge.taking_part:
        found = readable_state(workspace.catalog(version.commit), version.dataset)
        if version.source in current or found is None or not (names := _missing(workspace, found)):
            continue
        current.add(version.source)
        complete = False
        # Records answer for a version that was compared with all others; only a new scan needs its data again.
        urgency = CheckState.PROBLEM if _gaps(knowledge, version) else CheckState.ADVICE
        yield Check(f"data of {version.name}", urgency, f"not in the DVC cache: {names}", "dvc fetch --all-tags")
    if complete and states:
        yield Check("data", CheckState.GOOD, "all of it is in the DVC cache")


def _missing(workspace: Workspace, state: DatasetState) -> str:
    missing = workspace.store.missing(state.outputs)
    return ", ".join(item.path for item in missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")


def _recorded(states: list[DatasetState], knowledge: Knowledge) -> Iterator[Check]:
    lacking = [state.name for state in states if not knowledge.scans_of(state.source)]
    for name in lacking:
        text = "what HEAD holds has no scan record"
        yield Check(f"record of {name}", CheckState.PROBLEM, text, f"heldout scan {name}@HEAD --commit")
    if states and not lacking:
        yield Check("records", CheckState.GOOD, "HEAD's datasets have their scan records")
    for name, what in knowledge.damaged:
        text = f"it cannot be trusted: {what}"
        yield Check(f"record of {name}", CheckState.PROBLEM, text, "git restore it from its commit, or scan again")


def _covered(knowledge: Knowledge) -> Iterator[Check]:
    open_versions = [(version, gaps) for version in knowledge.taking_part if (gaps := _gaps(knowledge, version))]
    for version, gaps in open_versions:
        more = f" (and {len(gaps) - 1} more)" if len(gaps) > 1 else ""
        yield Check(f"version {version.name}", CheckState.PROBLEM, f"{gaps[0].text}{more}", SWEEP)
    if knowledge.taking_part and not open_versions:
        count = len(knowledge.taking_part)
        text = "it is scanned" if count == 1 else f"all {count} are scanned and compared with each other"
        yield Check("versions", CheckState.GOOD, text)


def _gaps(knowledge: Knowledge, version: Version) -> list[Gap]:
    return [gap for gap in knowledge.gaps(version.dataset, version.source) if gap.kind in _COVERAGE]
