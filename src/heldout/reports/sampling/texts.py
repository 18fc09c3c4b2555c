"""Rates, intervals and populations as people read them; intervals are rounded outward, so none is printed too short."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from heldout.domain.sampling.frame import Population


def percent(rate: Fraction) -> str:
    return f"{float(rate * 100):.1f} %"


def outward(low: Fraction, high: Fraction) -> str:
    """Tenths of a per cent, the lower end rounded down and the upper one up."""
    return f"{floor(low * 1000) / 10:.1f} to {ceil(high * 1000) / 10:.1f} %"


def level(alpha: Fraction) -> str:
    return f"{float((1 - alpha) * 100):g} %"


def population_line(population: Population) -> str:
    parts = [
        population.product,
        f"workflows {', '.join(population.workflows)}",
        f"languages {', '.join(population.languages)}",
        f"channels {', '.join(population.channels)}",
        f"risk window {population.risk_window}",
        f"traffic window {population.traffic_window}",
        f"excluded {', '.join(population.excluded) or 'nothing'}",
    ]
    return f"population: {'; '.join(parts)}"


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns two spaces apart, the first to the left and the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(cells)
        ).rstrip()
        for row in rows
        for cells in [list(zip(row, widths, strict=True))]
    ]
