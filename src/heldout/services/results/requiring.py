"""What has to hold before a result counts: required slices are in it, and no rule is decided by its bound alone."""

from __future__ import annotations

from collections.abc import Collection

from heldout.domain.results.decision import Rule
from heldout.domain.results.report import Metric
from heldout.domain.results.scope import Scope
from heldout.domain.results.suite import Suite
from heldout.errors import SliceNotReported, UsageError
from heldout.services.results.gathering import Gathered
from heldout.services.results.scopes import own_value


def check_required(
    gathered: Gathered, seen: Collection[tuple[Scope, str]], metrics: Collection[str], suite: Suite
) -> None:
    """B25, B27: a required slice is reported on its own, for each metric, from cases that were observed (`seen`)."""
    wanted = [
        Scope(((item.chosen.item.name, own_value(item)),)) for item in gathered.cases.own if item.chosen.item.required
    ]
    for scope in (*wanted, *suite.required):
        for metric in metrics:
            if (scope, metric) not in seen:
                raise SliceNotReported(
                    "slice-not-reported",
                    f"the required slice {scope.text} is not reported: none of its cases was observed ({metric})",
                    hint="run the suite on every case of the slice; an average must not hide it",
                )


def check_minimum(rule: Rule, metric: Metric) -> None:
    if not metric.low <= rule.bound < metric.high:
        _refuse(rule, f"minimum {rule.bound:g}, and {metric.name} lies between {metric.low:g} and {metric.high:g}")


def check_margin(rule: Rule, metric: Metric) -> None:
    """0.05 is five points of a rate; a margin of 5 would pass whatever happens."""
    if -rule.bound >= metric.high - metric.low:
        _refuse(rule, f"margin {-rule.bound:g}, and {metric.name} lies between {metric.low:g} and {metric.high:g}")


def _refuse(rule: Rule, said: str) -> None:
    message = f"Configuration error: rule '{rule.id}' has the {said}: no run could change what it decides"
    raise UsageError("rule-out-of-range", message, hint="a rate is a share: 0.05 is five points")
