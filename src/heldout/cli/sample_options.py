"""Options of the sampling commands that are `NAME=VALUE`, read into what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NoReturn

from heldout.errors import UsageError


def groups_of(texts: Sequence[str] | None, by: str | None) -> dict[str, tuple[str, ...]]:
    """`risk=lost,stolen` as risk -> (lost, stolen)."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts or ():
        name, value = _pair("--group", text, "risk=lost,stolen")
        if by is None:
            raise UsageError(
                "bad-value", "--group puts values together, and --by says of which field", hint="--by risk"
            )
        if name in found:
            _expect("--group", text, "each name once", "risk=lost,stolen")
        found[name] = tuple(part.strip() for part in value.split(",") if part.strip())
    return found


def counts_of(option: str, texts: Sequence[str] | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts or ():
        name, value = _pair(option, text, "risk=4")
        if not value.isascii() or not value.isdecimal() or len(value) > 12 or name in found:
            _expect(option, text, "a stratum, each once, and a whole number", "risk=4")
        found[name] = int(value)
    return found


def shares_of(option: str, texts: Sequence[str] | None) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for text in texts or ():
        name, value = _pair(option, text, "release=0.05")
        if name in found:
            _expect(option, text, "each name once", "release=0.05")
        found[name] = share_of(option, value, f"{name}=0.05")
    return found


def share_of(option: str, text: str, example: str = "0.05") -> Fraction:
    """A number between 0 and 1, exactly as it is written."""
    try:
        share = Fraction(text) if len(text) <= 20 and "e" not in text.lower() else Fraction(0)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        _expect(option, text, "a number between 0 and 1", example)
    return share


def refuse_beside(option: str, others: Mapping[str, object], why: str) -> None:
    """Raises UsageError (slug bad-value) for an option that would have no say beside another."""
    for other, value in others.items():
        if value:
            raise UsageError("bad-value", f"{other} has no say beside {option}", hint=why)


def _pair(option: str, text: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        _expect(option, text, "NAME=VALUE", example)
    return name.strip(), value.strip()


def _expect(option: str, text: str, expected: str, example: str) -> NoReturn:
    raise UsageError("bad-value", f"{option} {text}: expected {expected}", hint=f"{option} {example}")
