"""A suite (`format: heldout/suite@1`): slices, support, release rules, and what policies share with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import isfinite

from heldout.domain.example import JSON
from heldout.domain.results.decision import Rule
from heldout.domain.results.declared import Declared, SliceFault, parse_declared
from heldout.domain.results.run import Rag
from heldout.domain.results.scope import PREFIX, Scope, parse_scope
from heldout.domain.results.suite import REST, RUN, Suite
from heldout.storage.yaml.files import load_yaml_located
from heldout.storage.yaml.schema import Section, kind_of

FORMAT = "heldout/suite@1"
_FAR = 1e12
"""Beyond it a score has no thousandths any more, and sums of scores overflow further on."""


def parse_suite(data: bytes, name: str) -> Suite:
    """Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, name)
    section = Section(located, located.value)
    check_format(section, FORMAT)
    suite = settings(section)
    rules = tuple(_release_rule(item) for item in section.sections("rules")) if section.has("rules") else ()
    distinct(section, [rule.id for rule in rules], "rules", "rule")
    section.done()
    return replace(suite, rules=rules)


def check_format(section: Section, expected: str) -> None:
    found = section.needed_text("format")
    if found != expected:
        section.fail("unknown-format", f"format is {found!r}, this Heldout reads {expected!r} here", "format")


def settings(section: Section) -> Suite:
    """The keys that a suite and a policy have in common."""
    usual = Suite()
    rag = section.section("rag")
    required = tuple(_required(section, text, at) for at, text in enumerate(section.texts("required") or ()))
    return Suite(
        name=section.text("name") or "",
        dataset=section.text("dataset"),
        splits=section.texts("splits") or (),
        slices=tuple(dict.fromkeys((*declared_slices(section, "slices"), *_slices_of(required)))),
        least=whole(section, "min_slice_support", usual.least),
        level=number(section, "level", usual.level, 0, 1),
        q=number(section, "mark_level", usual.q, 0, 1),
        against=section.choice("against", [RUN, REST]) or usual.against,
        missing_as_slice=bool(section.flag("missing_as_slice")),
        rag=usual.rag if rag is None else _rag(rag),
        scores=_scores(section),
        required=required,
    )


def declared_slices(section: Section, key: str) -> tuple[Declared, ...]:
    found = []
    _refuse_split_bounds(section, key)
    for index, text in enumerate(section.texts(key) or ()):
        try:
            found.append(parse_declared(text))
        except SliceFault as fault:
            section.fail(fault.slug, str(fault), key, index)
    return tuple(found)


def _refuse_split_bounds(section: Section, key: str) -> None:
    """`[trajectory_length:4,8]` is a list of two in YAML, and the 8 a number."""
    given = section.raw(key)
    for before, value in pairwise(given if isinstance(given, list) else ()):
        if isinstance(before, str) and ":" in before and _is_number(value):
            text = f"{before},{value}"
            section.fail("wrong-type", f"the bounds of {before!r} are cut at a comma", key, hint=f'write "{text}"')


def distinct(section: Section, names: list[str], key: str, what: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            section.fail("bad-value", f"the {what} '{name}' is there twice", key)


def whole(section: Section, key: str, default: int, least: int = 0) -> int:
    value = section.raw(key)
    if value is None and not section.has(key):
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        section.fail("wrong-type", f"expected a whole number from {least}, found {kind_of(value)}", key)
    return value


def number(section: Section, key: str, default: float | None, low: float, high: float) -> float:
    """A number between the two, both excluded; without a default it is needed."""
    value = section.raw(key)
    if default is not None and not section.has(key):
        return default
    if not _is_number(value) or not low < value < high:  # type: ignore[operator]
        between = f" between {low:g} and {high:g}" if isfinite(high - low) else ""
        section.fail("bad-value", f"expected a number{between}, found {kind_of(value)}", key)
    return float(value)  # type: ignore[arg-type]


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rag(section: Section) -> Rag:
    top_k, budget = whole(section, "top_k", 0, 1), whole(section, "token_budget", 0, 1)
    section.done()
    return Rag(top_k or None, budget or None)


def _scores(section: Section) -> dict[str, tuple[float, float]]:
    inner = section.section("scores")
    found: dict[str, tuple[float, float]] = {}
    for name, value in inner.items() if inner else ():
        fits = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))
        if not fits or not -_FAR <= value[0] < value[1] <= _FAR:  # type: ignore[index,operator]
            section.fail("bad-value", f"expected the ends of the scores, as in [0, 5], within {_FAR:g}", "scores", name)
        found[name] = (float(value[0]), float(value[1]))  # type: ignore[index,arg-type]
    return found


def _required(section: Section, text: str, index: int) -> Scope:
    scope = parse_scope(text if text.startswith(PREFIX) else PREFIX + text)
    if scope is None:
        section.fail("bad-value", f"expected NAME=VALUE, found {text!r}", "required", index)
    return scope


def _slices_of(required: Iterable[Scope]) -> Iterator[Declared]:
    """What is required is declared by that; a name that no run has is the dataset's own slice."""
    for scope in required:
        with suppress(SliceFault):
            yield parse_declared(" x ".join(name for name, _ in scope.pairs))


def _release_rule(section: Section) -> Rule:
    """A rule on one run: the interval of the whole has to lie above a minimum (O17 for anything smaller)."""
    name = section.needed_text("id")
    metric = section.needed_text("metric")
    scope = section.text("scope") or "global"
    if scope.startswith(PREFIX):
        message = (
            f"Configuration error: release rule '{name}' targets {scope}; a run's slice results are exploratory, and "
            "only a comparison rule gates a slice, inside a family with a correction"
        )
        section.fail("slice-rule-of-one-run", message, "scope", hint="put it into the policy of results compare")
    if scope != "global":
        message = (
            f"Configuration error: release rule '{name}' has unknown scope '{scope}'; a release rule decides on the "
            "global scope"
        )
        section.fail("unknown-scope", message, "scope")
    kind = section.choice("kind", ["minimum"]) or "minimum"
    least = number(section, "minimum", None, float("-inf"), float("inf"))
    section.done()
    return Rule(name, metric, kind, least)
