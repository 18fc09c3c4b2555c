"""Data that DVC tracks in other ways: outputs of a pipeline in dvc.lock, and `dvc import` from another repository."""

from __future__ import annotations

import hashlib
from pathlib import Path

from safety.conftest import TEST, TRAIN
from support.dvc import commit as commit_all
from support.dvc import dvc, dvc_repository
from support.story import csv, rows
from support.twins import QuickTeam, Twins, lacking

MORE = {**TRAIN, **rows("more", 2)}


def locked(team: QuickTeam, examples: dict[str, str]) -> None:
    """datasets/a/train.csv as the output of a stage, as `dvc repro` leaves it."""
    content = csv(examples).encode()
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    (team.cache / md5[:2]).mkdir(parents=True, exist_ok=True)
    (team.cache / md5[:2] / md5[2:]).write_bytes(content)
    team.write("datasets/a/train.csv", content)
    team.write("datasets/a/dvc.yaml", "stages:\n  make:\n    cmd: make train\n    outs: [train.csv]\n")
    lines = ["schema: '2.0'", "stages:", "  make:", "    cmd: make train", "    outs:", "    - path: train.csv"]
    lines += ["      hash: md5", f"      md5: {md5}", f"      size: {len(content)}"]
    team.write("datasets/a/dvc.lock", "\n".join(lines) + "\n")


def test_outputs_in_dvc_lock(twins: Twins) -> None:
    twins.git("rm", "-q", "datasets/a/train.csv.dvc")
    for examples in (MORE, rows("again", 4)):
        for team in twins.both:
            locked(team, examples)
        twins.git("add", "datasets")
        twins.write("staged.txt", f"{len(examples)}\n")
        twins.git("add", "staged.txt")
        twins.git("commit", "-q", "-m", "Repro", "--", "datasets")
        twins.untouched()
    for team in twins.both:
        locked(team, MORE)
    # a path-limited commit of the lock alone, and one past the hook
    twins.git("commit", "-q", "-m", "Lock", "--", "datasets/a/dvc.lock")
    twins.untouched()
    for team in twins.both:
        locked(team, rows("past", 4))
    twins.git("commit", "-q", "--no-verify", "-m", "Lock, past the hook", "--", "datasets/a/dvc.lock")
    twins.untouched()


def test_dvc_import_from_another_repository(twins: Twins, tmp_path: Path) -> None:
    source = dvc_repository(tmp_path / "source")
    (source / "train.csv").write_text(csv(MORE))
    dvc(source, "add", "train.csv")
    commit_all(source, "Data")
    team = twins.ours
    team.git("rm", "-q", "datasets/a/train.csv.dvc")
    (team.path / "datasets/a/train.csv").unlink()
    dvc(team.path, "import", str(source), "train.csv", "-o", "datasets/a/train.csv")
    team.write("staged.txt", "s\n")
    team.git("add", "staged.txt", "datasets")
    team.write("notes.txt", "changed\n")
    team.git("commit", "-q", "-m", "Import", "--", "datasets")
    assert lacking(team) == []
    assert team.status() == [" M notes.txt", "A  staged.txt"]
    assert "deps" in team.show("HEAD:datasets/a/train.csv.dvc")
    (record,) = set(team.records()) - set(team.records("HEAD^"))
    assert f"total: {len(MORE) + len(TEST)}" in team.show(f"HEAD:{record}")
