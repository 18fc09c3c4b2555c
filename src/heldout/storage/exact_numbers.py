"""Decimal text as a 64-bit float, exactly or not at all (decision A50).

A float never equals most decimals, and RFC 8785 takes the nearest one: 0.1 is read as everybody reads it. What must not
happen is that digits the writer put there are lost: 9007199254740993.0 is not ...992.0, and 1e-400 is not 0. So a text
is read when it is what its float looks like, rounded to as many digits as the text has; that holds for anything that a
program printed from a float, with however many digits.
"""

from __future__ import annotations

import math
import sys
from decimal import Context, Decimal
from typing import Final

_SURE: Final = 16  # characters: a point or an exponent, and at most 15 digits, which every normal float keeps
_LEAST, _MOST = sys.float_info.min, sys.float_info.max  # below, floats have fewer digits


class InexactNumber(ValueError):
    """The number has no float that keeps it; `overflow` when it is larger than any."""

    def __init__(self, reason: str, *, overflow: bool = False) -> None:
        super().__init__(reason)
        self.overflow = overflow


def exact_float(text: str) -> float:
    """The float of a decimal number with a fraction or an exponent. Raises InexactNumber."""
    value = float(text)
    if len(text) <= _SURE:
        if _LEAST <= abs(value) <= _MOST:
            return value
    elif repr(value) == text:
        return value
    if math.isinf(value):
        raise InexactNumber("the number is too large for a 64-bit float", overflow=True)
    if value == 0.0:
        if text.lower().partition("e")[0].strip("-+0."):
            raise InexactNumber("the number is too close to zero for a 64-bit float")
    elif not _is_printed_from(value, Decimal(text)):
        raise InexactNumber("the number has more digits than a 64-bit float keeps; write it as a text or an integer")
    return value


def _is_printed_from(value: float, written: Decimal) -> bool:
    digits = "".join(map(str, written.as_tuple().digits)).strip("0")
    exact = Decimal(value)
    return Context(prec=max(len(digits), 1)).plus(exact) == written or Decimal(repr(value)) == written
