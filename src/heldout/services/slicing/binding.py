"""What a definition's references to other slices mean: looked up in one tree, among the slices of the same dataset.

A reference names a recorded definition, and the digest of the one that refers covers the digest of the other. So there
is no cycle: a definition can refer to what was recorded before it only. And nothing that happens to the other slice
later changes what was recorded: its entries stay, and another number is another definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.reference import SliceReference
from heldout.domain.slicing.rules import MAX_NESTING
from heldout.domain.slicing.slices import Recorded, Slice
from heldout.errors import ConfigError, HeldoutError, UsageError
from heldout.storage.catalog import ROOT
from heldout.storage.slicing.file import parse_slice, slice_of_path, slice_path
from heldout.storage.trees import FileTree


class UnknownReference(ConfigError):
    """A file refers to a definition that is not recorded (slug unknown-slice-reference); `name` is that slice's."""

    name = ""


def _too_deep(path: str | None) -> HeldoutError:
    message = f"slices refer to slices more than {MAX_NESTING} deep"
    if path is None:
        return UsageError("slice-too-deep", message)
    return ConfigError("slice-too-deep", message, file=path, field="definition")


class Binder:
    """References of one dataset's slices in one tree, or in what it is about to become."""

    def __init__(self, tree: FileTree, dataset: str) -> None:
        self._tree = tree
        self._dataset = dataset
        self._slices: dict[str, Slice | None] = {}
        self._changed: dict[str, bytes] = {}

    def change(self, path: str, data: bytes) -> None:
        """From now on the file is this."""
        self._changed[path] = data
        self._slices.clear()

    def slice(self, item: Slice, path: str) -> Slice:
        """A slice whose definition, as it stands, has the meaning of its references."""
        return replace(item, definition=self.bind(item.definition, path))

    def entry(self, entry: Recorded, path: str) -> Recorded:
        return replace(entry, definition=self.bind(entry.definition, path))

    def bind(self, definition: Definition, path: str | None = None, depth: int = 0) -> Definition:
        """The definition with what its references mean.

        `path` is the file it stands in, None for one that was typed. Raises ConfigError, or UsageError where there is
        no file (slugs unknown-slice-reference, slice-too-deep), and what reading the other slice's file raises.
        """
        texts = definition.references()
        if not texts:
            return definition
        if depth >= MAX_NESTING:
            raise _too_deep(path)
        found = {text: self._meaning(text, path, depth) for text in texts}
        return replace(definition, referenced=found)

    def _meaning(self, text: str, path: str | None, depth: int) -> Definition:
        reference = SliceReference.parse(text)
        assert reference is not None  # conditions are valid by construction
        entries = self._entries(reference)
        if len(entries) != 1:
            raise self._unknown(reference, entries, path)
        return self.bind(entries[0].definition, path, depth + 1)

    def _entries(self, reference: SliceReference) -> list[Recorded]:
        item = self._slice(reference.name)
        entries = list(item.find(reference)) if item else []
        if not entries and reference.full_digest is not None:
            # The slice was renamed, or a merge kept another file: the digest is the definition, whoever has it.
            others = (self._slice(name) for name in self._names())
            found = (other.find_digest(reference.full_digest) for other in others if other)
            entries = [entry for entry in found if entry is not None][:1]
        return entries

    def _names(self) -> list[str]:
        paths = {*self._tree.paths(f"{ROOT}/{self._dataset}/slices"), *self._changed}
        parts = (slice_of_path(path) for path in sorted(paths))
        return [found[1] for found in parts if found is not None and found[0] == self._dataset]

    def _slice(self, name: str) -> Slice | None:
        if name not in self._slices:
            path = slice_path(self._dataset, name)
            data = self._changed.get(path)
            data = self._tree.read(path) if data is None else data
            self._slices[name] = None if data is None else parse_slice(data, path)
        return self._slices[name]

    def _unknown(self, reference: SliceReference, found: list[Recorded], path: str | None) -> HeldoutError:
        item = self._slice(reference.name)
        if found:
            message = f"{reference} can mean {', '.join(f'#{entry.number}' for entry in found)}"
            hint = "write more of the digest"
        elif item is None:
            message = f"there is no slice {reference.name!r} to refer to"
            hint = f"slices of {self._dataset}: {', '.join(self._names()) or 'none yet'}"
        else:
            message = f"slice {item.name} has no recorded definition {reference}"
            hint = f"it has the numbers 1 to {len(item.history)}" if item.history else "it has none: heldout slice save"
        if path is None:
            return UsageError("unknown-slice-reference", message, hint=hint)
        error = UnknownReference("unknown-slice-reference", message, file=path, field="definition", hint=hint)
        error.name = reference.name
        return error


def in_order(paths: Mapping[str, str], step: Callable[[str], None]) -> None:
    """Do `step` for the file of every slice, given by the slice's name, those first that others refer to.

    A step that raises UnknownReference is tried again after the others. Raises the first such error that no order
    helps, or ConfigError (slug slice-cycle) where slices wait for each other.
    """
    left = list(paths)
    while left:
        waiting: dict[str, UnknownReference] = {}
        for name in left:
            try:
                step(paths[name])
            except UnknownReference as error:
                waiting[name] = error
        if len(waiting) == len(left):
            first = next((error for error in waiting.values() if error.name not in waiting), None)
            raise first or _cycle(waiting)
        left = list(waiting)


def _cycle(waiting: dict[str, UnknownReference]) -> ConfigError:
    first = next(iter(waiting.values()))
    others = ", ".join(waiting)
    what = f"{others} refers to itself" if len(waiting) == 1 else f"{others} refer to each other"
    message = f"{what}, and a definition can refer to recorded ones only"
    hint = "Save one of them without the reference first; its number can be referred to from then on."
    return ConfigError("slice-cycle", message, file=first.file, field="definition", hint=hint)
