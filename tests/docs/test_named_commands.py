"""A command that a document or a hint tells people to run is one that they have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from support.console import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
INLINE = re.compile(r"`(?:git )?heldout ([^`]+)`")
CONSOLE = re.compile(r"^\$ (?:git )?heldout (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def program() -> Any:
    """The root command. Not typed as click's: newer releases of Typer hold a copy of click of their own."""
    from heldout.cli.app import application

    return typer.main.get_command(application())


def unknown_in(program: Any, words: str) -> str | None:
    """What a command line names that the program does not have: a command, or an option of it."""
    command = program
    known: set[str] = {name for parameter in program.params for name in parameter.opts}
    for word in words.split():
        if word.startswith("-"):
            name = word.split("=")[0]
            known |= {name for parameter in command.params for name in [*parameter.opts, *parameter.secondary_opts]}
            if name not in known | {"--help"}:
                return f"{command.name} has no option {name}"
        elif hasattr(command, "commands"):
            # `heldout findings NAME` is `heldout findings list NAME`
            following = command.commands.get(word, command.commands.get("list"))
            if following is None:
                return f"no command {word}"
            command = following
    return None


def hints(package: Path) -> Iterator[tuple[str, str]]:
    """(place, command line) for each hint that starts with our name; a value filled in stands as X."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                parts = node.value.values if isinstance(node.value, ast.JoinedStr) else [node.value]
                text = "".join(
                    part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "X"
                    for part in parts
                )
                if text.startswith("heldout "):
                    yield f"{path.name}:{node.value.lineno}", re.split(r"[;,']", text.removeprefix("heldout "))[0]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_commands_that_exist(document: Path, program: Any) -> None:
    text = document.read_text(encoding="utf-8")
    named = [*INLINE.findall(text), *CONSOLE.findall(text)]
    assert [found for words in named if (found := unknown_in(program, words))] == []


def test_hints_name_commands_that_exist(program: Any) -> None:
    found = {place: unknown_in(program, words) for place, words in hints(ROOT / "src" / "heldout")}
    assert found, "hints are found at all"
    assert {place: what for place, what in found.items() if what} == {}
