"""The action's own steps, in a shell, on real Git and DVC remotes of this machine. Only GitHub is played.

The steps come out of action.yml, `${{ ... }}` is filled in as a runner does, and `gh` is a program that writes down
what it was asked and answers from a file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from story.conftest import CLEAN_TEST, TRAIN
from support.story import Team, rows

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
GH = """\
#!/bin/sh
# What gh was asked, an argument a line, and the file that goes with it; its answer to a listing is in $GH_COMMENTS.
{ for argument; do printf '%s\\n' "$argument"; done; echo "token=$GH_TOKEN"; echo ---; } >>"$GH_CALLS"
for argument; do
    case $argument in body=@*) cp "${argument#body=@}" "$GH_BODY" ;; esac
done
case "$*" in *--jq*) cat "$GH_COMMENTS" ;; esac
exit "${GH_STATUS:-0}"
"""


@dataclass
class Runner:
    """One job of a pull request from `work` to `main`, in a fresh clone that has what actions/checkout fetches."""

    top: Path
    home: Path
    inputs: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    log: str = ""

    def run(self) -> int:
        """The exit status of the first step that fails, 0 if none does."""
        for step in ACTION["runs"]["steps"]:
            assert set(step) <= {"name", "id", "shell", "run", "env"}, "this runner knows no other keys"
            assert step["shell"] == "bash"
            named = {name: self.filled(str(value)) for name, value in step.get("env", {}).items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.top,
                env={**os.environ, **self.env, **named},
                capture_output=True,
                text=True,
                check=False,
            )
            self.log += f"== {step['name']}\n{done.stdout}{done.stderr}"
            if done.returncode:
                return done.returncode
        return 0

    def filled(self, text: str) -> str:
        defaults = {f"inputs.{name}": str(item.get("default", "")) for name, item in ACTION["inputs"].items()}
        known = {**defaults, **{f"inputs.{name}": value for name, value in self.inputs.items()}}
        known |= {"github.token": "the-job's", "github.event.pull_request.number": "7"}
        for _ in range(2):  # an input's default may be an expression
            text = EXPRESSION.sub(lambda found: known[found[1]], text)
        return text

    def read(self, name: str) -> str:
        file = self.home / name
        return file.read_text(encoding="utf-8") if file.exists() else ""


def runner(team: Team, tmp_path: Path, inputs: Mapping[str, str] | None = None) -> Runner:
    home = tmp_path / "runner"
    (home / "bin").mkdir(parents=True)
    (home / "bin/gh").write_text(GH)
    (home / "bin/gh").chmod(0o755)
    (home / "comments").write_text("")
    top = home / "checkout"
    # as actions/checkout: one commit of the merge, no tags, and the remote's branches unknown
    url = (team.path.parent / "origin.git").as_uri()
    for command in (
        ["git", "init", "-q", str(top)],
        ["git", "-C", str(top), "remote", "add", "origin", url],
        [
            "git",
            "-C",
            str(top),
            "fetch",
            "-q",
            "--no-tags",
            "--depth=1",
            "origin",
            "+refs/heads/work:refs/remotes/pull/7/merge",
        ],
        ["git", "-C", str(top), "checkout", "-q", "--force", "refs/remotes/pull/7/merge"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    # the credentials of the data's remote, which a job would have in its environment
    (top / ".dvc/config.local").write_text(f"['remote \"store\"']\n    url = {team.path.parent / 'store'}\n")
    env = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_BASE_REF": "main",
        "GITHUB_REPOSITORY": "team/data",
        "GITHUB_OUTPUT": str(home / "output"),
        "GITHUB_PATH": str(home / "path"),
        "GITHUB_STEP_SUMMARY": str(home / "summary"),
        "RUNNER_TEMP": str(home),
        "GH_CALLS": str(home / "calls"),
        "GH_BODY": str(home / "body"),
        "GH_COMMENTS": str(home / "comments"),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }
    return Runner(top, home, {"install": "none", **(inputs or {})}, env)


def propose(team: Team, *, leak: bool, data: bool = True, hooks: bool = True) -> None:
    """Push a branch `work` with one more training row, which may be a copy of a held-out one."""
    team.git("switch", "-q", "-c", "work")
    more = {"copy": CLEAN_TEST["h1"]} if leak else rows("n", 1)
    team.dataset("support", train={**TRAIN, **more}, test=CLEAN_TEST)
    if hooks:
        team.save("More training data")
    else:
        team.bypass("commit", "-q", "-m", "More training data")
    if data:
        team.push_data()
    team.bypass("push", "-q", "origin", "work")


def test_a_leak_fails_the_job_and_is_told_where_people_look(clean: Team, tmp_path: Path) -> None:
    propose(clean, leak=True)
    job = runner(clean, tmp_path)
    assert job.run() == 1, job.log
    assert "::error" in job.log, "an annotation"
    assert "verdict=1" in job.read("output")
    summary, body, calls = job.read("summary"), job.read("body"), job.read("calls")
    assert summary.startswith("### ❌ `heldout verify`"), "the check's own words come first"
    assert summary.endswith(body)
    assert body.startswith("<!-- heldout-report -->\n### ❌ Evaluation data leaks\n")
    assert "| `test/h1` | `train/copy` | the same text |" in body
    assert "repos/team/data/issues/7/comments?per_page=100" in calls
    assert "POST\nrepos/team/data/issues/7/comments\n" in calls
    assert "token=the-job's" in calls
    assert "== Judge" in job.log, "the verdict comes after the report"
    assert not [text for text in (*TRAIN.values(), *CLEAN_TEST.values()) if text in job.log + body]


def test_a_clean_branch_passes_and_replaces_its_comment(clean: Team, tmp_path: Path) -> None:
    propose(clean, leak=False)
    job = runner(clean, tmp_path)
    (job.home / "comments").write_text("4711\n4712\n")
    assert job.run() == 0, job.log
    assert "PATCH\nrepos/team/data/issues/comments/4711\n" in job.read("calls")
    assert "POST" not in job.read("calls")
    assert "### ✅ No evaluation data leaks" in job.read("body")
    tags = subprocess.run(["git", "tag"], cwd=job.top, capture_output=True, text=True, check=True).stdout
    assert tags == "support@v1.0.0\n", "tags were fetched"


def test_what_nobody_compared_is_unknown_and_fails_unless_allowed(clean: Team, tmp_path: Path) -> None:
    propose(clean, leak=False, hooks=False)
    job = runner(clean, tmp_path)
    assert job.run() == 3, job.log
    assert "### ❔ Not known yet" in job.read("body")
    job.inputs["unknown"] = "allow"
    assert job.run() == 0, job.log


def test_data_that_cannot_be_fetched_is_a_warning_and_no_verdict_of_clean(clean: Team, tmp_path: Path) -> None:
    propose(clean, leak=False)
    job = runner(clean, tmp_path)
    (job.top / ".dvc/config.local").write_text("['remote \"store\"']\n    url = s3://nobody-has-installed-s3/store\n")
    assert job.run() == 3, job.log
    assert "::warning title=heldout::dvc fetch failed" in job.log


def test_a_comment_that_cannot_be_posted_costs_no_verdict(clean: Team, tmp_path: Path) -> None:
    """A pull request from a fork has a token that may only read."""
    propose(clean, leak=False)
    job = runner(clean, tmp_path)
    job.env["GH_STATUS"] = "1"
    assert job.run() == 0, job.log
    assert "::warning title=heldout::the report could not be posted" in job.log


def test_nothing_is_said_under_a_pull_request_about_other_things(clean: Team, tmp_path: Path) -> None:
    clean.git("switch", "-q", "-c", "work")
    clean.commit("Words", README="words")
    clean.bypass("push", "-q", "origin", "work")
    job = runner(clean, tmp_path)
    assert job.run() == 0, job.log
    assert "POST" not in job.read("calls")
    job.inputs["comment"] = "always"
    assert job.run() == 0, job.log
    assert "POST" in job.read("calls")


def test_the_first_step_installs_into_an_environment_of_its_own(tmp_path: Path) -> None:
    """From a wheel of this very tree and without what it needs, which pip would have to fetch."""
    wheels = tmp_path / "wheels"
    subprocess.run(
        ["hatchling", "build", "-t", "wheel", "-d", str(wheels)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    (wheel,) = wheels.iterdir()
    env = {"RUNNER_TEMP": str(tmp_path), "GITHUB_PATH": str(tmp_path / "path"), "HELDOUT_INSTALL": str(wheel)}
    env |= {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}
    step = ACTION["runs"]["steps"][0]
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("random", "pip", "venv", "heldout"):
        (checkout / f"{name}.py").write_text("raise SystemExit('the checkout ran')\n")
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=checkout,
        env={**os.environ, "GITHUB_ACTION_PATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    scripts = Path((tmp_path / "path").read_text().strip())
    assert (scripts / "heldout").is_file()
    listed = subprocess.run(
        [str(scripts / "python"), "-m", "heldout.ci", "nothing"], capture_output=True, text=True, check=False
    )
    assert (listed.returncode, listed.stderr.split(":")[0]) == (2, "heldout"), "the script travels with the package"


def test_no_expression_is_part_of_a_script() -> None:
    """A branch may be called `$(...)`: what others choose reaches a shell through its environment alone."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], step["name"]


def test_outputs_name_steps_that_exist() -> None:
    ids = {step.get("id") for step in ACTION["runs"]["steps"]}
    for output in ACTION["outputs"].values():
        assert re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.\w+ \}\}", output["value"])[1] in ids  # type: ignore[index]
    assert json.dumps(ACTION["inputs"]), "plain data"
