"""Rows of a holdout: what they hold, what they say they are, and when there are none."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.evaluated import CLEAN, CONTAMINATED, REASON_CONTAMINATED, REASON_UNKNOWN, SECRET, TEST, UNKNOWN

from heldout.errors import CoverageUnknown, HoldoutRefused, UsageError
from heldout.integrations.holdout import holdout
from heldout.integrations.plain import rows


def test_rows_are_the_data(evaluated: Path) -> None:
    found = rows(CLEAN, split="test", repo=evaluated)
    assert list(found) == [
        {
            "key": row["id"],
            "split": "test",
            "input": row["question"],
            "expected": row["answer"],
            "metadata": {"topic": row["topic"], "turns": row["turns"]},
            "tags": sorted(row["labels"]),
        }
        for row in TEST
    ]
    assert [len(found), found[1]["key"], [row["key"] for row in found[:1]]] == [2, "9", ["8"]]


def test_fields_are_taken_by_paths(evaluated: Path) -> None:
    wanted = {"q": "input", "topic": "metadata.topic", "first": "tags.0", "second": "tags.1"}
    assert list(rows(CLEAN, split="test", fields=wanted, repo=evaluated)) == [
        {"q": TEST[0]["question"], "topic": "post", "first": "de", "second": None},
        {"q": TEST[1]["question"], "topic": "odd", "first": "de", "second": "en"},
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"x": "metadata.topik"}, "no example has 'metadata.topik', wanted as 'x'"),
        ({"x": "question"}, "an example has no part 'question'"),
        ({"x": "metadata..topic"}, "'metadata..topic' is no path"),
    ],
)
def test_a_misspelt_field_is_no_column_of_nulls(evaluated: Path, fields: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(CLEAN, fields=fields, repo=evaluated)
    assert caught.value.slug == "unknown-field"
    assert caught.value.message.startswith(message)


@pytest.mark.req("B50")
@pytest.mark.parametrize(
    ("version", "kind", "reason"),
    [(CONTAMINATED, HoldoutRefused, REASON_CONTAMINATED), (UNKNOWN, CoverageUnknown, REASON_UNKNOWN)],
)
def test_refusals(evaluated: Path, version: str, kind: type[HoldoutRefused], reason: str) -> None:
    with pytest.raises(HoldoutRefused) as caught:
        rows(version, split="test", repo=evaluated)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(reason)
    assert SECRET not in f"{caught.value} {caught.value.hint}"


def test_a_working_copy_is_never_clean(evaluated: Path) -> None:
    with pytest.raises(CoverageUnknown, match="not a frozen version"):
        rows("support", repo=evaluated)


def test_what_is_let_past_is_said(evaluated: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "heldout"):
        complete = rows(CONTAMINATED, split="test", require="complete", repo=evaluated)
        anyway = rows(UNKNOWN, split="test", require=None, repo=evaluated)
    assert caplog.messages == [
        "support@v1.0.0 is contaminated, and was let past by require='complete'",
        "support@v3.0.0 is unknown, and was let past by require=None",
    ]
    assert [complete.provenance.verdict, anyway.provenance.verdict] == ["contaminated", "unknown"]
    with pytest.raises(CoverageUnknown, match=r"support@v3\.0\.0 is not covered: it was retired"):
        rows(UNKNOWN, require="complete", repo=evaluated)


def test_provenance_names_what_other_commands_name(evaluated: Path, caplog: pytest.LogCaptureFixture) -> None:
    shown = heldout(evaluated, "show", CLEAN, "--json").json
    part = heldout(evaluated, "slice", "show", "support/post", "--json").json
    found = holdout(CLEAN, split="test", slice="post", repo=evaluated)
    assert [example.key for example in found.examples] == ["8"]
    said: dict[str, Any] = found.provenance.as_json()
    assert said == {
        "format": "heldout/provenance@1",
        "version": CLEAN,
        "commit": shown["commit"],
        "source": shown["source"],
        "content": shown["record"]["content"],
        "verdict": "clean",
        "require": "clean",
        "split": "test",
        "slice": {"name": "post", "number": part["number"], "digest": part["digest"], "unevaluable": 0},
        "examples": 1,
    }
    assert json.loads(json.dumps(said)) == said
    line = str(found.provenance)
    assert "\n" not in line
    assert all(said[name] in line for name in ("version", "content", "verdict"))
    assert part["digest"] in line
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("split", "part", "slug"),
    [("test", "nothing", "no-examples"), ("test", "none", "unknown-slice"), ("tset", "post", "unknown-split")],
)
def test_a_run_over_nothing_is_refused(evaluated: Path, split: str, part: str, slug: str) -> None:
    with pytest.raises(UsageError) as caught:
        holdout(CLEAN, split=split, slice=part, repo=evaluated)
    assert caught.value.slug == slug


HEAVY = ("datasets", "inspect_ai", "lm_eval", "pandas", "polars", "torch", "transformers")


@pytest.mark.parametrize(
    "module", ["huggingface", "inspect_ai", "lm_eval", "pandas", "plain", "polars", "promptfoo", "pytest_plugin"]
)
def test_no_harness_is_loaded_before_it_is_used(module: str) -> None:
    code = f"import sys, heldout.integrations.{module}; print(*(set({HEAVY}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
