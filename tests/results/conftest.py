"""A team's repository with a dataset that runs can be about: clean and frozen, and one whose holdout is given away."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.schemas import every_output_by_its_schema
from support.story import Team, sentence

LANGUAGES, TOPICS = ("de", "en", "fr"), ("account", "billing")
HELD = 120
YAML = """\
format: heldout/dataset@1
name: {name}
data: [{{path: all.jsonl}}]
holdout: [test]
"""


def example(number: int, split: str, text: str) -> dict[str, Any]:
    """A language by its remainder of 3, a topic by its remainder of 2; what is relevant for it."""
    return {
        "key": f"q{number:03}",
        "split": split,
        "input": text,
        "expected": {"relevant": [f"doc{number}"]},
        "metadata": {"lang": LANGUAGES[number % 3], "topic": TOPICS[number % 2]},
        "tags": ["long"] if number % 10 == 0 else [],
    }


def write(team: Team, name: str, copied: int) -> None:
    """120 held-out examples and 20 for training; the first `copied` of the former are training texts too."""
    rows = [example(number, "test", sentence(f"{name} {number}")) for number in range(HELD)]
    rows += [
        example(500 + number, "train", sentence(f"{name} {number if number < copied else 500 + number}"))
        for number in range(20)
    ]
    team.write(f"datasets/{name}/dataset.yaml", YAML.format(name=name))
    team.write(f"datasets/{name}/all.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    team.track(f"datasets/{name}/all.jsonl")


@pytest.fixture(scope="session")
def results_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("results")
    team = Team.start(base)
    write(team, "support", 0)
    write(team, "leaky", 6)
    for name, where, required in (("german", "metadata.lang eq de", True), ("long", "tag eq long", False)):
        made = team.heldout("slice", "new", "support", name, "--where", where, *(["--required"] if required else []))
        assert made.code == 0, str(made)
    team.git("add", "datasets")
    team.save("Add two datasets")
    for name in ("support", "leaky"):
        team.git("tag", "-a", f"{name}@v1.0.0", "-m", "first")
    scanned = team.heldout("scan", "--all", "--commit")
    assert scanned.code in (0, 1), str(scanned)
    return base


@pytest.fixture(scope="module")
def team(results_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """support@v1.0.0 is clean and has a required slice `german`; leaky@v1.0.0 gives six held-out examples away."""
    base = tmp_path_factory.mktemp("team") / "base"
    shutil.copytree(results_template, base, symlinks=True)
    return Team(base / "work")


def results(skip: frozenset[int] = frozenset(), **more: Any) -> list[dict[str, Any]]:
    """Right on all but every fourth case."""
    return [
        {"key": f"q{number:03}", "split": "test", "outcome": number % 4 != 0, **more}
        for number in range(HELD)
        if number not in skip
    ]


@pytest.fixture(scope="module", autouse=True)
def _by_schema() -> Iterator[None]:
    with every_output_by_its_schema():
        yield
