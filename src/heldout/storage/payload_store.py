"""Inputs kept outside the data files, found by their digest: the file or folder that `payloads` names.

Its rows are `{"payload": "sha256:...", "input": ...}`, in any order. All of it is read once, every digest is checked,
and the inputs are laid down in a temporary file, so that memory holds an index only: some 200 bytes an input.
"""

from __future__ import annotations

import marshal
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final

from heldout.domain.canonical import CanonicalError, digest
from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.paths import MISSING, Missing
from heldout.errors import DataError
from heldout.storage.readers import Row, read_rows
from heldout.storage.yaml.schema import type_of

_IN_MEMORY: Final = 1 << 25
"""Bytes of inputs that need no file."""

_SIZE: Final = 4
"""Bytes that say how long the value behind them is. No row of a data file comes near four gigabytes."""

_KEYS: Final = {"payload", "input"}


class PayloadStore:
    """`find` answers by digest; `close` drops the temporary file."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # closed by `close`
        self._places: dict[bytes, int] = {}

    def read(self, path: str, name: str, stream: BinaryIO) -> None:
        """Take in a file; `name` is for messages. Raises DataError (slugs payload-mismatch, bad-payload)."""
        for row in read_rows(stream, DataFile(path), name):
            self._add(row, name)

    def find(self, payload: str) -> JSON | Missing:
        """The input with this digest, `MISSING` where the store has none."""
        place = self._places.get(_key(payload))
        if place is None:
            return MISSING
        self._file.seek(place)
        size = int.from_bytes(self._file.read(_SIZE), "big")
        value: JSON = marshal.loads(self._file.read(size))  # written by `_add` a moment ago
        return value

    def close(self) -> None:
        self._file.close()

    def _add(self, row: Row, name: str) -> None:
        payload, value = _checked(row, name)
        key = _key(payload)
        if key not in self._places:
            self._places[key] = self._file.tell()
            data = marshal.dumps(value)
            self._file.write(len(data).to_bytes(_SIZE, "big") + data)


def _key(payload: str) -> bytes:
    return bytes.fromhex(payload.removeprefix("sha256:"))


def _checked(row: Row, name: str) -> tuple[str, JSON]:
    """Digest and input of a row whose digest is its input's."""
    value = row.value
    if not isinstance(value, dict) or value.keys() != _KEYS:
        what = ", ".join(map(repr, value)) if isinstance(value, dict) else type_of(value)
        message = f"expected an object with `payload` and `input` and nothing else, found {what or 'nothing'}"
        raise DataError("bad-payload", message, file=name, line=row.line)
    inner = value["input"]
    if inner is None:
        raise DataError("missing-input", "the value is null", file=name, line=row.line, field="input")
    try:
        actual = digest(inner)
    except CanonicalError as error:
        reason = f"the input has no canonical form: {error.reason}"
        raise DataError("bad-payload", reason, file=name, line=row.line, field="input") from None
    if value["payload"] != actual:
        raise DataError(
            "payload-mismatch",
            f"the input has the digest {actual}, not {value['payload']!r}",
            file=name,
            line=row.line,
            field="payload",
            hint="a payload is the sha256 of its input's canonical JSON (RFC 8785); another input is another payload",
        )
    return actual, inner
