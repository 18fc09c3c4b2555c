"""Reading one version: rows become examples, examples become members, and distinct inputs keep their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from heldout.domain.dataset import DatasetSpec, SplitRule
from heldout.domain.example import JSON, Example
from heldout.domain.members import Member, content_digest, member_of, with_derived_keys
from heldout.domain.pool import Holding
from heldout.domain.text import text_of
from heldout.errors import ConfigError, DataError
from heldout.services.payloads import with_payloads
from heldout.services.progress import SILENT, Progress
from heldout.services.sources import DataSource
from heldout.storage.readers import read_rows
from heldout.storage.rows import RowMapper, read_lookup


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a scan needs of one version. `texts` maps the digest of each distinct readable input to its text (B30).

    `incomplete` says why not every example can be scanned; empty when every one can.
    """

    spec: DatasetSpec
    source: str
    members: tuple[Member, ...]
    texts: Mapping[str, str]
    payload_missing: int
    skipped: tuple[DataError, ...]
    empty_splits: tuple[str, ...]

    @property
    def content(self) -> str:
        return content_digest(self.members)

    @property
    def by_split(self) -> dict[str, int]:
        return dict(Counter(member.split for member in self.members))

    @property
    def holdout_splits(self) -> tuple[str, ...]:
        return tuple(sorted(split for split in self.by_split if self.spec.is_holdout(split)))

    @property
    def incomplete(self) -> tuple[str, ...]:
        reasons = []
        if self.skipped:
            reasons.append(f"rows that could not be read and were skipped: {len(self.skipped)}")
        if self.payload_missing:
            reasons.append(f"inputs kept outside and not readable: {self.payload_missing}")
        reasons += [f"the declared split {split!r} has no example" for split in self.empty_splits]
        return tuple(reasons)

    def holding(self) -> Holding:
        return Holding(
            self.spec.name, self.source, self.members, frozenset(self.holdout_splits), complete=not self.incomplete
        )


def examples(
    spec: DatasetSpec,
    data: DataSource,
    on_bad_row: Callable[[DataError], None] | None = None,
    *,
    own_names: bool = True,
) -> Iterator[tuple[str, Example]]:
    """(file, example) for every row, streamed in the order of dataset.yaml and of the files; keys not yet derived.

    Without `on_bad_row` the first row that cannot be read exactly raises its DataError. Without `own_names` only what
    `fields` maps is read of a row. Inputs kept outside are filled in where their store can be read here.
    """
    rows = _rows(spec, data, on_bad_row, own_names=own_names)
    return rows if spec.payloads is None else with_payloads(rows, spec.payloads, data)


def _rows(
    spec: DatasetSpec, data: DataSource, on_bad_row: Callable[[DataError], None] | None, *, own_names: bool
) -> Iterator[tuple[str, Example]]:
    lookups = {path: _lookup(data, path) for path in spec.lookup_paths()}
    mapper = RowMapper(spec, lookups, own_names=own_names)
    for item in spec.data:
        for name, stream in data.open(item.path):
            for row in read_rows(stream, item, name, on_bad_row):
                try:
                    example = mapper.example(row, item, name)
                except DataError as error:
                    if on_bad_row is None:
                        raise
                    on_bad_row(error)
                else:
                    yield name, example


def _lookup(data: DataSource, path: str) -> Mapping[str, JSON]:
    files = [(name, stream.read()) for name, stream in data.open(path)]
    return read_lookup(b"".join(content for _, content in files), files[0][0] if files else path)


@dataclass(slots=True)
class _Collected:
    members: list[Member] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    payload_missing: int = 0
    skipped: list[DataError] = field(default_factory=list)
    places: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def add(self, file: str, example: Example, *, keep_texts: bool) -> None:
        member = member_of(example)
        if example.key is not None:
            self._check_key(file, example)
        if not example.has_input:
            self.payload_missing += 1
        elif keep_texts and member.input not in self.texts:
            self.texts[member.input] = text_of(example.input)
        self.members.append(member)

    def _check_key(self, file: str, example: Example) -> None:
        address = (example.split, str(example.key))
        first = self.places.get(address)
        if first is not None:
            raise DataError(
                "repeated-key",
                f"the key {example.key!r} is already used in split {example.split!r}, at {first[0]}:{first[1]}",
                file=file,
                line=example.line,
                hint="keys are unique in their split; leave out fields.key to let Heldout derive them",
            )
        self.places[address] = (file, example.line)


def read_version(
    spec: DatasetSpec, source: str, data: DataSource, *, keep_texts: bool = True, progress: Progress = SILENT
) -> Reading:
    """Read every example of one state of a dataset.

    Raises DataError for a row that cannot be read exactly (unless dataset.yaml says `on_bad_row: skip`), ConfigError
    (slug holdout-absent) for a declared holdout that no data has, TamperedError for bytes that are not what DVC
    recorded.
    """
    collected = _Collected()
    on_bad_row = collected.skipped.append if spec.on_bad_row == "skip" else None
    progress.stage(f"reading {spec.name}")
    for file, example in examples(spec, data, on_bad_row):
        collected.add(file, example, keep_texts=keep_texts)
        progress.advance()
    found = {member.split for member in collected.members}
    declared = declared_splits(spec)
    _check_holdout(spec, found | declared)
    return Reading(
        spec=spec,
        source=source,
        members=with_derived_keys(collected.members),
        texts=collected.texts,
        payload_missing=collected.payload_missing,
        skipped=tuple(collected.skipped),
        empty_splits=tuple(sorted(declared - found)),
    )


def declared_splits(spec: DatasetSpec) -> set[str]:
    """Splits that dataset.yaml names one by one, so that they are missed when no example is in them."""
    declared: set[str] = set()
    for item in spec.data:
        if isinstance(item.split, str):
            declared.add(item.split)
        elif isinstance(item.split, SplitRule):
            declared |= {*item.split.values.values(), *item.split.ranges}
    return declared


def _check_holdout(spec: DatasetSpec, splits: set[str]) -> None:
    for name in spec.holdout or ():
        if name not in splits:
            raise ConfigError(
                "holdout-absent",
                f"the holdout split {name!r} is in no data; splits are {', '.join(sorted(splits)) or 'none'}",
                file=f"datasets/{spec.name}/dataset.yaml",
                field="holdout",
                hint="name a split that the data has",
            )
