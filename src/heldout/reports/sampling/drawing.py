"""`heldout sample frame`, `design`, `draw` and `label` as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from heldout.domain.sampling.design import Design, decimal
from heldout.domain.sampling.drawing import Draw
from heldout.domain.sampling.estimate import Labels
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import RULES
from heldout.reports.sampling.texts import percent, population_line, table


def frame_report(frame: Frame, path: Path) -> Iterator[str]:
    yield f"{path}: {frame.size:,} units in {len(frame.strata)} strata, {frame.digest}"
    yield from table(
        [
            ("stratum", "units"),
            *((name, f"{len(names):,}") for name, names in frame.strata.items()),
        ]
    )
    yield population_line(frame.population)
    yield f"next: heldout sample design {path} --kind KIND --size NUMBER -o design.yaml"


def frame_json(frame: Frame, path: Path) -> dict[str, Any]:
    return {
        "format": "heldout/sample-frame-made@1",
        "file": str(path),
        "frame": frame.digest,
        "units": frame.size,
        "strata": {name: len(names) for name, names in frame.strata.items()},
        "population": frame.population.as_json(),
        "source": dict(frame.source),
    }


def design_report(design: Design, path: Path, frame: str) -> Iterator[str]:
    yield f"{path}: {design.name} version {design.version}, a {design.kind} sample, {design.digest}"
    yield from _plans(design)
    for name, value in design.thresholds.items():
        yield f"threshold {name}: {decimal(value * 100)} %, registered before anything is labelled"
    yield f"next: heldout sample draw {frame} {path} -o draw.json"


def _plans(design: Design) -> list[str]:
    head = ("stratum", "units", "draw", "probability", "weight")
    return table(
        [
            head,
            *(
                (
                    plan.name + (" (risk)" if plan.risk else ""),
                    f"{plan.units:,}",
                    f"{plan.draw:,}",
                    str(plan.probability),
                    f"{float(1 / plan.probability):.4g}",
                )
                for plan in design.strata
            ),
        ]
    )


def design_json(design: Design, path: Path) -> dict[str, Any]:
    return {
        "format": "heldout/sample-design-made@1",
        "file": str(path),
        "digest": design.digest,
        "design": design.as_json(),
    }


def draw_report(frame: Frame, design: Design, draw: Draw, path: Path) -> Iterator[str]:
    share = percent(Fraction(len(draw.selected), frame.size))
    yield f"{path}: {len(draw.selected):,} of {frame.size:,} units drawn ({share}) at {draw.selected_at}, {draw.digest}"
    yield from _plans(design)
    yield population_line(frame.population)
    yield f"{design.kind}: {RULES[design.kind].says}"
    yield f"next: heldout sample label {path} --by NAME --rubric VERSION -o labels.jsonl"


def draw_json(frame: Frame, design: Design, draw: Draw, path: Path) -> dict[str, Any]:
    return {
        "format": "heldout/sample-drawn@1",
        "file": str(path),
        "digest": draw.digest,
        "kind": design.kind.value,
        "population": frame.population.as_json(),
        **draw.as_json(),
    }


def labels_report(labels: Labels, path: Path) -> Iterator[str]:
    left = sum(row.failure is None for row in labels.rows)
    yield f"{path}: {len(labels.rows):,} drawn units, {left:,} of them to be labelled: 1 is a failure, 0 is none"
    yield f"next: heldout sample estimate FRAME DESIGN DRAW {path} -o study.json"


def labels_json(labels: Labels, path: Path) -> dict[str, Any]:
    left = sum(row.failure is None for row in labels.rows)
    return {
        "format": "heldout/sample-labels-made@1",
        "file": str(path),
        "units": len(labels.rows),
        "unlabelled": left,
        **labels.header(),
    }
