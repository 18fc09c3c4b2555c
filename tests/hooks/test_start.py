"""Hooks and the gate start fast: they import no heavy library, and start no process for each version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.git import Repo

from heldout.services.workspace import Workspace
from heldout.storage.git import process

HEAVY = ("numpy", "pyarrow", "ruamel.yaml", "dvc", "git", "typer", "click", "rich", "datasketch", "tempfile")


@pytest.mark.parametrize("module", ["hooking.tag_guard", "hooking.push_guard", "gate", "splitting.lock_knowledge"])
def test_no_heavy_library_is_imported(module: str) -> None:
    code = f"import heldout.hooks.entry, heldout.services.{module}, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()).isdisjoint(HEAVY)


def test_a_commit_hook_imports_no_numpy_where_records_exist() -> None:
    code = "import heldout.services.hooking.ensure, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "numpy" not in done.stdout.split()


def test_as_many_processes_for_many_versions_as_for_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    class Counted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: list[str], **options: object) -> None:
            started.append(" ".join(command[:2]))
            super().__init__(command, **options)  # type: ignore[call-overload]

    repo = Repo.create(tmp_path / "repo")
    spec = "format: heldout/dataset@1\nname: a\ndata:\n- path: a.csv\n  split: train\n"
    repo.add("datasets/a/dataset.yaml", spec)
    counts = []
    for number in range(12):
        repo.pointer("a", str(number))
        repo.commit()
        repo.git("tag", f"a@v1.{number}.0")
        if number in (1, 11):
            monkeypatch.setattr(process.subprocess, "Popen", Counted)
            started.clear()
            versions = Workspace(repo.door).knowledge().versions
            counts.append(len(started))
            monkeypatch.undo()
            assert len(versions) == number + 1
    assert counts[0] == counts[1] <= 8
