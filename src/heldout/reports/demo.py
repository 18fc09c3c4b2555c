"""The end of the demo: what happened in three lines, or the step at which it went otherwise."""

from __future__ import annotations

from typing import Any

from heldout.domain.story import Telling


def demo_lines(telling: Telling) -> list[str]:
    broken = telling.broken
    if broken is not None:
        return [
            f"The demo stopped in {broken.chapter!r}: this went otherwise than it should have:",
            f"  $ {broken.step.command}",
            f"  {broken.complaint()}",
            f"Everything is in {telling.folder}; please report this with the output above.",
        ]
    return [
        "The leak was found when it was committed, and it never left this machine.",
        "For your own data: heldout init in your repository, then heldout add NAME FILE... --holdout SPLIT",
        f"Look around, or delete it: cd {telling.folder}/team && heldout status",
    ]


def demo_json(telling: Telling) -> dict[str, Any]:
    broken = telling.broken
    return {
        "format": "heldout/demo@1",
        "folder": telling.folder,
        "as_told": broken is None,
        "steps": [
            {
                "chapter": done.chapter,
                "command": done.step.command,
                "exit_code": done.status,
                "expected_exit_code": done.step.status,
                "as_told": done.as_told,
                "complaint": done.complaint(),
            }
            for done in telling.steps
        ],
    }
