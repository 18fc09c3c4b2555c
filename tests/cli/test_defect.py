"""A defect of ours: exit 70, one line, and a log that quotes no example."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import heldout
from support.git import Repo

SECRET = "what is my balance in the morning"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that fails as a defect would, with a row in its message, in a local variable and in its cause."""

    def fail(*_: object, **__: object) -> None:
        row = {"input": SECRET}
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise RuntimeError(f"cannot handle {row}") from error

    monkeypatch.setattr("heldout.services.verifying.verify.verify", fail)


def test_exit_70_one_line_and_a_log_without_text(tmp_path: Path, broken: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    repo = Repo.create(tmp_path / "repo")
    ran = heldout(repo.path, "verify")
    assert (ran.code, ran.out) == (70, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("heldout: this is a defect of Heldout (RuntimeError); details in ")
    log = Path(line.rpartition(" in ")[2])
    assert log.is_file()
    text = log.read_text(encoding="utf-8")
    assert "in fail\n" in text
    assert "KeyError\n" in text
    assert SECRET not in line + text
    assert repo.status() == []


def test_in_a_set_up_repository_the_log_is_beside_the_cache(tmp_path: Path, broken: None) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write(".heldout/.gitignore", "*\n")
    assert heldout(repo.path, "verify").code == 70
    (log,) = (repo.path / ".heldout/log").iterdir()
    assert SECRET not in log.read_text(encoding="utf-8")


def test_nowhere_to_write_is_one_line_still(tmp_path: Path, broken: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where the folder should be stands in for a read-only file system: root may write anywhere."""
    home = tmp_path / "home"
    home.write_text("no folder")
    monkeypatch.setenv("HOME", str(home))
    repo = Repo.create(tmp_path / "repo")
    ran = heldout(repo.path, "verify")
    assert ran.code == 70
    assert ran.err == "heldout: this is a defect of Heldout (RuntimeError)\n"


def test_json_is_asked_for_and_none_comes(tmp_path: Path, broken: None) -> None:
    """Half an object would be worse: who parses the output looks at the code first."""
    repo = Repo.create(tmp_path / "repo")
    ran = heldout(repo.path, "verify", "--json")
    assert (ran.code, ran.out) == (70, "")
