"""Writing slices in the working copy: a new file, and the history that follows an edit or a merge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from heldout.domain.slicing.definition import Condition, Definition, Sample
from heldout.domain.slicing.language import LanguageError, parse_condition
from heldout.domain.slicing.rules import DefinitionError
from heldout.domain.slicing.slices import Recorded, Slice, history_problems, slice_name_problem
from heldout.domain.slicing.views import Chosen, Saved
from heldout.errors import ConfigError, RepositoryError, UsageError
from heldout.services.slicing.binding import Binder, in_order
from heldout.services.slicing.history import history_of
from heldout.services.slicing.use import Target, bound, read_slice, slice_paths
from heldout.services.workspace import Workspace
from heldout.storage.regular_files import opened
from heldout.storage.slicing.draft import parse_draft
from heldout.storage.slicing.file import append_history, parse_slice, render_slice, slice_path
from heldout.storage.slicing.merge import resolve_conflict
from heldout.storage.working_files import write_own_file, write_own_files

Side = Literal["ours", "theirs"]

_PUBLISHED = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")


def define(
    conditions: Sequence[str], *, match_any: bool, size: int | None, seed: str | None, stratify: str | None
) -> Definition:
    """The definition that options of the command line describe.

    Raises UsageError: bad-condition with the character that is wrong, bad-definition.
    """
    try:
        if size is None and (seed is not None or stratify is not None):
            raise DefinitionError("--seed and --stratify belong to a sample", hint="add --sample N")
        sample = None if size is None else Sample(size, seed or "", stratify)
        parsed = tuple(_condition(text, number) for number, text in enumerate(conditions, 1))
        return Definition(parsed, "any" if match_any else "all", sample)
    except DefinitionError as error:
        slug = "bad-definition" if error.position is None else "bad-condition"
        raise UsageError(slug, str(error), hint=error.hint) from None


def read_draft(source: bytes | Path, shown: str) -> Definition:
    """A definition from the bytes of a YAML or JSON text, or from a file of one. Raises ConfigError, DataError."""
    if isinstance(source, bytes):
        return parse_draft(source, "standard input" if shown == "-" else shown)
    with opened(source, shown) as (stream, _):
        return parse_draft(stream.read(), shown)


def _condition(text: str, number: int) -> Condition:
    try:
        return parse_condition(text)
    except LanguageError as error:
        pointed = error.pointed().replace("\n", "\n  ")
        message = f"condition {number} cannot be read:\n  {pointed}\n  {error}"
        raise UsageError("bad-condition", message, hint=error.hint) from None


def create(
    workspace: Workspace, target: Target, name: str, definition: Definition, *, description: str, required: bool
) -> tuple[Chosen, str]:
    """Write a new slice's file, its first definition recorded; and where it is.

    Raises UsageError (bad-slice-name, slice-exists).
    """
    require_working_copy(target)
    if problem := slice_name_problem(name):
        raise UsageError(
            "bad-slice-name", f"{name!r} cannot name a slice: {problem}", hint="for instance german-billing"
        )
    path = slice_path(target.dataset, name)
    for other in slice_paths(target.tree, target.dataset):
        if other.lower() == path.lower():
            hint = f"edit its definition and run heldout slice save {target.dataset} {name}"
            raise UsageError("slice-exists", f"{other} exists", hint=hint)
    definition = bound(target, definition)
    item = Slice(name, definition, (Recorded.of(1, definition),), description, required)
    data = render_slice(item)
    Binder(target.tree, target.dataset).slice(parse_slice(data, path), path)
    write_own_file(workspace.git.top, path, data)
    return Chosen.current(target.dataset, item), path


def save(workspace: Workspace, target: Target, prefer: Side | None = None) -> list[Saved]:
    """Record every definition of the working copy that has no number yet: of one slice, or of all.

    A file that a merge left with two histories gets both: what is published keeps its numbers, else what HEAD has.
    `prefer` takes the definition of one side where a person has not chosen yet.
    Nothing is written before every file was found to be in order. Raises ConfigError.
    """
    require_working_copy(target)
    paths = slice_paths(target.tree, target.dataset)
    if target.reference is not None:
        wanted = slice_path(target.dataset, target.reference.name)
        if wanted not in paths:
            read_slice(target.tree, target.dataset, target.reference.name)
        paths = [wanted]
    binder = Binder(target.tree, target.dataset)
    done: list[tuple[Saved, bytes, bytes]] = []

    def step(path: str) -> None:
        made = _saved(workspace, path, target.tree.read(path) or b"", prefer, binder)
        binder.change(path, made[2])
        done.append(made)

    in_order({PurePosixPath(path).stem: path for path in paths}, step)
    done.sort(key=lambda item: item[0].path)
    write_own_files(workspace.git.top, {saved.path: after for saved, before, after in done if before != after})
    return [saved for saved, _, _ in done]


def require_working_copy(target: Target) -> None:
    """Raises UsageError (slug not-a-working-copy) for a version or a commit: nothing can be written to those."""
    if target.located.commit is not None:
        hint = f"name the dataset alone: {target.dataset}"
        raise UsageError("not-a-working-copy", f"{target.located.subject} cannot be written to", hint=hint)


def _saved(
    workspace: Workspace, path: str, before: bytes, prefer: Side | None, binder: Binder
) -> tuple[Saved, bytes, bytes]:
    published, head = _published(workspace, path), _entries(workspace, "HEAD", path)
    after = _in_order(resolve_conflict(before, path, prefer), path, published)
    item = parse_slice(after, path)
    for known, where in ((published, "the remote's branch"), ((() if published else head), "HEAD")):
        if broken := history_problems(known, item.history):
            hint = f"put the entries that {where} has first, in their order, then run heldout slice save again"
            raise ConfigError("slice-history", f"slice {item.name}: in {where}, {broken[0]}", file=path, hint=hint)
    item = binder.slice(item, path)
    added: tuple[Recorded, ...] = ()
    if item.current is None:
        added = (Recorded.of(item.next_number, item.definition),)
        after = append_history(after, path, added[0])
    renumbered = tuple(
        (entry.digest, entry.number, found.number)
        for entry in dict.fromkeys((*head, *_entries(workspace, "MERGE_HEAD", path)))
        if (found := item.find_digest(entry.digest)) is not None and found.number != entry.number
    )
    return Saved(item.name, path, added, renumbered), before, after


def _in_order(data: bytes, path: str, published: Sequence[Recorded]) -> bytes:
    """The file with what others have seen first: a number that is published never becomes another definition's."""
    item = parse_slice(data, path)
    start = re.search(rb"^history:", data, re.MULTILINE)
    known = {entry.digest for entry in published}
    if start is None or not history_problems(published, item.history):
        return data
    if not known <= {entry.digest for entry in item.history}:
        return data  # lost, not renumbered: the caller refuses it
    written = data[: start.start()]
    for entry in (*published, *(entry for entry in item.history if entry.digest not in known)):
        number = parse_slice(written, path).next_number
        written = append_history(written, path, Recorded.of(number, entry.definition))
    return written


def _published(workspace: Workspace, path: str) -> tuple[Recorded, ...]:
    """What the remote's default branch has recorded, as this clone last saw it."""
    name = next((name for name in _PUBLISHED if workspace.git.commit_of(name)), None)
    return () if name is None else _entries(workspace, name, path)


def _entries(workspace: Workspace, revision: str, path: str) -> tuple[Recorded, ...]:
    try:
        commit = workspace.git.commit_of(revision)
    except RepositoryError:
        return ()
    return () if commit is None else history_of(workspace.tree(commit).read(path), path)
