"""promptfoo itself, by its command and its echo provider, which answers with the prompt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.evaluated import CLEAN, CONTAMINATED, REASON_CONTAMINATED, REASON_UNKNOWN, SECRET, TEST, UNKNOWN

ENTRY = Path(sys.prefix) / "promptfoo" / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js"
CONFIG = """\
prompts: ["{{ example.input }}", '{"role": "user", "content": "{{ example.input }}"}']
providers: [echo]
tests:
  - path: file://heldout_tests.py:create_tests
    config: {holdout: VERSION, split: test, repo: REPO}
"""
GENERATOR = "from heldout.integrations.promptfoo import create_tests\n"


def promptfoo(folder: Path, repo: Path, version: str) -> tuple[int, str, list[dict[str, Any]]]:
    """`promptfoo eval`; exit code, output, and the results it wrote."""
    config = CONFIG.replace("VERSION", version).replace("REPO", json.dumps(str(repo)))
    (folder / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    (folder / "heldout_tests.py").write_text(GENERATOR, encoding="utf-8")
    env = {
        **os.environ,
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(folder / "config"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    }
    command = ["node", str(ENTRY), "eval", "--no-cache", "--no-table", "--output", "results.json"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    written = folder / "results.json"
    results = json.loads(written.read_text(encoding="utf-8"))["results"]["results"] if written.exists() else []
    return done.returncode, done.stdout + done.stderr, results


def test_a_clean_holdout_reaches_the_provider_unchanged(evaluated: Path, tmp_path: Path) -> None:
    code, out, results = promptfoo(tmp_path, evaluated, CLEAN)
    assert code == 100, out  # promptfoo's own code for assertions that failed: an echo is no right answer
    answers = [one["response"]["output"] for one in results]
    assert sorted(answer for answer in answers if not answer.startswith("{")) == sorted(row["question"] for row in TEST)
    chats = [json.loads(answer)["content"] for answer in answers if answer.startswith("{")]
    assert sorted(chats) == sorted(row["question"] for row in TEST)
    compared = {one["gradingResult"]["componentResults"][0]["assertion"]["value"] for one in results}
    assert compared <= {"{{ example.expected }}", *(row["answer"] for row in TEST)}
    reasons = {one["gradingResult"]["reason"] for one in results}
    assert all(any(row["answer"] in reason for reason in reasons) for row in TEST), reasons
    said = {one["testCase"]["metadata"]["heldout"] for one in results}
    assert len(said) == 1
    assert said.pop().startswith(f"heldout {CLEAN} content=sha256:")


@pytest.mark.req("B50")
@pytest.mark.parametrize(("version", "reason"), [(CONTAMINATED, REASON_CONTAMINATED), (UNKNOWN, REASON_UNKNOWN)])
def test_any_other_ends_the_run(evaluated: Path, tmp_path: Path, version: str, reason: str) -> None:
    code, out, results = promptfoo(tmp_path, evaluated, version)
    assert code == 1
    assert reason in out
    assert results == []
    assert SECRET not in out
