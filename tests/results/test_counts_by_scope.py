"""Counts of any run by any slice, and pairs of any two runs, are those that a loop over plain dicts gives."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.results.comparison import Policy
from heldout.domain.results.declared import parse_declared
from heldout.domain.results.suite import Suite
from heldout.services.results.compare import compare
from heldout.services.results.report import report
from heldout.services.results.subject import Asked

SLICES = ("metadata.a", "metadata.b", "metadata.a x metadata.b", "route")
SUITE = Suite(slices=tuple(map(parse_declared, SLICES)), least=3, missing_as_slice=True)
ASKED = Asked(allow=("unknown",))
SPLITS = ("dev", "test")

values = st.sampled_from(["x", "y", "z"])
cases = st.fixed_dictionaries(
    {},
    optional={"metadata": st.dictionaries(st.sampled_from("ab"), values), "route": st.sampled_from(["p", "p>q"])},
)
outcomes = st.one_of(
    st.just({"outcome": None}),
    st.builds(lambda right: {"outcome": right}, st.booleans()),
    st.builds(lambda why: {"excluded": why}, st.sampled_from([True, "broken"])),
)


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for number in range(draw(st.integers(1, 25))):
        case = draw(cases)
        for metric in draw(st.sampled_from([["m"], ["m", "n"]])):
            rows.append({"key": f"k{number}", "split": draw(st.just(SPLITS[number % 2])), "metric": metric, **case})
            rows[-1] |= draw(outcomes)
    return draw(st.permutations(rows))


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _values(row: dict[str, Any]) -> dict[str, str]:
    a, b = (row.get("metadata", {}).get(key, "(missing)") for key in "ab")
    return {
        "metadata.a": f"metadata.a={a}",
        "metadata.b": f"metadata.b={b}",
        "metadata.a x metadata.b": f"metadata.a={a} x metadata.b={b}",
        "route": f"route={row.get('route', '(missing)')}",
    }


def _state(row: dict[str, Any] | None) -> str:
    if row is None:
        return "missing"
    if row.get("excluded"):
        return "excluded"
    return {True: "right", False: "wrong", None: "missing"}[row.get("outcome")]


@settings(max_examples=60, deadline=None)
@given(rows=runs())
def test_counts_are_those_of_a_loop(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    found = report(None, _write(tmp_path_factory.mktemp("counts") / "run.jsonl", rows), SUITE, ASKED)  # type: ignore[arg-type]
    by_case = {(row["split"], row["key"], row["metric"]): row for row in rows}
    expected: dict[tuple[str, str], Counter[str]] = {}
    for split, key in {(row["split"], row["key"]) for row in rows}:
        case = next(row for row in rows if (row["split"], row["key"]) == (split, key))
        for metric in {row["metric"] for row in rows}:
            state = _state(by_case.get((split, key, metric)))
            for scope in ("global", *_values(case).values()):
                expected.setdefault((scope, metric), Counter())[state] += 1
    counts = {
        (row.scope.text, row.metric.name): Counter(
            {
                "right": round(row.counts.total),
                "wrong": row.counts.observed - round(row.counts.total),
                "missing": row.counts.missing,
                "excluded": row.counts.excluded,
            }
        )
        for row in (*found.overall, *found.slices)
    }
    assert counts == expected
    for row in found.slices:
        assert (row.interval is None) == (row.counts.observed < 3)
        assert (row.mark is None) == (row.counts.observed < 3 or row.counts.missing > 0)


@settings(max_examples=40, deadline=None)
@given(pairs=st.lists(st.tuples(outcomes, outcomes, values), min_size=1, max_size=25))
def test_pairs_are_those_of_a_loop(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[dict[str, Any], dict[str, Any], str]]
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    sides: list[list[dict[str, Any]]] = [[], []]
    expected: dict[str, Counter[str]] = {}
    for number, (new, old, value) in enumerate(pairs):
        for side, outcome in zip(sides, (new, old), strict=True):
            side.append({"key": f"k{number}", "metadata": {"a": value}, **outcome})
        states = _state(new), _state(old)
        kind = {("right", "wrong"): "gain", ("wrong", "right"): "loss"}.get(states, "tie")
        if "excluded" in states:
            kind = "excluded"
        elif "missing" in states:
            kind = "missing"
        for scope in ("global", f"slice/metadata.a={value}"):
            expected.setdefault(scope, Counter())[kind] += 1
    paths = (_write(folder / "new.jsonl", sides[0]), _write(folder / "old.jsonl", sides[1]))
    suite = Suite(slices=(parse_declared("metadata.a"),))
    found = compare(None, paths, Policy((), (), 0.05, ""), suite, ASKED)  # type: ignore[arg-type]
    counts = {
        str(row.scope): Counter(
            {
                "gain": row.gains,
                "loss": row.losses,
                "tie": row.paired - row.gains - row.losses,
                "missing": row.missing,
                "excluded": row.excluded,
            }
        )
        for row in found.results
    }
    assert counts == expected
