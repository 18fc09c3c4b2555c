"""Inspect's .eval files: a zip archive with `header.json` and one JSON file for each sample and epoch.

Newer ones are packed with Zstandard, method 93 of zip (APPNOTE.TXT 4.4.5), which the standard library cannot unpack
before Python 3.14: the bytes of an entry are cut out of the archive and unpacked by the reader of data files.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.importing.nan import without_nan
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.readers.source import ROW_LIMIT, Row
from heldout.storage.readers.zstd import Unpacked
from heldout.storage.regular_files import opened

_ZIP_MAGIC: Final = b"PK\x03\x04"
_ZSTD: Final = 93
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_SAMPLE: Final = re.compile(r"samples/.+\.json")
_BLOCK: Final = 1 << 16


def is_eval_log(stream: BinaryIO) -> bool:
    return stream.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC


class EvalLog:
    """Raises DataError (slug bad-zip) for an archive that is damaged, and what reading JSON raises."""

    def __init__(self, path: Path, *, nan_is_null: bool = False) -> None:
        self._path = path
        self._nan_is_null = nan_is_null
        self._name = str(path)

    def header(self) -> JSON:
        for _, value in self._entries(re.compile(r"header\.json")):
            return value
        hint = "the run was interrupted before the log was finished: inspect log recover"
        raise DataError("bad-zip", "the log has no header.json", file=self._name, hint=hint)

    def samples(self) -> Iterator[Row]:
        """In the order of their names; a row's number is the sample's place in it."""
        for number, (_, value) in enumerate(self._entries(_SAMPLE), 1):
            yield Row(value, number)

    def _entries(self, wanted: re.Pattern[str]) -> Iterator[tuple[str, JSON]]:
        with opened(self._path, self._name) as (stream, _):
            try:
                archive = zipfile.ZipFile(stream)
            except (zipfile.BadZipFile, OSError) as error:
                raise DataError("bad-zip", f"the archive is damaged ({error})", file=self._name) from None
            with archive:
                infos = {info.filename: info for info in archive.infolist() if wanted.fullmatch(info.filename)}
                for name in sorted(infos, key=_natural):
                    yield name, self._value(stream, archive, infos[name])

    def _value(self, stream: BinaryIO, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> JSON:
        shown = f"{self._name}/{info.filename}"
        if info.file_size > ROW_LIMIT:
            raise DataError("row-too-large", f"the sample is larger than {ROW_LIMIT >> 20} MiB", file=shown)
        try:
            data = _unpacked(stream, info, shown) if info.compress_type == _ZSTD else archive.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
            raise DataError("bad-zip", f"the archive is damaged ({error})", file=shown) from None
        try:
            return parse_json(without_nan(data) if self._nan_is_null else data)
        except JSONFault as fault:
            raise DataError(fault.slug, fault.reason, file=shown, line=fault.line, offset=fault.offset) from None


def _unpacked(stream: BinaryIO, info: zipfile.ZipInfo, shown: str) -> bytes:
    stream.seek(info.header_offset)
    head = _LOCAL.unpack(stream.read(_LOCAL.size))
    stream.seek(head[-2] + head[-1], io.SEEK_CUR)
    unpacked = Unpacked(io.BytesIO(stream.read(info.compress_size)), shown)
    parts, size = [], 0
    while block := unpacked.read(_BLOCK):
        size += len(block)
        if size > info.file_size:
            raise zipfile.BadZipFile(f"more than the {info.file_size} bytes that {info.filename} is said to have")
        parts.append(block)
    data = b"".join(parts)
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"the checksum of {info.filename} is another")
    return data


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Numbers in a name by their value: sample 10 comes after sample 9."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", name))
