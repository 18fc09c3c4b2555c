"""Counting: how many examples of a state a definition matches. Made when asked for, never stored (B18).

One pass over the data serves any number of definitions, and holds no example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.dataset import DatasetSpec
from heldout.domain.example import Example
from heldout.domain.slicing.compiler import Samples
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.evaluation import NO_SAMPLES, Checkable, Tally, compile_definition, draw_samples
from heldout.domain.slicing.evaluation import count as tally
from heldout.domain.slicing.sample import Draw
from heldout.domain.slicing.views import Change, Chosen, Column, Counted, Membership, Shown, SliceTable
from heldout.domain.text import text_of
from heldout.errors import DataError, MissingDataError
from heldout.services.contents import open_data, read_contents
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.slicing.use import Target, choose_all, find_target
from heldout.services.sources import DataSource
from heldout.services.workspace import Located, Workspace
from heldout.storage.quick.rows import QuickRow, is_quick, quick_rows
from heldout.storage.rows import RowMapper


def count(
    workspace: Workspace, located: Located, definitions: Sequence[Definition], progress: Progress = SILENT
) -> list[Counted]:
    """One count for each definition, in one pass. Raises DataError, MissingDataError."""
    if not definitions:
        return []
    spec = located.state.spec
    progress.stage(f"counting in {located.subject}")
    keyless = spec.fields.key is None and any(definition.sample for definition in definitions)
    if keyless or any(definition.sampled_references() for definition in definitions):
        # A sample needs keys; where nobody gave them they are derived, which takes a pass before.
        rows = read_contents(workspace, located, progress).examples
        return _counted(definitions, rows(), draw_samples(definitions, rows))
    return _counted(definitions, rows_to_count(spec, open_data(workspace, located, progress)))


def rows_to_count(spec: DatasetSpec, data: DataSource) -> Iterator[Example | QuickRow]:
    """Examples one after the other, each valid until the next one is asked for; without digests, and not all keys.

    Raises DataError for a row that cannot be read exactly.
    """
    if spec.on_bad_row == "skip" or any(spec.lookup_paths()) or spec.payloads is not None:
        skip = _ignore if spec.on_bad_row == "skip" else None
        yield from (example for _, example in examples(spec, data, skip))
        return
    mapper = RowMapper(spec)
    for item in spec.data:
        for name, stream in data.open(item.path):
            if is_quick(spec, item, name):
                yield from quick_rows(stream, spec, item, name, mapper)
            else:
                yield from mapper.examples(stream, item, name)


def _ignore(error: DataError) -> None:
    """A skipped row is no example: dataset.yaml says so, and scans count them."""


class _Counter:
    """One definition's numbers while examples stream by."""

    def __init__(self, definition: Definition, samples: Samples = NO_SAMPLES) -> None:
        self.check: Callable[[Checkable], bool | None] = compile_definition(definition, samples)
        self.draw = Draw(definition.sample) if definition.sample else None
        self.matched = self.unmatched = self.unevaluable = 0

    def add(self, example: Example | QuickRow) -> bool | None:
        truth = self.check(example)
        if truth:
            self.matched += 1
            if self.draw is not None:
                assert example.key is not None
                self.draw.add(example.split, example.key, example.metadata)
        elif truth is None:
            self.unevaluable += 1
        else:
            self.unmatched += 1
        return truth

    def result(self) -> Counted:
        numbers = Tally(self.matched, self.unmatched, self.unevaluable)
        return Counted(numbers, self.draw.result(unevaluable=numbers.unevaluable) if self.draw else None)


def _counted(
    definitions: Sequence[Definition], rows: Iterable[Example | QuickRow], samples: Samples = NO_SAMPLES
) -> list[Counted]:
    if len(definitions) == 1 and definitions[0].sample is None:
        return [Counted(tally(definitions[0], rows, samples))]
    counters = [_Counter(definition, samples) for definition in definitions]
    adds = [counter.add for counter in counters]
    for example in rows:
        for add in adds:
            add(example)
    return [counter.result() for counter in counters]


