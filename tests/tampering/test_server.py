"""A server that trusts no hook of the pusher: `heldout verify --pre-receive` in a real pre-receive hook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from story.conftest import copy
from support.story import Run, Team, rows
from tampering.conftest import TEST, TRAIN, V1
from tampering.test_table import (
    cut_the_last_line_in_two,
    edit_findings,
    edit_findings_and_digest,
    forge_a_clean_record,
    freeze_by_pygit2,
    move_a_tag,
    put_a_tag_object_under_another_name,
    rewrite_history_here,
    take_a_record_of_another_method,
)

NEW = "support@v1.1.0"


def serve(team: Team, *options: str) -> None:
    """The hook as docs/hooks.md says, on the machine of origin."""
    words = " ".join(options)
    hook = team.path.parent / "origin.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -P -m heldout verify --pre-receive {words}\n")
    hook.chmod(0o755)


@pytest.fixture(scope="module")
def served_template(frozen_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("served")
    team = copy(frozen_template, base)
    serve(team, "--data", "../store")
    return base


@pytest.fixture
def served(served_template: Path, tmp_path: Path) -> Team:
    return copy(served_template, tmp_path)


def push_past_hooks(team: Team, *refs: str) -> Run:
    team.push_data()
    done = team.run("push", "--no-verify", "origin", *refs)
    return Run(done.returncode, done.stdout, done.stderr)


def freeze_a_leak(team: Team) -> None:
    team.dataset("corpus", holdout=None, train={**rows("c", 3), "c9": TEST["h3"]})
    team.save("Add corpus")
    team.bypass("tag", "-a", "corpus@v1.0.0", "-m", "gives h3 away")


def leak_and_freeze(team: Team) -> None:
    team.dataset("support", train={**TRAIN, "t99": TEST["h2"]}, test=TEST)
    team.save("A leak")
    team.bypass("tag", "-a", NEW, "-m", "leaky")


REFUSED = {
    "a contaminated version": (leak_and_freeze, (NEW,), f"{NEW} is contaminated"),
    "a contaminated main": (leak_and_freeze, ("main",), "support on main is contaminated"),
    "a holdout given away": (freeze_a_leak, ("main", "corpus@v1.0.0"), "gives away the holdout of another dataset"),
    "an uncovered version": (freeze_by_pygit2, (NEW,), f"nobody knows yet whether {NEW} is clean"),
    "another method": (take_a_record_of_another_method, (NEW,), f"nobody knows yet whether {NEW} is clean"),
    "a moved version": (move_a_tag, ("--force", V1), f"{V1} is another version on the remote"),
    "a deleted version": (lambda _: None, (f":refs/tags/{V1}",), f"{V1} would be deleted"),
    "another tag's object": (
        put_a_tag_object_under_another_name,
        ("support@v2.0.0",),
        "support@v2.0.0 is another tag's object",
    ),
    "a forged record": (forge_a_clean_record, ("main", NEW), "is not what its data and method give [record-forged]"),
    "a forged record on a branch": (forge_a_clean_record, ("main:topic",), "[record-forged]"),
    "edited findings": (edit_findings, ("main:topic",), "[findings-changed]"),
    "forged findings": (edit_findings_and_digest, ("main:topic",), "[record-forged]"),
    "half a line": (cut_the_last_line_in_two, ("main:topic",), "[record-inconsistent]"),
    "rewritten history": (rewrite_history_here, ("--force", "main"), "would change or take away what the remote has"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_and_nothing_arrives(name: str, served: Team) -> None:
    do, refs, reason = REFUSED[name]
    do(served)
    before = served.git("ls-remote", "origin")
    pushed = push_past_hooks(served, *refs)
    assert pushed.code != 0
    assert reason in pushed.err, pushed.err
    assert "nothing was pushed" in pushed.err
    assert "Traceback" not in pushed.err
    assert served.git("ls-remote", "origin") == before


def test_honest_work_arrives(served: Team) -> None:
    served.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    served.save("More training data")
    served.git("tag", "-a", NEW, "-m", "more")
    pushed = push_past_hooks(served, "main", NEW)
    assert pushed.code == 0, str(pushed)
    assert "heldout" not in pushed.err
    # what has nothing to do with datasets, and what reviewers are to see
    served.bypass("commit", "-q", "--allow-empty", "-m", "Other work")
    served.bypass("tag", "tool@v1.0.0")
    assert push_past_hooks(served, "main", "tool@v1.0.0").code == 0
    leak_and_freeze_nothing(served)
    shown = push_past_hooks(served, "main:topic")
    assert shown.code == 0, str(shown)
    assert "warning: support on topic is contaminated" in shown.err


def leak_and_freeze_nothing(team: Team) -> None:
    team.dataset("support", train={**TRAIN, "t99": TEST["h2"]}, test=TEST)
    team.save("A leak")


def test_the_first_push_to_an_empty_server(served: Team) -> None:
    """HEAD is unborn there: no settings, no branch, no version."""
    origin = served.path.parent / "origin.git"
    for ref in served.git("ls-remote", "origin").splitlines():
        if not ref.endswith("HEAD"):
            served.run("update-ref", "-d", ref.split("\t")[1], cwd=origin)
    pushed = push_past_hooks(served, "main", V1)
    assert pushed.code == 0, str(pushed)


def test_without_data_a_server_says_so(served: Team) -> None:
    serve(served)
    served.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    served.save("More training data")
    unknown = push_past_hooks(served, "main")
    assert unknown.code != 0
    assert "could not be made again: data is missing here" in unknown.err
    assert "--data FOLDER gives it the data" in unknown.err
    serve(served, "--trust-records")
    assert push_past_hooks(served, "main").code == 0


def test_a_line_that_is_none_of_gits(served: Team) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "heldout", "verify", "--pre-receive"],
        cwd=served.path.parent / "origin.git",
        input=b"refs/heads/main\n",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"[bad-update]" in done.stderr
