"""What was imported: on the screen, and as JSON (`heldout/import@1`, `heldout/run-import@1`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.reports.answers import plural


def dataset_lines(mapping: str, output: str, by_split: Mapping[str, int], repeated: int, passed_over: int) -> list[str]:
    named = ", ".join(f"{split or 'no split'} {count:,}" for split, count in by_split.items())
    lines = [f"{plural(sum(by_split.values()), 'example')} written to {output}, read as {mapping} ({named})"]
    return [*lines, *_left_out(repeated, passed_over)]


def _left_out(repeated: int, passed_over: int) -> list[str]:
    lines = []
    if repeated:
        lines.append(f"{plural(repeated, 'row')} said an example again, in the same words: left out")
    if passed_over:
        lines.append(f"{plural(passed_over, 'row')} left out by `only`")
    return lines


def dataset_json(
    mapping: str, output: str, digest: str, by_split: Mapping[str, int], repeated: int, passed_over: int
) -> dict[str, Any]:
    return {
        "format": "heldout/import@1",
        "mapping": mapping,
        "source": digest,
        "file": output,
        "examples": sum(by_split.values()),
        "by_split": {split: count for split, count in by_split.items() if split},
        "repeated": repeated,
        "passed_over": passed_over,
    }


def run_lines(
    mapping: str,
    output: str,
    dataset: str | None,
    cases: int,
    excluded: int,
    metrics: Mapping[str, bool],
    missing: Mapping[str, int],
    passed_over: int,
) -> list[str]:
    lines = [
        f"{plural(cases, 'case')} written to {output}, read as {mapping}"
        f" · {dataset or 'no dataset version'} · {excluded} excluded"
    ]
    lines += [
        f"  {name}: {'rate' if rate else 'mean score'} · {missing[name]} missing" for name, rate in metrics.items()
    ]
    return [*lines, *_left_out(0, passed_over)]


def run_json(
    mapping: str,
    output: str,
    digest: str,
    header: Mapping[str, Any],
    cases: int,
    excluded: int,
    metrics: Mapping[str, bool],
    missing: Mapping[str, int],
    passed_over: int,
) -> dict[str, Any]:
    return {
        "format": "heldout/run-import@1",
        "mapping": mapping,
        "source": digest,
        "file": output,
        "dataset": header.get("dataset"),
        "cases": cases,
        "excluded": excluded,
        "metrics": [{"name": name, "kind": _kind(rate), "missing": missing[name]} for name, rate in metrics.items()],
        "passed_over": passed_over,
    }


def _kind(rate: bool) -> str:
    return "rate" if rate else "mean score"
