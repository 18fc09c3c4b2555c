"""Every command in every form: the same exit code, committed places, no text that was not asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from lxml import etree
from support.cli import Ran, heldout
from support.story import Team, csv, nearly, rows, sentence

from heldout.errors import ExitCode
from heldout.reports.forms.form import Form

FORMS = [form.value for form in Form]
TRAIN = rows("t", 12)
TEST = {**rows("h", 4), "copied": sentence("t1"), "close": nearly("t2")}
VERSION = "support@v1.0.0"
PAIR = ("train.csv", "test.csv", "--text-field", "text", "--key", "id")
CASES = f"""\
name: cases
version: 1
cases:
  - {{id: one, issue: {sentence("t1")}, split: development, expected: {{label: bug}}}}
  - {{id: two, issue: {sentence("t1")}, split: held_out, expected: {{label: bug}}}}
"""

COMMANDS: dict[str, tuple[tuple[str, ...], int]] = {
    "findings": (("findings", VERSION), 0),
    "findings of everything": (("findings",), 0),
    "findings, holdouts only": (("findings", VERSION, "--holdout-only", "--kind", "near"), 0),
    "findings of what nobody scanned": (("findings", "bare"), 3),
    "gate": (("gate", VERSION), 1),
    "gate of a working copy": (("gate", "bare"), 3),
    "verify": (("verify", "--trust-records"), 1),
    "scan": (("scan", "support"), 1),
    "check": (("check", *PAIR, "--holdout", "test"), 1),
    "check, skipping": (("check", "torn.jsonl", "--text-field", "text", "--on-bad-row", "skip"), 3),
    "check, clean": (("check", "train.csv", "--text-field", "text"), 0),
    "conflicts": (("conflicts", "labels.jsonl", "--text-field", "text", "--expected", "label"), 0),
    "leak report": (("leak", "report", "train.csv", "test.csv", "--text-field", "text", "--id-field", "id"), 1),
    "leak exact": (("leak", "exact", "train.csv", "test.csv", "--text-field", "text", "--id-field", "id"), 1),
    "leak check": (("leak", "check", "train.csv", "test.csv", "--text-field", "text", "--id-field", "id"), 1),
    "leak check, within": (("leak", "check", *PAIR[:4], "--max-containment", "90"), 0),
    "split check": (("split", "check", "cases.yaml"), 1),
}


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """support@v1.0.0 is contaminated; `bare` is in the working copy only, and nobody scanned it."""
    team = Team.start(tmp_path_factory.mktemp("forms"))
    team.dataset("support", train=TRAIN, test=TEST)
    team.save("Add support")
    team.git("tag", "-a", VERSION, "-m", "first")
    team.write("datasets/bare/dataset.yaml", "format: heldout/dataset@1\nname: bare\ndata: [{path: x.csv}]\n")
    shutil.copy(team.path / "datasets/support/train.csv", team.path / "datasets/bare/x.csv")
    team.track("datasets/bare/x.csv")
    team.write("train.csv", csv(TRAIN))
    team.write("test.csv", csv(TEST))
    team.write("cases.yaml", CASES)
    team.write("torn.jsonl", json.dumps({"text": sentence("t3")}) + "\n{broken\n")
    labels = [{"text": sentence("t1"), "label": "secret-a"}, {"text": sentence("t1"), "label": "secret-b"}]
    team.write("labels.jsonl", "".join(json.dumps(row) + "\n" for row in labels))
    return team


def ran(team: Team, name: str, *more: str) -> Ran:
    return heldout(team.path, *COMMANDS[name][0], "--quiet", *more)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_form_ends_with_the_same_code_and_tells_no_text(team: Team, name: str) -> None:
    plain = ran(team, name)
    assert plain.code == COMMANDS[name][1], plain.err
    words = {word for text in (*TRAIN.values(), *TEST.values()) for word in text.split()} | {"secret-a", "secret-b"}
    for form in FORMS:
        done = ran(team, name, "--format", form)
        assert done.code == plain.code, (form, done.err)
        assert done.out.strip() or (form == "jsonl" and done.code == 0), form
        if form not in ("text", "json"):
            assert not [word for word in words if word in done.out], form


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_short_for_its_form_and_text_is_the_default(team: Team, name: str) -> None:
    assert ran(team, name, "--json") == ran(team, name, "--format", "json")
    assert ran(team, name) == ran(team, name, "--format", "text")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_test_report_fails_where_the_command_does(team: Team, name: str) -> None:
    done = ran(team, name, "--format", "junit")
    tree = etree.fromstring(done.out.encode())
    if done.code == ExitCode.FOUND:
        assert tree.findall(".//failure")
    elif done.code == ExitCode.UNKNOWN:
        assert tree.findall(".//error")


@pytest.mark.req("B46")
@pytest.mark.parametrize("name", ["findings", "gate"])
@pytest.mark.parametrize("folder", [".", "datasets/support"])
def test_a_finding_points_to_its_committed_line(team: Team, name: str, folder: str) -> None:
    done = heldout(team.path / folder, *COMMANDS[name][0], "--format", "jsonl")
    items = [json.loads(line) for line in done.out.splitlines()]
    assert {item["rule"] for item in items} == {"exact", "near"}
    for item in items:
        committed = team.git("show", f"HEAD:{item['location']['file']}").splitlines()
        assert json.loads(committed[item["location"]["line"] - 1])["id"] == item["id"]
        assert item["contaminates"] == [VERSION]


def test_what_is_no_finding_points_to_a_file_that_is_there(team: Team) -> None:
    for name in ("gate of a working copy", "findings of what nobody scanned", "verify", "scan"):
        for line in ran(team, name, "--format", "jsonl").out.splitlines():
            assert (team.path / json.loads(line)["location"]["file"]).exists()


@pytest.mark.parametrize("folder", [".", "datasets"])
def test_files_of_a_check_are_named_from_the_top(team: Team, folder: str) -> None:
    up = "" if folder == "." else "../"
    done = heldout(team.path / folder, "check", f"{up}train.csv", f"{up}test.csv", *PAIR[2:], "--format", "jsonl")
    items = [json.loads(line) for line in done.out.splitlines()]
    assert {side["location"]["file"] for item in items for side in item["sides"]} == {"train.csv", "test.csv"}
    for item in items:
        for side in item["sides"]:
            lines = (team.path / side["location"]["file"]).read_text().splitlines()
            assert lines[side["location"]["line"] - 1].startswith(f"{side['key']},")


def test_outside_of_a_repository_files_are_named_as_they_were_given(team: Team, tmp_path: Path) -> None:
    for name in ("train.csv", "test.csv"):
        shutil.copy(team.path / name, tmp_path / name)
    done = heldout(tmp_path, "check", *PAIR, "--format", "jsonl")
    assert {json.loads(line)["location"]["file"] for line in done.out.splitlines()} == {"test.csv"}


@pytest.mark.parametrize("form", ["jsonl", "markdown", "sarif", "junit", "html"])
def test_texts_are_shown_where_they_are_asked_for(team: Team, form: str) -> None:
    done = ran(team, "check", "--format", form, "--with-text")
    assert sentence("t1").split()[0] in done.out


def test_annotations_show_ten_and_the_summary_goes_on(
    team: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "summary.md"
    page.write_text("from a step before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    done = heldout(team.path, "findings", VERSION, "--format", "github")
    assert done.out.count("::error file=datasets/support/scans/") == 2
    text = page.read_text(encoding="utf-8")
    assert text.startswith("from a step before\n### ")
    assert "held-out `test/copied` has the same input as `train/t1`; gives away the holdout of" in text


def test_a_full_summary_stays_within_its_limit(team: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("x" * ((1 << 20) - 4_000))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    heldout(team.path, "leak", "report", "train.csv", "test.csv", "--text-field", "text", "--format", "github")
    assert page.stat().st_size <= 1 << 20
    page.write_text("x" * (1 << 20))
    heldout(team.path, "findings", VERSION, "--format", "github")
    assert page.stat().st_size == 1 << 20


def test_two_forms_at_once_are_refused(team: Team) -> None:
    done = ran(team, "gate", "--json", "--format", "sarif")
    assert done.code == ExitCode.NO_VERDICT
    assert json.loads(done.out)["error"] == "options-exclude"


def test_an_error_is_an_object_for_either_way_to_ask_for_json(team: Team) -> None:
    for option in (("--format", "json"), ("--format=json",), ("--json",)):
        done = heldout(team.path, "gate", "support@v9.9.9", *option)
        assert done.code == ExitCode.NO_VERDICT
        assert done.json["error"] == "unknown-version"
    said = heldout(team.path, "gate", "support@v9.9.9", "--format", "sarif")
    assert (said.code, said.out) == (ExitCode.NO_VERDICT, "")
    assert "[unknown-version]" in said.err


@pytest.mark.parametrize("page", ["missing/summary.md", "."])
def test_a_summary_that_cannot_be_written_changes_no_verdict(
    team: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: str
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / page))
    done = heldout(team.path, "gate", VERSION, "--format", "github")
    assert done.code == ExitCode.FOUND
    assert "$GITHUB_STEP_SUMMARY cannot be written" in done.err
