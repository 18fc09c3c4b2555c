"""`heldout sample design`, `draw` and `label`: what happens before anybody has seen an outcome."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from heldout.domain.canonical import digest
from heldout.domain.sampling.design import Design, Outcome, Plan, Window, kind_problem
from heldout.domain.sampling.drawing import PROCEDURE, Draw, select
from heldout.domain.sampling.estimate import Label, Labels
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import Kind
from heldout.domain.slicing.sample import shares
from heldout.errors import UsageError
from heldout.services.sampling.checking import require_fit
from heldout.services.sampling.outcomes import LabelSource, outcomes_of
from heldout.storage.new_files import new_files, require_absent, write_new
from heldout.storage.sampling.design_file import read_design, render_design
from heldout.storage.sampling.draw_files import is_time, label_lines, read_draw, render_draw
from heldout.storage.sampling.frame_file import read_frame


@dataclass(frozen=True, slots=True)
class DesignRequest:
    """`size` is shared by largest remainders among strata that `draws` does not settle."""

    frame: str
    name: str
    kind: Kind
    seed: str
    stream: str
    outcome: Outcome
    size: int = 0
    draws: Mapping[str, int] = field(default_factory=dict)
    risk: Collection[str] = ()
    thresholds: Mapping[str, Fraction] = field(default_factory=dict)
    alpha: Fraction = Fraction(1, 20)
    window: Window | None = None
    version: int = 1


def make_design(request: DesignRequest, target: Path) -> Design:
    """Write a design that fits its frame. Raises UsageError: bad-value, no-probability, unfit-design, output-exists."""
    require_absent([target])
    frame = read_frame(request.frame)
    sizes = {name: len(names) for name, names in frame.strata.items()}
    for name in (*request.draws, *request.risk):
        if name not in sizes:
            raise UsageError("bad-value", f"the frame has no stratum {name!r}", hint=f"its strata: {', '.join(sizes)}")
    free = {name: size for name, size in sizes.items() if name not in request.draws}
    if request.size > sum(free.values()):
        message = f"{request.size} of {sum(free.values())} units would be drawn"
        raise UsageError("wrong-quota", message, hint=f"--size {sum(free.values())} takes every unit that is left")
    draws = {**shares(free, request.size), **request.draws}
    for name, draw in draws.items():
        if not 0 < draw <= sizes[name]:
            slug = "wrong-quota" if draw else "no-probability"
            message = f"{draw} of the {sizes[name]} units of {name!r} would be drawn"
            raise UsageError(slug, message, hint=f"a larger --size, or --draw {name}=NUMBER")
    design = Design(
        name=request.name,
        version=request.version,
        kind=request.kind,
        frame=frame.digest,
        stream=request.stream,
        seed=request.seed,
        outcome=request.outcome,
        alpha=request.alpha,
        thresholds=dict(request.thresholds),
        strata=tuple(Plan(name, sizes[name], draws[name], name in request.risk) for name in sorted(sizes)),
        window=request.window,
    )
    if (problem := kind_problem(design)) is not None:
        raise UsageError("unfit-design", problem, hint="docs/sampling.md lists what each kind of sample needs")
    write_new(target, render_design(design))
    return design


def make_draw(frame_file: str, design_file: str, selected_at: str, target: Path) -> tuple[Frame, Design, Draw]:
    """Write the selection event. Raises ConfigError (slugs other-frame, no-probability, wrong-quota), UsageError."""
    if not is_time(selected_at):
        raise UsageError("bad-value", f"--at {selected_at}: expected a time in UTC", hint="--at 2026-08-01T12:00:00Z")
    require_absent([target])
    frame, design = read_frame(frame_file), read_design(design_file)
    require_fit(frame, design, design_file)
    draw = Draw(frame.digest, design.digest, PROCEDURE, selected_at, select(frame, design))
    write_new(target, render_draw(draw))
    return frame, design, draw


def make_labels(draw_file: str, labelled_by: str, rubric: str, target: Path, source: LabelSource | None) -> Labels:
    """Write a sheet of labels bound to a draw, empty or filled from a file of outcomes, where only what was drawn is
    looked up. The order of the sheet says nothing of the strata.

    Raises DataError: repeated-unit, bad-value, missing-key.
    """
    require_absent([target])
    draw = read_draw(draw_file)
    found = {} if source is None else outcomes_of(source, draw.by_name)
    bound = draw.digest
    order = sorted(draw.by_name, key=lambda name: digest([bound, name]))
    rows = tuple(found.get(name) or Label(name, None) for name in order)
    labels = Labels(bound, labelled_by, rubric, rows, str(target))
    with new_files([target]) as (stream,):
        for line in label_lines(labels):
            stream.write(line)
    return labels
