"""Rows as a scan needs them: address, digests and text. JSON Lines are read by a quick and exact way.

Lines are parsed as `heldout.storage.quick.rows` does, which proves them to be the same to both parsers; a line that
could be read in two ways goes to the strict reader alone, so every refusal is that one's own. A row of plain texts
needs no object at all: its canonical form is written down at once.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.example import JSON, Example
from heldout.domain.paths import parse_path
from heldout.domain.text import text_of
from heldout.errors import DataError
from heldout.storage.exact_numbers import exact_float
from heldout.storage.quick.rows import _is_sound, _values
from heldout.storage.readers import Row, format_of
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.json_rows import read_lines
from heldout.storage.readers.source import ROW_LIMIT, Source
from heldout.storage.rows import RowMapper

_BLOCK: Final = 1 << 16
_OWN: Final = ("metadata", "tags", "source_kind", "review_status", "synthetic", "source_id", "payload")
_PLAIN: Final = ("input", "expected", "key", "split")

OnBadRow = Callable[[DataError], None] | None


class Facts(NamedTuple):
    """One row. `key` is None where it has to be derived; `digests` are of input, example and expected output, the last
    b"" where there is none; `text` is None where the input is kept outside; `line` is where the row starts."""

    split: str
    key: str | None
    digests: tuple[bytes, bytes, bytes]
    text: str | None
    line: int


Plain = Callable[[dict[str, Any], int], Facts | None]
"""Facts of a parsed row at a line; None for a row that has more in it than texts."""


def facts_of(example: Example) -> Facts:
    """As `heldout.domain.members.member_of`, digests as bytes."""
    expected = b"" if example.expected is None else canonical_json(example.expected)
    if not example.has_input:
        assert example.payload is not None
        content, text = bytes.fromhex(example.payload.removeprefix("sha256:")), None
    elif isinstance(example.input, str):
        text = example.input
        content = sha256(canonical_json(text)).digest()
    else:
        text = text_of(example.input)
        content = sha256(canonical_json(example.input)).digest()
    whole = sha256(canonical_json(example.content())).digest()
    return Facts(
        example.split, example.key, (content, whole, expected and sha256(expected).digest()), text, example.line
    )


def member_facts(
    stream: BinaryIO,
    described: tuple[DatasetSpec, DataFile, str],
    mapper: RowMapper,
    on_bad_row: OnBadRow,
    *,
    own_names: bool,
    inputs_only: bool = False,
) -> Iterator[Facts]:
    """Rows of one file in its order; `described` is its dataset, its entry there, and what messages call it.

    With `inputs_only` the other digests may be missing: for rows that are read a second time.

    Raises DataError, or calls `on_bad_row`, for what cannot be read exactly.
    """
    spec, item, name = described
    utf8 = item.encoding.lower() in ("utf-8", "utf8")
    if utf8 and format_of(item, None if item.format else name) == "jsonl":
        checked = spec.schema is not None  # a schema is about the row as it stands
        plain = None if checked else _plain_reader(spec, item, own_names=own_names, inputs_only=inputs_only)
        yield from _Lines(item, name, mapper, on_bad_row, plain).facts(stream)
        return
    yield from map(facts_of, mapper.examples(stream, item, name, on_bad_row))


class _Lines:
    """A file of JSON Lines."""

    def __init__(self, item: DataFile, name: str, mapper: RowMapper, on_bad_row: OnBadRow, plain: Plain | None) -> None:
        self._item, self._name, self._mapper, self._on_bad_row, self._plain = item, name, mapper, on_bad_row, plain

    def facts(self, stream: BinaryIO) -> Iterator[Facts]:
        from msgspec.json import Decoder

        decode = Decoder(float_hook=exact_float).decode
        number, start, plain = 0, 0, self._plain
        for block in _blocks(decompressed(stream, self._name)):
            lines = block.split(b"\n")
            values = _values(lines, decode)
            sound = _is_sound(block, values)
            for index, value in enumerate(values):
                number += 1
                if value.__class__ is dict and (sound or _is_sound(lines[index], [value])):
                    found = plain(value, number) if plain else None
                    if found is not None:
                        yield found
                    else:
                        yield from self._mapped(Row(value, number))
                else:
                    before = start + sum(len(line) + 1 for line in lines[:index])
                    yield from self._strictly(lines[index], number, before)
            start += len(block) + 1

    def _mapped(self, row: Row) -> Iterator[Facts]:
        try:
            example = self._mapper.example(row, self._item, self._name)
        except DataError as error:
            if self._on_bad_row is None:
                raise
            self._on_bad_row(error)
        else:
            yield facts_of(example)

    def _strictly(self, line: bytes, number: int, offset: int) -> Iterator[Facts]:
        """One line by the strict reader; its first byte is the file's at `offset`."""
        before = b"\n" if number > 1 else b""  # a byte order mark belongs to the first line only

        def placed(error: DataError) -> DataError:
            error.line = number
            if error.offset is not None:
                error.offset += offset - len(before)
            return error

        def bad_row(error: DataError) -> None:
            assert self._on_bad_row is not None
            self._on_bad_row(placed(error))

        try:
            source = Source(io.BytesIO(before + line), self._item, self._name, self._on_bad_row and bad_row)
            rows = list(read_lines(source))
        except DataError as error:
            raise placed(error) from None
        for row in rows:
            yield from self._mapped(replace(row, line=number))


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Some tens of kilobytes of whole lines at a time, without the last line's end.

    A line that is longer than any may be comes as far as it was read: the strict reader refuses it.
    """
    rest: list[bytes] = []
    size = 0
    while block := stream.read(_BLOCK):
        head, end, tail = block.rpartition(b"\n")
        if end:
            yield b"".join([*rest, head])
            rest, size = [tail], len(tail)
        else:
            rest.append(block)
            size += len(block)
            if size > ROW_LIMIT:
                break
    if size:
        yield b"".join(rest)


def _plain_reader(spec: DatasetSpec, item: DataFile, *, own_names: bool, inputs_only: bool) -> Plain | None:
    """A function for rows of nothing but texts, None for another row; None where no row of the file can be one."""
    from msgspec.json import Encoder

    # A text by itself is written alike by every encoder that escapes no more than it must (RFC 8259, section 7).
    quoted_text = Encoder().encode
    names = _plain_names(spec, own_names=own_names)
    if names is None or not (item.split is None or isinstance(item.split, str)):
        return None
    input_name, expected_name, key_name, split_name = (names.get(part, "") for part in _PLAIN)
    given_expected, given_key = spec.fields.expected is not None, spec.fields.key is not None
    watched = frozenset({"metadata", *(names[part] for part in _OWN if part in names)}) if own_names else frozenset()
    fixed, splits = item.split, {item.split or ""} - {""}

    def plain(value: dict[str, Any], line: int) -> Facts | None:
        text = value.get(input_name)
        if text.__class__ is not str or not watched.isdisjoint(value):
            return None
        split = fixed or (value.get(split_name) if split_name else None)
        if split.__class__ is not str:
            return None
        if split not in splits:
            if not split.strip():
                return None
            splits.add(split)
        key = _plain_key(value, key_name) if key_name and (given_key or key_name in value) else None
        if key is _ODD:
            return None
        quoted = quoted_text(text)
        content = sha256(quoted).digest()
        expected: JSON = value.get(expected_name) if expected_name else None
        if expected is None:
            if given_expected and expected_name not in value:
                return None
            whole = b"" if inputs_only else sha256(b'{"input":%b}' % quoted).digest()
            return Facts(split, key, (content, whole, b""), text, line)
        if inputs_only:
            return Facts(split, key, (content, b"", b""), text, line)
        answer = quoted_text(expected) if expected.__class__ is str else canonical_json(expected)
        whole = sha256(b'{"expected":%b,"input":%b}' % (answer, quoted)).digest()
        return Facts(split, key, (content, whole, sha256(answer).digest()), text, line)

    return plain


def _plain_key(value: dict[str, Any], name: str) -> Any:
    key = value.get(name)
    if key.__class__ is int:
        return str(key)
    return key if key.__class__ is str and key else _ODD


_ODD: Final = object()
"""A key that only the strict way can refuse."""


def _plain_names(spec: DatasetSpec, *, own_names: bool) -> dict[str, str] | None:
    """Which field of a row each part is; None where a part is not plainly a field."""
    fields = spec.fields
    if fields.metadata or (not own_names and any(getattr(fields, part) for part in _OWN if part != "metadata")):
        return None
    names = {}
    for part in (*_PLAIN, *(own for own in _OWN if own != "metadata")):
        path = getattr(fields, part)
        if path is None:
            if own_names or part == "input":
                names[part] = part
        elif isinstance(path, str) and len(parse_path(path)) == 1:
            names[part] = parse_path(path)[0]
        else:
            return None
    return names
