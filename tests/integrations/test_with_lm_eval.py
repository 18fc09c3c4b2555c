"""lm-evaluation-harness itself, by its command and its dummy model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.evaluated import CLEAN, CONTAMINATED, REASON_CONTAMINATED, REASON_UNKNOWN, SECRET, TEST, TRAIN, UNKNOWN

TASK = """\
task: support
custom_dataset: !function heldout.integrations.lm_eval.load
dataset_kwargs:
  holdout: VERSION
  fields: {question: input, answer: expected}
test_split: test
fewshot_split: train
num_fewshot: 1
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata:
  version: 1.0
"""


def lm_eval(folder: Path, repo: Path, version: str) -> tuple[int, str]:
    """`lm_eval` in the repository, with its task elsewhere; exit code and output."""
    task = folder / "support.yaml"
    task.write_text(TASK.replace("VERSION", version), encoding="utf-8")
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "cache")}
    command = ["lm_eval", "--model", "dummy", "--tasks", str(task), "--output_path", str(folder), "--log_samples"]
    done = subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_clean_holdout_is_evaluated_and_named_in_the_results(evaluated: Path, tmp_path: Path) -> None:
    code, out = lm_eval(tmp_path, evaluated, CLEAN)
    assert code == 0, out
    (results,) = tmp_path.rglob("results*.json")
    config: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))["configs"]["support"]
    assert config["custom_dataset"].startswith(f"heldout {CLEAN} content=sha256:")
    assert config["custom_dataset"].endswith("examples=4 verdict=clean")
    (samples,) = tmp_path.rglob("samples*.jsonl")
    logged = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    assert [one["doc"] for one in logged] == [{"question": row["question"], "answer": row["answer"]} for row in TEST]
    shots = {f"{row['question']} {row['answer']}\n\n" for row in TRAIN}
    prompts = [one["arguments"]["gen_args_0"]["arg_0"] for one in logged]
    assert all(prompt.removesuffix(row["question"]) in shots for prompt, row in zip(prompts, TEST, strict=True))
    assert not list((tmp_path / "cache").rglob("*.arrow")), "the text of a holdout is in no cache"


@pytest.mark.req("B50")
@pytest.mark.parametrize(
    ("version", "reason"),
    [(CONTAMINATED, f"HoldoutRefused: {REASON_CONTAMINATED}"), (UNKNOWN, f"CoverageUnknown: {REASON_UNKNOWN}")],
)
def test_any_other_ends_the_run(evaluated: Path, tmp_path: Path, version: str, reason: str) -> None:
    code, out = lm_eval(tmp_path, evaluated, version)
    assert code == 1
    assert reason in out
    assert "Running generate_until requests" not in out
    assert not list(tmp_path.rglob("results*.json"))
    assert SECRET not in out
