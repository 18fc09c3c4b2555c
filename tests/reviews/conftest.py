"""A contaminated version, and two people who may decide about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from story.conftest import copy, empty_template, leaky_template  # noqa: F401
from support.story import Run, Team

V1 = "support@v1.0.0"


@dataclass(frozen=True)
class Deciders:
    """`ann` works, `bob` is somebody else. `near` and `exact` are the ids of the version's two contaminations."""

    team: Team
    near: str
    exact: str

    def as_bob(self, *arguments: str) -> Run:
        return self.team.heldout(*arguments, env=BOB)

    def commit_as_bob(self, message: str) -> None:
        self.team.git("add", "datasets")
        done = self.team.run("commit", "-q", "-m", message, env=BOB)
        assert done.returncode == 0, done.stderr

    def accept(self, finding: str, *options: str, approve: bool = True) -> None:
        """Ann accepts and commits, Bob approves and commits."""
        self.team.succeeds("review", "accept", finding, "--reason", "a greeting", "--commit", *options)
        if approve:
            done = self.as_bob("review", "approve", finding, "--commit")
            assert done.code == 0, str(done)

    def standings(self) -> dict[str, str]:
        listed = self.team.succeeds("review", "list", "--json").json
        return {row["path"].rpartition("/")[2].removesuffix(".yaml"): row["standing"] for row in listed["reviews"]}


BOB = {
    "GIT_AUTHOR_NAME": "Bob",
    "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}


@pytest.fixture(scope="session")
def contaminated_template(leaky_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    base = tmp_path_factory.mktemp("contaminated")
    team = copy(leaky_template, base)
    team.git("tag", "-a", V1, "-m", "first")
    return base


@pytest.fixture
def decide(contaminated_template: Path, tmp_path: Path) -> Deciders:
    team = copy(contaminated_template, tmp_path)
    found = team.answer(V1)["findings"]
    by_kind = {finding["kind"]: finding["id"] for finding in found}
    assert sorted(by_kind) == ["exact", "near"]
    return Deciders(team, by_kind["near"], by_kind["exact"])
