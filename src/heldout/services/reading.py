"""Reading one version: rows become examples, examples become members, and distinct inputs keep their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heldout.domain.dataset import CASE_SCHEMA, DatasetSpec, SplitRule
from heldout.domain.example import JSON, Example
from heldout.domain.members import Member, content_digest
from heldout.errors import ConfigError, DataError, HeldoutError
from heldout.services.payloads import Rows, with_payloads
from heldout.services.progress import SILENT, Progress
from heldout.services.sources import DataSource
from heldout.storage.rows import RowMapper, read_lookup

if TYPE_CHECKING:
    from heldout.services.matching.texts import TextStore
    from heldout.services.row_stream import RowStream
    from heldout.storage.member_builder import MemberBuilder
    from heldout.storage.member_table import MemberTable


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a scan needs of one version.

    `members` is a table (`heldout.storage.member_table`) of which a row becomes a `Member` when somebody asks for it.
    `texts` maps the digest of each distinct readable input to its text (B30); where the version was read into a
    `store`, which has them for scans, they are read once more when somebody asks.
    `sources` says of which example's key a row, by its number, was made, where the dataset declares `source_id`;
    `groups` of which one of each declared group a row is.
    `incomplete` says why not every example can be scanned; empty when every one can.
    """

    spec: DatasetSpec
    source: str
    members: Sequence[Member]
    texts: Mapping[str, str]
    payload_missing: int
    skipped: tuple[DataError, ...]
    empty_splits: tuple[str, ...]
    sources: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def content(self) -> str:
        columns = _columns(self.members)
        return content_digest(self.members) if columns is None else columns.content_digest()

    @property
    def by_split(self) -> dict[str, int]:
        columns = _columns(self.members)
        return dict(Counter(member.split for member in self.members)) if columns is None else columns.by_split()

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


def _columns(members: Sequence[Member]) -> MemberTable | None:
    """The members' table, where they are one."""
    from heldout.storage.member_table import MemberTable

    return members if isinstance(members, MemberTable) else None


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
) -> Rows:
    lookups = {path: lookup_table(data, path) for path in spec.lookup_paths()}
    mapper = RowMapper(spec, lookups, own_names=own_names)
    for item in spec.data:
        for name, stream in data.open(item.path):
            for example in mapper.examples(stream, item, name, on_bad_row):
                yield name, example


def lookup_table(data: DataSource, path: str) -> Mapping[str, JSON]:
    """The object that a lookup file holds."""
    files = [(name, stream.read()) for name, stream in data.open(path)]
    return read_lookup(b"".join(content for _, content in files), files[0][0] if files else path)


def read_version(
    spec: DatasetSpec,
    source: str,
    data: DataSource,
    *,
    keep_texts: bool = True,
    progress: Progress = SILENT,
    store: TextStore | None = None,
) -> Reading:
    """Read every example of one state of a dataset; its texts go into `store`, for a scan.

    Raises DataError for a row that cannot be read exactly (unless dataset.yaml says `on_bad_row: skip`), ConfigError
    (slug holdout-absent) for a declared holdout that no data has, TamperedError for bytes that are not what DVC
    recorded.
    """
    from heldout.services.row_stream import RowStream, TextsAgain
    from heldout.services.splitting.case_rows import check_between
    from heldout.services.splitting.grouping import read_groups
    from heldout.services.splitting.lineage import read_sources
    from heldout.storage.caches.digest_index import DigestIndex
    from heldout.storage.member_builder import MemberBuilder

    progress.stage(f"reading {spec.name}")
    if spec.schema is not None and spec.schema.name == CASE_SCHEMA:
        check_between(spec, data)
    rows = RowStream(spec, data, skip_bad_rows=spec.on_bad_row == "skip")
    builder = MemberBuilder(DigestIndex() if store is None else store.index, store)
    if store is not None:
        store.begin(rows.again)
    table, skipped = _collected(rows, builder, progress)
    declared = declared_splits(spec)
    _check_holdout(spec, {*table.splits} | declared)
    return Reading(
        spec=spec,
        source=source,
        members=table,
        texts=TextsAgain(rows) if keep_texts else {},
        payload_missing=len(table) - int(table.inline.sum()),
        skipped=tuple(skipped),
        empty_splits=tuple(sorted(declared - {*table.splits})),
        sources=read_sources(spec, data),
        groups=read_groups(spec, data),
    )


def _collected(rows: RowStream, builder: MemberBuilder, progress: Progress) -> tuple[MemberTable, list[DataError]]:
    """All rows, and those that were skipped."""
    skipped: list[DataError] = []
    with _repeated_keys(builder):
        for file, facts in rows.facts(skipped.append):
            builder.add(*facts[:4], (builder.file(file), facts.line))
            progress.advance()
        return builder.table(), skipped


@contextmanager
def _repeated_keys(builder: MemberBuilder) -> Iterator[None]:
    """Keys are looked at now and then only, so one that is repeated may come before another error."""
    from heldout.storage.member_builder import RepeatedKeyError

    try:
        try:
            yield
        except HeldoutError:
            builder.check_keys()
            raise
    except RepeatedKeyError as error:
        (file, line), (first, first_line) = error.row, error.first
        raise DataError(
            "repeated-key",
            f"the key {error.key!r} is already used in split {error.split!r}, at {builder.files[first]}:{first_line}",
            file=builder.files[file],
            line=line,
            hint="keys are unique in their split; leave out fields.key to let Heldout derive them",
        ) from None


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
