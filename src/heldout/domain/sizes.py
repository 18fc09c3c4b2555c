"""Sizes of memory as people write them."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "": 1,
    "b": 1,
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)},
    **{f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", 1)},
}
_SIZE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", re.IGNORECASE)


def parse_size(text: str) -> int | None:
    """`1GiB`, `512 MiB`, `2GB` or a number of bytes, in bytes; None for anything else, and for nothing."""
    match = _SIZE.fullmatch(text.strip())
    factor = _UNITS.get(match[2].lower()) if match else None
    return (int(float(match[1]) * factor) or None) if match and factor else None
