"""What both importers share: the export with its mapping, and where in the file a fault is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.domain.importing.places import ImportFault, Place
from heldout.errors import DataError, UsageError
from heldout.storage.importing.exports import Export
from heldout.storage.importing.mapping_file import find_mapping, preset_text, presets, with_place
from heldout.storage.json_strict import JSONFault, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.domain.example import JSON
    from heldout.domain.importing.mapping import ImportMap
    from heldout.storage.readers import Row


def mapping_for(name: str, places: Sequence[str] = (), only: Sequence[str] = ()) -> ImportMap:
    """The mapping, with places (`input=doc.question`) and limits (`epoch=1`) of the command line."""
    mapping = find_mapping(name)
    for text in places:
        part, path = _pair(text, "--set", "PART=PATH")
        mapping = with_place(mapping, part, path)
    limits = [_limit(text) for text in only]
    return replace(mapping, only=(*mapping.only, *limits))


def _pair(text: str, option: str, shape: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise UsageError("bad-value", f"{option} {text!r} is not {shape}")
    return name, value


def _limit(text: str) -> tuple[Place, tuple[JSON, ...]]:
    path, value = _pair(text, "--only", "PATH=VALUE")
    try:
        place = Place.parse(path)
    except ValueError as error:
        raise UsageError("bad-value", f"--only {text!r}: {path!r} is no field path: {error}") from None
    values: tuple[JSON, ...] = (value,)
    with suppress(JSONFault):
        values = (value, parse_json(value))  # 1 is the number and the text, true both too
    return place, values


@contextmanager
def faults_at(export: Export, row: Row) -> Iterator[None]:
    """Turns what is wrong with a row into a DataError with file, line (or row) and path."""
    try:
        yield
    except ImportFault as fault:
        raise fault_at(export, row, fault.slug, fault.reason, fault.field, fault.hint) from None


def fault_at(
    export: Export, row: Row, slug: str, message: str, field: str | None = None, hint: str | None = None
) -> DataError:
    line, number = (row.line, None) if export.has_lines else (None, row.line)
    return DataError(slug, message, file=str(export.path), line=line, row=number, field=field, hint=hint)


class Seen:
    """What was met before, by digests of 16 bytes: a million of them are a hundred megabytes less than texts."""

    def __init__(self) -> None:
        self._content: dict[bytes, bytes] = {}

    def add(self, name: JSON, content: JSON = None) -> bool | None:
        """None for a new name; else whether it came with the same content."""
        digest = _short(content)
        before = self._content.setdefault(_short(name), digest)
        return None if before is digest else before == digest


def _short(value: JSON) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def told_apart(mapping: ImportMap, row: JSON) -> Mapping[str, JSON]:
    """The values by which several rows of a case differ, for messages: numbers and short names, no texts of cases."""
    found = {str(place): place.value(row) for place in mapping.apart}
    return {name: value for name, value in found.items() if isinstance(value, int | str)}


__all__ = ["Seen", "fault_at", "faults_at", "mapping_for", "preset_text", "presets", "told_apart"]
