"""Signatures of a sealed holdout as a Parquet file (`heldout/signatures@1`): digests and signatures, no text.

The same content gives the same bytes: rows are sorted, and the writer is `heldout.storage.plain_parquet`.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.method import Method
from heldout.domain.sealing.estimate import BITS, VALUES
from heldout.domain.sealing.keyed import PREFIX as KEYED
from heldout.domain.sealing.sealed import SignatureInfo
from heldout.errors import DataError
from heldout.storage.plain_parquet import Column, read_metadata, write_parquet
from heldout.storage.readers import read_rows

FORMAT: Final = "heldout/signatures@1"
FILE: Final = "signatures.parquet"
_HEAD: Final = "heldout"
_WORDS: Final = 2
_HEX: Final = 16 * _WORDS
_SIGNATURE: Final = re.compile(f"[0-9a-f]{{{_HEX}}}")
_PLAIN_INPUT: Final = re.compile(r"sha256:[0-9a-f]{64}")
_KEYED_INPUT: Final = re.compile(KEYED + r"[0-9a-f]{64}")
_AGAIN: Final = "take the file from whoever published it once more; heldout signatures export writes it"


@dataclass(frozen=True, slots=True)
class Published:
    """A file's content: row i is the example (`splits[i]`, `keys[i]`) with the digest `inputs[i]`.

    `marks` (n, 2) uint64 are published signatures (`heldout.matching.published`), `shingles` (n) int64 the distinct
    ones, 0 for a text without letter or digit; both hold zeros where only digests are published.
    """

    info: SignatureInfo
    splits: Sequence[str]
    keys: Sequence[str]
    inputs: Sequence[str]
    marks: NDArray[np.uint64]
    shingles: NDArray[np.int64]


def render_signatures(published: Published, method: Method) -> bytes:
    """The file's bytes. Rows have to be sorted by split and key."""
    marks = _hexed(published.marks) if published.info.has_signatures else []
    columns = [
        Column("split", published.splits, True),
        Column("key", published.keys, True),
        Column("input", published.inputs, True),
    ]
    if published.info.has_signatures:
        columns += [Column("signature", marks, True), Column("shingles", published.shingles.tolist(), False)]
    head = _head(published.info, method)
    head["digest"] = _digest(head, published, marks)
    return write_parquet(columns, {_HEAD: canonical_json(head).decode()})


def parse_signatures(data: bytes, name: str, method: Method) -> Published:
    """A file that was published; `name` is what messages call it.

    Raises DataError: bad-signatures for one that is damaged or is something else, signatures-method for one that was
    made by another method than `method`, which nothing here can be held against.
    """
    head, info = _parsed_head(data, name, method)
    rows = [row.value for row in read_rows(io.BytesIO(data), DataFile(name, "all", format="parquet"), name)]
    names = ["split", "key", "input", *(["signature", "shingles"] if info.has_signatures else [])]
    pattern = _PLAIN_INPUT if info.key_id is None else _KEYED_INPUT
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not _is_sound(row, names, pattern):
            raise DataError("bad-signatures", "a row is not one of signatures", file=name, row=number, hint=_AGAIN)
        for column in names:
            columns[column].append(row[column])
    marks = columns.get("signature", [])
    published = Published(
        info, columns["split"], columns["key"], columns["input"],
        _unhexed(marks) if marks else np.zeros((len(rows), _WORDS), np.uint64),
        np.array(columns.get("shingles", [0] * len(rows)), np.int64),
    )  # fmt: skip
    if head.get("digest") != _digest(_head(info, method), published, marks) or dict(Counter(published.splits)) != dict(
        info.splits
    ):
        _refuse(name, "its rows are not those that its head was written for")
    return published


def _head(info: SignatureInfo, method: Method) -> dict[str, JSON]:
    signature: JSON = {"values": VALUES, "bits": BITS, "mix": "fmix32"} if info.has_signatures else None
    return {
        "format": FORMAT,
        "dataset": info.dataset,
        "source": info.source,
        "content": info.content,
        "method": {"id": info.method_id, "digest": info.method_digest, "parameters": method.parameters()},
        "signature": signature,
        "holdout": [*info.holdout],
        "splits": dict(info.splits),
        "key_id": info.key_id,
    }


def _parsed_head(data: bytes, name: str, method: Method) -> tuple[dict[str, Any], SignatureInfo]:
    try:
        head = json.loads(read_metadata(data).get(_HEAD, "null"))
    except ValueError as error:
        _refuse(name, "it is damaged" if isinstance(error, json.JSONDecodeError) else str(error))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        _refuse(name, f"its footer does not say {FORMAT}")
    try:
        info = SignatureInfo(
            head["dataset"], head["source"], head["content"], head["method"]["id"], head["method"]["digest"],
            tuple(head["holdout"]), head["splits"], head["key_id"], head["signature"] is not None,
        )  # fmt: skip
    except (KeyError, TypeError):
        _refuse(name, "its head is not complete")
    if info.method_digest != method.digest:
        raise DataError(
            "signatures-method",
            f"it was made by the method {str(info.method_id)[:40]} ({str(info.method_digest)[:19]}), and this project "
            f"compares by {method.id} ({method.digest[:19]})",
            file=name,
            hint="heldout signatures export, with the Heldout and settings that are in use here",
        )
    if {name: value for name, value in head.items() if name != "digest"} != _head(info, method):
        _refuse(name, "its head says something that this release does not write")
    return head, info


def _is_sound(row: dict[str, JSON], names: Sequence[str], pattern: re.Pattern[str]) -> bool:
    split, key, digest = row.get("split"), row.get("key"), row.get("input")
    if not (isinstance(split, str) and isinstance(key, str) and isinstance(digest, str) and pattern.fullmatch(digest)):
        return False
    if "signature" not in names:
        return True
    signature, shingles = row.get("signature"), row.get("shingles")
    sound = isinstance(signature, str) and _SIGNATURE.fullmatch(signature) is not None
    return sound and isinstance(shingles, int) and shingles >= 0


def _digest(head: dict[str, JSON], published: Published, marks: Sequence[str]) -> str:
    """SHA-256 over the canonical JSON of the head and of each row, a line feed behind each."""
    digest = hashlib.sha256(canonical_json(head) + b"\n")
    shingles = published.shingles.tolist()
    for number, (split, key, content) in enumerate(
        zip(published.splits, published.keys, published.inputs, strict=True)
    ):
        row: list[JSON] = [split, key, content, *((marks[number], shingles[number]) if marks else ())]
        digest.update(canonical_json(row) + b"\n")
    return f"sha256:{digest.hexdigest()}"


def _hexed(marks: NDArray[np.uint64]) -> list[str]:
    text = np.ascontiguousarray(marks, "<u8").tobytes().hex()
    return [text[at : at + _HEX] for at in range(0, len(text), _HEX)]


def _unhexed(marks: Sequence[str]) -> NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex("".join(marks)), "<u8").reshape(-1, _WORDS).astype(np.uint64)


def _refuse(name: str, reason: str) -> NoReturn:
    raise DataError("bad-signatures", f"no file of signatures that can be used: {reason}", file=name, hint=_AGAIN)
