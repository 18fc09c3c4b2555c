"""What verification says of slices: no recorded definition ever changed, by its digest and by Git's history."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.slicing.slices import history_problems
from heldout.domain.verification import Level, Problem
from heldout.errors import HeldoutError
from heldout.services.slicing.binding import Binder
from heldout.services.slicing.history import continuation_problems, history_of
from heldout.services.workspace import Workspace
from heldout.storage.catalog import FILE, ROOT
from heldout.storage.git.history import steps
from heldout.storage.git.trees import GitTree
from heldout.storage.slicing.file import parse_slice, slice_of_path

_SLUG = "slice-history"


def slices(workspace: Workspace, head: str, base: str | None) -> list[Problem]:
    """Every slice of HEAD is whole, and continues what the base and each commit since recorded (B15).

    With no base, every commit is looked at. What an earlier commit broke and HEAD has again as it was is reported only.
    """
    tree = workspace.tree(head)
    problems = [problem for path in _paths(tree) if (problem := _broken(tree, path))]
    said = {problem.place for problem in problems}
    for problem in (*_since(workspace, tree, base), *_commits(workspace, tree, head, base)):
        if (problem.place not in said) or problem.level is Level.REPORTED:
            problems.append(problem)
        said.add(problem.place)
    return problems


def _paths(tree: GitTree) -> list[str]:
    return [path for path in tree.paths(ROOT) if slice_of_path(path)]


def _broken(tree: GitTree, path: str) -> Problem | None:
    item = None
    try:
        dataset, _ = slice_of_path(path) or ("", "")
        binder = Binder(tree, dataset)
        item = binder.slice(parse_slice(tree.read(path) or b"", path), path)
        for entry in item.history:
            binder.entry(entry, path)
    except HeldoutError as error:
        return Problem(Level.FAILED, path, str(error), error.slug)
    if item.current is None:
        text = f"the definition of slice {item.name} is not recorded: heldout slice save, then commit"
        return Problem(Level.FAILED, path, text, "slice-not-recorded")
    return None


def _since(workspace: Workspace, tree: GitTree, base: str | None) -> Iterator[Problem]:
    if base is None:
        return
    before = workspace.tree(base)
    for path in _paths(before):
        if _dataset_gone(tree, path):
            continue
        name = path.rpartition("/")[2].removesuffix(".yaml")
        for problem in history_problems(history_of(before.read(path), path), history_of(tree.read(path), path)):
            text = f"slice {name}: {problem}; it was recorded at {base[:10]}, and a recorded definition never changes"
            yield Problem(Level.FAILED, path, text, _SLUG)


def _dataset_gone(tree: GitTree, path: str) -> bool:
    """A dataset that was removed or renamed as a whole takes its slices along."""
    found = slice_of_path(path)
    return found is not None and tree.read(f"{ROOT}/{found[0]}/{FILE}") is None


def _commits(workspace: Workspace, tree: GitTree, head: str, base: str | None) -> Iterator[Problem]:
    for step in steps(workspace.git, head, base, ROOT):
        paths = [path for path in sorted(step.paths) if slice_of_path(path) and not _dataset_gone(tree, path)]
        if paths and step.parents:
            now, *before = workspace.git.many_trees([step.commit, *step.parents])
            for path in paths:
                yield from _commit(tree, now, before, path, step.commit)


def _commit(tree: GitTree, now: GitTree, before: list[GitTree], path: str, commit: str) -> Iterator[Problem]:
    parents = [history_of(parent.read(path), path) for parent in before]
    name = path.rpartition("/")[2].removesuffix(".yaml")
    kept = history_of(tree.read(path), path)
    digests = {entry.digest for entry in kept}
    for problem in continuation_problems(parents, history_of(now.read(path), path), merge=len(before) > 1):
        number = int(problem.split()[1])
        entries = [entry for parent in parents for entry in parent if entry.number == number]
        restored = all(entry.digest in digests for entry in entries)
        text = f"slice {name}: {problem}, since {commit[:10]}" + ("; HEAD has it again" if restored else "")
        yield Problem(Level.REPORTED if restored else Level.FAILED, path, text, _SLUG)
