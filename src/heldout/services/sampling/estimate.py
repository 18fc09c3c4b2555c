"""`heldout sample estimate`: what a labelled draw says of the population, and nothing that it was not given.

`estimate` sees the membership of the frame, the design, the draw and labels of what was drawn. The truth about the rest
is no argument of it; only a qualification, which is a study, knows one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design
from heldout.domain.sampling.drawing import Draw
from heldout.domain.sampling.estimate import Decided, Estimate, Labels, StratumResult, decide
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import RULES, STATEMENTS
from heldout.domain.sampling.numbers import Observed
from heldout.services.sampling.checking import require_drawn, require_fit, require_labelled
from heldout.statistics.sampling import interval, raw_rate, weighted_rate
from heldout.storage.documents import json_bytes
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.sampling.design_file import read_design
from heldout.storage.sampling.draw_files import read_draw, read_labels
from heldout.storage.sampling.frame_file import read_frame
from heldout.storage.sampling.study_file import ESTIMATE


@dataclass(frozen=True, slots=True)
class Sample:
    """Everything that goes into an estimate, checked."""

    frame: Frame
    design: Design
    draw: Draw
    labels: Labels

    @classmethod
    def checked(cls, sample: Sample, *, design_file: str, draw_file: str) -> Sample:
        """Raises the errors of `heldout.services.sampling.checking`."""
        require_fit(sample.frame, sample.design, design_file)
        require_drawn(sample.frame, sample.design, sample.draw, draw_file)
        require_labelled(sample.draw, sample.labels, sample.frame)
        return sample


def read_sample(frame: str, design: str, draw: str, labels: str) -> Sample:
    """Four files, and that they belong together."""
    sample = Sample(read_frame(frame), read_design(design), read_draw(draw), read_labels(labels))
    return Sample.checked(sample, design_file=design, draw_file=draw)


def estimate(design: Design, draw: Draw, labels: Labels) -> Estimate:
    """Exact numbers of a checked sample; strata by name, as the design has them."""
    of = {each.name: each.stratum for each in draw.selected}
    failures = Counter(of[row.name] for row in labels.rows if row.failure)
    prohibited = Counter(of[row.name] for row in labels.rows if row.prohibited)
    observed = [Observed(plan.units, plan.draw, failures[plan.name]) for plan in design.strata]
    bounds = interval(observed, design.alpha)
    strata = tuple(
        StratumResult(plan.name, plan.risk, plan.units, plan.draw, failures[plan.name], prohibited[plan.name], *ends)
        for plan, ends in zip(design.strata, bounds.strata, strict=True)
    )
    raw, weighted, overall = raw_rate(observed), weighted_rate(observed), RULES[design.kind].overall
    whole = (bounds.low, bounds.high)
    decisions = _whole(design, raw, weighted, whole) if overall else _by_stratum(design, strata)
    return Estimate(strata, raw, weighted if overall else None, whole if overall else None, decisions)


def _whole(design: Design, raw: Fraction, weighted: Fraction, ends: tuple[Fraction, Fraction]) -> tuple[Decided, ...]:
    return tuple(
        Decided(name, value, decide(raw, raw, value), decide(weighted, weighted, value), decide(*ends, value))
        for name, value in design.thresholds.items()
    )


def _by_stratum(design: Design, strata: Sequence[StratumResult]) -> tuple[Decided, ...]:
    """Each stratum by itself; its interval holds together with all others, for it is part of the overall one."""
    return tuple(
        Decided(name, value, point, point, decide(each.low, each.high, value), each.name)
        for name, value in design.thresholds.items()
        for each in strata
        for point in [decide(each.rate, each.rate, value)]
    )


def study_of(sample: Sample, found: Estimate) -> dict[str, JSON]:
    """The artifact: what went in, what came out, and what it does not say."""
    rule = RULES[sample.design.kind]
    return {
        "format": ESTIMATE,
        "frame": sample.frame.as_json(),
        "design": sample.design.as_json(),
        "draw": sample.draw.as_json(),
        "labels": sample.labels.as_json(),
        "digests": {"frame": sample.frame.digest, "design": sample.design.digest, "draw": sample.draw.digest},
        "result": found.as_json(),
        "raw_is": rule.raw_name,
        "statements": [rule.says, *STATEMENTS],
    }


def estimate_files(
    frame: str, design: str, draw: str, labels: str, target: Path | None
) -> tuple[Sample, Estimate, dict[str, JSON]]:
    """Read, check, compute, and write the study where `target` says. Raises UsageError (slug output-exists)."""
    if target is not None:
        require_absent([target])
    sample = read_sample(frame, design, draw, labels)
    found = estimate(sample.design, sample.draw, sample.labels)
    study = study_of(sample, found)
    if target is not None:
        write_new(target, json_bytes(study))
    return sample, found, study
