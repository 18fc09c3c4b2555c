"""Proposals for slices: values of metadata and tags with enough examples, and those that no slice covers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

from heldout.domain.canonical import canonical_json
from heldout.domain.example import Example
from heldout.domain.slicing.definition import Condition
from heldout.domain.slicing.evaluation import compile_definition, draw_samples
from heldout.domain.slicing.views import Suggestion, Suggestions
from heldout.services.contents import open_data, read_contents
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.slicing.use import Target, read_slices
from heldout.services.workspace import Located, Workspace

MIN_SUPPORT = 30
"""Examples that a proposed slice has at least (O2)."""

_MAX_VALUES = 1000
"""Values of one metadata key that are told apart: beyond them it names examples rather than kinds of examples."""


class _Values:
    """Conditions that hold for examples, how often, and how often some slice holds too; bounded per key."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self.covered: Counter[tuple[str, str, str]] = Counter()
        self.conditions: dict[tuple[str, str, str], Condition] = {}
        self.scattered: set[str] = set()
        self._of_key: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, example: Example, *, is_covered: bool) -> None:
        for tag in set(example.tags):
            self._add("tag", "", tag, is_covered=is_covered)
        for key, value in example.metadata.items():
            if isinstance(value, bool | int | float | str) and key and key not in self.scattered:
                self._add("metadata", key, value, is_covered=is_covered)

    def _add(self, subject: str, key: str, value: bool | int | float | str, *, is_covered: bool) -> None:
        place = (subject, key, canonical_json(value).decode())
        if place not in self.conditions:
            known = self._of_key[key]
            known.add(place[2])
            if subject == "metadata" and len(known) > _MAX_VALUES:
                self._forget(key)
                return
            self.conditions[place] = Condition(subject, key or None, "eq", value)
        self.counts[place] += 1
        self.covered[place] += is_covered

    def _forget(self, key: str) -> None:
        self.scattered.add(key)
        for text in self._of_key.pop(key):
            for table in (self.counts, self.covered, self.conditions):
                table.pop(("metadata", key, text), None)


def _rows(
    workspace: Workspace, located: Located, progress: Progress, *, keyed: bool
) -> Callable[[], Iterator[Example]]:
    """The examples, as often as they are asked for; with keys only where a sample needs them: that is a pass more."""
    if keyed:
        return read_contents(workspace, located, progress).examples
    spec = located.state.spec
    skip = (lambda _: None) if spec.on_bad_row == "skip" else None
    data = open_data(workspace, located, progress)
    return lambda: (example for _, example in examples(spec, data, skip))


def suggest(
    workspace: Workspace, target: Target, progress: Progress = SILENT, *, support: int = MIN_SUPPORT
) -> Suggestions:
    """Values with at least `support` examples, those with most first; one pass over the data."""
    located = target.located
    slices = read_slices(target.tree, target.dataset)
    definitions = [replace(item.definition, sample=None) for item in slices]
    rows = _rows(workspace, located, progress, keyed=any(item.sampled_references() for item in definitions))
    samples = draw_samples(definitions, rows)
    checks = [compile_definition(definition, samples) for definition in definitions]
    values, total = _Values(), 0
    progress.stage(f"reading {located.subject}")
    for example in rows():
        values.add(example, is_covered=any(check(example) for check in checks))
        total += 1
        progress.advance()
    places = sorted(values.counts, key=lambda place: (-values.counts[place], place))
    found = (
        Suggestion(values.conditions[place], values.counts[place], values.covered[place])
        for place in places
        if values.counts[place] >= support
    )
    rare = Counter(
        f"metadata.{key}" if subject == "metadata" else subject
        for subject, key, text in places
        if values.counts[subject, key, text] < support
    )
    names = tuple(item.name for item in slices)
    scattered = tuple(sorted(values.scattered))
    return Suggestions(str(located.subject), total, support, tuple(found), dict(rare), scattered, names)
