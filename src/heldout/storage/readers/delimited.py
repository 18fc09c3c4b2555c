"""CSV as RFC 4180 has it, quotes and newlines inside quotes included, and TSV as IANA registers it, without quoting.

In TSV a double quote is a character like any other: MGSM's Spanish file has one, and tools that write real TSV never
quote. A tab-separated file that does use quotes is read with `format: csv` and `delimiter: "\\t"`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Final

from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.readers.source import ROW_LIMIT, Row, Source, lines, nul, too_long, without_ending

_LONG: Final = 64  # lines
_PIECES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def read_csv(source: Source) -> Iterator[Row]:
    """Rows of a csv file as objects of strings; blank lines are no rows."""
    return _table(source, _CsvCells(source))


def read_tsv(source: Source) -> Iterator[Row]:
    """Rows of a tsv file as objects of strings; blank lines are no rows."""
    return _table(source, _tsv_cells(source))


Cells = tuple[int, list[str], DataError | None]
"""A row's first line, its cells, and why it must be refused, if so."""


def _table(source: Source, rows: Iterable[Cells]) -> Iterator[Row]:
    """Give cells the names of their columns; refuse rows whose number of cells is not the header's."""
    iterator = iter(rows)
    columns = list(source.item.columns)
    if source.item.header:
        columns = _header(source, iterator, columns)
    for line, cells, broken in iterator:
        if not columns and broken is None:
            columns = [str(index) for index in range(len(cells))]
        fault = broken
        if fault is None and len(cells) != len(columns):
            fault = _ragged(source, line, len(cells), columns)
        if fault is not None:
            source.refuse_row(fault)
            continue
        values: dict[str, JSON] = dict(zip(columns, cells, strict=True))
        yield Row(values, line)


def _header(source: Source, rows: Iterator[Cells], columns: list[str]) -> list[str]:
    """The column names; `columns` in dataset.yaml renames them and must be as many."""
    first = next(rows, None)
    if first is None:
        raise DataError(
            "no-header",
            "the file is empty: it has no header line",
            file=source.name,
            hint="If the file has no header, set `header: false` and name the columns under `columns`.",
        )
    line, names, fault = first
    if fault is not None:
        raise fault
    if columns:
        if len(columns) != len(names):
            raise _ragged(source, line, len(names), columns)
        return columns
    hint = "Name the columns under `columns` in dataset.yaml, or set `header: false` if this line is a row."
    for index, name in enumerate(names):
        if not name.strip():
            message = f"column {index + 1} of the header has no name"
            raise DataError("bad-header", message, file=source.name, line=line, hint=hint)
        if name in names[:index]:
            message = f"the header names the column {name!r} twice"
            raise DataError("bad-header", message, file=source.name, line=line, hint=hint)
    return names


def _ragged(source: Source, line: int, found: int, columns: list[str]) -> DataError:
    message = f"expected {_count(len(columns))}, found {found}"
    return DataError("ragged-row", message, file=source.name, line=line)


def _count(number: int) -> str:
    return f"{number} cell" if number == 1 else f"{number} cells"


def _tsv_cells(source: Source) -> Iterator[Cells]:
    delimiter = source.item.delimiter or "\t"
    for line in lines(source):
        text = without_ending(line.text)
        if not text and line.fault is None:
            continue
        fault = line.fault or (nul(source, line.number) if "\0" in text else None)
        yield line.number, text.split(delimiter), fault


def _nul_in(source: Source, number: int, piece: str) -> DataError | None:
    """A NUL in a piece whose first line has the number."""
    at = piece.find("\0")
    return None if at < 0 else nul(source, number + piece.count("\n", 0, at))


