"""The demo, told once in a home that would break it if it were let in, and its promise to stop where it goes wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.console import ROOT
from support.git import Repo
from support.schemas import complaint as schema_complaint

from heldout.cli.app import invoke
from heldout.cli.narrator import Narrator
from heldout.domain.story import Chapter, Step
from heldout.errors import ExitCode
from heldout.services.demonstration import demo

RICH_COLUMN = 12.2
"""Width of a character in rich's pictures."""

# Everything here breaks commands of the demo, or changes what they print, where it is not kept out.
HOSTILE_CONFIG = """\
[user]
	useConfigOnly = true
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[core]
	hooksPath = /nonexistent
	autocrlf = true
[init]
	defaultBranch = trunk
	templateDir = {home}/template
[push]
	default = nothing
	followTags = true
"""


@dataclass(frozen=True)
class Told:
    folder: Path
    home: Path
    done: subprocess.CompletedProcess[str]

    @property
    def team(self) -> Repo:
        return Repo(self.folder / "team")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    home = tmp_path_factory.mktemp("hostile")
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    hook = home / "template" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (home / ".gitconfig").write_text(HOSTILE_CONFIG.format(home=home))
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("*.dvc\nscans\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DVC_", "XDG_"))}
    env |= {"HOME": str(home), "GIT_INDEX_FILE": "/nonexistent/index", "LC_ALL": "C", "PATH": _plain_path(env["PATH"])}
    done = subprocess.run(
        [sys.executable, "-m", "heldout", "demo", str(folder)],
        cwd=home,
        env=env,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Told(folder, home, done)


def _plain_path(path: str) -> str:
    """Without this environment's programs: the demo has to find itself."""
    own = str(Path(sys.executable).parent)
    return os.pathsep.join(part for part in path.split(os.pathsep) if part != own)


@pytest.mark.req("B42", "B49", "B51", "A29", "A47")
def test_the_story_comes_true(told: Told) -> None:
    assert told.done.returncode == 0, told.done.stdout + told.done.stderr
    assert told.done.stderr == ""
    out = told.done.stdout
    # 151 held-out questions by 175 near pairs: an independent count over these files (tests/data/truth)
    assert "151 held-out examples are given away (175 findings contaminate a holdout)" in out
    assert "heldout: refused: banking77@v1.0.0 is contaminated" in out
    assert "151 of 3080 questions removed" in out
    assert out.index("nothing was pushed") < out.index("[new tag]         banking77@v2.0.0 -> banking77@v2.0.0")
    assert "contaminated  151 held-out examples given away" in out
    assert "banking77@v2.0.0: clean" in out


def test_the_clean_version_is_pushed_and_the_contaminated_one_stays(told: Told) -> None:
    remote = Repo(told.folder / "remote.git")
    assert remote.git("tag") == "banking77@v2.0.0"
    assert remote.git("rev-parse", "main") == told.team.head()
    assert told.team.git("tag").splitlines() == ["banking77@v1.0.0", "banking77@v2.0.0"]


def test_each_record_is_in_the_commit_of_its_data(told: Told) -> None:
    assert told.team.git("log", "--format=%s", "main").splitlines() == [
        "Remove leaked questions",
        "Add banking77",
        "Set up Heldout",
    ]
    for commit in ("HEAD", "HEAD~1"):
        changed = told.team.git("show", "--name-only", "--format=", commit).splitlines()
        assert sum(path.endswith("scan.yaml") for path in changed) == 1
        assert "datasets/banking77/test.csv.dvc" in changed
    assert told.team.status() == []


def test_it_is_good_to_watch(told: Told) -> None:
    lines = told.done.stdout.splitlines()
    assert max(len(line.replace(str(told.folder), "DIR")) for line in lines) <= 100
    assert len(lines) < 200
    assert "\x1b" not in told.done.stdout
    chapters = [line for line in lines if re.match(r"\d\. .* ─+$", line)]
    assert [line[0] for line in chapters] == [str(number) for number in range(1, len(chapters) + 1)]
    assert str(told.folder) in "\n".join(lines[-4:])


def test_the_picture_in_the_readme_shows_this_run(told: Told) -> None:
    """`make picture` draws it again; ids of commits may differ where another DVC writes other files at its set-up."""
    commit_id = re.compile(r"\b[0-9a-f]{10}\b")
    printed = {commit_id.sub("(id)", line).rstrip() for line in told.done.stdout.splitlines()}
    drawn = [commit_id.sub("(id)", line) for line in _lines_of(ROOT / "docs" / "images" / "demo.svg")]
    assert len(drawn) > 40
    assert [line for line in drawn if line not in printed] == []


def _lines_of(picture: Path) -> list[str]:
    """Text of a terminal picture, put together from pieces by their places."""
    lines: dict[str, dict[float, str]] = {}
    for piece in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text"):
        if "clip-path" in piece.attrib:
            column = float(piece.attrib["x"]) / RICH_COLUMN
            lines.setdefault(piece.attrib["clip-path"], {})[column] = piece.text or ""
    result = []
    for pieces in lines.values():
        line = ""
        for column, text in sorted(pieces.items()):
            line = line.ljust(round(column)) + text.replace("\xa0", " ")
        result.append(line.rstrip())
    return result


def test_nothing_of_the_user_is_touched_and_nothing_left_behind(told: Told) -> None:
    assert (told.home / ".gitconfig").read_text() == HOSTILE_CONFIG.format(home=told.home)
    assert sorted(path.name for path in told.home.iterdir()) == [".config", ".gitconfig", "template"]
    assert sorted(path.name for path in told.folder.iterdir()) == [
        "drop_leaked.py",
        "remote.git",
        "team",
        "test.csv",
        "train.csv",
    ]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    assert invoke(["demo", str(tmp_path)]) == ExitCode.NO_VERDICT
    assert "[folder-not-empty]" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        (Step("why", "exit 3"), "it ended with 3 and should have ended with 0"),
        (Step("why", "true", status=1), "it ended with 0 and should have ended with 1"),
        (Step("why", "echo this", shows=("this", "that")), "it should have printed 'that'"),
        (Step("why", "echo heldout: defect in the hook"), "it reported 'heldout: defect in the hook'"),
    ],
    ids=["failed", "worked", "silent", "defect"],
)
def test_it_stops_where_the_story_is_not_true(
    step: Step, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    told = Chapter("One", (Step("why", "echo first >&2", shows=("first",)), step, Step("why", "touch ../after")))
    monkeypatch.setattr(demo, "CHAPTERS", (told,))
    assert invoke(["demo", str(tmp_path / "new"), "--json"]) == ExitCode.DEFECT
    printed = json.loads(capfd.readouterr().out)
    assert schema_complaint(printed) is None
    assert (printed["format"], printed["as_told"]) == ("heldout/demo@1", False)
    assert [item["complaint"] for item in printed["steps"]] == [None, complaint]
    assert not (tmp_path / "new" / "after").exists()


def test_a_story_that_is_true_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "CHAPTERS", (Chapter("One", (Step("why", "echo said"), Step("why", "false", status=1))),))
    assert invoke(["demo", str(tmp_path / "new"), "--json"]) == ExitCode.CLEAN
    printed = json.loads(capfd.readouterr().out)
    assert schema_complaint(printed) is None
    assert [step["exit_code"] for step in printed["steps"]] == [0, 1]


