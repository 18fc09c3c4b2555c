"""Six kinds of sample, and what a report of each may say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a sample was drawn for."""

    REPRESENTATIVE = "representative"
    STRATIFIED = "stratified"
    RISK_ENRICHED = "risk_enriched"
    BOUNDARY = "boundary"
    TEMPORAL = "temporal"
    DISAGREEMENT = "disagreement"


@dataclass(frozen=True, slots=True)
class Rule:
    """`raw_name` is what the raw rate is called. Without `overall` there is no rate of the whole; without `decides`
    no threshold may be registered. `says` stands in every report."""

    raw_name: str
    says: str
    overall: bool = True
    decides: bool = True


RULES: Final = {
    Kind.REPRESENTATIVE: Rule(
        "failures among those drawn", "production weights are kept: strata are drawn by their share of the population"
    ),
    Kind.STRATIFIED: Rule(
        "failures among those drawn",
        "support of the strata and the weighted rate are two things: read both; the raw rate follows the design",
    ),
    Kind.RISK_ENRICHED: Rule(
        "failures among those drawn, which is no prevalence",
        "risk was drawn more than it occurs: only the weighted rate estimates the population",
    ),
    Kind.BOUNDARY: Rule(
        "failures among boundary cases drawn, which is no prevalence",
        "boundaries are read one by one; there is no rate of them all",
        overall=False,
    ),
    Kind.TEMPORAL: Rule(
        "failures among those drawn in the window", "the rate is the window's; read it with its freshness"
    ),
    Kind.DISAGREEMENT: Rule(
        "failures among disagreements drawn, which is no prevalence",
        "chosen where judges disagree: never read alone as quality, so it decides nothing",
        decides=False,
    ),
}

STATEMENTS: Final = (
    "sampling weights are not severity weights: a rare grave failure weighs what its stratum weighs",
    "thresholds were registered in the design, before labels; a number below one is no authority to deploy",
    "not covered: customers or sessions drawn as wholes, repeated runs of a case, errors of who labelled",
)
"""What no number of a sample says, printed beside each."""
