"""A clean, frozen and pushed version, some of whose held-out examples people expose."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from story.conftest import CLEAN_TEST, TRAIN, clean_template, copy, empty_template  # noqa: F401
from support.story import Run, Team

V1 = "support@v1.0.0"
LOG = "datasets/support/exposures.jsonl"


@dataclass(frozen=True)
class Exposing:
    team: Team

    def expose(self, *options: str, subject: str = V1, how: str = "prompt", note: str = "an agent's prompt") -> Run:
        return self.team.heldout("expose", subject, "--how", how, "--note", note, "--on", "2026-11-02", *options)

    def logged(self, *options: str, **named: str) -> None:
        done = self.expose(*options, "--commit", **named)
        assert done.code == 0, str(done)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.team.path / LOG).read_bytes().splitlines()]

    def gate(self, subject: str = V1) -> Any:
        return self.team.answer(subject)

    def exposed(self, subject: str = V1) -> list[str]:
        """Held-out examples that the gate calls exposed."""
        found = [finding["held"] for finding in self.gate(subject)["findings"] if finding["kind"] == "exposed"]
        return sorted(f"{held['split']}/{held['key']}" for held in found)

    def freeze(self, *, train: dict[str, str], test: dict[str, str]) -> Run:
        self.team.dataset("support", train=train, test=test)
        self.team.save("Change support")
        return self.team.heldout("freeze", "support", "--json")


@pytest.fixture
def exposing(clean_template: Path, tmp_path: Path) -> Exposing:  # noqa: F811
    return Exposing(copy(clean_template, tmp_path))
