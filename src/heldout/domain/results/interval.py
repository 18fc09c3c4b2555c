"""An interval for a rate, a mean or a difference, and how it is shown: never narrower than it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends belong to it. Decisions are made on these numbers, never on the rounded ones (decision A34)."""

    lower: float
    upper: float

    def outward(self, per_unit: int) -> tuple[float, float]:
        """The ends rounded away from the middle to 1/`per_unit`: 1000 is a tenth of a per cent.

        Exact on the numbers as they are, so what is shown always holds what was computed.
        """
        return math.floor(Fraction(self.lower) * per_unit) / per_unit, math.ceil(
            Fraction(self.upper) * per_unit
        ) / per_unit

    def percent(self) -> tuple[float, float]:
        """In per cent, to a tenth, outward (O14): 0.22446 to 0.43894 is shown as 22.4 to 43.9."""
        return math.floor(Fraction(self.lower) * 1000) / 10, math.ceil(Fraction(self.upper) * 1000) / 10