def test_quiet_prints_the_end_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "CHAPTERS", (Chapter("One", (Step("why", "echo said"),)),))
    assert invoke(["demo", str(tmp_path / "new"), "--quiet"]) == ExitCode.CLEAN
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 3
    assert str(tmp_path / "new") in lines[2]


def test_of_many_findings_a_few_are_shown_and_the_rest_counted() -> None:
    stream = StringIO()
    narrator = Narrator(stream, colour=False, pauses=False)
    step = Step("why", "heldout gate x", findings=1)
    narrator.command(step)
    for number in range(4):
        narrator.output(f"  test/{number} ~ train/{number}  near 0.90  [{number:016x}]")
    narrator.output("  and 170 more")
    narrator.end(step, 1)
    assert stream.getvalue().splitlines()[2:] == [
        "$ heldout gate x",
        "  test/0 ~ train/0  near 0.90  [0000000000000000]",
        "    (3 more lines like these)",
        "  and 170 more",
        "(exit code 1)",
    ]


def test_colour_marks_headings_commands_and_verdicts() -> None:
    stream = StringIO()
    narrator = Narrator(stream, colour=True, pauses=False)
    narrator.chapter(1, "One")
    narrator.output("banking77@v2.0.0: clean")
    narrator.output("plain")
    assert "\x1b[32mbanking77@v2.0.0: clean\x1b[0m\n" in stream.getvalue()
    assert stream.getvalue().endswith("\nplain\n")
