"""Inspect AI itself, by its command: a clean holdout is evaluated, any other ends the run before a model is asked."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.evaluated import (
    CLEAN,
    CONTAMINATED,
    REASON_CONTAMINATED,
    REASON_UNKNOWN,
    SECRET,
    TEST,
    UNKNOWN,
)

from heldout.errors import UsageError
from heldout.integrations.inspect_ai import dataset

TASK = """\
from inspect_ai import Task, task
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import exact
from inspect_ai.solver import generate
from heldout.integrations.inspect_ai import dataset

def answer(*request):
    print("a model was asked")
    output = ModelOutput.from_content("mockllm/model", "shipping")
    output.usage = ModelUsage()  # otherwise a tokenizer is fetched to count
    return output

@task
def support(version):
    return Task(
        dataset=dataset(version, split="test"),
        solver=generate(),
        scorer=exact(),
        model=get_model("mockllm/model", custom_outputs=answer),
    )
"""


def inspect_eval(folder: Path, repo: Path, version: str) -> tuple[int, str, list[dict[str, Any]]]:
    """`inspect eval` in the repository; exit code, output, and the logs it wrote."""
    task = folder / "task.py"
    task.write_text(TASK.replace('split="test"', f'split="test", repo={str(repo)!r}'), encoding="utf-8")
    command = ["inspect", "eval", task.name, "-T", f"version={version}", "--log-format", "json", "--log-dir", "logs"]
    env = {**os.environ, "INSPECT_DISPLAY": "plain"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    logs = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("logs/*.json")]
    return done.returncode, done.stdout + done.stderr, logs


def test_a_clean_holdout_is_evaluated_and_named_in_the_log(evaluated: Path, tmp_path: Path) -> None:
    code, out, (log,) = inspect_eval(tmp_path, evaluated, CLEAN)
    assert code == 0, out
    assert log["status"] == "success", log.get("error")
    assert log["eval"]["dataset"]["name"] == CLEAN
    assert "content=sha256:" in log["eval"]["dataset"]["location"]
    assert "split=test" in log["eval"]["dataset"]["location"]
    samples = log["samples"]
    assert [(one["id"], one["input"], one["target"]) for one in samples] == [
        (row["id"], row["question"], row["answer"]) for row in TEST
    ]
    assert [one["metadata"] for one in samples] == [{"topic": "post", "turns": 1}, {"topic": "odd", "turns": 2}]
    assert [one["scores"]["exact"]["value"] for one in samples] == ["C", "I"]


@pytest.mark.req("B50")
@pytest.mark.parametrize(
    ("version", "reason"),
    [(CONTAMINATED, f"HoldoutRefused: {REASON_CONTAMINATED}"), (UNKNOWN, f"CoverageUnknown: {REASON_UNKNOWN}")],
)
def test_any_other_ends_the_run(evaluated: Path, tmp_path: Path, version: str, reason: str) -> None:
    code, out, logs = inspect_eval(tmp_path, evaluated, version)
    assert code == 1
    assert reason in out
    assert "a model was asked" not in out
    assert logs == []
    assert SECRET not in out


def test_fields_become_parts_of_a_sample(evaluated: Path) -> None:
    fields = {"choices": "tags", "target": "metadata.turns", "labels": "tags"}
    samples = list(dataset(CLEAN, split="test", slice="post", fields=fields, repo=evaluated))
    assert [(one.choices, one.target, one.metadata) for one in samples] == [
        (["de"], "1", {"topic": "post", "turns": 1, "labels": ["de"]})
    ]


def test_ids_are_unique_where_keys_are_not(evaluated: Path) -> None:
    samples = dataset(CONTAMINATED, require="complete", repo=evaluated)
    assert [one.id for one in samples] == ["train/1", "train/2", "test/2", "test/8", "test/9"]


def test_what_inspect_does_not_take_is_named_without_its_text(evaluated: Path) -> None:
    with pytest.raises(UsageError) as caught:
        dataset(CLEAN, split="test", fields={"files": "metadata"}, repo=evaluated)
    assert caught.value.slug == "unfit-example"
    assert caught.value.message == "test/8 is no sample of Inspect's: it does not take this files"
