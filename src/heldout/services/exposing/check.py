"""Looking for exposed examples in what versions hold out: the part of an answer that needs data, done ahead of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.exposing.exposure import Exposure, ExposureCheck, history_faults
from heldout.domain.members import Member
from heldout.domain.names import Subject
from heldout.errors import HeldoutError, TamperedError
from heldout.services.contents import read_members
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import read_version
from heldout.services.sources import StoredData
from heldout.services.workspace import Located, Workspace, readable_state
from heldout.storage.catalog import FILE as DATASET_FILE
from heldout.storage.catalog import ROOT, DatasetState
from heldout.storage.git.trees import GitTree
from heldout.storage.people.exposure_log import (
    check_path,
    dataset_of_log,
    last_digest,
    log_path,
    parse_log,
    render_check,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` did: files written or committed, and states whose data could not be read, and why."""

    checks: int
    unchecked: tuple[tuple[str, str], ...]
    commit: str | None = None


def check_of(
    dataset: str, source: str, log: Sequence[Exposure], members: Iterable[Member], held: Iterable[str]
) -> ExposureCheck:
    """`members` of one content, of which the splits `held` hold out."""
    exposed = {text for line in log for text in line.inputs}
    splits = frozenset(held)
    found = {(m.split, m.key, m.input) for m in members if m.input in exposed and m.split in splits}
    return ExposureCheck(dataset, source, last_digest(log), tuple(sorted(found)))


def checks_of(
    workspace: Workspace, dataset: str, log: Sequence[Exposure], progress: Progress = SILENT
) -> tuple[dict[str, bytes], tuple[tuple[str, str], ...]]:
    """Checks, as files by path, of every frozen version that takes part and of HEAD against a log, and against those of
    branches that are not merged; and what could not be read. What a committed tree has already is not made again."""
    known = workspace.knowledge().exposures
    done = {(check.source, check.log) for check in known.checks if check.dataset == dataset} if known else set()
    elsewhere = known.logs[dataset].leaves() if known and dataset in known.logs else ()
    logs = [lines for lines in dict.fromkeys((tuple(log), *elsewhere)) if lines]
    files: dict[str, bytes] = {}
    unchecked: list[tuple[str, str]] = []
    for located in states_of(workspace, dataset):
        source = located.state.source
        lacking = [lines for lines in logs if (source, last_digest(lines)) not in done]
        if not lacking:
            continue
        done |= {(source, last_digest(lines)) for lines in lacking}
        try:
            reading = read_members(workspace, located, progress)
        except HeldoutError as error:
            unchecked.append((str(located.subject), str(error)))
            continue
        for lines in lacking:
            made = check_of(dataset, source, lines, reading.members, reading.holdout_splits)
            files[check_path(dataset, source, made.log)] = render_check(made)
    return files, tuple(unchecked)


def states_of(workspace: Workspace, dataset: str) -> Iterator[Located]:
    """HEAD's state of a dataset and those of its versions that take part, as far as they can be read."""
    known = workspace.knowledge()
    head = workspace.git.head()
    state = readable_state(workspace.catalog(head), dataset) if head else None
    if head is not None and state is not None:
        yield Located(Subject(dataset, head), state, head)
    for version in workspace.versions_of(dataset):
        if not known.is_retired(version):
            found = readable_state(workspace.catalog(version.commit), dataset)
            if found is not None:
                yield Located(Subject(dataset, str(version.name.number)), found, version.commit, version)


def check(
    workspace: Workspace,
    datasets: Sequence[str],
    note: Callable[[str], None],
    progress: Progress = SILENT,
    *,
    commit: bool,
) -> Checked:
    """Look for all that the working copy's logs name, in every version and in HEAD."""
    from heldout.services.exposing.exposures import keep, working_log

    files: dict[str, bytes] = {}
    unchecked: list[tuple[str, str]] = []
    for name in datasets:
        workspace.working_copy.spec(name)  # refuses a name that nobody has
    for name in datasets or workspace.working_copy.names:
        made, left = checks_of(workspace, name, working_log(workspace, name), progress)
        files |= made
        unchecked += left
    if not files:
        return Checked(0, tuple(unchecked))
    message = "heldout: look for exposed examples\n"
    return Checked(len(files), tuple(unchecked), keep(workspace, files, message, note, commit=commit))


def for_states(workspace: Workspace, tree: GitTree, states: Iterable[DatasetState]) -> dict[str, bytes]:
    """Checks that a commit's tree lacks of its own datasets, where it has a log of theirs.

    Nothing is fetched, and there is none of what cannot be read: the gate then says so.
    """
    files: dict[str, bytes] = {}
    for state in states:
        path = log_path(state.name)
        data = tree.read(path)
        if not data:
            continue
        try:
            log = parse_log(data, path)
            place = check_path(state.name, state.source, last_digest(log))
            if tree.read(place) is None:
                reading = read_version(state.spec, state.source, StoredData(state, workspace.store), keep_texts=False)
                made = check_of(state.name, state.source, log, reading.members, reading.holdout_splits)
                files[place] = render_check(made)
        except HeldoutError:
            continue
    return files


def lost_lines(workspace: Workspace, old: str, new: str) -> list[str]:
    """What a later state has lost of the logs that an earlier one had: sentences by path. A dataset that is not there
    any more takes its log along."""
    before, after = workspace.tree(old), workspace.tree(new)
    texts: list[str] = []
    for path in workspace.git.changed_paths(before.oid, after.oid, (ROOT,)):
        name = dataset_of_log(path)
        if name is None or before.read(path) is None or after.read(f"{ROOT}/{name}/{DATASET_FILE}") is None:
            continue
        try:
            kept = parse_log(after.read(path) or b"", path)
            faults = history_faults(parse_log(before.read(path) or b"", path), kept, merged=True)
            texts += [f"{path}, line {number}, {what}" for number, what in faults]
        except TamperedError as error:
            texts.append(error.message)
    return texts
