"""The history of slices in Git: a commit records new definitions, and no recorded one ever changes.

A number may change in a merge only, where two branches gave the same one to different definitions (decision A5); the
digest, which is a definition's identity, is never lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from heldout.domain.slicing.slices import Recorded, Slice, history_problems
from heldout.errors import ConfigError, HeldoutError
from heldout.services.slicing.binding import Binder, in_order
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.slicing.file import append_history, parse_slice, parse_unchecked, slice_of_path
from heldout.storage.working_files import link_on_the_way, write_own_file

_KEEP = "Heldout alone writes the history: `git restore` the file, edit `definition` only, and run heldout slice save."


def record_staged(git: Git, tree: GitTree, changed: Iterable[str]) -> tuple[dict[str, bytes], list[str]]:
    """Slice files of the commit being made that record a definition it brings; and a sentence for each.

    Raises ConfigError for a changed file that is no slice's, or whose history does not continue HEAD's.
    """
    paths = [path for path in changed if slice_of_path(path)]
    contents = tree.read_many(paths)
    if not contents:
        return {}, []
    head = git.head()
    before = git.tree(head).read_many(contents) if head else {}
    merging = git.commit_of("MERGE_HEAD") is not None
    files: dict[str, bytes] = {}
    notes: list[str] = []
    binders: dict[str, Binder] = {}

    def step(path: str) -> None:
        data, dataset = contents[path], _dataset(path)
        item = parse_slice(data, path)
        if broken := continuation_problems([history_of(before.get(path), path)], item.history, merge=merging):
            raise ConfigError("slice-history", f"slice {item.name}: {broken[0]}", file=path, hint=_KEEP)
        binder = binders.setdefault(dataset, Binder(tree, dataset))
        item = binder.slice(item, path)
        if item.current is None:
            entry = Recorded.of(item.next_number, item.definition)
            files[path] = append_history(data, path, entry)
            binder.change(path, files[path])
            notes.append(f"{path}: recorded as number {entry.number} of slice {item.name}")

    for dataset in dict.fromkeys(map(_dataset, contents)):
        in_order({PurePosixPath(path).stem: path for path in contents if _dataset(path) == dataset}, step)
    return files, notes


def _dataset(path: str) -> str:
    found = slice_of_path(path)
    assert found is not None
    return found[0]


def stage_recorded(git: Git, tree: GitTree, files: Mapping[str, bytes]) -> None:
    """Put recorded definitions into the commit, and into files on disk that are what is staged."""
    staged = tree.read_many(files)
    git.stage(files)
    for path, data in files.items():
        place = git.top / path
        if link_on_the_way(git.top, path) is None and place.is_file() and place.read_bytes() == staged[path]:
            write_own_file(git.top, path, data)


def adopt_recorded(git: Git, head: str) -> None:
    """After `git commit PATH` the entry is in HEAD and on disk, not in the user's index: bring it there.

    Only where the index holds the very file that the hook was given.
    """
    parents = git.parents(head)
    if not parents:
        return
    paths = [path for path in git.changed_paths(parents[0], head) if slice_of_path(path)]
    index = git.index_tree() if paths else None
    if index is None:
        return
    staged, committed = git.tree(index).read_many(paths), git.tree(head).read_many(paths)
    behind = {
        path: data
        for path, data in committed.items()
        if path in staged and staged[path] != data and _recorded_from(staged[path], data, path)
    }
    if behind:
        git.stage(behind)


def _recorded_from(given: bytes, committed: bytes, path: str) -> bool:
    try:
        return append_history(given, path, parse_slice(committed, path).history[-1]) == committed
    except (HeldoutError, IndexError):
        return False


def history_of(data: bytes | None, path: str) -> tuple[Recorded, ...]:
    """The entries of a file, as far as it can be read at all; of no file none."""
    item = None if data is None else read_leniently(data, path)
    return () if item is None else item.history


@lru_cache(maxsize=1024)
def read_leniently(data: bytes, path: str) -> Slice | None:
    """What a file of some earlier commit says, its history unchecked; None where it is no slice."""
    try:
        return parse_unchecked(data, path)
    except HeldoutError:
        return None


def continuation_problems(
    parents: Sequence[Sequence[Recorded]], history: Sequence[Recorded], *, merge: bool
) -> list[str]:
    """How a commit's history breaks its parents': each entry stays as it is, save a number in a merge."""
    problems = []
    digests = {entry.digest for entry in history}
    for parent in parents:
        for problem in history_problems(parent, history):
            number = int(problem.split()[1])
            entry = next(item for item in parent if item.number == number)
            if not (merge and entry.digest in digests):
                problems.append(problem)
    return problems
