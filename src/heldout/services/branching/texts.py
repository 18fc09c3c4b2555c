"""The texts of examples that a report names, for those who asked to see them. They go to a screen, never to a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from heldout.domain.deciding.review import SideName
from heldout.domain.finding import Side
from heldout.domain.text import text_of
from heldout.errors import HeldoutError
from heldout.services.branching.ends import Ends
from heldout.services.contents import read_contents
from heldout.services.progress import Progress
from heldout.services.workspace import Located
from heldout.storage.catalog import DatasetState


def texts_of(ends: Ends, sides: Iterable[Side], progress: Progress) -> dict[SideName, str]:
    """Text by side. Each state is read once; an example that no state here holds stays without its text."""
    wanted: defaultdict[str, set[SideName]] = defaultdict(set)
    places = _places(ends)
    for side in sides:
        source = next((source for source in places if source in side.versions), None)
        if source is not None:
            wanted[source].add(side.identity())
    found: dict[SideName, str] = {}
    for source, names in wanted.items():
        try:
            found |= _read(ends, places[source], names, progress)
        except HeldoutError as error:
            progress.note(f"texts cannot be shown: {error}")
    return found


def _places(ends: Ends) -> dict[str, Located]:
    """Where each content can be read, the head's first."""
    before, after = ends.states
    places: dict[str, Located] = {}
    for states, commit in ((after, ends.head), (before, ends.base)):
        for state in states.values():
            if isinstance(state, DatasetState):
                places.setdefault(state.source, ends.located(state, commit))
    for version in ends.after.versions:
        if version.holdout is not None and version.source not in places:
            state = ends.workspace.catalog(version.commit).state(version.dataset)
            places[version.source] = ends.located(state, version.commit)
    return places


def _read(ends: Ends, place: Located, names: set[SideName], progress: Progress) -> dict[SideName, str]:
    contents = read_contents(ends.workspace, place, progress)
    found = {}
    for member, example in zip(contents.reading.members, contents.examples(), strict=True):
        name = (place.state.name, member.split, member.key, member.input)
        if name in names and example.has_input:
            found[name] = text_of(example.input)
    return found
