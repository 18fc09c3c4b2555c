"""Canonical JSON (RFC 8785, JCS) and the digests built on it: decision A1.

Two places go further than the RFC. Integers of any size are written as their exact decimal digits, where the RFC
rounds to a double, because 64-bit ids are common and two of them must not become one. And what has no canonical form
(NaN, infinities, lone surrogates, values that are not JSON) is refused with the path of the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from hashlib import sha256
from json.encoder import encode_basestring as _quote
from typing import Final

from heldout.domain.example import JSON

# RFC 8785 section 3.2.2.2 escapes exactly what json's own ensure_ascii=False encoder does: the quote, the backslash and
# the controls below U+0020, with the two-character forms and otherwise lower-case \u00xx.

DIGEST_PREFIX: Final = "sha256:"
_SAFE_INTEGER: Final = 2**53


class CanonicalError(ValueError):
    """The value has no canonical form. `path` names the place in it, `$` being the value itself."""

    def __init__(self, reason: str, path: str = "$") -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason
        self.path = path


class NotFiniteError(CanonicalError):
    """NaN or an infinity: JSON has no text for either."""


class LoneSurrogateError(CanonicalError):
    """A string or a key holds half of a surrogate pair, which UTF-8 cannot carry."""


class NotJSONError(CanonicalError):
    """A value of a Python type that JSON does not have, or a key that is no string."""


class TooLargeError(CanonicalError):
    """Nested deeper, or an integer longer, than Python can write."""


def canonical_json(value: JSON) -> bytes:
    """The canonical UTF-8 bytes: equal for equal JSON values, whatever their source text looked like.

    Raises a `CanonicalError` for a value that has none.
    """
    try:
        return _text(value).encode("utf-8")
    except UnicodeEncodeError:
        raise _explain(value, LoneSurrogateError("lone surrogate in a string")) from None
    except RecursionError:
        raise TooLargeError("nested too deep") from None
    except CanonicalError as error:
        raise _explain(value, error) from None


def digest(value: JSON) -> str:
    """`sha256:` and 64 hex digits over the canonical bytes."""
    return digest_bytes(canonical_json(value))


def digest_bytes(data: bytes) -> str:
    """`sha256:` and 64 hex digits over bytes as they are."""
    return DIGEST_PREFIX + sha256(data).hexdigest()


def number_text(value: int | float) -> str:
    """A number as ECMAScript's Number::toString writes it (ECMA-262 section 6.1.6.1.20), integers exactly at any size.

    1.0 gives "1", -0.0 gives "0", 1e21 gives "1e+21". Raises NotFiniteError, or TooLargeError for an integer beyond
    Python's limit on digits.
    """
    if isinstance(value, int):
        try:
            return str(int(value))
        except ValueError:
            raise TooLargeError("integer with too many digits") from None
    if not math.isfinite(value):
        raise NotFiniteError("NaN has no JSON text" if math.isnan(value) else "an infinity has no JSON text")
    if -_SAFE_INTEGER < value < _SAFE_INTEGER and value == int(value):
        return str(int(value))
    return _es_number(float.__repr__(value))


def sorted_keys(mapping: Iterable[str]) -> list[str]:
    """Keys in the order of their UTF-16 code units, which differs from code-point order above U+FFFF."""
    keys = list(mapping)
    if all(map(str.isascii, keys)):
        keys.sort()
    else:
        keys.sort(key=_utf16)
    return keys


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _es_number(shortest: str) -> str:
    """Python's shortest round-trip digits, laid out by ECMAScript's rules; both pick the same digits."""
    sign, body = ("-", shortest[1:]) if shortest.startswith("-") else ("", shortest)
    mantissa, _, exponent = body.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or "0")
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    point -= leading
    digits = digits.strip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{point - 1:+d}"
    return sign + digits[0] + (f".{digits[1:]}" if count > 1 else "") + power


def _text(value: object) -> str:
    kind = type(value)
    if kind is str:
        return _quote(value)  # type: ignore[arg-type]
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is dict:
        return _object_text(value)  # type: ignore[arg-type]
    if kind is list:
        return f"[{','.join(map(_text, value))}]"  # type: ignore[call-overload]
    if kind is int or kind is float:
        return number_text(value)  # type: ignore[arg-type]
    return _unusual_text(value)


def _object_text(value: Mapping[str, object]) -> str:
    try:
        keys = sorted_keys(value)
    except (TypeError, AttributeError):
        raise NotJSONError("a key is no string") from None
    return "{" + ",".join([f"{_quote(key)}:{_text(value[key])}" for key in keys]) + "}"


def _unusual_text(value: object) -> str:
    """Subclasses and read-only views of JSON's types: the domain holds mappings and tuples."""
    if isinstance(value, str):
        return _quote(str(value))
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, Mapping):
        return _object_text(value)
    if isinstance(value, tuple | list):
        return f"[{','.join(map(_text, value))}]"
    raise NotJSONError(f"{type(value).__name__} is no JSON value")


def _explain(value: object, error: CanonicalError) -> CanonicalError:
    """The same error with the path of the first value that causes it; found by a second walk, which only errors pay."""
    return _first_fault(value, "$") or error


def _first_fault(value: object, path: str) -> CanonicalError | None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                return NotJSONError(f"the key {key!r} is no string", path)
            if _has_surrogate(key):
                return LoneSurrogateError(f"lone surrogate in the key {key!a}", path)
            if fault := _first_fault(item, f"{path}{_step(key)}"):
                return fault
        return None
    if isinstance(value, tuple | list):
        faults = (_first_fault(item, f"{path}[{index}]") for index, item in enumerate(value))
        return next((fault for fault in faults if fault), None)
    if isinstance(value, str):
        return LoneSurrogateError("lone surrogate in a string", path) if _has_surrogate(value) else None
    try:
        _text(value)
    except CanonicalError as error:
        return type(error)(error.reason, path)
    return None


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{_quote(key)}]"


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
