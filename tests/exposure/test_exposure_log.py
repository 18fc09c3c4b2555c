"""Nobody rewrites the log: verify holds it against its chain and against Git's history."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exposure.conftest import LOG, Exposing
from story.conftest import clean_template, copy, empty_template  # noqa: F401

Lines = list[dict[str, Any]]


def canonical(line: dict[str, Any]) -> bytes:
    """Canonical JSON of objects whose texts are ASCII, without our own code."""
    return json.dumps(line, sort_keys=True, separators=(",", ":")).encode()


def chained(lines: Lines) -> bytes:
    """A log whose chain holds, as a forger would write it."""
    out, previous = b"", None
    for number, line in enumerate(lines, 1):
        raw = canonical({**line, "number": number, "previous": previous})
        out += raw + b"\n"
        previous = "sha256:" + hashlib.sha256(raw).hexdigest()
    return out


@pytest.fixture(scope="module")
def logged_template(clean_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    base = tmp_path_factory.mktemp("logged")
    exposing = Exposing(copy(clean_template, base))
    for number in range(3):
        exposing.logged("--keys", f"h{number}", note=f"prompt {number}")
    return base


@pytest.fixture
def logged(logged_template: Path, tmp_path: Path) -> Exposing:
    return Exposing(copy(logged_template, tmp_path))


def problems(exposing: Exposing) -> list[tuple[str, str]]:
    """(slug, text) of what verify fails the log for."""
    found = exposing.team.heldout("verify", "--all", "--trust-records", "--json").json["problems"]
    return [(item["slug"], item["text"]) for item in found if item["place"] == LOG and item["level"] == "failed"]


def replace_log(exposing: Exposing, data: bytes) -> None:
    exposing.team.write(LOG, data)
    exposing.team.git("add", "datasets")
    exposing.team.bypass("commit", "-q", "-m", "Tamper")


def test_our_canonical_form_is_that_of_the_log(logged: Exposing) -> None:
    assert chained(logged.lines()) == (logged.team.path / LOG).read_bytes()
    assert problems(logged) == []


def edit(lines: Lines) -> Lines:
    return [lines[0], {**lines[1], "note": "nothing happened"}, lines[2]]


def remove(lines: Lines) -> Lines:
    return [lines[0], lines[2]]


def cut(lines: Lines) -> Lines:
    return lines[:2]


def reorder(lines: Lines) -> Lines:
    return [lines[1], lines[0], lines[2]]


def insert(lines: Lines) -> Lines:
    return [{**lines[0], "note": "earlier than all"}, *lines]


@pytest.mark.req("D58", "D14")
@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (edit, "line 2, as .* was removed or edited"),
        (remove, "line 2, as .* was removed or edited"),
        (cut, "line 3, as .* was removed or edited"),
        (reorder, "line 2, as .* was reordered"),
        (insert, "line 1 was chained anew by"),
    ],
)
def test_a_log_whose_chain_holds_again_is_told_by_history(
    logged: Exposing, tamper: Callable[[Lines], Lines], said: str
) -> None:
    replace_log(logged, chained(tamper(logged.lines())))
    (found,) = {slug for slug, _ in problems(logged)}
    assert found == "exposure-log-broken"
    assert any(re.search(said, text) for _, text in problems(logged)), problems(logged)


@pytest.mark.req("D58")
def test_an_edited_line_breaks_the_chain_and_answers_become_unknown(logged: Exposing) -> None:
    raw = (logged.team.path / LOG).read_bytes().replace(b"prompt 0", b"prompt 9")
    replace_log(logged, raw)
    assert any("line 2: does not name the digest" in text for _, text in problems(logged))
    answer = logged.gate()
    assert not answer["complete"]
    # What older commits say is evidence all the same where a tag or remote branch has it; here none has.
    refused = logged.expose("--keys", "h5", "--commit")
    assert refused.code == 2
    assert "exposure-log-broken" in refused.err


@pytest.mark.req("D14")
def test_a_log_that_was_removed_is_missed(logged: Exposing) -> None:
    logged.team.git("rm", "-q", LOG)
    logged.team.bypass("commit", "-q", "-m", "Forget")
    assert problems(logged) == [("exposure-log-broken", "was removed; a log is only ever added to")]


@pytest.mark.req("D14")
def test_a_forged_check_is_found_out_from_the_data(logged: Exposing) -> None:
    folder = logged.team.path / "datasets/support/scans/exposed"
    for path in folder.iterdir():
        data = json.loads(path.read_bytes())
        if len(data["held"]) == 3:
            path.write_bytes(canonical({**data, "held": []}) + b"\n")
            place = path.relative_to(logged.team.path).as_posix()
    logged.team.git("add", "datasets")
    logged.team.bypass("commit", "-q", "-m", "Forge")
    found = logged.team.heldout("verify", "--all", "--json").json["problems"]
    assert ("exposure-check-broken", place) in {(item["slug"], item["place"]) for item in found}


@pytest.mark.req("D58")
def test_two_branches_that_append_conflict_and_repair_chains_them(logged: Exposing) -> None:
    team = logged.team
    team.git("switch", "-q", "-c", "other")
    logged.logged("--keys", "h3", note="theirs")
    team.git("switch", "-q", "main")
    logged.logged("--keys", "h4", note="ours")
    merged = team.run("merge", "-q", "other")
    assert merged.returncode != 0
    assert b"<<<<<<<" in (team.path / LOG).read_bytes()
    done = team.succeeds("exposures", "repair", "support")
    assert "5 lines, 1 of them chained anew" in done.out
    assert [line["note"] for line in logged.lines()] == ["prompt 0", "prompt 1", "prompt 2", "ours", "theirs"]
    assert chained(logged.lines()) == (team.path / LOG).read_bytes()
    team.git("add", "datasets")
    team.git("commit", "-q", "-m", "Merge")
    assert problems(logged) == []
    assert logged.exposed() == [f"test/h{number}" for number in range(5)]


def told_once(logged: Exposing) -> bool:
    """Branches have the lines in different places, and each is one act."""
    (shown,) = logged.team.succeeds("exposures", "support", "--json").json["datasets"]
    return len(shown["lines"]) == 5


@pytest.mark.req("D58")
@pytest.mark.parametrize("how", ["--squash", "--no-ff", "rebase"])
def test_a_branch_that_merged_main_comes_back_in_any_way(logged: Exposing, how: str) -> None:
    """A squashed branch is one commit with one parent, and yet no line of main was chained anew."""
    team = logged.team
    team.git("switch", "-q", "-c", "topic")
    logged.logged("--keys", "h3", note="theirs")
    team.git("switch", "-q", "main")
    logged.logged("--keys", "h4", note="ours")
    assert team.push("main").code == 0
    start = team.git("rev-parse", "main")
    team.git("switch", "-q", "topic")
    if how == "rebase":
        assert team.run("rebase", "-q", "main").returncode != 0
    else:
        assert team.run("merge", "-q", "main").returncode != 0
    team.succeeds("exposures", "repair", "support")
    assert "not all here" not in team.succeeds("exposures", "support").out
    assert told_once(logged)
    team.git("add", "datasets")
    if how == "rebase":
        team.git("-c", "core.editor=true", "rebase", "--continue")
    else:
        team.git("commit", "-q", "-m", "Merge main")
    assert problems(logged) == []
    team.git("switch", "-q", "main")
    team.git("merge", "-q", "--no-edit", *([] if how == "rebase" else [how]), "topic")
    if how == "--squash":
        team.git("commit", "-q", "-m", "Topic")
    assert [line["note"] for line in logged.lines()] == ["prompt 0", "prompt 1", "prompt 2", "ours", "theirs"]
    assert told_once(logged)
    for options in (("--base", start), ("--all",)):
        found = team.heldout("verify", *options, "--json").json["problems"]
        assert "exposure-log-broken" not in {item["slug"] for item in found}, options


@pytest.mark.req("D58")
def test_repair_never_drops_a_line_of_head(logged: Exposing) -> None:
    logged.team.write(LOG, b"".join((logged.team.path / LOG).read_bytes().splitlines(keepends=True)[:1]))
    done = logged.team.heldout("exposures", "repair", "support")
    assert done.code == 2
    assert "HEAD has this line" in done.err


@pytest.mark.req("D14")
def test_what_a_branch_of_the_remote_logged_counts_here(logged: Exposing) -> None:
    """A colleague's clone that has only fetched, not merged."""
    team = logged.team
    assert team.push("main").code == 0
    other = Exposing(team.clone("other"))
    team.git("switch", "-q", "-c", "topic")
    logged.logged("--keys", "h6", note="only on a branch")
    assert team.push("topic").code == 0
    assert other.exposed() == ["test/h0", "test/h1", "test/h2"]
    other.team.git("fetch", "-q")
    assert other.exposed() == ["test/h0", "test/h1", "test/h2", "test/h6"]


@pytest.mark.req("D58")
def test_processes_that_append_at_once_lose_nothing(logged: Exposing) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "heldout", "expose", "support@v1.0.0", "--how", "prompt"]
    running = [
        subprocess.Popen([*command, "--keys", f"h{n}", "--note", f"at once {n}"], cwd=logged.team.path)
        for n in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    lines = logged.lines()
    assert {line["note"] for line in lines[3:]} == {"at once 0", "at once 1", "at once 2"}
    assert chained(lines) == (logged.team.path / LOG).read_bytes()


@pytest.mark.req("D14")
def test_a_push_that_takes_lines_away_from_a_protected_branch_is_refused(logged: Exposing) -> None:
    team = logged.team
    assert team.push("main").code == 0
    replace_log(logged, chained(cut(logged.lines())))
    refused = team.push("main")
    assert refused.code != 0
    assert "exposures.jsonl, line 3, was removed or edited" in refused.err
