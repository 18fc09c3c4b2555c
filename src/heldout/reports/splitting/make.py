"""What `heldout split make` prints, as text and as JSON (`heldout/split-make@1`)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from heldout.domain.splitting.making import Part, SplitMade

_LISTED = 5  # strata named as text


def split_make_lines(made: SplitMade) -> Iterator[str]:
    rows, tied = f"{made.rows:,} rows", f"{made.tied:,} of them tied to others"
    yield f"{rows}, {tied}: {made.clusters:,} clusters, each in one split; the largest has {made.largest:,} rows"
    for name, pairs in made.held_together.items():
        yield f"  held together by {name}: {pairs:,} pairs of different inputs"
    width = max(len(part.file) for part in made.parts)
    for part in made.parts:
        got = _percent(Fraction(part.rows, made.rows))
        yield f"{part.file:<{width}}  {part.rows:>9,} rows  {got:>8}  (wanted {_percent(part.wanted)})"
    if made.stratify is not None:
        yield from _strata(made)
    if made.repeated_keys:
        yield f"{made.repeated_keys:,} keys are those of several rows; each key is in one split"
    files = " ".join(part.file for part in made.parts)
    yield f"next: heldout check {files}"


def _strata(made: SplitMade) -> Iterator[str]:
    totals = made.stratum_totals()
    missed = sorted(
        (-abs(part.strata.get(stratum, 0) - part.wanted * total), stratum, part.name, part)
        for stratum, total in totals.items()
        for part in made.parts
    )
    worst = -missed[0][0]
    yield f"strata of {made.stratify}: {len(totals):,}, none further than {_rows(worst)} from its share"
    for amount, stratum, _, part in missed[:_LISTED]:
        if -amount >= 2:
            yield f"  {_stratum(part, stratum, totals[stratum])}"


def _stratum(part: Part, stratum: str, total: int) -> str:
    got = part.strata.get(stratum, 0)
    return f"{stratum}: {got:,} of {total:,} in {part.name}, {_percent(Fraction(got, total))}"


def _rows(amount: Fraction) -> str:
    return f"{float(amount):.3g} rows"


def split_make_json(made: SplitMade) -> dict[str, Any]:
    totals = made.stratum_totals()
    return {
        "format": "heldout/split-make@1",
        "rows": made.rows,
        "clusters": made.clusters,
        "largest_cluster": made.largest,
        "tied_rows": made.tied,
        "held_together": dict(made.held_together),
        "seed": made.seed,
        "tolerance": float(made.tolerance),
        "stratify": made.stratify,
        "repeated_keys": made.repeated_keys,
        "splits": {
            part.name: {
                "file": part.file,
                "rows": part.rows,
                "wanted": float(part.wanted),
                "share": part.rows / made.rows,
                **({} if made.stratify is None else {"strata": {name: part.strata.get(name, 0) for name in totals}}),
            }
            for part in made.parts
        },
    }


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.2f} %"
