"""A team's repository with two datasets to slice: every answer about them follows from one formula per row."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.story import Team, sentence

LANGUAGES = ("de", "en", "fr")
YAML = """\
format: heldout/dataset@1
name: {name}
data: [{{path: all.jsonl}}]
holdout: [test]
"""


def row(number: int, *, outside: bool = False) -> dict[str, Any]:
    """Row `number`: a language by its remainder of 3, `billing` for even ones, the test split for every fourth."""
    text = sentence(f"question {number}")
    made: dict[str, Any] = {
        "key": f"q{number:02}",
        "split": "test" if number % 4 == 0 else "train",
        "input": {"text": text, "turns": number},
        "expected": {"label": number % 2 == 0},
        "metadata": {"language": LANGUAGES[number % 3], "turns": number, "topic": f"t{number % 2}"},
        "tags": ["billing"] if number % 2 == 0 else [],
    }
    if outside:
        del made["input"]
        made["payload"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return made


PLAIN = [row(number) for number in range(40)]
OUTSIDE = [row(number, outside=number % 10 in (1, 4, 7)) for number in range(100, 140)]
"""Three of ten inputs are kept outside: 12 of 40."""


def write(team: Team, name: str, rows: list[dict[str, Any]]) -> None:
    team.write(f"datasets/{name}/dataset.yaml", YAML.format(name=name))
    team.write(f"datasets/{name}/all.jsonl", "".join(json.dumps(item) + "\n" for item in rows))
    team.track(f"datasets/{name}/all.jsonl")


@pytest.fixture(scope="session")
def sliced_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("sliced")
    team = Team.start(base)
    write(team, "plain", PLAIN)
    write(team, "outside", OUTSIDE)
    team.save("Add two datasets")
    team.git("tag", "-a", "plain@v1.0.0", "-m", "first")
    team.push("main")
    return base


@pytest.fixture
def sliced(sliced_template: Path, tmp_path: Path) -> Team:
    """`plain`, frozen as v1.0.0, and `outside`, whose scan cannot be complete; hooks installed, no slice yet."""
    shutil.copytree(sliced_template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Team(tmp_path / "work")


@pytest.fixture(scope="module")
def shared(sliced_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """The same for tests that only read."""
    base = tmp_path_factory.mktemp("shared") / "base"
    shutil.copytree(sliced_template, base, symlinks=True)
    return Team(base / "work")
