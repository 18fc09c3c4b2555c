"""`heldout conflicts`: the same or nearly the same input with different expected outputs, in files or in a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from heldout.domain.example import JSON
from heldout.domain.finding import Side
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.splitting.conflicts import Conflicts, Labelled, conflicts
from heldout.errors import UsageError
from heldout.services.checking.files import HERE, CheckRequest
from heldout.services.checking.reading import NAME, Compared, compared
from heldout.services.contents import Contents, open_data
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.pool import Links, match
from heldout.services.matching.rows import PoolRows
from heldout.services.payloads import fetch_payloads
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.scanner import Scanner
from heldout.services.scanning import held_of
from heldout.services.splitting.conflict_tally import tallied, unlabelled
from heldout.services.splitting.grouping import group_of
from heldout.services.workspace import Workspace


def conflicts_in_files(
    request: CheckRequest,
    method: Method = DEFAULT_METHOD,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
) -> Conflicts:
    """Raises what `check` raises, and UsageError (slug bad-value) where no field of labels is named."""
    if request.expected is None:
        raise UsageError("bad-value", "which column is the label?", hint="--expected COLUMN")
    with compared(request, method, progress, memory) as found:
        return conflicts_of(found)


def conflicts_of(found: Compared) -> Conflicts:
    """Of files that were compared, their expected outputs kept."""
    table = found.rows.held[0].table

    def place(row: int) -> str:
        return str(found.read.place(int(table.file[row]), int(table.line[row])))

    return _conflicts(NAME, found.rows, found.links, lambda: _expected_in_files(found), place)


def _expected_in_files(found: Compared) -> Iterator[JSON]:
    """Of every row, once more."""
    for stream in found.read.streams:
        for _, example in examples(
            stream.spec, HERE, _ignore if stream.skip_bad_rows else None, own_names=stream.own_names
        ):
            yield example.expected


def _ignore(_: Exception) -> None:
    """Rows that are skipped were told of when they were read first."""


def conflicts_in_dataset(workspace: Workspace, subject: str, progress: Progress = SILENT) -> Conflicts:
    """Of a working copy or any committed state; what is missing of its data is fetched.

    Raises UsageError (slug no-expected) for a dataset whose examples have no expected outputs.
    """
    located = workspace.find(subject)
    fetch_payloads(workspace, located, progress)
    scanner = Scanner(workspace, fetch=True, progress=progress)
    data = open_data(workspace, located, progress)
    reading = scanner.read(located.state.spec, located.state.source, data)
    contents = Contents(reading, data)
    rows = PoolRows.of(held_of(reading, scanner.texts))
    table = rows.held[0].table
    if not table.has_expected.any():
        raise UsageError(
            "no-expected",
            f"no example of {subject} has an expected output",
            hint="fields: {expected: COLUMN} in dataset.yaml says which column it is",
        )
    links = match(rows, scanner.texts, workspace.settings.method, progress)

    def place(row: int) -> str:
        member = table[row]
        return f"{member.split}/{member.key}"

    found = _conflicts(
        reading.spec.name, rows, links, lambda: (example.expected for example in contents.examples()), place
    )
    return found.decided(workspace.knowledge().reviews)


def _conflicts(
    name: str,
    rows: PoolRows,
    links: Links,
    expected: Callable[[], Iterator[JSON]],
    place: Callable[[int], str],
) -> Conflicts:
    table = rows.held[0].table
    found = tallied(rows, links)
    wanted = np.array(sorted(found.rows()), np.int64)
    labels = _labels(wanted, expected) if wanted.size else {}
    members = {int(row): member for row, member in zip(wanted, table.take(wanted), strict=True)}

    def labelled(row: int) -> Labelled:
        member = members[row]
        side = Side(name, member.split, member.key, member.input)
        return Labelled(side, place(row), labels[row], member.example)

    return conflicts(
        found,
        labelled,
        at_least=bool(links.capped_buckets),
        examples=len(table),
        unlabelled=unlabelled(rows),
    )


def _labels(wanted: NDArray[np.int64], expected: Callable[[], Iterator[JSON]]) -> Mapping[int, str]:
    rows = set(wanted.tolist())
    return {number: group_of(value) or "" for number, value in enumerate(expected()) if number in rows}
