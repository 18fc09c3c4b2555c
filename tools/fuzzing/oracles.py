"""What the standard library makes of JSON text, and the rules of docs/reading.md in other terms than Heldout's own."""

from __future__ import annotations

import json
import re
from typing import Any

from heldout.storage.json_strict import MAX_DEPTH


def decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


class Inexact(ValueError):
    """What the standard library reads, and Heldout refuses by rule."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise Inexact
    return dict(pairs)


def _refuse(_: str) -> Any:
    raise Inexact


def _number(text: str) -> float:
    """Refused, in the terms of another library than Heldout's: text that printf would not give for the float."""
    value = float(text)
    head, _, power = text.lower().partition("e")
    digits = head.replace(".", "").replace("-", "").strip("0") or "0"
    if len(power) > 6 or abs(value) == float("inf"):
        if value == 0 and digits == "0":
            return value
        raise Inexact
    wanted = f"%.{len(digits) - 1}e"
    if len(digits) > 800 or wanted % float(repr(value)) != _scientific(text, digits):
        raise Inexact
    return value


def _scientific(text: str, digits: str) -> str:
    """The number as printf's %e writes it, by moving the point of the text itself."""
    head, _, power = text.lower().partition("e")
    whole, _, fraction = head.lstrip("-").partition(".")
    sign = "-" if head.startswith("-") else ""
    if digits == "0":
        return f"{sign}0e+00"
    leading = len(whole + fraction) - len((whole + fraction).lstrip("0"))
    exponent = len(whole) - leading - 1 + int(power or "0")
    mantissa = digits[0] + (f".{digits[1:]}" if digits[1:] else "")
    return f"{sign}{mantissa}e{exponent:+03d}"


def standard_json(text: str) -> Any:
    """The value by the standard library and the rules of docs/reading.md. Raises ValueError or RecursionError."""
    value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse, parse_float=_number)
    if depth(text) > MAX_DEPTH:
        raise Inexact
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def depth(text: str) -> int:
    """How deep brackets outside strings nest, in a text that is JSON."""
    level = deepest = 0
    for mark in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text, re.DOTALL):
        level += (mark in "[{") - (mark in "]}") if len(mark) == 1 else 0
        deepest = max(deepest, level)
    return deepest
