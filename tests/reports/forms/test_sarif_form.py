"""SARIF: valid by the standard's schema, within GitHub's limits, the worst kept."""

from __future__ import annotations

import gzip
import json
from typing import Any

import jsonschema_rs
import pytest
from support.data import data_path

from heldout.domain.reporting import Report
from heldout.reports.forms.sarif import sarif


def schema() -> jsonschema_rs.Validator:
    """One pattern of it, for the language of messages, is no regular expression; we do not say a language."""
    rules = json.loads(gzip.decompress(data_path("forms/sarif-2.1.0-rtm.5.json").read_bytes()))
    for place in ("run", "toolComponent"):
        del rules["definitions"][place]["properties"]["language"]["pattern"]
    return jsonschema_rs.validator_for(rules)


SCHEMA = schema()


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return "".join(sarif(report, "1.2.3"))


@pytest.fixture(scope="module")
def log(text: str) -> Any:
    return json.loads(text)


def test_it_is_valid(log: Any) -> None:
    assert not [*SCHEMA.iter_errors(log)][:3]


def test_the_schema_is_one_that_refuses(log: Any) -> None:
    assert not SCHEMA.is_valid({**log, "version": "1.0"})


def test_github_takes_it(text: str, log: Any) -> None:
    """25,000 results of a run, 10 MB when packed; every result has a place and an identity."""
    (run,) = log["runs"]
    assert len(run["results"]) <= 25_000
    assert len(gzip.compress(text.encode("utf-8", "backslashreplace"), 6)) < 10_000_000
    hashes = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len({*hashes}) == len(hashes)
    assert all(result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1 for result in run["results"])


def test_the_worst_are_kept_and_the_total_is_told(log: Any, report: Report) -> None:
    (run,) = log["runs"]
    said = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert run["properties"]["total"] == report.total
    if report.total <= 25_000:
        assert len(run["results"]) == report.total
        return
    # Independently of how it is sorted: what is left out is no graver than anything kept.
    ranks = {"error": 0, "warning": 1, "note": 2}
    kept = {result["properties"]["id"] for result in run["results"]}
    left_out = [ranks[item.level.value] for item in report.items if item.id not in kept]
    assert len(left_out) == report.total - 25_000
    assert max(ranks[result["level"]] for result in run["results"]) <= min(left_out)
    assert "25,000 of 30,000 results are in this log, the worst of them" in said


def test_rules_are_those_of_the_results_and_explain_themselves(log: Any) -> None:
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(len(rule["help"]["markdown"]) > 40 for rule in rules)
