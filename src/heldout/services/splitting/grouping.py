"""Which groups the examples of a version are of, where dataset.yaml declares `groups`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DatasetSpec
from heldout.domain.example import JSON
from heldout.domain.finding import Finding
from heldout.domain.paths import MISSING, Missing, lookup, parse_path
from heldout.domain.pool import Holding
from heldout.domain.splitting.grouping import Grouped, Groups, group_crossings
from heldout.errors import ConfigError, DataError
from heldout.services.reading import Reading, lookup_table
from heldout.services.sources import DataSource
from heldout.storage.readers import Row, read_rows
from heldout.storage.rows import RowMapper


def read_groups(spec: DatasetSpec, data: DataSource) -> dict[str, dict[int, str]]:
    """For each declared group which one each row is of, by the row's number; rows that are of none are left out.

    Raises ConfigError (slug group-absent) where no row has the field.
    """
    if not spec.groups:
        return {}
    paths = {name: parse_path(path) for name, path in spec.groups.items()}
    result: dict[str, dict[int, str]] = {name: {} for name in paths}
    for number, row in enumerate(_examples(spec, data)):
        for name, path in paths.items():
            value = group_of(lookup(row.value, path))
            if value is not None:
                result[name][number] = value
    for name, found in result.items():
        if not found:
            raise ConfigError(
                "group-absent",
                f"no row has a value in {spec.groups[name]!r}, which is the group {name!r}",
                file=f"datasets/{spec.name}/dataset.yaml",
                field="groups",
                hint="name a column or a JSON path that the rows have",
            )
    return result


def _examples(spec: DatasetSpec, data: DataSource) -> Iterator[Row]:
    """The rows that are examples: a version that skips rows it cannot read counts the others only."""
    mapper = RowMapper(spec, {path: lookup_table(data, path) for path in spec.lookup_paths()})
    skips = spec.on_bad_row == "skip"
    for item in spec.data:
        for name, stream in data.open(item.path):
            for row in read_rows(stream, item, name, _ignore if skips else None):
                if skips:
                    try:
                        mapper.example(row, item, name)
                    except DataError:
                        continue
                yield row


def _ignore(_: DataError) -> None:
    """Skipped rows were told of when they were read first."""


def group_of(value: JSON | Missing) -> str | None:
    """A text as it is, anything else as canonical JSON, so that 7 in JSON is "7" in csv; None for nothing."""
    if value is MISSING or value is None or value == "":
        return None
    return value if isinstance(value, str) else canonical_json(value).decode()


def groups_crossed(subject: Reading, others: Sequence[Reading]) -> tuple[Finding, ...]:
    """Groups in two splits: of the scanned version, or of it and any other version that declares them too."""
    if not subject.groups:
        return ()
    own, *rest = _crossing_only([subject, *(other for other in others if subject.groups.keys() & other.groups.keys())])
    return group_crossings(own, rest)


def _crossing_only(readings: Sequence[Reading]) -> list[Groups]:
    """The members whose group stands in more than one (dataset, split), or in a split that was a holdout elsewhere."""
    seen: defaultdict[tuple[str, str], set[tuple[str, str, bool]]] = defaultdict(set)
    members = [list(reading.members) for reading in readings]
    for reading, rows in zip(readings, members, strict=True):
        for name, values in reading.groups.items():
            for row, value in values.items():
                split = rows[row].split
                seen[name, value].add((reading.spec.name, split, reading.spec.is_holdout(split)))
    result = []
    for reading, rows in zip(readings, members, strict=True):
        grouped = [
            Grouped(rows[row], name, value)
            for name, values in reading.groups.items()
            for row, value in values.items()
            if len(seen[name, value]) > 1
        ]
        kept = tuple(dict.fromkeys(item.member for item in grouped))
        holdout = frozenset(reading.holdout_splits)
        result.append(
            Groups(Holding(reading.spec.name, reading.source, kept, holdout, not reading.incomplete), grouped)
        )
    return result
