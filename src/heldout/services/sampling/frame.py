"""`heldout sample frame`: the units of a dataset's state, of one of its slices, or of any file, by stratum.

Only names of units leave: a key with its split, or a file's id. No text, and no label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON, Example
from heldout.domain.paths import Missing, lookup, parse_path
from heldout.domain.sampling.frame import ALL, Frame, Population, unit_name
from heldout.errors import DataError, UsageError
from heldout.services.contents import read_contents
from heldout.services.load import choose_splits
from heldout.services.progress import SILENT, Progress
from heldout.services.slicing.counting import Selection
from heldout.services.slicing.use import choose, find_target
from heldout.services.sources import open_files
from heldout.services.workspace import Workspace
from heldout.storage.new_files import new_files
from heldout.storage.readers import read_rows
from heldout.storage.sampling.frame_file import frame_lines

MOST_STRATA, LONGEST = 200, 100
"""Names of strata are values of a field, and a field of texts must not end up in a file of names."""


@dataclass(frozen=True, slots=True)
class Strata:
    """How a unit finds its stratum: the value at `by`, put together by `groups`, or `rest` where neither says.

    `by` is a field path: of a file's row; of an example `split`, `expected`, `metadata.KEY`, `input.PATH` and the like.
    Without it every unit is in one stratum.
    """

    by: str | None = None
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rest: str | None = None

    def finder(self) -> Finder:
        return Finder(self)


class Finder:
    """Names the stratum of one unit after the other."""

    def __init__(self, strata: Strata) -> None:
        """Raises UsageError (slugs bad-path, bad-value)."""
        self._strata = strata
        try:
            self._path = None if strata.by is None else parse_path(strata.by)
        except ValueError as error:
            raise UsageError("bad-path", f"--by {strata.by!r} is no field path: {error}") from None
        self._group: dict[str, str] = {}
        for name, values in strata.groups.items():
            for value in values:
                if value in self._group:
                    message = f"{value!r} is in the strata {self._group[value]} and {name}"
                    raise UsageError("bad-value", message, hint="a unit is in one stratum")
                self._group[value] = name
        self.unused = set(self._group)

    def stratum(self, row: JSON, name: str, file: str, line: int | None) -> str:
        """Raises DataError (slug no-stratum)."""
        strata = self._strata
        if self._path is None:
            return ALL
        found = lookup(row, self._path)
        value = None if found is None or isinstance(found, Missing) else _text(found)
        if value is not None and not self._group:
            return value
        if value is not None and value in self._group:
            self.unused.discard(value)
            return self._group[value]
        if strata.rest is None:
            what = f"has no value at {strata.by}" if value is None else f"has {value!r} at {strata.by}, in no stratum"
            hint = "name the stratum of what is left: --rest other"
            raise DataError("no-stratum", f"the unit {name!r} {what}", file=file, line=line, hint=hint)
        return strata.rest


def _text(value: JSON) -> str:
    """A text as it is, anything else as canonical JSON: 3, true."""
    return value if isinstance(value, str) else canonical_json(value).decode("utf-8")


def frame_of_subject(
    workspace: Workspace,
    subject: str,
    population: Population,
    strata: Strata,
    *,
    splits: tuple[str, ...] = (),
    slice_text: str | None = None,
    progress: Progress = SILENT,
) -> Frame:
    """Units are `SPLIT/KEY`.

    Raises UsageError (slugs unknown-dataset, unknown-slice, unknown-split), DataError (slug no-stratum).
    """
    target = find_target(workspace, subject, slice_text)
    chosen = choose(target) if target.reference else None
    contents = read_contents(workspace, target.located, progress)
    wanted = choose_splits(contents, subject, splits)
    rows: Iterator[Example] = contents.examples()
    if chosen is not None:
        rows = Selection.of(chosen.definition, contents.examples).select(rows)
    source = {
        "subject": str(target.located.subject),
        "dataset": target.dataset,
        "content": contents.reading.content,
        "splits": ", ".join(wanted),
        **({} if chosen is None else {"slice": str(chosen), "slice_digest": chosen.digest}),
        **({} if strata.by is None else {"strata_by": strata.by}),
    }
    finder = strata.finder()
    members = (
        (name := f"{example.split}/{example.key}", finder.stratum(_as_row(example), name, subject, example.line))
        for example in rows
        if example.split in wanted
    )
    return _made(population, source, dict(members), finder)


def _as_row(example: Example) -> JSON:
    return {"split": example.split, **example.content()}


def frame_of_file(path: str, key: str, population: Population, strata: Strata) -> Frame:
    """Units are what stands at the field `key`. Raises DataError (slugs repeated-unit, no-stratum, missing-key)."""
    finder, at = strata.finder(), parse_path(key)
    members: dict[str, str] = {}
    for _, name, stream, _ in open_files(Path(path), path):
        for row in read_rows(stream, DataFile(name), name):
            unit = unit_name(lookup(row.value, at))
            if unit is None:
                hint = "--id names the field that tells units apart"
                raise DataError("missing-key", f"no id at {key!r}", file=name, line=row.line, field=key, hint=hint)
            if unit in members:
                message = f"the unit {unit!r} comes twice"
                raise DataError("repeated-unit", message, file=name, line=row.line, hint="every unit can be drawn once")
            members[unit] = finder.stratum(row.value, unit, name, row.line)
    source = {"file": Path(path).name, **({} if strata.by is None else {"strata_by": strata.by})}
    return _made(population, source, members, finder)


def _made(population: Population, source: Mapping[str, str], members: Mapping[str, str], finder: Finder) -> Frame:
    if finder.unused:
        message = f"no unit has the value {min(finder.unused)!r}, which --group names"
        raise UsageError("bad-value", message, hint="check its spelling")
    strata = set(members.values())
    if len(strata) > MOST_STRATA or any(len(name) > LONGEST for name in strata):
        message = (
            f"{len(strata):,} strata, the longest of {max(map(len, strata)):,} characters: that is no stratification"
        )
        hint = f"{MOST_STRATA} at most, of {LONGEST} characters: --group puts values together, --rest takes the others"
        raise UsageError("bad-value", message, hint=hint)
    if not members:
        raise UsageError("no-rows", "there is no unit in the frame", hint="check the splits and the slice")
    return Frame.of(population, source, members.items())


def write_frame(frame: Frame, path: Path) -> None:
    """Raises UsageError (slug output-exists)."""
    with new_files([path]) as (stream,):
        for line in frame_lines(frame):
            stream.write(line)
