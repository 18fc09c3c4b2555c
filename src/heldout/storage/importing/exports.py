"""The rows of an export file, streamed where it is JSON Lines or a table, and what its document says around them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.importing.mapping import ImportMap
from heldout.domain.paths import format_path, lookup
from heldout.errors import DataError
from heldout.storage.importing.eval_log import EvalLog, is_eval_log
from heldout.storage.importing.mapping_file import EVAL_LOG
from heldout.storage.importing.nan import WithoutNan
from heldout.storage.json_strict import JSONFault, Walker
from heldout.storage.readers import Row, format_of, read_rows
from heldout.storage.readers.compressed import SUFFIXES as PACKED
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.source import Source, decode_all
from heldout.storage.regular_files import opened


@dataclass(slots=True)
class Export:
    """One file; `rows` may be iterated again. `digest` is that of its bytes."""

    path: Path
    mapping: ImportMap
    nan_is_null: bool = False
    digest: str = ""
    around: dict[str, str] = field(default_factory=dict)
    taken: int = 0
    passed_over: int = 0
    _item: DataFile = field(init=False)

    def __post_init__(self) -> None:
        """Raises DataError: no-such-file, rows-not-found, and what reading JSON raises; ConfigError: unknown-format."""
        name = str(self.path)
        with opened(self.path, name) as (stream, _):
            self.digest = f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"  # type: ignore[arg-type]
            stream.seek(0)
            packed = is_eval_log(stream) if self.mapping.format in (None, EVAL_LOG) else False
        kind_of_file = EVAL_LOG if packed else self.mapping.format
        self._item = DataFile(name, format=kind_of_file)
        if packed:
            self.around = self._header(EvalLog(self.path, nan_is_null=True).header())
        elif (kind_of_file or format_of(self._item)) == "json":
            self._look_around(name)

    @property
    def has_lines(self) -> bool:
        """Whether a row's number is that of a line; else it counts rows."""
        return self._item.format != EVAL_LOG and format_of(self._item) != "parquet"

    def rows(self) -> Iterator[Row]:
        """Rows that the mapping's `only` takes; the others are counted. Raises DataError with file, line and field."""
        self.taken = self.passed_over = 0
        for row in self._all():
            if self.mapping.takes(row.value):
                self.taken += 1
                yield row
            else:
                self.passed_over += 1

    def _all(self) -> Iterator[Row]:
        if self._item.format == EVAL_LOG:
            yield from EvalLog(self.path, nan_is_null=self.nan_is_null).samples()
            return
        with opened(self.path, self._item.path) as (stream, _):
            if self.nan_is_null and format_of(self._item) in ("json", "jsonl"):
                text, name = self._text(stream), _unpacked_name(self._item.path)
                yield from read_rows(text, self._item, name)
            else:
                yield from read_rows(stream, self._item, self._item.path)

    def _text(self, stream: BinaryIO) -> BinaryIO:
        """The unpacked bytes, without NaN where it is missing."""
        text = decompressed(stream, self._item.path)
        return io.BufferedReader(WithoutNan(text)) if self.nan_is_null else text

    def _look_around(self, name: str) -> None:
        """Which of the places holds the list of rows, and what the header's places say."""
        with opened(self.path, name) as (stream, _):
            source = Source(self._text(stream), self._item, name)
            walker = Walker(decode_all(source))
        wanted = {place.paths[0][0] for place in self.mapping.header.values()}
        heads = {path[0] for path in self.mapping.rows if path}
        try:
            document, is_list = _overview(walker, wanted | heads)
        except JSONFault as fault:
            raise DataError(fault.slug, fault.reason, file=name, line=fault.line, field=fault.path) from None
        for path in self.mapping.rows:
            if (is_list and not path) or (path and isinstance(lookup(document, path), list)):
                break
        else:
            self._no_rows(name, document, is_list)
        self._item = DataFile(name, format=self._item.format, records=format_path(path) if path else None)
        self.around = self._header(document)

    def _no_rows(self, name: str, document: JSON, is_list: bool) -> None:
        wanted = " or ".join(format_path(path) if path else "the document itself" for path in self.mapping.rows)
        names = list(document) if isinstance(document, dict) else []
        what = "a list" if is_list else f"an object with {', '.join(map(repr, names[:12]))}" if names else "no list"
        message = f"expected a list of rows at {wanted}; the document is {what}"
        hint = "this is an export of another kind, or of another version of the tool: name the place in a mapping file"
        raise DataError("rows-not-found", message, file=name, line=1, hint=hint)

    def _header(self, document: JSON) -> dict[str, str]:
        found = {name: place.value(document) for name, place in self.mapping.header.items()}
        return {name: value for name, value in found.items() if isinstance(value, str) and value}


def _unpacked_name(name: str) -> str:
    """A name that promises no packing, for bytes that are unpacked already."""
    return next((name.removesuffix(end) for end in PACKED if name.lower().endswith(end)), name)


def _overview(walker: Walker, wanted: set[str]) -> tuple[JSON, bool]:
    """The wanted members of a document, the names of the others, and whether it is a list.

    Everything of an object is parsed once: one that is no exact JSON is refused before anything of it is used.
    """
    head = walker.skip()
    if head == "[":
        return None, True  # its rows are read, and refused, one by one
    if head != "{":
        walker.fast_value("$")
        return None, False
    result: dict[str, JSON] = {}
    for key in walker.members("$"):
        value = walker.fast_value(f"$.{key}")
        result[key] = value if key in wanted else None
    walker.end()
    return result, False
