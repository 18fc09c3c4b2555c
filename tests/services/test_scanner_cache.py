"""Scans of a repository sign each input once, whoever scans, and leave nothing of it in Git."""

from __future__ import annotations

import shutil

import pytest
from support.story import Team, nearly, rows

from heldout.services.matching import texts as matching_texts
from heldout.services.progress import Silent
from heldout.services.scanner import Scanner
from heldout.services.workspace import Workspace


class Heard(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    team = Team.start(tmp_path_factory.mktemp("cache"))
    team.dataset("support", train=rows("train", 30), test={**rows("test", 10), "copy": nearly("train3")})
    team.save("support")
    return team


def scanned(team: Team, progress: Heard) -> dict[str, bytes]:
    workspace = Workspace.open(team.path)
    head = workspace.git.head()
    assert head
    state = workspace.catalog(head).state("support")
    return Scanner(workspace, fetch=False, progress=progress).scan(state, head).result.files()


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []
    real = matching_texts.signatures

    def counted(texts, **options):  # type: ignore[no-untyped-def]
        counts.append(len(texts))
        return real(texts, **options)

    monkeypatch.setattr(matching_texts, "signatures", counted)
    return counts


@pytest.mark.req("B36", "B37", "E2")
def test_the_hook_fills_it_and_later_scans_sign_nothing(team: Team, signed: list[int]) -> None:
    folder = team.path / ".heldout"
    assert list(folder.glob("cache/signatures/*/*.records")), "filled by the pre-commit hook"
    assert team.status() == []
    warm = scanned(team, Heard())
    assert sum(signed) == 0
    shutil.rmtree(folder)
    cold = scanned(team, Heard())
    assert sum(signed) == 41
    assert warm == cold
    assert all(team.show(f"HEAD:{path}").encode() == data.rstrip(b"\n") for path, data in cold.items())


def test_a_place_that_cannot_be_written_is_said_and_changes_nothing(team: Team, signed: list[int]) -> None:
    folder = team.path / ".heldout"
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("in the way", encoding="utf-8")
    heard = Heard()
    try:
        blocked = scanned(team, heard)
    finally:
        folder.unlink()
    assert sum(signed) == 41
    assert len([note for note in heard.notes if "not cached" in note]) == 1
    assert blocked == scanned(team, Heard())


def test_damage_is_said_and_changes_nothing(team: Team) -> None:
    good = scanned(team, Heard())
    (segment,) = (team.path / ".heldout").glob("cache/signatures/*/*.records")
    data = bytearray(segment.read_bytes())
    data[-5] ^= 1
    segment.write_bytes(data)
    heard = Heard()
    assert scanned(team, heard) == good
    assert [note for note in heard.notes if "damaged" in note]
