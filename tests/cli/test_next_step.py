"""`heldout` alone: in each state that a repository can be in, exactly one next command, and the one that leads on."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import heldout
from support.git import Repo

TEXTS = [" ".join(f"word{number * 12 + place}" for place in range(12)) for number in range(8)]


def step(folder: Path) -> str:
    """The command of the one line that says what comes next; running it is up to the test."""
    ran = heldout(folder)
    assert ran.code == 0, ran.err
    lines = [line for line in ran.out.splitlines() if "next:" in line]
    assert len(lines) == 1, ran.out
    command, _, why = lines[0].removeprefix("next: ").partition("   (")
    assert why.endswith(")")
    return command


def table(texts: list[str]) -> str:
    return "text\n" + "".join(f"{text}\n" for text in texts)


def with_dataset(path: Path, train: list[str], test: list[str]) -> Repo:
    """Set up, added and committed; `init` and `add` as a person does it."""
    repo = Repo.create(path)
    assert heldout(repo.path, "init").code == 0
    repo.write("raw/train.csv", table(train))
    repo.write("raw/test.csv", table(test))
    ran = heldout(repo.path, "add", "support", "raw/train.csv", "raw/test.csv", "--holdout", "test")
    assert ran.code == 0, ran.err
    repo.git("add", "--all")
    return repo


def test_from_nothing_to_a_clean_version(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    assert step(tmp_path / "repo") == "git init && heldout init"
    repo = Repo.create(tmp_path / "repo")
    assert step(repo.path) == "heldout init"
    assert heldout(repo.path, "init").code == 0
    assert step(repo.path) == "heldout add NAME train.csv test.csv --holdout test"
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    assert step(repo.path) == "git add datasets/support && git commit"
    repo.git("commit", "-q", "-m", "support")
    assert step(repo.path) == "heldout freeze support"
    assert heldout(repo.path, "freeze", "support").code == 0
    assert step(repo.path) == "heldout gate support@v1.0.0"
    assert heldout(repo.path, "gate", "support@v1.0.0").code == 0
    assert step(repo.path / "datasets") == "heldout gate support@v1.0.0", "a folder below is the same repository"


def test_hooks_are_missing(tmp_path: Path) -> None:
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    repo.git("commit", "-q", "-m", "support")
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    assert step(tmp_path / "clone") == "heldout init"
    assert heldout(tmp_path / "clone", "init").code == 0
    assert step(tmp_path / "clone") == "heldout freeze support"


def test_nobody_scanned_it(tmp_path: Path) -> None:
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    repo.bypass("commit", "-q", "-m", "support")
    assert step(repo.path) == "heldout scan support@HEAD --commit"
    assert heldout(repo.path, "scan", "support@HEAD", "--commit").code == 0
    assert step(repo.path) == "heldout freeze support"


def test_a_record_is_in_no_commit(tmp_path: Path) -> None:
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    repo.bypass("commit", "-q", "-m", "support")
    assert heldout(repo.path, "scan", "support@HEAD", "--commit").code == 0
    repo.bypass("reset", "-q", "--mixed", "HEAD~1")
    assert step(repo.path) == "git add datasets/support/scans && git commit"
    repo.git("add", "datasets/support/scans")
    repo.git("commit", "-q", "-m", "record")
    assert step(repo.path) == "heldout freeze support"


@pytest.fixture
def leaky(tmp_path: Path) -> Repo:
    repo = with_dataset(tmp_path / "repo", TEXTS[:5], TEXTS[4:])
    repo.git("commit", "-q", "-m", "support")
    repo.git("tag", "-m", "first", "support@v1.0.0")
    return repo


def test_contaminated(leaky: Repo) -> None:
    assert step(leaky.path) == "heldout findings support@v1.0.0 --holdout-only"
    assert heldout(leaky.path, *step(leaky.path).split()[1:]).code in (0, 1)


def test_a_decision_awaits_somebody(leaky: Repo) -> None:
    """Another version is on its way; the decision is what somebody else has to do."""
    found = heldout(leaky.path, "findings", "support@v1.0.0", "--json").json["findings"][0]["id"]
    ran = heldout(leaky.path, "review", "accept", found, "--reason", "one of many")
    assert ran.code == 0, ran.err
    assert step(leaky.path) == "git add datasets/support/reviews && git commit"
    leaky.git("add", "--all")
    leaky.git("commit", "-q", "-m", "decision")
    leaky.write("raw/test.csv", table(TEXTS[5:]))
    (leaky.path / "datasets/support/test.csv").write_text(table(TEXTS[5:]))
    assert heldout(leaky.path, "add", "support", "datasets/support/test.csv").code == 0
    leaky.git("add", "--all")
    leaky.git("commit", "-q", "-m", "without it")
    assert step(leaky.path) == "heldout review list"


def test_unknown(tmp_path: Path) -> None:
    """Two versions that never met: tagged where no hook ran."""
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    repo.bypass("commit", "-q", "-m", "support")
    repo.bypass("tag", "-m", "first", "support@v1.0.0")
    assert step(repo.path) == "heldout scan support@HEAD --commit"
    repo.write("raw/more.csv", table([text.replace("word", "other") for text in TEXTS[:3]]))
    assert heldout(repo.path, "add", "other", "raw/more.csv=test", "--holdout", "test").code == 0
    repo.git("add", "--all")
    repo.bypass("commit", "-q", "-m", "other")
    repo.bypass("tag", "-m", "first", "other@v1.0.0")
    assert heldout(repo.path, "scan", "support@HEAD", "--commit").code in (0, 1)
    assert step(repo.path) == "heldout scan other@HEAD --commit"
    assert heldout(repo.path, "scan", "--all", "--commit").code in (0, 1)
    assert "gate" in step(repo.path)


def test_a_shallow_clone(tmp_path: Path) -> None:
    repo = with_dataset(tmp_path / "repo", TEXTS[:4], TEXTS[4:])
    repo.git("commit", "-q", "-m", "support")
    repo.bypass("commit", "-q", "--allow-empty", "-m", "more")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    assert heldout(tmp_path / "shallow", "init").code == 0
    assert step(tmp_path / "shallow") == "git fetch --unshallow --tags"


def test_status_says_the_same_step_to_programs(leaky: Repo) -> None:
    said = heldout(leaky.path, "status", "--json").json
    assert said["next"]["command"] == step(leaky.path)
    assert said["next"]["why"]
