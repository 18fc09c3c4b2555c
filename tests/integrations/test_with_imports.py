"""The whole way: a loader hands a version to a harness, whose log becomes a run, which is reported by slice against the
version that the log names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.evaluated import CLEAN, SECRET, TEST

INSPECT_TASK = """\
from inspect_ai import Task, task
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import exact
from inspect_ai.solver import generate
from heldout.integrations.inspect_ai import dataset

def answer(*request):
    output = ModelOutput.from_content("mockllm/model", "shipping")
    output.usage = ModelUsage()  # otherwise a tokenizer is fetched to count
    return output

@task
def support(version, repo):
    return Task(
        dataset=dataset(version, split="test", repo=repo),
        solver=generate(),
        scorer=exact(),
        model=get_model("mockllm/model", custom_outputs=answer),
    )
"""
ENTRY = Path(sys.prefix) / "promptfoo" / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js"
PROMPTFOO = """\
prompts: ["{{ example.input }}"]
providers: [echo]
tests:
  - path: file://heldout_tests.py:create_tests
    config: {holdout: VERSION, split: test, repo: REPO}
"""


def inspect_log(folder: Path, repo: Path) -> Path:
    (folder / "task.py").write_text(INSPECT_TASK, encoding="utf-8")
    command = ["inspect", "eval", "task.py", "-T", f"version={CLEAN}", "-T", f"repo={repo}", "--log-dir", "logs"]
    env = {**os.environ, "INSPECT_DISPLAY": "plain"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = folder.glob("logs/*.eval")
    return log


def promptfoo_results(folder: Path, repo: Path) -> Path:
    config = PROMPTFOO.replace("VERSION", CLEAN).replace("REPO", json.dumps(str(repo)))
    (folder / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    generator = "from heldout.integrations.promptfoo import create_tests\n"
    (folder / "heldout_tests.py").write_text(generator, encoding="utf-8")
    env = {
        **os.environ,
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(folder / "config"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    }
    command = ["node", str(ENTRY), "eval", "--no-cache", "--no-table", "--output", "results.json"]
    subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return folder / "results.json"


@pytest.mark.req("O1", "B50")
@pytest.mark.parametrize(
    ("preset", "make", "metric", "outcomes"),
    [
        ("inspect", inspect_log, "exact", {"8": True, "9": False}),
        ("promptfoo", promptfoo_results, "pass_rate", {"8": False, "9": False}),
    ],
)
def test_a_log_knows_its_version(
    evaluated: Path, tmp_path: Path, preset: str, make: Any, metric: str, outcomes: dict[str, bool]
) -> None:
    run = tmp_path / "run.jsonl"
    done = heldout(evaluated, "results", "import", str(make(tmp_path, evaluated)), "--as", preset, "-o", str(run))
    assert done.code == 0, done.err
    header, *rows = [json.loads(line) for line in run.read_text(encoding="utf-8").splitlines()]
    assert (header["dataset"], header["split"]) == (CLEAN, "test")
    assert header["content"].startswith("sha256:")
    assert {row["key"]: row["outcome"] for row in rows} == outcomes
    assert all("metadata" not in row for row in rows), "the dataset's own count"
    text = run.read_text(encoding="utf-8")
    assert not any(row["question"].strip() in text for row in TEST)

    report = heldout(evaluated, "results", "report", str(run), "--slice", "metadata.topic", "--json")
    assert report.code == 0, report.err
    bundle = json.loads(report.out)
    assert [found["metric"] for found in bundle["metrics"]] == [metric]
    assert bundle["leakage"]["verdict"] == "clean"
    assert SECRET not in report.out
