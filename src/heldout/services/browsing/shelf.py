"""Texts of findings at hand: one pass over a version's data serves the finding that is shown and those after it."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence

from heldout.domain.example import Example
from heldout.domain.finding import Finding, Side
from heldout.errors import HeldoutError
from heldout.services.findings import Address, ExampleReader
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Located, Workspace

MOST_EXAMPLES = 20_000
"""Examples kept in memory; the ones that were asked for longest ago go first."""

MOST_CHARACTERS = 32_000_000
"""All texts together, about; a dataset of long documents keeps fewer examples."""


AGAIN_SECONDS = 20
"""How long data that could not be read is taken to be out of reach."""


class Shelf:
    """Examples by (dataset, split, key, input). In memory only, for as long as the program runs."""

    def __init__(self) -> None:
        self._examples: OrderedDict[tuple[str, ...], Example] = OrderedDict()
        self._characters = 0
        self._failed: dict[str, tuple[float, HeldoutError]] = {}

    def pair(
        self, workspace: Workspace, finding: Finding, ahead: Sequence[Finding], progress: Progress = SILENT
    ) -> tuple[Example, Example]:
        """Both examples of a finding. Where one has to be read, those of `ahead` are taken along.

        Raises MissingDataError (slug example-out-of-reach, fetch-failed).
        """
        sides = (finding.a, finding.b)
        if any(side.identity() not in self._examples for side in sides):
            self._fill(workspace, finding, ahead, progress)
        a, b = (self._examples[side.identity()] for side in sides)
        for side in sides:
            self._examples.move_to_end(side.identity())
        return a, b

    def _fill(self, workspace: Workspace, finding: Finding, ahead: Sequence[Finding], progress: Progress) -> None:
        reader = ExampleReader(workspace, None, progress, set(finding.a.versions) & set(finding.b.versions))
        found: dict[tuple[str, ...], Example] = {}
        for located, sides in _places(reader, finding, ahead):
            wanted: dict[Address, Side] = {(side.split, side.key, side.input): side for side in sides}
            for address, example in self._read(reader, located, wanted.keys()).items():
                found[wanted[address].identity()] = example
        for side in (finding.a, finding.b):
            if side.identity() not in found:
                found[side.identity()] = reader.example(side)
        for identity, example in reversed(found.items()):
            self._put(identity, example)

    def _read(self, reader: ExampleReader, located: Located, wanted: Collection[Address]) -> dict[Address, Example]:
        """Data that could not be had is not asked for again with every key that somebody presses."""
        source = located.state.source
        since, error = self._failed.get(source, (0.0, None))
        if error is not None and time.monotonic() - since < AGAIN_SECONDS:
            raise error
        try:
            return reader.read(located, wanted)
        except HeldoutError as failed:
            self._failed[source] = (time.monotonic(), failed)
            raise

    def _put(self, identity: tuple[str, ...], example: Example) -> None:
        old = self._examples.pop(identity, None)
        self._characters += _size(example) - (_size(old) if old else 0)
        self._examples[identity] = example
        while len(self._examples) > MOST_EXAMPLES or (self._characters > MOST_CHARACTERS and len(self._examples) > 2):
            _, gone = self._examples.popitem(last=False)
            self._characters -= _size(gone)


def _places(reader: ExampleReader, finding: Finding, ahead: Sequence[Finding]) -> Iterable[tuple[Located, list[Side]]]:
    """Where to read which sides: the finding's own first, then those of others that lie in the same states."""
    places: dict[str, tuple[Located, list[Side]]] = {}
    for side in (finding.a, finding.b):
        located = reader.place(side)
        places.setdefault(located.state.source, (located, []))[1].append(side)
    for other in ahead:
        for side in (other.a, other.b):
            for source, (_, sides) in places.items():
                if source in side.versions:
                    sides.append(side)
                    break
    return places.values()


def _size(example: Example) -> int:
    """Characters of a text; of anything else a guess that is large enough."""
    return len(example.input) if isinstance(example.input, str) else 2_000
