"""One field of JSON Lines, for corpora: read several times as fast as by the strict reader, and just as exactly.

What `heldout.storage.quick.rows` does for examples, for a single text a row: msgspec decodes a block of lines, the
bytes tell that no key is there twice, and every line that is not plainly an object with that text goes the strict way
alone. So texts, refusals and their places are the strict reader's own.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Final

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.exact_numbers import exact_float
from heldout.storage.quick.keys import are_distinct
from heldout.storage.readers import Row
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.json_rows import read_lines
from heldout.storage.readers.source import ROW_LIMIT, Source, too_long

_BLOCK: Final = 1 << 16  # bytes


def quick_texts(
    stream: BinaryIO, item: DataFile, name: str, field: str, on_bad_row: Callable[[DataError], None]
) -> Iterator[tuple[int, str] | Row]:
    """(line, text) of each row whose own field is a text, and the whole row of any other; lines count from 1.

    `item` is JSON Lines in UTF-8. `stream` may be packed, and is read to its end.
    """
    from msgspec.json import Decoder

    decode = Decoder(float_hook=exact_float).decode
    number = start = 0
    source = Source(decompressed(stream, name), item, name)
    for block in _blocks(source):
        lines = block.split(b"\n")
        values = [_value(line, decode) for line in lines]
        sound = are_distinct(block, values)
        for index, value in enumerate(values):
            if value.__class__ is dict and (sound or are_distinct(lines[index], [value])):
                text = value.get(field)
                if text.__class__ is str:
                    yield number + index + 1, text
                    continue
            offset = start + sum(len(line) + 1 for line in lines[:index])
            yield from _strictly(lines[index], number + index + 1, offset, item, name, on_bad_row)
        number += len(lines)
        start += len(block) + 1


def _value(line: bytes, decode: Callable[[bytes], Any]) -> Any:
    """What the line holds; None for one that is no JSON or has a number that no float keeps."""
    try:
        return decode(line)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def _blocks(source: Source) -> Iterator[bytes]:
    """Whole lines, without the last one's end. Raises DataError (slug row-too-large) as lines are read."""
    pending: list[bytes] = []
    size = lines = 0
    while block := source.stream.read(_BLOCK):
        head, end, tail = block.rpartition(b"\n")
        if not end:
            pending.append(block)
            size += len(block)
            if size > ROW_LIMIT:
                raise too_long(source, lines + 1)
            continue
        whole = b"".join([*pending, head])
        lines += whole.count(b"\n") + 1
        pending, size = [tail], len(tail)
        yield whole
    if rest := b"".join(pending):
        yield rest


def _strictly(
    line: bytes, number: int, offset: int, item: DataFile, name: str, on_bad_row: Callable[[DataError], None]
) -> Iterator[Row]:
    before = b"\n" if number > 1 else b""  # a byte order mark belongs to the first line only

    def placed(error: DataError) -> None:
        error.line = number
        if error.offset is not None:
            error.offset += offset - len(before)
        on_bad_row(error)

    for row in read_lines(Source(io.BytesIO(before + line), item, name, placed)):  # unpacked already
        yield replace(row, line=number)
