"""Slices that are told from what a run did: each kind's values, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.published_run import write_run

from heldout.domain.results.declared import Declared, Part, SliceFault, parse_declared


def _steps(*steps: Any) -> dict[str, Any]:
    return {"schema": "agent_trajectory/v1", "steps": list(steps)}


def _call(tool: str, agent: str | None = None, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments, **({"agent": agent} if agent else {})}


def _values(
    tmp_path: Path, name: str, made: list[dict[str, Any]], *options: str, **header: Any
) -> dict[str, list[int]]:
    """By value of the slice: observed, missing, excluded."""
    rows = [{"key": f"k{number}", "outcome": True, **row} for number, row in enumerate(made)]
    run = write_run(tmp_path / "run.jsonl", rows, **header)
    ran = heldout(tmp_path, "results", "report", str(run), "--slice", name, "--allow", "unknown", "--json", *options)
    assert ran.code == 0, ran.out
    prefix = f"slice/{name}="
    return {
        row["scope"].removeprefix(prefix): [row["observed"], row["missing"], row["excluded"]]
        for row in ran.json["slice_metrics"]
    }


TRAJECTORIES = [
    {"trajectory": _steps(_call("search", "triage", q="a"), _call("search", "triage", q="b"), _call("pay", "billing"))},
    {"trajectory": _steps({"agent": "triage"}, _call("pay", "billing", x=1.0, y=2), _call("pay", "triage", y=2, x=1))},
    {"trajectory": _steps({"agent": "triage", "text": "hello"})},
]


@pytest.mark.req("O6")
def test_first_tool(tmp_path: Path) -> None:
    found = _values(tmp_path, "first_tool", TRAJECTORIES)
    assert found == {"(none)": [1, 0, 0], "pay": [1, 0, 0], "search": [1, 0, 0]}


@pytest.mark.req("O7")
def test_repeated_action_is_the_same_call_with_the_same_arguments_in_any_order(tmp_path: Path) -> None:
    assert _values(tmp_path, "repeated_action", TRAJECTORIES) == {"false": [2, 0, 0], "true": [1, 0, 0]}


@pytest.mark.req("O8")
def test_route_names_agents_as_they_take_control(tmp_path: Path) -> None:
    found = _values(tmp_path, "route", [*TRAJECTORIES, {"route": "triage>billing"}])
    assert found == {"triage": [1, 0, 0], "triage>billing": [2, 0, 0], "triage>billing>triage": [1, 0, 0]}


@pytest.mark.req("O9", "A45")
def test_trajectory_length_has_half_open_bins_in_their_order(tmp_path: Path) -> None:
    made = [{"trajectory": _steps(*([{}] * length))} for length in (3, 4, 7, 8, 10, 12)]
    found = _values(tmp_path, "trajectory_length:4,8,10,11", made)
    assert list(found.items()) == [
        ("<4", [1, 0, 0]),
        ("4-7", [2, 0, 0]),
        ("8-9", [1, 0, 0]),
        ("10", [1, 0, 0]),
        (">=11", [1, 0, 0]),
    ]


@pytest.mark.req("O10", "A45")
def test_confidence_bands_are_half_open(tmp_path: Path) -> None:
    made = [{"confidence": value} for value in (0.0, 0.5, 0.7999, 0.8, 1)]
    found = _values(tmp_path, "confidence:0.5,0.8", made)
    assert list(found.items()) == [("<0.5", [1, 0, 0]), ("[0.5,0.8)", [2, 0, 0]), (">=0.8", [2, 0, 0])]


@pytest.mark.req("O4")
def test_relevant_position_is_that_of_the_best_relevant_passage(tmp_path: Path) -> None:
    made = [
        {"relevant": "a", "retrieval": {"retrieved": ["x", "a"]}},
        {"relevant": ["b", "a"], "retrieval": {"retrieved": ["x", "y", "b", "a"]}},
        {"relevant": ["a"], "retrieval": {"retrieved": []}},
    ]
    found = _values(tmp_path, "relevant_position", made, rag={"top_k": 2})
    assert found == {"beyond_top_k": [1, 0, 0], "not_retrieved": [1, 0, 0], "top_k": [1, 0, 0]}


@pytest.mark.req("O4", "O5", "O12")
@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("relevant_position", {"relevant": [], "retrieval": {"retrieved": ["a"]}}),
        ("relevant_position", {"relevant": "a", "retrieval": {"retrieved": "a"}}),
        ("context_truncated", {"retrieval": {"dropped": "no"}}),
        ("context_truncated", {"retrieval": {"dropped": -1}}),
        ("context_truncated", {"retrieval": {"dropped": 0.5}}),
    ],
)
def test_what_says_nothing_of_retrieval_is_unavailable_and_no_value(
    tmp_path: Path, kind: str, row: dict[str, Any]
) -> None:
    write_run(tmp_path / "run.jsonl", [{"key": "a", "outcome": True, **row}], rag={"top_k": 2, "token_budget": 9})
    ran = heldout(tmp_path, "results", "report", "run.jsonl", "--slice", kind, "--allow", "unknown")
    assert ran.code == 2
    assert f"slice '{kind}' requires a RAG system" in ran.err


@pytest.mark.req("O5")
def test_context_truncated_says_whether_the_budget_dropped_passages(tmp_path: Path) -> None:
    made: list[dict[str, Any]] = [{"retrieval": {"dropped": dropped}} for dropped in (0, 2, [], ["p"])]
    assert _values(tmp_path, "context_truncated", made, rag={"token_budget": 4000}) == {
        "false": [2, 0, 0],
        "true": [2, 0, 0],
    }


@pytest.mark.req("O3", "A44")
def test_metadata_values_are_texts_as_they_are_and_canonical_json_otherwise(tmp_path: Path) -> None:
    made = [{"metadata": {"v": value}} for value in ("de", 1.0, 1, True, ["b", "a"], {"y": 1, "x": None}, " ")]
    assert _values(tmp_path, "metadata.v", made) == {
        " ": [1, 0, 0],
        "1": [2, 0, 0],
        '["b","a"]': [1, 0, 0],
        "de": [1, 0, 0],
        "true": [1, 0, 0],
        '{"x":null,"y":1}': [1, 0, 0],
    }


@pytest.mark.req("O12", "O36", "A38")
def test_cases_that_did_not_answer_have_no_value_and_are_shown(tmp_path: Path) -> None:
    made: list[dict[str, Any]] = [
        TRAJECTORIES[0],
        {"outcome": None},
        {"excluded": True},
        {"outcome": None, "trajectory": TRAJECTORIES[1]["trajectory"]},
    ]
    found = _values(tmp_path, "first_tool", made)
    assert found == {"(missing)": [0, 1, 1], "pay": [0, 1, 0], "search": [1, 0, 0]}


def test_several_metrics_share_cases_and_scores_keep_their_range(tmp_path: Path) -> None:
    rows = []
    for number in range(60):
        case = {"key": f"k{number}", "metadata": {"lang": "de" if number % 2 else "en"}}
        rows.append({**case, "metric": "correct", "outcome": number % 3 == 0})
        rows.append({**case, "metric": "rating", "score": 4 if number % 2 else 2})
    run = write_run(tmp_path / "run.jsonl", rows)
    suite = tmp_path / "suite.yaml"
    suite.write_text("format: heldout/suite@1\nslices: [metadata.lang]\nscores: {rating: [1, 5]}\n")
    ran = heldout(tmp_path, "results", "report", str(run), "--suite", str(suite), "--allow", "unknown", "--json")
    found = {(row["scope"], row["metric"]): row for row in ran.json["slice_metrics"]}
    assert len(found) == 4
    german = found["slice/metadata.lang=de", "rating"]
    assert (german["estimate"], german["range"], german["fdr_marked"]) == (4.0, [1.0, 5.0], True)
    assert german["interval"][0] < 4.0 < german["interval"][1] <= 5.0
    assert found["slice/metadata.lang=de", "correct"]["fdr_marked"] is False
    text = heldout(tmp_path, "results", "report", str(run), "--suite", str(suite), "--allow", "unknown").out
    assert "rating: 3.000 [" in text
    assert "30 observed · 0 missing · 0 excluded · exploratory · support 30" in text


def test_declarations_are_read_as_they_are_written() -> None:
    cross = parse_declared("metadata.a.b x trajectory_length:1,5")
    assert cross.name == "metadata.a.b x trajectory_length:1,5"
    assert [part.name for part in cross.parts] == ["metadata.a.b", "trajectory_length:1,5"]
    assert Declared((Part(cross.parts[0].kind, "a.b"),)) == parse_declared("metadata.a.b")
    with pytest.raises(SliceFault, match="rising bounds"):
        parse_declared("trajectory_length:1.5")


def test_values_that_other_people_wrote_steer_neither_a_terminal_nor_markdown(tmp_path: Path) -> None:
    rows = [{"key": "k", "outcome": True, "metadata": {"v": "a|b\n\x1b[31m`<b>@me"}}]
    run = write_run(tmp_path / "run.jsonl", rows)
    arguments = ("results", "report", str(run), "--slice", "metadata.v", "--allow", "unknown")
    text = heldout(tmp_path, *arguments).out
    assert "metadata.v=a|b \\u{1b}[31m`<b>@me" in text
    assert "\x1b" not in text
    marked = heldout(tmp_path, *arguments, "--format", "markdown").out
    [line] = [line for line in marked.splitlines() if line.startswith("| ``metadata.v=")]
    assert "``metadata.v=a\\|b \\u{1b}[31m`<b>@me`` | `pass_rate` | 100.0 % | &lt; 30, no interval |" in line
    assert heldout(tmp_path, *arguments, "--json").json["slice_metrics"][0]["scope"].endswith("=a|b\n\x1b[31m`<b>@me")
