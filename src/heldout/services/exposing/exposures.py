"""The log of exposures: adding to it, listing it, and chaining it anew after a merge."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime

from heldout.domain.canonical import digest
from heldout.domain.exposing.exposure import (
    Exposure,
    How,
    MemberName,
    appended,
    history_faults,
    line_digest,
    rechained,
)
from heldout.domain.members import Member
from heldout.errors import HeldoutError, TamperedError, UsageError
from heldout.services.contents import read_members
from heldout.services.deciding.retire import author
from heldout.services.exposing.check import checks_of
from heldout.services.knowledge import agreed_commits
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Located, Workspace
from heldout.storage.people.exposure_log import broken, log_path, parse_log, read_lines, render_log
from heldout.storage.trees import FileTree, FolderTree
from heldout.storage.working_files import write_own_files


@dataclass(frozen=True, slots=True)
class Request:
    """What a person says. With neither `keys` nor `slice_name`, every held-out example of the subject was exposed."""

    subject: str
    how: How
    note: str
    keys: tuple[str, ...] = ()
    slice_name: str | None = None
    by: str | None = None
    day: date | None = None
    commit: bool = False


@dataclass(frozen=True, slots=True)
class Logged:
    """A line as it was written. `unchecked` are states of the dataset whose data could not be read, and why."""

    dataset: str
    line: Exposure
    path: str
    unchecked: tuple[tuple[str, str], ...] = ()
    commit: str | None = None


def expose(workspace: Workspace, request: Request, note: Callable[[str], None], progress: Progress = SILENT) -> Logged:
    """Append one line, and look for its examples in every version of the dataset that can be read here.

    Raises UsageError: note-missing, day-to-come, no-such-example, nothing-exposed, already-logged; TamperedError
    (slug exposure-log-broken) where the log in the working copy does not continue HEAD's.
    """
    if not request.note.strip():
        raise UsageError("note-missing", "a note is needed: where the examples went", hint="--note TEXT")
    day = request.day or datetime.now(UTC).date()
    if day > datetime.now(UTC).date():
        raise UsageError("day-to-come", f"--on {day}: that day is still to come", hint="the day it happened")
    located = workspace.find(request.subject)
    workspace.working_copy  # noqa: B018 - refuses a bare repository, which has no place for a log
    members = _chosen(workspace, located, request, progress)
    by = request.by or author(workspace)
    said = Exposure(0, None, day, request.how, by, request.note.strip(), members)
    name = located.state.name
    path = log_path(name)
    with _one_at_a_time(workspace):
        log = working_log(workspace, name)
        if any(line.said() == said.said() for line in log):
            raise UsageError("already-logged", f"{path} says that already", hint=f"heldout exposures {name}")
        log = appended(log, said)
        checks, unchecked = checks_of(workspace, name, log, progress)
        files = {path: render_log(log), **checks}
        message = f"heldout: log an exposure of {name}\n\n{said.note}\n"
        made = keep(workspace, files, message, note, commit=request.commit)
    return Logged(name, log[-1], path, unchecked, made)


def keep(
    workspace: Workspace, files: dict[str, bytes], message: str, note: Callable[[str], None], *, commit: bool
) -> str | None:
    """Into the working copy, the log last so that it never stands without its checks; or a commit of its own."""
    if not commit:
        in_order = sorted(files, key=lambda path: "/scans/" not in path)
        write_own_files(workspace.git.top, {path: files[path] for path in in_order})
        return None
    made = workspace.git.commit_files(files, message, workspace.git.head(), note)
    workspace.forget()
    return made


@contextmanager
def _one_at_a_time(workspace: Workspace) -> Iterator[None]:
    """Two processes that append at once wait for each other; the system lets go when one dies."""
    with (workspace.git.common_dir / "heldout-exposures.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _chosen(workspace: Workspace, located: Located, request: Request, progress: Progress) -> tuple[MemberName, ...]:
    reading = read_members(workspace, located, progress)
    held = frozenset(reading.holdout_splits)
    if request.keys:
        members = list(_by_keys(reading.members, request.keys, held))
    elif request.slice_name is not None:
        wanted = _slice_members(workspace, located, request.slice_name, progress)
        members = [member for member in reading.members if (member.split, member.key) in wanted]
    else:
        members = [member for member in reading.members if member.split in held]
    if not members:
        raise UsageError("nothing-exposed", f"no example of {located.subject} is meant", hint="--keys or --slice")
    return tuple(sorted({(member.split, member.key, member.input) for member in members}))


def _by_keys(members: Sequence[Member], keys: Sequence[str], held: frozenset[str]) -> Iterator[Member]:
    """`split/key`, or a key alone: then the held-out examples of that key, or all of them where none is held out."""
    found: dict[str, list[Member]] = {key: [] for key in keys}
    for member in members:
        for name in (member.key, f"{member.split}/{member.key}"):
            if name in found:
                found[name].append(member)
    for key, matching in found.items():
        if not matching:
            raise UsageError("no-such-example", f"there is no example {key!r}", hint="KEY or SPLIT/KEY")
        yield from [member for member in matching if member.split in held] or matching


def _slice_members(workspace: Workspace, located: Located, name: str, progress: Progress) -> frozenset[tuple[str, str]]:
    from heldout.services.slicing.counting import membership
    from heldout.services.slicing.use import choose, find_target

    target = find_target(workspace, str(located.subject), name)
    return frozenset(membership(workspace, located, choose(target).definition, progress).members)


# --- the log itself --------------------------------------------------------------------------------------------------


def log_in(tree: FileTree, dataset: str) -> tuple[Exposure, ...]:
    """Raises TamperedError (slug exposure-log-broken)."""
    path = log_path(dataset)
    data = tree.read(path)
    return () if data is None else parse_log(data, path)


def working_log(workspace: Workspace, dataset: str) -> tuple[Exposure, ...]:
    """The working copy's log, which has to continue HEAD's; in a merge, HEAD's lines may have other places."""
    agreed = head_log(workspace, dataset)
    log = log_in(FolderTree(workspace.git.top), dataset)
    merging = workspace.git.commit_of("MERGE_HEAD") is not None
    if any(history_faults(agreed, log, merged=merging)) or (not merging and log[: len(agreed)] != agreed):
        raise broken(log_path(dataset), len(agreed), "the lines that HEAD has are not all here as they were")
    return log


