"""The files that forges and hook managers read, by the schemas and programs that those have for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from heldout.ci import gitlab_note
from heldout.reports.branch import markdown

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "src/heldout/ci/steps.sh"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("schema", "file"), [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", "ci/gitlab/heldout.yml")]
)
def test_files_are_what_schemastore_says(schema: str, file: str) -> None:
    done = run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_in_the_documentation_are_too(tmp_path: Path) -> None:
    """Every YAML block of docs/ci.md that is a whole file, by the schema of what it is."""
    document = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    blocks = [block.split("\n```")[0] for block in document.split("```yaml\n")[1:]]
    schemas = {"jobs:": "vendor.github-workflows", "include:": "vendor.gitlab-ci"}
    seen = set()
    for block in blocks:
        for mark, schema in schemas.items():
            if f"\n{mark}" in f"\n{block}":
                (tmp_path / "file.yml").write_text(block)
                done = run(
                    sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(tmp_path / "file.yml")
                )
                assert done.returncode == 0, block + done.stdout
                seen.add(mark)
    assert seen == {*schemas}


def test_hooks_for_pre_commit_are_what_it_wants() -> None:
    done = run(sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_place_knows_a_comment_of_ours_by_the_same_line() -> None:
    script = STEPS.read_text(encoding="utf-8")
    for line in (f"marker='{markdown.MARKER}'", f"unchanged='{markdown.UNCHANGED}'"):
        assert f"\n{line}\n" in script
    assert (gitlab_note.MARKER, gitlab_note.UNCHANGED) == (markdown.MARKER, markdown.UNCHANGED)


@pytest.mark.parametrize("shell", [["sh", "-n"], ["bash", "--posix", "-n"]])
def test_the_steps_are_plain_shell(shell: list[str]) -> None:
    done = run(*shell, str(STEPS))
    assert done.returncode == 0, done.stderr


def test_action_and_template_take_the_same_steps() -> None:
    """All but `install`, for which GitLab has pip in its own image."""
    yaml = YAML(typ="safe")
    action = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    template = yaml.load((ROOT / "ci/gitlab/heldout.yml").read_text(encoding="utf-8"))
    ours = [step["run"].split()[-1] for step in action["runs"]["steps"]]
    theirs = [line.split()[-1] for line in template["heldout"]["script"][2:]]
    assert ours == ["install", *theirs]


def step(name: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """One step in an environment that has what is given and nothing else."""
    usual = {"PATH": os.environ["PATH"], "HELDOUT_OUT": str(folder)}
    return subprocess.run(
        ["sh", str(STEPS), name], cwd=folder, env={**usual, **env}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("verdict", "strict", "lenient"),
    [
        ("0\n", 0, 0), ("1\n", 1, 1), ("3\n", 3, 0), ("2\n", 2, 2), ("70\n", 70, 70), ("130\n", 130, 130),
        (None, 2, 2), ("", 2, 2), ("0 \n", 2, 2), ("00\n", 2, 2), ("256\n", 2, 2), ("0\n1\n", 2, 2), ("-1\n", 2, 2),
        ("verified\n", 2, 2),
    ],
)  # fmt: skip
def test_only_a_verdict_of_verified_passes(tmp_path: Path, verdict: str | None, strict: int, lenient: int) -> None:
    if verdict is not None:
        (tmp_path / "verdict").write_text(verdict)
    for setting, expected in (("fail", strict), ("allow", lenient)):
        done = step("judge", tmp_path, HELDOUT_UNKNOWN=setting)
        assert done.returncode == expected, done.stderr
        assert done.stderr.count("\n") == 1 + (verdict or "").strip().count("\n"), "no complaint of the shell's"


@pytest.mark.parametrize(
    ("service", "tried"),
    [
        ({"GITHUB_ACTIONS": "true", "HELDOUT_PULL_REQUEST": "7"}, True),
        ({"GITHUB_ACTIONS": "true"}, False),
        ({"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7", "HELDOUT_GITLAB_TOKEN": "secret"}, True),
        ({"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_a_setting_that_is_missing_costs_no_verdict(tmp_path: Path, service: dict[str, str], tried: bool) -> None:
    (tmp_path / "report.md").write_text(markdown.MARKER)
    done = step("comment", tmp_path, **service)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "parameter not set" not in said
    assert "secret" not in said
    assert ("the report could not be posted" in said) == tried


def test_a_verdict_of_before_is_none(tmp_path: Path) -> None:
    """As one that the checkout holds: where heldout cannot even start, nothing was verified."""
    (tmp_path / "verdict").write_text("0\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/heldout").write_text("#!/bin/sh\nexit 127\n")
    (tmp_path / "bin/heldout").chmod(0o755)
    assert step("verify", tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}").returncode == 0
    assert step("judge", tmp_path).returncode == 127
