"""This repository is a user of itself: its datasets are complete, licensed and served without a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.data import data_path, original

from heldout.storage.dvc.verified import verify_file
from heldout.storage.pointers import Pointers
from heldout.storage.trees import FolderTree

TOP = Path(__file__).parents[2]
SETS = ["banking77", "gsm8k", "mbpp", "mgsm"]


@pytest.mark.parametrize("name", SETS)
def test_every_data_file_is_in_the_bundled_remote_unchanged(name: str) -> None:
    folder = TOP / "datasets" / name
    pointers = Pointers(FolderTree(TOP))
    files = [pointer.relative_to(TOP).as_posix().removesuffix(".dvc") for pointer in folder.glob("*.dvc")]
    assert files
    for file in files:
        output = pointers.output(file)
        stored = TOP / "dvc-store" / "files" / "md5" / output.md5[:2] / output.md5[2:]
        verify_file(stored, output.md5, legacy=False, name=file)
        assert stored.stat().st_size == output.size


@pytest.mark.parametrize("name", SETS)
def test_data_are_the_originals_with_their_licence(name: str, tmp_path: Path) -> None:
    folder = TOP / "datasets" / name
    pointers = Pointers(FolderTree(TOP))
    for pointer in folder.glob("*.dvc"):
        output = pointers.output(pointer.relative_to(TOP).as_posix().removesuffix(".dvc"))
        stored = TOP / "dvc-store" / "files" / "md5" / output.md5[:2] / output.md5[2:]
        assert stored.read_bytes() == original(f"{name}/{pointer.stem}", tmp_path).read_bytes()
    assert (folder / "LICENSE").read_bytes() == data_path(f"{name}/LICENSE").read_bytes()


@pytest.mark.parametrize("name", SETS)
def test_data_file_itself_is_not_in_git(name: str) -> None:
    folder = TOP / "datasets" / name
    ignored = (folder / ".gitignore").read_text().split()
    assert {"/" + pointer.stem for pointer in folder.glob("*.dvc")} <= set(ignored)
