"""Files appear together or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.services.placing import Move, placed, same_bytes


@pytest.fixture
def moves(tmp_path: Path) -> list[Move]:
    """One new file, one that replaces an old one, and a folder that replaces a folder."""
    for name, text in {"new": "N", "newer": "2", "shards/a": "A", "set/old": "1", "set/shards/a": "0"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    top = tmp_path / "set"
    return [
        Move(tmp_path / "new", top / "deep" / "new"),
        Move(tmp_path / "newer", top / "old"),
        Move(tmp_path / "shards", top / "shards"),
    ]


def tree(top: Path) -> dict[str, str]:
    return {path.relative_to(top).as_posix(): path.read_text() for path in top.rglob("*") if path.is_file()}


def test_all_appear_and_the_sources_stay(tmp_path: Path, moves: list[Move]) -> None:
    with placed(tmp_path, moves, []):
        pass
    assert tree(tmp_path / "set") == {"deep/new": "N", "old": "2", "shards/a": "A"}
    assert (tmp_path / "new").read_text() == "N"
    assert (tmp_path / "shards/a").read_text() == "A"
    assert not (tmp_path / ".heldout").exists()


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_all_is_put_back(tmp_path: Path, moves: list[Move], failure: type[BaseException]) -> None:
    before = tree(tmp_path)
    pointer = tmp_path / "set" / "old.dvc"

    def track() -> None:
        with placed(tmp_path, moves, [pointer]):
            pointer.write_text("half")
            raise failure

    with pytest.raises(failure):
        track()
    assert tree(tmp_path) == before
    assert not (tmp_path / "set" / "deep").exists()
    assert not (tmp_path / ".heldout").exists()


def test_a_copy_that_fails_moves_nothing(tmp_path: Path, moves: list[Move]) -> None:
    before = tree(tmp_path)
    with pytest.raises(FileNotFoundError), placed(tmp_path, [*moves, Move(tmp_path / "gone", tmp_path / "x")], []):
        pass
    assert tree(tmp_path) == before


def test_sameness_is_of_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a").write_text("A")
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "b").write_text("B")
    assert not same_bytes(tmp_path / "one", tmp_path / "two")
    assert not same_bytes(tmp_path / "one" / "a", tmp_path / "two" / "b")