class _CsvCells:
    """csv.reader fed with the file's lines, keeping what is needed to say where a row or an open quote started.

    Of a row that goes on over lines, only the last one is kept, and where the quote was opened that it is in. Inside a
    cell that goes on for long, most often because its quote was never closed, lines are fed many at a time.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        delimiter = source.item.delimiter or ","
        self._starts = (delimiter, "\r", "\n")
        self._first = 0
        self._last: tuple[int, str] | None = None
        self._opened: int | None = None
        self._size = 0
        self._plain = 0
        self._fault: DataError | None = None

    def __iter__(self) -> Iterator[Cells]:
        # The limit belongs to the process, and files may be read side by side: it is raised once and left there.
        csv.field_size_limit(ROW_LIMIT + 1)
        reader = csv.reader(self._feed(), delimiter=self._starts[0], strict=True)
        while True:
            self._last = self._opened = self._fault = None
            self._size = self._plain = 0
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise self._explain(error) from None
            if cells or self._fault:
                yield self._first, cells, self._fault

    def _feed(self) -> Iterator[str]:
        r"""Lines for csv.reader, which wants every \r, \n and \r\n to end one; numbers stay those of the file."""
        for line in lines(self._source, forgiving=True, quoted=self._goes_on):
            for piece in (line.text,) if line.text.find("\r", 0, -2) < 0 else self._parted(line.text):
                self._take(line.number, piece)
                if self._fault is None:
                    self._fault = line.fault or _nul_in(self._source, line.number, piece)
                yield piece

    def _parted(self, text: str) -> Iterator[str]:
        r"""At every \r, \n and \r\n, but for those inside quotes as far as the next quote is away."""
        at = 0
        while at < len(text):
            end = at
            if self._last is not None:  # the row is not at its end, so a quote is open
                quote = text.find('"', at)
                end = max(text.rfind("\r", at, quote), text.rfind("\n", at, quote)) + 1 if quote >= 0 else len(text)
            if end <= at:
                piece = _PIECES.match(text, at)
                assert piece is not None
                end = piece.end()
            yield text[at:end]
            at = end

    def _goes_on(self) -> bool:
        """Whether csv.reader, which has asked for more within one row, has done so for so many lines without a quote
        that looking ahead for the next quote pays."""
        return self._last is not None and self._plain >= _LONG

    def _take(self, number: int, piece: str) -> None:
        if self._last is None:
            self._first = number
        else:
            self._opened = self._open_after(*self._last)
        self._last = number, piece
        self._size += len(piece)
        self._plain = 0 if '"' in piece else self._plain + 1
        if self._size > ROW_LIMIT:
            # Most often a quote that nobody closed has swallowed the file.
            opened = self._open_after(number, piece)
            if opened is not None:
                raise self._open_quote(opened, f"not closed within {ROW_LIMIT >> 20} MiB")
            raise too_long(self._source, self._first)

    def _open_after(self, number: int, piece: str) -> int | None:
        """The line that opened the quote which is open at the end of a piece; from quote to quote, for speed."""
        opened, at = self._opened, 0
        while True:
            if opened is not None:
                end = piece.find('"', at)
                while end >= 0 and piece[end + 1 : end + 2] == '"':
                    end = piece.find('"', end + 2)
                if end < 0:
                    return opened
                at = end + 1
            start = piece.find('"', at)
            while start > 0 and piece[start - 1] not in self._starts:
                start = piece.find('"', start + 1)  # a quote inside a cell that has none around it
            if start < 0:
                return None
            opened, at = number, start + 1

    def _explain(self, error: csv.Error) -> DataError:
        """An open quote reads on to the end of the file, so the message names the line where it was opened."""
        reason = str(error)
        line, piece = self._last or (1, "")
        opened = self._open_after(line, piece) if "unexpected end" in reason else None
        if opened is not None:
            return self._open_quote(opened, "never closed")
        if "expected after" in reason:
            reason = "text follows a closing quote"
        hint = 'A quote inside a quoted cell is written twice ("").'
        return DataError("bad-csv", reason, file=self._source.name, line=line, hint=hint)

    def _open_quote(self, line: int, how: str) -> DataError:
        message = f"a double quote is opened here and {how}"
        hint = 'Close the quote; a quote inside a quoted cell is written twice ("").'
        return DataError("open-quote", message, file=self._source.name, line=line, hint=hint)
