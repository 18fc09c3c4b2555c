"""Slices of one state of a dataset: finding them, choosing one of their definitions, and what suites must report."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from heldout.domain.names import Subject
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.slices import Slice, SliceReference
from heldout.domain.slicing.views import Chosen, Required
from heldout.errors import ConfigError, UsageError
from heldout.services.slicing.binding import Binder, UnknownReference
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import ROOT
from heldout.storage.slicing.file import parse_slice, slice_of_path, slice_path
from heldout.storage.trees import FileTree


@dataclass(frozen=True, slots=True)
class Target:
    """What a command is about: a state of a dataset, and perhaps one slice of it."""

    located: Located
    tree: FileTree
    reference: SliceReference | None = None

    @property
    def dataset(self) -> str:
        return self.located.state.name


def find_target(workspace: Workspace, text: str, slice_text: str | None = None) -> Target:
    """`support`, `support@v1.2.0` or either followed by `/german-billing`, `#NUMBER` or `@DIGEST` included.

    Where a dataset has that whole name, it is the dataset. Raises UsageError (unknown-dataset, bad-slice-reference).
    """
    if slice_text is not None:
        return _target(workspace, text, _reference(slice_text))
    subject, slash, last = text.rpartition("/")
    reference = SliceReference.parse(last) if slash else None
    if reference is None or _names_state(workspace, text):
        return _target(workspace, text, None)
    return _target(workspace, subject, reference)


def find_slice_target(workspace: Workspace, text: str) -> Target:
    """As `find_target`, for a command that needs a slice: `support/german-billing#2`."""
    subject, slash, last = text.rpartition("/")
    if not slash:
        hint = f"DATASET/SLICE, with #NUMBER or @DIGEST for an earlier definition; heldout slice list {text}"
        raise UsageError("bad-slice-reference", f"{text!r} names no slice", hint=hint)
    return _target(workspace, subject, _reference(last))


def _names_state(workspace: Workspace, text: str) -> bool:
    """Whether the whole text is a subject: a dataset called `a/b`, or a branch called `origin/main` after the @."""
    subject = Subject.parse(text)
    if subject.revision is None:
        return not workspace.git.bare and workspace.working_copy.has(subject.dataset)
    return "/" not in subject.revision or workspace.git.commit_of(subject.revision) is not None


def _target(workspace: Workspace, subject: str, reference: SliceReference | None) -> Target:
    located = workspace.find(subject)
    tree = workspace.tree(located.commit) if located.commit else workspace.working_copy.tree
    return Target(located, tree, reference)


def _reference(text: str) -> SliceReference:
    found = SliceReference.parse(text)
    if found is None:
        hint = "NAME, NAME#NUMBER or NAME@DIGEST with at least four digits"
        raise UsageError("bad-slice-reference", f"{text!r} is no reference to a slice", hint=hint)
    return found


def slice_paths(tree: FileTree, dataset: str) -> list[str]:
    """Files of a dataset's slices, sorted."""
    return [path for path in tree.paths(f"{ROOT}/{dataset}/slices") if _belongs(path, dataset)]


def _belongs(path: str, dataset: str) -> bool:
    found = slice_of_path(path)
    return found is not None and found[0] == dataset


def read_slices(tree: FileTree, dataset: str) -> list[Slice]:
    """Every slice of a dataset by name. Raises ConfigError for a file that is none, or whose history is broken."""
    binder = Binder(tree, dataset)
    return [binder.slice(parse_slice(tree.read(path) or b"", path), path) for path in slice_paths(tree, dataset)]


def read_slice(tree: FileTree, dataset: str, name: str) -> Slice:
    """Raises UsageError (slug unknown-slice), what `parse_slice` raises, and ConfigError for a slice that its
    definition refers to and that is not there."""
    return Binder(tree, dataset).slice(_parsed(tree, dataset, name), slice_path(dataset, name))


def _parsed(tree: FileTree, dataset: str, name: str) -> Slice:
    path = slice_path(dataset, name)
    data = tree.read(path)
    if data is None:
        names = [found[1] for path in slice_paths(tree, dataset) if (found := slice_of_path(path))]
        known = ", ".join(names) or f"none yet; heldout slice new {dataset} {name} --where '...'"
        raise UsageError("unknown-slice", f"{dataset} has no slice {name!r}", hint=f"slices of {dataset}: {known}")
    return parse_slice(data, path)


def bound(target: Target, definition: Definition) -> Definition:
    """A definition that somebody typed or built, with what its references to slices of the target's dataset mean.

    Raises UsageError (slug unknown-slice-reference).
    """
    return Binder(target.tree, target.dataset).bind(definition)


def choose(target: Target) -> Chosen:
    """The definition that the target's reference means; without a number or digest the one that stands in the file.

    Raises UsageError: unknown-slice, unknown-definition, ambiguous-definition.
    """
    reference = target.reference
    assert reference is not None
    binder, path = Binder(target.tree, target.dataset), slice_path(target.dataset, reference.name)
    item = _parsed(target.tree, target.dataset, reference.name)
    if reference.number is None and reference.digest is None:
        return Chosen.current(target.dataset, binder.slice(item, path))
    with suppress(UnknownReference):  # what is recorded can be had, whatever stands there now
        item = binder.slice(item, path)
    found = item.find(reference)
    if len(found) == 1:
        entry = binder.entry(found[0], path)
        return Chosen.recorded(target.dataset, item, entry)
    if found:
        shown = ", ".join(f"#{entry.number} {entry.digest[7:23]}" for entry in found)
        raise UsageError("ambiguous-definition", f"{reference} can mean {shown}", hint="write more of the digest")
    if reference.digest:
        item = binder.slice(item, path)
        if item.definition.digest.startswith(f"sha256:{reference.digest}"):
            return Chosen.current(target.dataset, item)
    known = f"numbers 1 to {len(item.history)}" if item.history else "no definition yet: heldout slice save"
    raise UsageError(
        "unknown-definition",
        f"slice {item.name} of {target.located.subject} has no definition {reference}",
        hint=f"it has {known}",
    )


def choose_all(target: Target) -> list[Chosen]:
    """The slice that the target names, or every slice of its dataset as it stands."""
    if target.reference is not None:
        return [choose(target)]
    return [Chosen.current(target.dataset, item) for item in read_slices(target.tree, target.dataset)]


def required_slices(target: Target) -> tuple[Required, ...]:
    """What every suite that uses this state has to report on its own (B24, B26).

    Raises ConfigError (slug slice-not-recorded) where a required slice's definition has no number yet: a result could
    not say which one it used.
    """
    return tuple(_required(target.dataset, item) for item in read_slices(target.tree, target.dataset) if item.required)


def _required(dataset: str, item: Slice) -> Required:
    current = item.current
    if current is None:
        raise ConfigError(
            "slice-not-recorded",
            f"the definition of the required slice {item.name} is not recorded, so it has no number",
            file=slice_path(dataset, item.name),
            field="definition",
            hint=f"heldout slice save {dataset} {item.name}, then commit",
        )
    return Required(item.name, current.number, current.digest)
