"""Examples as JSONL in Heldout's own record shape: what `load` prints, and what can be added again without `fields`."""

from __future__ import annotations

import json
import re

from heldout.domain.example import JSON, Example

_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


def example_line(example: Example) -> str:
    """One line, without its end. Parts that are absent are left out; numbers are exact.

    U+0085, U+2028 and U+2029 are escaped: JSON allows them as they are, but many readers take them for line ends.
    """
    record: dict[str, JSON] = {"key": example.key, "split": example.split, **_input(example), **example.content()}
    return json_line(record)


def json_line(record: JSON) -> str:
    """Any JSON value on one line, without its end."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LINE_ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _input(example: Example) -> dict[str, JSON]:
    return {"input": example.input} if example.has_input else {}
