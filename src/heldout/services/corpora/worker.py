"""What a process does with one part of a corpus. Everything it needs of the holdouts came once, when it started."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from heldout.domain.corpora.corpus import CorpusReading, Hit, InputHits, PlacedHit
from heldout.domain.corpora.part import PartResult
from heldout.errors import DataError
from heldout.matching.holdout_index import HoldoutIndex
from heldout.services.corpora.block import CorpusRow, scan_block
from heldout.services.corpora.reader import Part, blocks, lines_before, open_part


@dataclass(frozen=True, slots=True)
class Target:
    """Held-out inputs to look for, and how to read what they are looked for in. It pickles.

    `index` holds their texts, `digests` numbers them; input i is the i-th digest in sorted order.
    """

    index: HoldoutIndex
    digests: Mapping[str, int]
    reading: CorpusReading


def scan_part(target: Target, part: Part, advance: Callable[[int], None]) -> PartResult:
    """Read a part once. `advance` is told the number of rows after each block, and may raise to end it.

    Raises DataError with its place in the whole file, for the first row that cannot be read unless those are skipped.
    """
    result = PartResult()

    def bad_row(error: DataError) -> None:
        if not target.reading.skip_bad_rows:
            raise error
        result.skipped += 1

    try:
        with open_part(part) as stream:
            for rows in blocks(part, stream, target.reading, bad_row):
                _add(target, part.file.path, rows, result)
                advance(len(rows))
    except DataError as error:
        if part.start and error.line is not None:
            error.line += lines_before(part)
        if error.offset is not None:
            error.offset += part.start
        raise
    result.sha256, result.size, result.newlines = stream.sha256, stream.size, stream.newlines
    return result


def digest_file(part: Part) -> PartResult:
    """The digest of a file that is read in parts."""
    with open_part(part) as stream:
        stream.finish()
    return PartResult(sha256=stream.sha256, size=stream.size, newlines=stream.newlines)


def _add(target: Target, path: str, rows: list[CorpusRow], result: PartResult) -> None:
    found = scan_block(target.index, target.digests, rows)
    result.rows += found.rows
    result.no_text += found.no_text
    for item, hit in found.hits:
        result.hits.setdefault(item, InputHits()).add(PlacedHit(path, hit))


def moved(hits: InputHits, lines: int) -> InputHits:
    """The same hits of a part that has `lines` lines of its file before it."""
    if not lines:
        return hits
    listed = [PlacedHit(item.shard, _moved(item.hit, lines)) for item in hits.first()]
    return InputHits(hits.counts, listed)


def _moved(hit: Hit, lines: int) -> Hit:
    return replace(hit, row=hit.row + lines)
