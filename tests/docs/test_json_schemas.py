"""What every command prints with --json, held against docs/schemas: clean, contaminated, unknown, empty, and errors."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.cli import Ran, heldout
from support.console import ROOT
from support.git import Repo

from heldout.cli.commands import COMMANDS, GROUPS

FOLDER = ROOT / "docs" / "schemas"
TEXTS = [" ".join(f"word{number * 12 + place}" for place in range(12)) for number in range(10)]

CASES = """\
name: refunds
version: 1
cases:
  - {id: a, split: development, issue: one, expected: {label: a}}
  - {id: b, split: held_out, issue: two, expected: {label: b}}
"""

NO_JSON = {
    "leak version": "one line that scripts of EvalLeak read",
    "hooks run": "Git runs it, and shows what it says to a person",
}
"""Commands without --json, and why."""

NO_SCHEMA = {
    "heldout/provenance@1": "a value of the Python API",
}
"""Formats that the source names and no command prints."""

LOOKING: tuple[str, ...] = (
    "status",
    "doctor",
    "versions",
    "scans",
    "show support",
    "gate support@v1.0.0",
    "findings",
    "findings support@v1.0.0",
    "review list",
    "changes list --base HEAD",
    "exposures list",
    "exposures check",
    "hooks status",
    "corpus list",
    "slice list",
    "slice count support",
    "required-slices support",
    "diff support@v1.0.0 support",
    "load support@v1.0.0 -o {out}",
    "export support@v1.0.0 --as croissant -o {out}",
    "export support --as hf-card -o {out}",
    "export support --as dvc-artifacts -o {out}",
    "export support --as croissant",
    "report --base HEAD",
    "verify",
    "conflicts support",
    "check raw/train.csv raw/test.csv",
    "check raw/train.csv raw/leaky.csv --with-text",
    "leak report raw/train.csv raw/leaky.csv --text-field text",
    "leak exact raw/train.csv raw/leaky.csv --text-field text",
    "leak near raw/train.csv raw/leaky.csv --text-field text",
    "leak check raw/train.csv raw/leaky.csv --text-field text",
    "picture overlap -o {out}",
    "picture overlap support@v1.0.0 -o {out} --vega-lite",
    "picture similarity -o {out} --rows",
    "picture slices support -o {out}",
    "picture versions -o {out} --dvc-template",
    "signatures check raw/train.csv --against support@v1.0.0 --text-field text",
    "canary scan raw/train.csv --no-such-option",
    "scan support@v1.0.0",
    "no-such-command",
)

STORY: tuple[str, ...] = (
    "init",
    "hooks install",
    "split make raw/train.csv -o {out} --part train=50% --part test=50% --field text",
    "conflicts raw/labelled.csv --text-field text --expected label",
    "clean raw/train.csv raw/leaky.csv --holdout leaky -o {out}",
    "slice new support long -w 'metadata.size eq long'",
    "slice show support/long",
    "slice save support long",
    "slice preview support -w 'metadata.size eq long' --with-text",
    "slice members support/long --limit 3",
    "slice count support long",
    "slice list support",
    "slice diff support/long#1",
    "slice suggest support --min 1",
    "required-slices support",
    "expose support@v1.0.0 --how prompt --note x",
    "exposures list",
    "exposures check",
    "exposures repair support",
    "findings support@v1.0.0",
    "findings show {finding} support@v1.0.0",
    "review accept {finding} --reason known",
    "review list",
    "review approve {finding}",
    "review reopen {finding} --reason again",
    "corpus scan raw/leaky.csv --name crawl --against all-holdouts",
    "corpus list",
    "corpus show crawl",
    "canary new support",
    "canary scan raw/train.csv",
    "signatures export support -o {out}",
    "export support --as dvc-artifacts --write",
    "split lock support",
    "split check support",
    "split lock cases.yaml -o {out}",
    "split assign cases.yaml",
    "scan support@HEAD --commit",
    "freeze support --number v1.0.1",
    "scan --all --commit",
    "unfreeze support@v1.0.1 --reason mistake",
    "retire support@v1.0.0 --reason over",
    "versions",
    "hooks uninstall",
    "gate support@v1.0.0",
    "report --html {out}",
)


def words(line: str, out: Path, **names: str) -> list[str]:
    import shlex

    return shlex.split(line.format(out=out, **names))


@pytest.fixture(scope="module")
def validators() -> dict[str, Any]:
    return {
        file.name: jsonschema_rs.validator_for(file.read_text(encoding="utf-8"))
        for file in sorted(FOLDER.glob("*.schema.json"))
    }


def complaint(ran: Ran, validators: dict[str, Any]) -> str | None:
    """What is wrong with an output; usage errors of the command line itself stay text."""
    if not ran.out and "Usage:" in ran.err:
        return None
    data = ran.json
    name = data["format"].removeprefix("heldout/").replace("@", "-") + ".schema.json"
    if name not in validators:
        return f"no schema {name}"
    errors = validators[name].iter_errors(data)
    found = [f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}" for error in errors]
    return f"{name}: {found[:3]}" if found else None


def table(texts: list[str]) -> str:
    rows = "".join(f"{text},{'short' if number % 3 else 'long'}\n" for number, text in enumerate(texts))
    return "text,size\n" + rows


def made(path: Path) -> Repo:
    repo = Repo.create(path)
    repo.write("raw/train.csv", table(TEXTS[:5]))
    repo.write("raw/test.csv", table(TEXTS[5:]))
    repo.write("raw/leaky.csv", table([*TEXTS[4:], TEXTS[3] + " more"]))
    repo.write("raw/labelled.csv", f"text,label\n{TEXTS[0]},a\n{TEXTS[0]},b\n")
    repo.write("cases.yaml", CASES)
    return repo


def with_version(path: Path, test: str, *, hooks: bool = True) -> Repo:
    repo = made(path)
    assert heldout(repo.path, "init").code == 0
    add = ("add", "support", "raw/train.csv", f"{test}=test", "--holdout", "test", "--metadata", "size=size")
    ran = heldout(repo.path, *add)
    assert ran.code == 0, ran.err
    git: Callable[..., str] = repo.git if hooks else repo.bypass
    git("add", "--all")
    git("commit", "-q", "-m", "support")
    git("tag", "-m", "first", "support@v1.0.0")
    return repo


def clean(path: Path) -> Repo:
    return with_version(path, "raw/test.csv")


def contaminated(path: Path) -> Repo:
    return with_version(path, "raw/leaky.csv")


def unknown(path: Path) -> Repo:
    return with_version(path, "raw/test.csv", hooks=False)


def empty(path: Path) -> Repo:
    repo = made(path)
    repo.bypass("commit", "-q", "--allow-empty", "-m", "nothing")
    return repo


@pytest.mark.parametrize("state", [clean, contaminated, unknown, empty])
def test_looking(state: Callable[[Path], Repo], tmp_path: Path, validators: dict[str, Any]) -> None:
    repo = state(tmp_path / "repo")
    wrong = {}
    for number, line in enumerate(LOOKING):
        ran = heldout(repo.path, *words(line, tmp_path / f"out{number}"), "--json")
        found = complaint(ran, validators)
        if found:
            wrong[line] = found
    assert wrong == {}


def test_acting(tmp_path: Path, validators: dict[str, Any]) -> None:
    repo = contaminated(tmp_path / "repo")
    finding = heldout(repo.path, "findings", "support@v1.0.0", "--json").json["findings"][0]["id"]
    wrong = {}
    for number, line in enumerate(STORY):
        ran = heldout(repo.path, *words(line, tmp_path / f"out{number}", finding=finding), "--json")
        found = complaint(ran, validators)
        if found:
            wrong[line] = found
        repo.bypass("add", "--all")
        repo.bypass("commit", "-q", "--allow-empty", "-m", line)
    assert wrong == {}


def commands() -> dict[str, Callable[..., Any]]:
    below = {f"{group} {name}": run for group, (_, found) in GROUPS.items() for name, run in found.items()}
    return {**COMMANDS, **below}


def test_every_command_has_json_or_a_reason() -> None:
    without = {name for name, run in commands().items() if "as_json" not in inspect.signature(run).parameters}
    assert without == set(NO_JSON)


def test_every_format_that_is_printed_has_a_schema() -> None:
    """By the source: a report, a command or a service that writes a `format` key."""
    formats = set()
    for folder in ("reports", "cli"):
        for file in (ROOT / "src/heldout" / folder).rglob("*.py"):
            formats |= set(re.findall(r'"format": "(heldout/[a-z-]+@\d+)"', file.read_text(encoding="utf-8")))
    held = {json.loads(file.read_text(encoding="utf-8"))["title"].split(":")[0] for file in FOLDER.glob("*.json")}
    assert formats - held - set(NO_SCHEMA) == set()


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.name)
def test_a_schema_is_one(file: Path) -> None:
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema)
    format_ = schema["title"].split(":")[0]
    assert file.name == format_.removeprefix("heldout/").replace("@", "-") + ".schema.json"
    assert schema["properties"]["format"] == {"const": format_}
    assert schema["additionalProperties"] is False