def table(workspace: Workspace, target: Target, progress: Progress = SILENT, *, counts: bool = True) -> SliceTable:
    """The slices view (B19): for a working copy, its counts and those of the latest version side by side.

    Both columns use the definitions of the target. Data of the latest version that cannot be had is a column that says
    so; data of the target itself raises.
    """
    chosen = tuple(choose_all(target))
    definitions = [item.definition for item in chosen]
    if not (counts and definitions):
        return SliceTable(target.dataset, chosen, ())
    columns = [Column(str(target.located.subject), tuple(count(workspace, target.located, definitions, progress)))]
    if target.located.commit is None and (versions := workspace.versions_of(target.dataset)):
        latest = find_target(workspace, str(versions[-1].name)).located
        columns.append(_column(workspace, latest, definitions, progress))
    return SliceTable(target.dataset, chosen, tuple(columns))


def _column(workspace: Workspace, located: Located, definitions: Sequence[Definition], progress: Progress) -> Column:
    name = str(located.subject)
    try:
        return Column(name, tuple(count(workspace, located, definitions, progress)))
    except MissingDataError as error:
        return Column(name, problem=error.message)


def membership(
    workspace: Workspace,
    located: Located,
    definition: Definition,
    progress: Progress = SILENT,
    *,
    shown: int = 0,
    with_text: bool = False,
) -> Membership:
    """Who is in, by split and key; the first `shown` of them as examples, with their text on request only."""
    contents = read_contents(workspace, located, progress)
    counter = _Counter(definition, draw_samples([definition], contents.examples))
    matching = [(example.split, str(example.key)) for example in contents.examples() if counter.add(example)]
    counted = counter.result()
    members = matching if counted.drawn is None else list(counted.drawn.members)
    wanted = dict.fromkeys(members[:shown])
    texts: dict[tuple[str, str], str] = {}
    if with_text and wanted:
        for example in contents.examples():
            address = (example.split, str(example.key))
            if address in wanted and example.has_input:
                texts[address] = text_of(example.input)
    listed = tuple(Shown(*address, texts.get(address)) for address in wanted)
    return Membership(str(located.subject), counted, tuple(members), listed)


def change(
    workspace: Workspace, located: Located, before: Chosen, after: Chosen, progress: Progress = SILENT
) -> Change:
    """Who enters and who leaves when one definition takes the place of another, over the same examples."""
    contents = read_contents(workspace, located, progress)
    samples = draw_samples([before.definition, after.definition], contents.examples)
    counters = (_Counter(before.definition, samples), _Counter(after.definition, samples))
    inside: tuple[dict[tuple[str, str], None], ...] = ({}, {})
    for example in contents.examples():
        for counter, found in zip(counters, inside, strict=True):
            if counter.add(example):
                found[example.split, str(example.key)] = None
    first, second = (counter.result() for counter in counters)
    old, new = (
        dict.fromkeys(result.drawn.members) if result.drawn else found
        for result, found in zip((first, second), inside, strict=True)
    )
    return Change(
        subject=str(located.subject),
        before=str(before),
        after=str(after),
        counts=(first, second),
        entered=tuple(address for address in new if address not in old),
        left=tuple(address for address in old if address not in new),
        stayed=sum(address in old for address in new),
    )


@dataclass(frozen=True, slots=True)
class Selection:
    """A definition's count over a subject that was read, and which examples it selects."""

    definition: Definition
    counted: Counted
    samples: Samples

    @classmethod
    def of(cls, definition: Definition, rows: Callable[[], Iterable[Example]]) -> Selection:
        """`rows` gives the subject's examples, with keys, as often as it is called."""
        samples = draw_samples([definition], rows)
        return cls(definition, _counted([definition], rows(), samples)[0], samples)

    def select(self, rows: Iterable[Example]) -> Iterator[Example]:
        """Those of the same examples that are in, in their order. A sample is drawn from all splits."""
        check = compile_definition(self.definition, self.samples)
        drawn = None if self.counted.drawn is None else frozenset(self.counted.drawn.members)
        for example in rows:
            if check(example) and (drawn is None or (example.split, example.key) in drawn):
                yield example
