"""`heldout sample qualify`: a design judged over its whole sample space, for a study in which the truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import STATEMENTS
from heldout.domain.sampling.numbers import AtTruth, Everywhere
from heldout.errors import UsageError
from heldout.services.sampling.checking import require_fit
from heldout.services.sampling.outcomes import LabelSource, truth_of
from heldout.statistics.qualification import Space, at_truth, everywhere
from heldout.storage.documents import json_bytes
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.sampling.design_file import read_design
from heldout.storage.sampling.frame_file import read_frame
from heldout.storage.sampling.study_file import QUALIFICATION

LARGEST = 3_000_000
"""Cells over all populations, about half a minute; a larger design is judged at its truth alone."""
LARGEST_TRUTH = 200_000
"""Cells at one population."""


@dataclass(frozen=True, slots=True)
class Qualified:
    """`everywhere` is None where there are too many populations to go through."""

    design: Design
    truth: Mapping[str, int]
    sets: int
    populations: int
    at_truth: AtTruth
    everywhere: Everywhere | None

    def as_json(self) -> dict[str, JSON]:
        return {
            "sample_space": str(self.sets),
            "populations": str(self.populations),
            "at_truth": self.at_truth.as_json(),
            "everywhere": None if self.everywhere is None else self.everywhere.as_json(),
        }


def qualify(design: Design, truth: Mapping[str, int]) -> Qualified:
    """Exact over every ID set. Raises UsageError: bad-value (a truth that no population can have), study-too-large."""
    _check_truth(design, truth)
    space = Space([(plan.units, plan.draw) for plan in design.strata], design.alpha)
    if space.width > LARGEST_TRUTH:
        message = f"{space.width:,} combinations of failures are too many to go through; {LARGEST_TRUTH:,} at most"
        raise UsageError("study-too-large", message, hint="qualify a smaller design of the same shape")
    thresholds = list(dict.fromkeys(design.thresholds.values()))
    counts = [truth[plan.name] for plan in design.strata]
    everything = everywhere(space, thresholds) if space.work <= LARGEST else None
    found = at_truth(space, counts, thresholds)
    return Qualified(design, truth, space.sets, space.populations, found, everything)


def _check_truth(design: Design, truth: Mapping[str, int]) -> None:
    names = [plan.name for plan in design.strata]
    if sorted(truth) != names:
        message = f"the truth names {', '.join(sorted(truth)) or 'nothing'}; the strata are {', '.join(names)}"
        raise UsageError("bad-value", message, hint=" ".join(f"--failures {name}=NUMBER" for name in names))
    for plan in design.strata:
        if not 0 <= truth[plan.name] <= plan.units:
            message = f"{truth[plan.name]} failures among the {plan.units} units of {plan.name!r}"
            raise UsageError("bad-value", message, hint="the true number of failures in the stratum")


def study_of(frame: Frame, found: Qualified) -> dict[str, JSON]:
    return {
        "format": QUALIFICATION,
        "frame": frame.as_json(),
        "design": found.design.as_json(),
        "truth": dict(found.truth),
        "digests": {"frame": frame.digest, "design": found.design.digest},
        "result": found.as_json(),
        "statements": list(STATEMENTS),
    }


def qualify_files(
    frame_file: str, design_file: str, truth: Mapping[str, int] | LabelSource, target: Path | None
) -> tuple[Frame, Qualified, dict[str, JSON]]:
    """The truth by numbers, or from outcomes of every unit. Raises UsageError (slug output-exists) before all else."""
    if target is not None:
        require_absent([target])
    frame, design = read_frame(frame_file), read_design(design_file)
    require_fit(frame, design, design_file)
    found = qualify(design, truth_of(truth, frame) if isinstance(truth, LabelSource) else truth)
    study = study_of(frame, found)
    if target is not None:
        write_new(target, json_bytes(study))
    return frame, found, study
