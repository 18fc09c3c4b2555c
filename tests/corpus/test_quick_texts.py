"""The quick way to one field of JSON Lines against the strict one: the same texts, refusals and places."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.services.corpora.block import row_of, text_row
from heldout.storage.quick import texts as quick
from heldout.storage.readers import read_rows

PACKED = {"a.jsonl": bytes, "a.jsonl.gz": gzip.compress, "a.jsonl.zst": zstandard.compress, "a": gzip.compress}
"""How the bytes of a file are packed, by its name; the name alone says nothing."""

_LINES = [
    b'{"text": "plain"}',
    b'{"text": "a: b", "x": {"y": 1.5, "text": "inner"}}',
    b'{"text": "twice", "text": "once"}',
    b'{"x": {"y": 1, "y": 2}, "text": "deep twice"}',
    b'{"te\\u0078t": "escaped key"}',
    b'{"text": "\\ud800"}',
    b'{"text": "\\ud83d\\ude00 \xc3\xa9"}',
    b'{"text": "bad \xff byte"}',
    b'{"text": 5}',
    b'{"text": null}',
    b'{"text": ["a", "b"]}',
    b'{"other": "x"}',
    b'"a text alone"',
    b"[1, 2]",
    b'{"text": "x", "n": 1e999}',
    b'{"text": "x", "n": 9007199254740993.0}',
    b'{"text": "x", "n": NaN}',
    b'{"text": "x", "n": 123456789012345678901234567890}',
    b'{"text": "ends in return"}\r',
    b'  {"text" : "spaced"}  ',
    b"",
    b"   ",
    b"not json",
    b'{"text": "cut',
    b'{"text": "nul \\u0000"}',
    b"\x1f\x8b\x08 begins like gzip",
    b"\x28\xb5\x2f\xfd begins like Zstandard",
    "\ufeff".encode() + b'{"text": "marked"}',
    b'{"text": ' + b"[" * 600 + b"]" * 600 + b"}",
]


def _strict(data: bytes, name: str) -> tuple[list[tuple[int, object]], list[tuple[str, object, object]]]:
    errors: list[DataError] = []
    rows = [(row.line, row.value) for row in read_rows(io.BytesIO(data), _item(name), name, errors.append)]
    found = [(n, v["text"] if isinstance(v, dict) and isinstance(v.get("text"), str) else v) for n, v in rows]
    return found, [(error.slug, error.line, error.offset) for error in errors]


def _item(name: str) -> DataFile:
    return DataFile(name, format="jsonl")


def _quick(data: bytes, name: str) -> tuple[list[tuple[int, object]], list[tuple[str, object, object]]]:
    errors: list[DataError] = []
    rows = quick.quick_texts(io.BytesIO(data), _item(name), name, "text", errors.append)
    found = [
        row if isinstance(row, tuple) else (row.line, row.value if not _has_text(row.value) else row.value["text"])  # type: ignore[call-overload, index]
        for row in rows
    ]
    return found, [(error.slug, error.line, error.offset) for error in errors]


def _has_text(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


@given(
    st.lists(st.sampled_from(_LINES), max_size=12),
    st.booleans(),
    st.sampled_from((1, 7, 64, 1 << 16)),
    st.sampled_from(sorted(PACKED)),
)
def test_it_is_the_strict_reader(lines: list[bytes], ended: bool, block: int, name: str) -> None:
    """Bytes after unpacking are rows, whatever they begin with and however the file is called."""
    data = PACKED[name](b"\n".join(lines) + (b"\n" if ended else b""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_BLOCK", block)
        assert _outcome(_quick, data, name) == _outcome(_strict, data, name)


def _outcome(read: Callable[[bytes, str], object], data: bytes, name: str) -> object:
    """What it reads, or why it reads nothing: an unpacked file that begins like a packed one."""
    try:
        return read(data, name)
    except DataError as error:
        return error.slug


@given(st.text())
def test_the_digest_of_a_text_is_that_of_its_canonical_json(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    assert text_row(3, text) == row_of(3, text)
    assert text_row(3, text).input == digest(text)
    assert json.loads(json.dumps(text)) == text


def test_a_line_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "ROW_LIMIT", 1000)
    monkeypatch.setattr(quick, "_BLOCK", 64)
    data = b'{"text": "x"}\n' * 3 + b"x" * 5000
    with pytest.raises(DataError) as caught:
        list(quick.quick_texts(io.BytesIO(data), _item("a"), "a", "text", lambda _: None))
    assert (caught.value.slug, caught.value.line) == ("row-too-large", 4)
