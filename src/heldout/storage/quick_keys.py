"""Whether no key appears twice in an object of some lines of JSON, told from their bytes and from their values.

A parser that keeps the last of two equal keys gives fewer keys than were written. Each key ends in a colon: when there
are as many colons as the values have keys, every key is there once. Where texts hold colons too, keys are told from
them by the quote before the colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from heldout.storage.json_strict import MAX_DEPTH

_EMPTY: Final[dict[str, Any]] = {}
_QUOTE, _COLON, _BACKSLASH, _SPACE = b'":\\ '
_APART: Final = re.compile(rb'["\s]\s:')  # perhaps a key that stands apart from its colon


def are_distinct(block: bytes, values: list[Any]) -> bool:
    """Whether these lines are objects, every key is there once, and none is deeper than the strict reader goes."""
    try:
        shallow = sum(map(len, values)) + sum([len(value.get("metadata", _EMPTY).keys()) for value in values])
        return are_keys(block, shallow, lambda: sum(keys(value, 0) for value in values))
    except (TypeError, AttributeError):
        return False


def are_keys(block: bytes, shallow: int, total: Callable[[], int]) -> bool:
    """Whether the bytes have just as many keys as the values: `shallow` in rows and their metadata, `total` in all.

    `total` walks through the values and is asked only where there are more keys than `shallow`.
    """
    if block.count(b"[") >= MAX_DEPTH and _is_deep(block):
        return False
    if block.count(b":") == shallow:
        return True
    written = _keys_written(block)
    return written == shallow or (written > shallow and _is_total(written, total))


def _is_total(written: int, total: Callable[[], int]) -> bool:
    try:
        return written == total()
    except _TooDeepError:
        return False


class _TooDeepError(ValueError):
    """Deeper than the strict reader goes, or would be."""


def keys(value: Any, depth: int) -> int:
    """Keys of an object and of all inside it, each once."""
    if depth >= MAX_DEPTH:
        raise _TooDeepError
    if value.__class__ is dict:
        total = len(value)
        inner = value.values()
    else:
        total, inner = 0, value
    for item in inner:
        kind = item.__class__
        if kind is dict or kind is list:
            total += keys(item, depth + 1)
    return total


def _keys_written(block: bytes) -> int:
    """How many keys there are; -1 where only the strict reader can say.

    A key ends in a quote and a colon, and nothing else does: a quote inside a text has a backslash before it.
    """
    import numpy as np

    data = np.frombuffer(block, dtype=np.uint8)
    colons = (data == _COLON).nonzero()[0]
    before = data[colons - 1]
    if (before <= _SPACE).any() and _APART.search(block):
        return -1
    keys = colons[before == _QUOTE]
    return -1 if (data[keys - 2] == _BACKSLASH).any() else len(keys)


def _is_deep(block: bytes) -> bool:
    """Whether some line has so many lists that they could be inside each other."""
    return any(line.count(b"[") >= MAX_DEPTH for line in block.split(b"\n"))
