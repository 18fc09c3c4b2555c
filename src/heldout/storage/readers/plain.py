"""Formats of plain lines: txt (a line an example) and EvalLeak's manifest (requirements E4 to E7)."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.errors import DataError
from heldout.storage.readers.source import Row, Source, lines, nul, without_ending


def read_txt(source: Source) -> Iterator[Row]:
    """Each line is an example as it stands, spaces included; empty lines are none."""
    for line in lines(source):
        text = without_ending(line.text)
        fault = line.fault
        if fault is None and "\0" in text:
            fault = nul(source, line.number)
        if fault is not None:
            source.refuse_row(fault)
        elif text:
            yield Row(text, line.number)


def read_manifest(source: Source) -> Iterator[Row]:
    """Records of `id:` and `text:` lines under one `split:` line, as objects in Heldout's own shape.

    A manifest is read whole or not at all (E7): no fault in it is a skipped row.
    """
    split: str | None = None
    pending: tuple[str, int] | None = None
    seen: set[str] = set()
    for number, key, value in _manifest_lines(source):
        if key == "split":
            if split is not None:
                raise _manifest_error(source, number, "a second `split:` line; a manifest holds one split")
            split = value
        elif split is None:
            raise _manifest_error(source, number, f"`{key}:` comes before the `split:` line")
        elif key == "id":
            if pending is not None:
                raise _manifest_error(source, pending[1], f"the record {pending[0]!r} has no `text:` line")
            if value in seen:
                raise _manifest_error(source, number, f"the id {value!r} appears twice")
            seen.add(value)
            pending = (value, number)
        elif pending is None:
            raise _manifest_error(source, number, "a `text:` line without an `id:` line before it")
        else:
            yield Row({"key": pending[0], "input": value}, pending[1], split)
            pending = None
    if pending is not None:
        raise _manifest_error(source, pending[1], f"the record {pending[0]!r} has no `text:` line")
    if split is None:
        raise _manifest_error(source, 1, "no `split:` line")


def _manifest_lines(source: Source) -> Iterator[tuple[int, str, str]]:
    for line in lines(source):
        if line.fault is not None:
            raise line.fault
        if "\0" in line.text:
            raise nul(source, line.number)
        text = without_ending(line.text).strip(" \t")
        if not text or text.startswith("#"):
            continue
        key, colon, value = text.partition(":")
        key = key.rstrip()
        if not colon or key not in ("split", "id", "text"):
            raise _manifest_error(source, line.number, "expected `split:`, `id:`, `text:` or a # comment")
        value = value.strip(" \t")
        if not value and key != "text":
            raise _manifest_error(source, line.number, f"`{key}:` has no value")
        yield line.number, key, value


def _manifest_error(source: Source, line: int, message: str) -> DataError:
    return DataError("bad-manifest", message, file=source.name, line=line)
