"""Designs (`heldout/sample-design@1`, YAML), which people edit, and designs as a study embeds them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design, Outcome, Plan, Window, kind_problem
from heldout.domain.sampling.kinds import Kind
from heldout.storage.documents import fraction, fraction_of, needed_section, whole, yaml_document
from heldout.storage.yaml.files import dump_yaml
from heldout.storage.yaml.schema import Section

DESIGN: Final = "heldout/sample-design@1"


def read_design(path: str) -> Design:
    """Raises ConfigError with file, line and field: slugs no-probability, wrong-quota and unfit-design besides those of
    any file."""
    return design_of(yaml_document(path, DESIGN))


def render_design(design: Design) -> bytes:
    """As people may go on editing it: numbers as numbers."""
    value = design.as_json()
    value["alpha"] = _number(design.alpha)
    value["thresholds"] = {name: _number(threshold) for name, threshold in design.thresholds.items()}
    return dump_yaml({"format": DESIGN, **value})


def _number(value: Fraction) -> JSON:
    return float(value) if Fraction(str(float(value))) == value else str(value)


def design_of(section: Section) -> Design:
    kind = section.choice("kind", [kind.value for kind in Kind])
    if kind is None:
        section.fail("missing-key", "the key 'kind' is needed here", "kind", hint=f"one of {', '.join(Kind)}")
    outcome = needed_section(section, "outcome")
    design = Design(
        name=section.needed_text("name"),
        version=whole(section, "version", 1),
        kind=Kind(kind),
        frame=section.needed_text("frame"),
        stream=section.needed_text("stream"),
        seed=section.needed_text("seed"),
        outcome=Outcome(outcome.needed_text("failure"), outcome.needed_text("maturity")),
        alpha=_share(section, fraction(section, "alpha"), "alpha"),
        thresholds=_thresholds(section),
        strata=_strata(needed_section(section, "strata")),
        window=_window(section),
    )
    outcome.done()
    section.done()
    if (problem := kind_problem(design)) is not None:
        section.fail("unfit-design", problem, "kind", hint="heldout sample design proposes one that fits")
    return design


def _window(section: Section) -> Window | None:
    found = section.section("window")
    if found is None:
        return None
    window = Window(found.needed_text("time"), found.needed_text("fresh_until"))
    found.done()
    return window


def _thresholds(section: Section) -> dict[str, Fraction]:
    found = section.section("thresholds")
    entries = () if found is None else found.items()
    return {
        name: _share(section, fraction_of(section, value, "thresholds", name), "thresholds", name)
        for name, value in entries
    }


def _share(section: Section, value: Fraction, *at: str) -> Fraction:
    if not 0 < value < 1:
        section.fail("bad-value", f"expected a number between 0 and 1, found {value}", *at)
    return value


def _strata(section: Section) -> tuple[Plan, ...]:
    plans = []
    for name in dict(section.items()):
        entry = section.section(name)
        assert entry is not None
        units, draw, risk = whole(entry, "units", 1), entry.raw("draw"), entry.flag("risk")
        entry.done()
        if draw is None or draw == 0:
            what = "draws nothing" if draw == 0 else "does not say how many it draws"
            hint = "give it a draw, or make a frame without it and say in the population that it is excluded"
            message = f"the stratum {name!r} {what}, so its units have no known probability above zero"
            section.fail("no-probability", message, name, "draw", hint=hint)
        drawn = whole(entry, "draw", 1)
        if drawn > units:
            section.fail("wrong-quota", f"{drawn} of {units} units cannot be drawn", name, "draw")
        plans.append(Plan(name, units, drawn, bool(risk)))
    if not plans:
        section.fail("bad-value", "a design has at least one stratum")
    return tuple(sorted(plans, key=lambda plan: plan.name))
