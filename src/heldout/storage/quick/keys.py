"""Whether no key appears twice in an object of some lines of JSON, told from their bytes and from their values.

A parser that keeps the last of two equal keys gives fewer keys than were written. Each key ends in a colon: when there
are as many colons as the values have keys, every key is there once. Where texts hold colons too, the values are written
out again, and what was read has to have a quote before a colon just as often. That is so at the end of each key, and
in a text wherever a quote stands before a colon, which both write in one way: unless one of the two is written as a
number (`\\u0022`), or white space stands between a key and its colon. Such lines are for the strict reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from heldout.storage.json_strict import MAX_DEPTH

_EMPTY: Final[dict[str, Any]] = {}
_QUOTE, _COLON, _SPACE = b'": '
_AS_NUMBERS: Final = (b"\\u0022", b"\\u003a", b"\\u003A")
_WRITTEN_OTHERWISE: Final = re.compile(r'[\x00-\x1f"\\\ud800-\udfff]')


def can_name_fields(keys: Iterable[str]) -> bool:
    """Whether each stands in JSON as it is, between quotes: msgspec makes a struct's field of no other key."""
    return not any(map(_WRITTEN_OTHERWISE.search, keys))


def are_distinct(block: bytes, values: list[Any]) -> bool:
    """Whether these lines are objects, every key is there once, and none is deeper than the strict reader goes."""
    try:
        shallow = sum(map(len, values)) + sum([len(value.get("metadata", _EMPTY).keys()) for value in values])
    except (TypeError, AttributeError):
        return False
    return are_keys(block, shallow, values, lambda: values)


def are_keys(block: bytes, shallow: int, rows: list[Any], nested: Callable[[], list[Any]]) -> bool:
    """The same for objects of any kind: `shallow` is the number of keys in them and in their metadata, `nested` what is
    in each of them."""
    if block.count(b"[") + block.count(b"{") > MAX_DEPTH and _may_be_deep(block) and _is_deep(nested()):
        return False
    if block.count(b":") == shallow:
        return True
    if b"\\u00" in block and any(map(block.__contains__, _AS_NUMBERS)):
        return False
    read = _ends(block)
    return read >= 0 and read == _ends(_written(rows))


def _written(rows: list[Any]) -> bytes:
    """The rows as JSON again; nothing for what msgspec reads and does not write."""
    from msgspec import MsgspecError
    from msgspec.json import encode

    try:
        return encode(rows)
    except (MsgspecError, OverflowError, RecursionError):
        return b""


def _ends(block: bytes) -> int:
    """How often a quote stands before a colon; -1 where white space could stand between a key and its colon."""
    import numpy as np

    data = np.frombuffer(block, dtype=np.uint8)
    colons = (data == _COLON).nonzero()[0]
    before = data[colons - 1]
    apart = data[colons[before <= _SPACE] - 2]
    return -1 if ((apart == _QUOTE) | (apart <= _SPACE)).any() else int(np.count_nonzero(before == _QUOTE))


def _may_be_deep(block: bytes) -> bool:
    """Whether some line has so many lists and objects that they could stand inside each other."""
    return any(line.count(b"[") + line.count(b"{") > MAX_DEPTH for line in block.split(b"\n"))


def _is_deep(values: list[Any]) -> bool:
    """Whether something stands inside more lists and objects than the strict reader allows."""
    level = values
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            for item in (outer.values() if outer.__class__ is dict else outer)
            if item.__class__ is dict or item.__class__ is list
        ]
        if not level:
            return False
    return True
