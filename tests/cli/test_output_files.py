"""No command overwrites a file that it was told to write: every option that names an output file, at once."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest
from story.conftest import clean_template, copy, empty_template  # noqa: F401
from support.cli import heldout
from support.story import sentence

from heldout.cli.commands import COMMANDS, GROUPS

CASES = """name: triage
version: 1
cases:
  - {id: a, issue: The app crashes, expected: {label: bug}, split: development}
  - {id: b, issue: Where is the manual, expected: {label: docs}, split: held_out}
"""
ROWS = "".join(f'{{"text": "{sentence(str(n))}", "split": "{"ab"[n % 2]}"}}\n' for n in range(4))
KEPT = b"somebody's work\n"

POPULATION = """format: heldout/population@1
product: support
workflows: [refund]
languages: [en]
channels: [chat]
risk_window: July
traffic_window: July
excluded: []
"""
DESIGN = ("--kind", "stratified", "--size", "4", "--failure", "wrong", "--maturity", "at once", "--seed", "s")

WRITING = {
    "load": ("load", "support@v1.0.0", "-o", "out"),
    "split lock": ("split", "lock", "cases.yaml", "-o", "out"),
    "split assign": ("split", "assign", "cases.yaml", "--share", "1/2", "-o", "out"),
    "split make": ("split", "make", "rows.jsonl", "-o", "folder", "--share", "a=1/2", "--share", "b=1/2"),
    "clean": ("clean", "rows.jsonl", "--split-field", "split", "--holdout", "b", "-o", "folder"),
    "signatures export": ("signatures", "export", "support@v1.0.0", "-o", "out"),
    "leak report": ("leak", "report", "rows.jsonl", "--split-field", "split", "--svg", "out"),
    "export": ("export", "support@v1.0.0", "--as", "croissant", "-o", "out"),
    "import": ("import", "examples.jsonl", "--as", "langsmith", "--split", "test", "-o", "out"),
    "results import": ("results", "import", "examples.jsonl", "--as", "inspect", "-o", "out"),
    "report": ("report", "--html", "out"),
    "picture versions": ("picture", "versions", "-o", "out.svg"),
    "picture overlap": ("picture", "overlap", "support@v1.0.0", "-o", "out.svg"),
    "picture similarity": ("picture", "similarity", "support@v1.0.0", "-o", "out.svg"),
    "picture slices": ("picture", "slices", "support@v1.0.0", "-o", "out.svg"),
    "sample frame": ("sample", "frame", "rows.jsonl", "--id", "text", "--population", "population.yaml", "-o", "out"),
    "sample design": ("sample", "design", "frame.jsonl", *DESIGN, "-o", "out"),
    "sample draw": ("sample", "draw", "frame.jsonl", "design.yaml", "--at", "2026-08-01T12:00:00Z", "-o", "out"),
    "sample label": ("sample", "label", "draw.json", "--by", "ana", "--rubric", "r@1", "-o", "out"),
    "sample estimate": ("sample", "estimate", "frame.jsonl", "design.yaml", "draw.json", "labels.jsonl", "-o", "out"),
    "sample qualify": ("sample", "qualify", "frame.jsonl", "design.yaml", "--failures", "all=1", "-o", "out"),
    "sample replay": ("sample", "replay", "study.json", "-o", "out"),
}
"""Every command that writes a file where a person says."""
FILES = {"--output", "--svg", "--html"}


def writing_commands() -> set[str]:
    """Commands with an option that names a file to write, as the command table has them."""
    every = {
        **COMMANDS,
        **{f"{group} {name}": run for group, (_, found) in GROUPS.items() for name, run in found.items()},
    }
    return {name for name, run in every.items() if FILES.intersection(options(run))}


def options(command: object) -> set[str]:
    hints = inspect.get_annotations(command, eval_str=True)  # type: ignore[arg-type]
    return {
        option
        for name, hint in hints.items()
        for info in get_args(hint)[1:]
        for option in (f"--{name}", getattr(info, "default", None), *(getattr(info, "param_decls", None) or ()))
        if isinstance(option, str)
    }


@pytest.mark.req("D54")
def test_the_table_below_has_every_command_that_writes_a_file() -> None:
    assert writing_commands() == set(WRITING)


@pytest.fixture(scope="module")
def frozen(clean_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    team = copy(clean_template, tmp_path_factory.mktemp("frozen"))
    team.write("cases.yaml", CASES)
    team.write("rows.jsonl", ROWS)
    team.write("examples.jsonl", '{"id": "1", "inputs": {"question": "a b c"}, "outputs": {"answer": "d"}}\n')
    team.write("population.yaml", POPULATION)
    outcomes = "".join(f'{{"id": "{sentence(str(n))}", "label": 0}}\n' for n in range(4))
    team.write("outcomes.jsonl", outcomes)
    for name, output in (
        *(("sample frame", "frame.jsonl"), ("sample design", "design.yaml"), ("sample draw", "draw.json")),
        *(("sample label", "labels.jsonl"), ("sample estimate", "study.json")),
    ):
        more = ("--from", "outcomes.jsonl") if name == "sample label" else ()
        assert heldout(team.path, *WRITING[name][:-1], output, *more).code == 0
    return team.path


@pytest.mark.req("D54")
@pytest.mark.parametrize("name", WRITING)
def test_what_is_there_stays_and_the_refusal_says_what_to_do(name: str, frozen: Path) -> None:
    command = WRITING[name]
    made = frozen / command[next(command.index(option) for option in ("-o", *FILES) if option in command) + 1]
    heldout(frozen, *command)
    files = [made] if made.is_file() else sorted(made.iterdir())
    assert files, "the command writes nothing, so the test shows nothing"
    try:
        for file in files:
            file.write_bytes(KEPT)
        again = heldout(frozen, *command)
        assert (again.code, again.out) == (2, ""), again
        assert "is there already [output-exists]" in again.err
        assert "nothing is overwritten" in again.err
        assert [file.read_bytes() for file in files] == [KEPT] * len(files)
    finally:
        for file in files:
            file.unlink()
        if made.is_dir():
            made.rmdir()


@pytest.mark.req("D54")
def test_a_link_to_nothing_is_somebodys_too(frozen: Path) -> None:
    link = frozen / "link.jsonl"
    link.symlink_to("nowhere.jsonl")
    refused = heldout(frozen, "load", "support@v1.0.0", "-o", str(link))
    assert (refused.code, "[output-exists]" in refused.err) == (2, True)
    assert not (frozen / "nowhere.jsonl").exists()


@pytest.mark.parametrize("place", ["cases.yaml/out", f"{'n' * 300}"])
def test_a_place_that_cannot_be_one_is_told(place: str, frozen: Path) -> None:
    done = heldout(frozen, *WRITING["report"][:-1], place)
    assert (done.code, "cannot-write" in done.err, "name another place" in done.err) == (2, True, True)
