"""`heldout canary` as a person types it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from story.conftest import clean_template, copy, empty_template  # noqa: F401
from support.story import Team

PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def team(clean_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Team:  # noqa: F811
    return copy(clean_template, tmp_path_factory.mktemp("canary"))


@pytest.mark.req("D58")
def test_a_canary_is_made_once_embedded_and_found(team: Team) -> None:
    made = team.succeeds("canary", "new", "support", "--commit")
    (canary,) = set(PATTERN.findall(made.out))
    assert f"<!-- Held-out data of support: keep it out of training corpora. heldout canary {canary} -->" in made.out
    assert canary in team.show("HEAD:datasets/support/canary.yaml")
    again = team.heldout("canary", "new", "support")
    assert again.code == 2
    assert canary in again.err

    team.write("page.html", f"<p>benchmark</p>\n<!-- {canary} -->\n")
    found = team.heldout("canary", "scan", "page.html", "--against", "support")
    assert found.code == 1
    assert "page.html, line 2 (byte 22): support" in found.out
    assert team.heldout("canary", "scan", "datasets/support/test.csv").code == 0
    listed = team.heldout("canary", "scan", "page.html", "--json").json
    assert listed["sightings"] == [{"file": "page.html", "name": "support", "line": 2, "offset": 22}]
    assert team.gate("support@v1.0.0") == 0  # a canary is no part of what a version is


def test_what_cannot_be_searched_is_unknown(team: Team) -> None:
    team.write("packed.zip", b"PK\x03\x04")
    assert team.heldout("canary", "scan", "packed.zip", "--string", "a published string").code == 3


def test_strings_need_no_repository_and_no_canary_is_said(tmp_path: Path, team: Team) -> None:
    (tmp_path / "corpus.txt").write_text("x BENCHMARK DATA y")
    outside = Team(tmp_path)
    assert outside.heldout("canary", "scan", "corpus.txt", "--string", "BENCHMARK DATA").code == 1
    short = outside.heldout("canary", "scan", "corpus.txt", "--string", "abc")
    assert short.code == 2
    assert "canary-too-short" in short.err
    unknown = team.heldout("canary", "scan", "page.html", "--against", "nothing")
    assert unknown.code == 2
