"""Results and comparisons as JSON: what a run bundle keeps (`run.json`, O21)."""

from __future__ import annotations

from typing import Any

from heldout.domain.answer import Answer
from heldout.domain.results.comparison import Comparison, PairedResult
from heldout.domain.results.decision import Decided, gate_of
from heldout.domain.results.interval import Interval
from heldout.domain.results.report import CrossProposal, DatasetSlice, RunInfo, RunReport, ScopeResult, Without
from heldout.reports.results.table import gate_code


def report_json(report: RunReport) -> dict[str, Any]:
    method = report.method
    data: dict[str, Any] = {
        "format": "heldout/results@1",
        **run_json(report.info),
        "method": {
            "interval": "clopper-pearson",
            "score_interval": "hedged-betting",
            "level": method.level,
            "min_slice_support": method.least,
            "marks": "benjamini-yekutieli",
            "q": method.q,
            "against": method.against,
            "tested": method.tested,
        },
        "metrics": [scope_json(row) for row in report.overall],
        "excluded_for": dict(report.excluded_for),
        "slice_metrics": [scope_json(row) for row in report.slices],
        "slices": [_own_json(item) for item in report.dataset_slices],
        "weakest": [{"metric": row.metric.name, "scope": str(row.scope)} for row in report.weakest()],
    }
    if report.without:
        data["without_contaminated"] = [_without_json(item) for item in report.without]
    if report.proposals is not None:
        data["crosses"] = [_proposal_json(item) for item in report.proposals]
    if report.decided:
        data["rules"] = [decided_json(item) for item in report.decided]
        data["gate"] = gate_of(report.decided).value
        data["exit_code"] = gate_code(gate_of(report.decided))
    return data


def run_json(info: RunInfo) -> dict[str, Any]:
    state = info.dataset
    dataset = None
    if state.subject:
        dataset = {
            "subject": state.subject,
            "source": state.source,
            "content": state.content,
            "contaminated_cases": state.contaminated_cases,
        }
    return {
        "run": info.run,
        "run_digest": info.digest,
        "about": dict(info.header),
        "dataset": dataset,
        "leakage": {
            "verdict": state.verdict.value,
            "allowed": None if state.allowed is None else state.allowed.value,
            **_answer(state.answer),
        },
        "splits": list(info.splits),
        "cases": info.cases,
    }


def _answer(answer: Answer | None) -> dict[str, Any]:
    """The gate's answer as it was when the report was made: what it is worth later depends on what is scanned then."""
    if answer is None:
        return {"contaminated": False, "complete": False, "gaps": ["no_dataset"]}
    return {
        "contaminated": answer.contaminated,
        "complete": answer.complete,
        "gaps": sorted({gap.kind.value for gap in answer.gaps}),
    }


def scope_json(row: ScopeResult) -> dict[str, Any]:
    counts = row.counts
    data: dict[str, Any] = {
        "scope": str(row.scope),
        "metric": row.metric.name,
        "estimate": counts.estimate,
        "interval": _interval(row.interval),
        "observed": counts.observed,
        "missing": counts.missing,
        "excluded": counts.excluded,
    }
    if row.metric.is_rate:
        data["successes"] = round(counts.total)
    else:
        data["range"] = [row.metric.low, row.metric.high]
    if not row.scope.is_global:
        mark = row.mark
        data |= {
            "exploratory": True,
            "support": counts.observed,
            "fdr_marked": None if mark is None else mark.marked,
            "fdr_p_value": None if mark is None else mark.p,
            "fdr_adjusted": None if mark is None else mark.adjusted,
        }
    return data


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lower, interval.upper]


def _own_json(item: DatasetSlice) -> dict[str, Any]:
    return {
        "name": item.name,
        "number": item.number,
        "digest": item.digest,
        "required": item.required,
        "matched": item.matched,
        "unevaluable": item.unevaluable,
    }


def _without_json(item: Without) -> dict[str, Any]:
    return {
        "metric": item.everything.metric.name,
        "all": scope_json(item.everything),
        "without": scope_json(item.clean),
    }


def _proposal_json(item: CrossProposal) -> dict[str, Any]:
    return {
        "cross": item.name,
        "cell": scope_json(item.cell),
        "parents": list(item.parents),
        "p": item.p,
        "adjusted": item.adjusted,
        "cells": item.cells,
        "supported": item.supported,
    }


def decided_json(item: Decided) -> dict[str, Any]:
    rule = item.rule
    return {
        "id": rule.id,
        "metric": rule.metric,
        "kind": rule.kind,
        "scope": str(rule.scope),
        "bound": rule.bound,
        "min_support": rule.min_support,
        "decision": item.decision.value,
        "reason": item.reason.value,
        "level": item.level,
        "interval": _interval(item.interval),
        "no_sample_size_would_pass": item.hopeless,
    }


def compare_json(found: Comparison) -> dict[str, Any]:
    return {
        "format": "heldout/comparison@1",
        "digest": found.digest,
        "candidate": run_json(found.candidate),
        "baseline": run_json(found.baseline),
        "paired": found.paired,
        "alpha": found.alpha,
        "one_sided_exclusions": found.one_sided.value,
        "results": [_paired_json(row) for row in found.results],
        "rules": [decided_json(item) for item in found.decided],
        "families": [
            {
                "id": item.family.id,
                "correction": "holm",
                "rules": list(item.family.rules),
                "adjusted_levels": list(item.levels),
            }
            for item in found.families
        ],
        "unshared_metrics": list(found.unshared),
        "gate": found.gate.value,
        "exit_code": gate_code(found.gate),
    }


def _paired_json(row: PairedResult) -> dict[str, Any]:
    return {
        "scope": str(row.scope),
        "metric": row.metric.name,
        "difference": row.difference if row.paired else None,
        "interval": _interval(row.interval),
        "paired": row.paired,
        "missing": row.missing,
        "excluded": row.excluded,
        "excluded_by_candidate_alone": row.excluded_alone[0],
        "excluded_by_baseline_alone": row.excluded_alone[1],
        "gains": row.gains,
        "losses": row.losses,
        "exploratory": not row.scope.is_global,
    }
