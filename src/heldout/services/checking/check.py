"""Check files of any origin against each other: no repository, no record, nothing written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.checked import Checked, ManyMarks, Place, worst_first
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.record import Capped
from heldout.domain.splitting.conflicts import Conflicts
from heldout.domain.tally import Tally
from heldout.errors import ExitCode
from heldout.services.checking.files import CheckRequest, Planned
from heldout.services.checking.reading import Compared, ReadFiles, compared
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.pool import Links
from heldout.services.matching.rows import PoolRows
from heldout.services.progress import SILENT, Progress
from heldout.services.row_stream import RowStream
from heldout.services.scanning import blank_rows, expand
from heldout.storage.member_table import MemberTable

if TYPE_CHECKING:
    from heldout.services.spark.session import SparkOptions

_MANY = 0.01  # share of examples with many combining marks that is worth a word


def check(
    request: CheckRequest,
    method: Method = DEFAULT_METHOD,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
    spark: SparkOptions | None = None,
    planned: Sequence[Planned] | None = None,
) -> Checked:
    """Compare all examples of all files across splits and inside each, in as much memory as `memory` says, or on Spark.

    Raises DataError and MissingDataError for what cannot be read exactly, UsageError where the request leaves a choice
    open or names what the files do not have. `planned` says how to read the files, where that is known.
    """
    with compared(request, method, progress, memory, spark, planned) as found:
        return _checked(found, tuple(dict.fromkeys(request.holdout)))


def exit_code(checked: Checked) -> ExitCode:
    """Found for any blocking finding (A51); unknown where rows were skipped and the rest is clean (A43)."""
    if checked.blocking:
        return ExitCode.FOUND
    return ExitCode.UNKNOWN if checked.skipped else ExitCode.CLEAN


def _checked(found: Compared, holdout: tuple[str, ...]) -> Checked:
    read, rows, links, method = found.read, found.rows, found.links, found.method
    expanded = expand(rows, links, method)
    pool, overlaps, table = expanded.pool, expanded.overlaps, rows.held[0].table
    tally = Tally(pool, links.near(expanded.place), links.contained(expanded.place), table.by_split())
    places = _places(read, rows, expanded.place)
    return Checked(
        files=tuple(read.files),
        splits=tally.sizes,
        holdout=holdout,
        method_id=method.id,
        method_digest=method.digest,
        pairs=tally.pairs,
        rates=tally.rates(holdout),
        contaminated=tally.contamination(holdout),
        capped=Capped(links.capped_buckets, overlaps.capped_pairs, links.capped_containments),
        skipped=tuple(read.skipped),
        no_text=tuple(_row_places(read, table, blank_rows(rows, links))),
        many_marks=_many_marks(read, rows, links),
        findings=tuple(sorted(overlaps.findings, key=lambda finding: worst_first(finding, places))),
        places=places,
        conflicts=_conflicts(found),
        texts=_FoundTexts(read.streams, {side.input for item in overlaps.findings for side in (item.a, item.b)}),
    )


def _conflicts(found: Compared) -> Conflicts | None:
    """On Spark the driver has no expected outputs."""
    if found.planned[0].fields.expected is None or found.read.engine is not None:
        return None
    from heldout.services.splitting.conflicts import conflicts_of

    return conflicts_of(found)


def _row_places(read: ReadFiles, table: MemberTable, rows: NDArray[np.int64]) -> Iterator[Place]:
    for file, line in zip(table.file[rows].tolist(), table.line[rows].tolist(), strict=True):
        yield read.place(file, line)


def _places(read: ReadFiles, rows: PoolRows, place: NDArray[np.int64]) -> dict[tuple[str, str], Place]:
    """Where the examples stand that take part in anything, by (split, key)."""
    table = rows.held[0].table
    involved = np.flatnonzero(place[rows.places[0]] >= 0)
    members = ((member.split, member.key) for member in table.take(involved))
    return dict(zip(members, _row_places(read, table, involved), strict=True))


class _FoundTexts(Mapping[str, str]):
    """Texts of some inputs by digest, read once more when the first one is asked for."""

    def __init__(self, streams: Sequence[RowStream], wanted: set[str]) -> None:
        self._streams = streams
        self._wanted = wanted

    @cached_property
    def _texts(self) -> dict[str, str]:
        wanted = {bytes.fromhex(digest.removeprefix(DIGEST_PREFIX)): digest for digest in self._wanted}
        found = {}
        for stream in self._streams:
            for _, facts in stream.facts(lambda _: None, inputs_only=True):
                digest = wanted.pop(facts.digests[0], None)
                if digest is not None and facts.text is not None:
                    found[digest] = facts.text
                if not wanted:
                    return found
        return found

    def __getitem__(self, digest: str) -> str:
        return self._texts[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._wanted)

    def __len__(self) -> int:
        return len(self._wanted)


def _many_marks(read: ReadFiles, rows: PoolRows, links: Links) -> ManyMarks | None:
    numbers = links.texts.numbers[rows.places[0]]
    count = read.engine.marked_rows if read.engine else int(read.store.marked(numbers[numbers >= 0]).sum())
    return ManyMarks(count, numbers.size) if count >= _MANY * numbers.size and count else None
