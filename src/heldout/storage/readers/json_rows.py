"""JSON Lines, and JSON documents with a list of rows somewhere in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.paths import format_path, parse_path
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, Walker, parse_json
from heldout.storage.readers.source import Row, Source, decode_all, lines

_SPLIT: Final = "{split}"
_JSON_SPACE: Final = " \t\r\n"
# Faults in what a row says, not in how the document is built: after one of these the next row is still found.
_INEXACT: Final = ("duplicate-key", "not-finite", "lone-surrogate", "number-too-large")


def read_lines(source: Source) -> Iterator[Row]:
    """One JSON value a line; blank lines are none."""
    for line in lines(source):
        if line.fault is not None:
            source.refuse_row(line.fault)
            continue
        text = line.text.strip(_JSON_SPACE)
        if not text:
            continue
        try:
            value = parse_json(text)
        except JSONFault as fault:
            source.refuse_row(_refusal(source, fault, line.number))
            continue
        yield Row(value, line.number)


def read_document(source: Source) -> Iterator[Row]:
    """The elements of the document's list of rows, or of the lists that `records` points at.

    The document is held in memory as text and its rows are parsed one by one, so each knows its line; the parts of the
    document that `records` does not point at are checked but not kept.
    """
    text = decode_all(source)
    if not text.strip(_JSON_SPACE):
        raise DataError("bad-json", "the file is empty: it holds no JSON value", file=source.name, line=1)
    walker = Walker(text)
    path = parse_path(source.item.records) if source.item.records else ()
    try:
        yield from _descend(source, walker, path, (), None)
        walker.end()
    except JSONFault as fault:
        raise _refusal(source, fault, fault.line) from None


def _descend(
    source: Source, walker: Walker, path: tuple[str, ...], done: tuple[str, ...], split: str | None
) -> Iterator[Row]:
    head = walker.skip()
    if not path:
        if head != "[":
            raise _no_list(source, walker, done)
        yield from _elements(source, walker, done, split)
        return
    if head == "[" and path[0].isdecimal():
        members: Iterator[str] = map(str, walker.elements(_shown(done)))
    elif head == "{":
        members = walker.members(_shown(done))
    else:
        raise _no_records(source, done, path[0], [])
    seen = []
    for key in members:
        seen.append(key)
        if path[0] == _SPLIT:
            yield from _descend(source, walker, path[1:], (*done, key), key)
        elif path[0] == key:
            yield from _descend(source, walker, path[1:], (*done, key), split)
        else:
            walker.fast_value(_shown((*done, key)))
    if path[0] not in (_SPLIT, *seen):
        raise _no_records(source, done, path[0], seen)


def _elements(source: Source, walker: Walker, done: tuple[str, ...], split: str | None) -> Iterator[Row]:
    for index in walker.elements(_shown(done)):
        line, start = walker.line(), walker.position
        path = f"{_shown(done)}[{index}]"
        try:
            value = walker.fast_value(path)
        except JSONFault as fault:
            if source.on_bad_row is None or fault.slug not in _INEXACT:
                raise
            walker.position = start
            _step_over(walker, path)
            source.refuse_row(_refusal(source, fault, fault.line))
            continue
        yield Row(value, line, split)


def _step_over(walker: Walker, path: str) -> None:
    """Move past a value that is JSON in its grammar but not exact in its meaning."""
    try:
        _, walker.position = json.JSONDecoder().raw_decode(walker.text, walker.position)
    except (ValueError, RecursionError):
        walker.fail("bad-json", "the row cannot be stepped over", path)


def _refusal(source: Source, fault: JSONFault, line: int) -> DataError:
    hint = None
    if fault.slug == "bad-json" and fault.reason.startswith("more text after") and source.item.records is None:
        hint = "If each line is a JSON value of its own, set `format: jsonl`."
    where = f" (column {fault.column}, {fault.path})" if fault.offset is None else ""
    return DataError(fault.slug, fault.reason + where, file=source.name, line=line, offset=fault.offset, hint=hint)


def _no_list(source: Source, walker: Walker, done: tuple[str, ...]) -> DataError:
    line = walker.line()
    value: JSON = walker.fast_value(_shown(done))
    found = "an object" if isinstance(value, dict) else "no list"
    hint = None
    if isinstance(value, dict):
        # A file of JSON Lines under the name .json is common, and its first line is an object too.
        walker.end()
        lists = [key for key, item in value.items() if isinstance(item, list)]
        if lists:
            shown = ", ".join(repr(format_path((*done, key))) for key in lists[:5])
            hint = f"Set `records` to the list of rows, here {shown}, or use '{{split}}' where the keys are splits."
    place = f"at {format_path(done)}" if done else "in the document"
    return DataError(
        "no-rows", f"expected a list of rows {place}, found {found}", file=source.name, line=line, hint=hint
    )


def _no_records(source: Source, done: tuple[str, ...], wanted: str, seen: list[str]) -> DataError:
    found = f"; it has {', '.join(map(repr, seen[:8]))}" if seen else ""
    message = f"`records` asks for {wanted!r} {'in ' + format_path(done) if done else 'at the top'}, which is not there"
    return DataError("no-rows", message + found, file=source.name, field=source.item.records)


def _shown(done: tuple[str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in done)
