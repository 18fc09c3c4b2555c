"""A comparison's policy (`format: heldout/compare@1`): rules, families with a correction, and a suite's settings."""

from __future__ import annotations

from heldout.domain.canonical import digest
from heldout.domain.results.comparison import OneSided, Policy
from heldout.domain.results.decision import Family, Rule
from heldout.domain.results.declared import Declared, SliceFault, parse_declared
from heldout.domain.results.scope import PREFIX, Scope, parse_scope
from heldout.domain.results.suite import Suite
from heldout.storage.results.suite_file import check_format, distinct, number, settings, whole
from heldout.storage.yaml.files import load_yaml_located
from heldout.storage.yaml.schema import Section

FORMAT = "heldout/compare@1"
ALPHA = 0.05


def parse_policy(data: bytes, name: str) -> tuple[Policy, Suite]:
    """The policy, and the settings that it has itself. Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, name)
    section = Section(located, located.value)
    check_format(section, FORMAT)
    suite = settings(section)
    alpha = number(section, "alpha", ALPHA, 0, 1)
    places = section.sections("rules") if section.has("rules") else []
    rules = tuple(map(_rule, places))
    distinct(section, [rule.id for rule in rules], "rules", "rule")
    families = _families(section, rules)
    one_sided = OneSided(section.choice("one_sided_exclusions", list(OneSided)) or OneSided.MISSING)
    section.done()
    grouped = {rule for family in families for rule in family.rules}
    for place, rule in zip(places, rules, strict=True):
        if not rule.scope.is_global and rule.id not in grouped:
            message = (
                f"Configuration error: slice rule '{rule.id}' belongs to no family; slice rules multiply the chances "
                "of a false FAIL, so they gate only inside a family with a correction"
            )
            place.fail("slice-rule-without-family", message, "scope", hint="families: [{id, correction: holm, rules}]")
    return Policy(rules, families, alpha, digest(located.value), one_sided), suite


def _rule(section: Section) -> Rule:
    name = section.needed_text("id")
    metric = section.needed_text("metric")
    kind = section.choice("kind", ["non_inferiority"]) or "non_inferiority"
    margin = section.raw("margin")
    if isinstance(margin, bool) or not isinstance(margin, int | float) or margin < 0:
        section.fail("bad-value", "expected a margin from 0, as in 0.05 for five points", "margin")
    text = section.text("scope") or "global"
    scope = parse_scope(text)
    if scope is None:
        message = (
            f"Configuration error: rule '{name}' has unknown scope '{text}'; a comparison rule decides on the global "
            "scope or on slice/<name>=<value>"
        )
        section.fail("unknown-scope", message, "scope")
    if not scope.is_global and not section.has("min_support"):
        section.fail("missing-key", f"rule '{name}' is on a slice, and needs min_support", "min_support")
    support = whole(section, "min_support", 0)
    section.done()
    return Rule(name, metric, kind, 0.0 - margin, scope, support)


def _families(section: Section, rules: tuple[Rule, ...]) -> tuple[Family, ...]:
    places = section.sections("families") if section.has("families") else []
    known, families = {rule.id for rule in rules}, []
    for place in places:
        name = place.needed_text("id")
        if place.choice("correction", ["holm"]) is None:
            place.fail("missing-key", f"family '{name}' needs a correction: holm", "correction")
        members = place.texts("rules") or ()
        for index, rule in enumerate(members):
            if rule not in known:
                place.fail("bad-value", f"family '{name}' names the rule '{rule}', which is not there", "rules", index)
        if not members:
            place.fail("missing-key", f"family '{name}' has no rules", "rules")
        place.done()
        families.append(Family(name, members))
    distinct(section, [family.id for family in families], "families", "family")
    distinct(section, [rule for family in families for rule in family.rules], "families", "rule in families")
    return tuple(families)


def slices_of_rules(rules: tuple[Rule, ...], known: frozenset[str]) -> tuple[Declared, ...]:
    """Slices that rules speak of, declared by that alone; `known` are the dataset's own. Raises SliceFault."""
    return tuple(dict.fromkeys(_declared(rule.scope, known) for rule in rules if not rule.scope.is_global))


def _declared(scope: Scope, known: frozenset[str]) -> Declared:
    names = [name for name, _ in scope.pairs]
    names = [PREFIX + name if name in known else name for name in names]
    try:
        return parse_declared(" x ".join(names))
    except SliceFault:
        raise SliceFault("unknown-slice-kind", str(_unknown(names, known))) from None


def _unknown(names: list[str], known: frozenset[str]) -> str:
    for name in names:
        try:
            parse_declared(name)
        except SliceFault as fault:
            own = ", ".join(sorted(known))
            return f"{fault}{f', or a slice of the dataset: {own}' if own else ''}"
    return "a cross names a slice twice"
