"""A mapping: how the rows of one tool's export become examples, results, or both (docs/importing.md)."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, field

from heldout.domain.example import JSON
from heldout.domain.importing.places import Many, Place
from heldout.domain.paths import MISSING

MAPPING_FORMAT = "heldout/mapping@1"
WHOLE = "*"
"""The key of metadata whose place holds an object that is taken as a whole."""

Limits = tuple[tuple[Place, tuple[JSON, ...]], ...]
"""Places, and the values that count there."""


@dataclass(frozen=True, slots=True)
class ExampleMap:
    """Rows as examples. `without` are keys that an input which is an object loses, the answer for one."""

    input: Place
    key: Place | None = None
    expected: Place | None = None
    split: Place | None = None
    tags: Place | None = None
    metadata: Dict[str, Place] = field(default_factory=dict)
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricMap:
    """Where a row's results stand, in one of three ways.

    `named`: each metric at its own place. `each`: a mapping from metric to result, or a list whose elements have `name`
    and `value`. `listed`: a list of names, each of which is a key of the row itself.
    """

    named: Dict[str, Place] = field(default_factory=dict)
    each: Place | None = None
    name: Place | None = None
    value: Place | None = None
    listed: Place | None = None


@dataclass(frozen=True, slots=True)
class StepMap:
    """A trajectory: the places of its steps in a row, and of tool, arguments and agent in a step."""

    steps: Many
    tool: Place
    arguments: Place | None = None
    agent: Place | None = None


@dataclass(frozen=True, slots=True)
class RunMap:
    """Rows as results.

    `values` says what texts mean (`C: true`); `rates` names metrics whose 1 and 0 are meant as true and false.
    `missing` are rows whose results do not count, an error of the provider for one: places and the values that say so.
    `excluded` holds the reason where it holds something. `provenance` is where Heldout's loaders wrote which version
    was run. `nan_is_missing` reads NaN, which is no JSON, as null.
    """

    key: Place
    metrics: MetricMap
    split: Place | None = None
    values: Dict[str, bool | float | None] = field(default_factory=dict)
    rates: frozenset[str] = frozenset()
    missing: Limits = ()
    excluded: Place | None = None
    trajectory: StepMap | None = None
    retrieved: Many | None = None
    dropped: Place | None = None
    route: Place | None = None
    confidence: Place | None = None
    metadata: Dict[str, Place] = field(default_factory=dict)
    provenance: Place | None = None
    nan_is_missing: bool = False


@dataclass(frozen=True, slots=True)
class ImportMap:
    """`rows` are the places where the list of rows may stand in a JSON document, the empty path for the document
    itself. `only` leaves rows out whose value at a place is none of those listed; what is not there counts as null.
    `apart` are places that tell several rows of one case apart. `header` are places in the document around the rows.
    """

    name: str
    about: str = ""
    format: str | None = None
    rows: tuple[tuple[str, ...], ...] = ((),)
    only: Limits = ()
    apart: tuple[Place, ...] = ()
    header: Dict[str, Place] = field(default_factory=dict)
    examples: ExampleMap | None = None
    run: RunMap | None = None

    def takes(self, row: JSON) -> bool:
        return all(says(row, *limit) for limit in self.only)


def says(row: JSON, place: Place, wanted: tuple[JSON, ...]) -> bool:
    """Whether one of the wanted values stands at a place."""
    found = place.value(row)
    return any(_same(None if found is MISSING else found, value) for value in wanted)


def _same(found: JSON, wanted: JSON) -> bool:
    """As JSON tells values apart: true is not 1."""
    return isinstance(found, bool) == isinstance(wanted, bool) and found == wanted
