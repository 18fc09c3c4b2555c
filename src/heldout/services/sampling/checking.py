"""What a sample has to be before anything is computed from it: every break of the design is refused, by its slug."""

from __future__ import annotations

from collections import Counter

from heldout.domain.sampling.design import Design
from heldout.domain.sampling.drawing import PROCEDURE, Draw, select
from heldout.domain.sampling.estimate import Labels
from heldout.domain.sampling.frame import Frame, repeated
from heldout.errors import ConfigError, DataError

_ANEW = "draw anew: heldout sample draw; and label that"
_LABEL_ALL = "label it: a rate from which cases were left out is a rate of something else"


def require_fit(frame: Frame, design: Design, file: str) -> None:
    """Raises ConfigError: other-frame, no-probability (a stratum that is in no plan), wrong-quota (other sizes)."""
    if design.frame != frame.digest:
        message = f"the design is for the frame {design.frame}, this one is {frame.digest}"
        hint = "give that frame, or make a design for this one: heldout sample design"
        raise ConfigError("other-frame", message, file=file, field="frame", hint=hint)
    planned = {plan.name for plan in design.strata}
    for name, names in frame.strata.items():
        if name not in planned:
            message = f"the design says nothing about the stratum {name!r}: {len(names)} units have no probability"
            raise ConfigError("no-probability", message, file=file, field="strata", hint="give it units and draw")
    for plan in design.strata:
        units = len(frame.strata.get(plan.name, ()))
        if units != plan.units:
            message = f"the stratum {plan.name!r} has {units} units in the frame, {plan.units} in the design"
            raise ConfigError("wrong-quota", message, file=file, field=f"strata.{plan.name}.units")


def require_drawn(frame: Frame, design: Design, draw: Draw, file: str) -> None:
    """The draw is of this frame, by this design, and the one that the seed gives.

    Raises DataError: other-frame, other-design, repeated-unit, unit-not-in-frame, wrong-quota, wrong-probability,
    other-selection.
    """
    if draw.frame != frame.digest:
        raise DataError("other-frame", f"drawn from the frame {draw.frame}", file=file, field="frame", hint=_ANEW)
    if draw.design != design.digest:
        message = f"drawn by the design {draw.design}; this one is {design.digest}"
        hint = "a design is settled before the draw: give that one, or draw anew"
        raise DataError("other-design", message, file=file, field="design", hint=hint)
    if (twice := repeated(each.name for each in draw.selected)) is not None:
        raise DataError("repeated-unit", f"{twice!r} is drawn twice", file=file, field="selected", hint=_ANEW)
    for each in draw.selected:
        if (stratum := frame.stratum_of.get(each.name)) is None:
            message = f"{each.name!r} is no unit of the frame"
            raise DataError("unit-not-in-frame", message, file=file, field="selected", hint=_ANEW)
        if stratum != each.stratum:
            message = f"{each.name!r} is in the stratum {stratum!r}, not {each.stratum!r}"
            raise DataError("unit-not-in-frame", message, file=file, field="selected", hint=_ANEW)
    quotas = Counter(each.stratum for each in draw.selected)
    plans = {plan.name: plan for plan in design.strata}
    for plan in design.strata:
        if quotas[plan.name] != plan.draw:
            message = f"{quotas[plan.name]} units of {plan.name!r} are drawn, the design says {plan.draw}"
            raise DataError("wrong-quota", message, file=file, field="selected", hint=_ANEW)
    for each in draw.selected:
        if each.probability != plans[each.stratum].probability:
            message = f"{each.name!r} has the probability {each.probability}, not {plans[each.stratum].probability}"
            raise DataError("wrong-probability", message, file=file, field="selected", hint=_ANEW)
    if draw.procedure != PROCEDURE or set(draw.selected) != set(select(frame, design)):
        message = f"these are not the units that {PROCEDURE} takes with the design's stream and seed"
        raise DataError("other-selection", message, file=file, field="selected", hint=_ANEW)


def require_labelled(draw: Draw, labels: Labels, frame: Frame) -> None:
    """A label for each selected unit, and for no other.

    Raises DataError: other-draw, repeated-unit, unit-not-in-frame, unit-not-drawn, label-missing.
    """
    file = labels.file
    if labels.draw != draw.digest:
        message = f"labels of the draw {labels.draw}; this one is {draw.digest}"
        raise DataError("other-draw", message, file=file, field="draw", hint="give the draw that was labelled")
    if (twice := repeated(row.name for row in labels.rows)) is not None:
        raise DataError("repeated-unit", f"{twice!r} is labelled twice", file=file)
    drawn = draw.by_name
    for row in labels.rows:
        if row.name not in drawn:
            hint = "a sample has what was drawn and nothing else; cases found in incidents belong elsewhere"
            if row.name in frame.stratum_of:
                raise DataError("unit-not-drawn", f"{row.name!r} was not drawn", file=file, line=row.line, hint=hint)
            raise DataError(
                "unit-not-in-frame", f"{row.name!r} is not in the frame", file=file, line=row.line, hint=hint
            )
    given = {row.name: row for row in labels.rows}
    for each in draw.selected:
        found = given.get(each.name)
        if found is None or found.failure is None:
            message = f"{each.name!r} was drawn and has no label"
            line = None if found is None else found.line
            raise DataError("label-missing", message, file=file, line=line, hint=_LABEL_ALL)