def head_log(workspace: Workspace, dataset: str) -> tuple[Exposure, ...]:
    head = workspace.git.head()
    return log_in(workspace.tree(head), dataset) if head else ()


def repair(workspace: Workspace, dataset: str, progress: Progress = SILENT) -> tuple[int, int, str]:
    """Chain the working copy's log anew: the lines of the remote's protected branch as they stand, where the file has
    them all, then HEAD's, then every other line in the file.

    For a merge or a rebase in which both sides had appended. A branch that merges main keeps main's lines in their
    places, so that they stay there when the branch comes back as one commit. What Git marks the conflict by is passed
    over, so the file may still be as Git left it. Returns how many lines there are, how many got another place, and the
    path.

    Raises UsageError (slug no-exposures), TamperedError (slug exposure-log-broken) where a line of HEAD is missing.
    """
    path = log_path(dataset)
    data = FolderTree(workspace.git.top).read(path)
    if data is None:
        raise UsageError("no-exposures", f"there is no {path}", hint="heldout expose SUBJECT")
    with _one_at_a_time(workspace):
        agreed = head_log(workspace, dataset)
        lines = tuple(read_lines(data, path, conflicted=True))
        said = [line.said() for line in lines]
        for line in agreed:
            if line.said() not in said:
                raise broken(path, line.number, "HEAD has this line, and the file has not")
        log = rechained(_settled(workspace, dataset, said), [*agreed, *lines])
        moved = sum(line not in lines for line in log)
        checks, _ = checks_of(workspace, dataset, log, progress)
        keep(workspace, {path: render_log(log), **checks}, "", lambda _: None, commit=False)
    return len(log), moved, path


def _settled(workspace: Workspace, dataset: str, said: Sequence[object]) -> tuple[Exposure, ...]:
    """The longest log of a protected branch of a remote of which no line is missing."""
    found: tuple[Exposure, ...] = ()
    for commit in agreed_commits(workspace.git, workspace.settings, workspace.git.remote_settings()):
        with suppress(TamperedError):
            log = log_in(workspace.tree(commit), dataset)
            if len(log) > len(found) and all(line.said() in said for line in log):
                found = log
    return found


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that HEAD, remote branches and versions know, and those of the working copy that no commit has yet.

    `held` are the examples that the subject still holds out, None where there is no subject or nobody has looked.
    """

    dataset: str
    lines: tuple[Exposure, ...]
    uncommitted: tuple[Exposure, ...] = ()
    held: frozenset[MemberName] | None = None
    problem: str | None = None


def list_exposures(workspace: Workspace, subject: str | None) -> list[Listing]:
    known = workspace.knowledge().exposures
    located = workspace.find(subject) if subject else None
    catalog = None if workspace.git.bare else workspace.working_copy
    names = {located.state.name} if located else {*(known.logs if known else ()), *(catalog.names if catalog else ())}
    listings = []
    for name in sorted(names):
        logs = known.logs.get(name) if known else None
        lines = _once(logs.in_order if logs else (), workspace, name)
        fresh: tuple[Exposure, ...] = ()
        problem = None
        if catalog is not None and (located is None or located.commit is None):
            try:
                said = [line.said() for line in lines]
                fresh = tuple(line for line in working_log(workspace, name) if line.said() not in said)
            except HeldoutError as error:
                problem = error.message
        held = None
        if located is not None and known is not None and not any(known.gaps(name, located.state.source)):
            held = known.held(name, located.state.source)
        if lines or fresh or problem is not None or located is not None:
            listings.append(Listing(name, lines, fresh, held, problem))
    return listings


def _once(lines: Iterable[Exposure], workspace: Workspace, dataset: str) -> tuple[Exposure, ...]:
    """Each act once, where branches that were merged have it in several places: as HEAD has it, or the first."""
    found: dict[str, Exposure] = {}
    with suppress(TamperedError):
        found = {digest(line.said()): line for line in head_log(workspace, dataset)}
    for line in lines:
        found.setdefault(digest(line.said()), line)
    return tuple(sorted(found.values(), key=lambda line: (line.number, line_digest(line))))
