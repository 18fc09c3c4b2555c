"""A clone without access cannot print a sealed text: every command is tried, and all that it left is looked through."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.cli import Ran, heldout
from support.sealing import SEALED, SECRET_WORDS, jsonl, text
from support.story import Run, Team

from heldout.cli.commands import COMMANDS, GROUPS

FAQ = "faq@v1.0.0"
LEFT_OUT = {"demo", "init", "ui"}
"""They need a terminal, an empty folder, or a browser."""

TRIED: dict[str, Sequence[Sequence[str]]] = {
    "check": [["datasets/faq/rows.jsonl", "datasets/chat/train.csv", "--text-field", "key", "--show-text"]],
    "load": [
        [subject, "--allow", "unknown", "--allow", "contaminated", *more]
        for subject in ("faq", FAQ, "faq@HEAD")
        for more in ([], ["--split", "test"], ["--output", "loaded.jsonl"])
    ],
    "diff": [["faq", FAQ]],
    "findings list": [["chat@HEAD"], ["faq"], [FAQ, "--json"]],
    "findings show": [[]],
    "slice preview": [[subject, "--where", "input exists"] for subject in ("faq", FAQ)],
    "slice members": [["faq/all"], ["faq/all", "--json"]],
    "slice suggest": [["faq", "--support", "1"]],
    "corpus scan": [["train.jsonl", "--against", against, "--name", "crawl"] for against in (FAQ, "all-holdouts")],
    "corpus show": [["crawl"]],
    "signatures export": [["faq"], [FAQ, "-o", "mine.parquet"], ["faq", "--all-splits", "--digests-only"]],
    "signatures check": [
        [what, "--against", against, *more]
        for what in ("faq", "chat", "train.jsonl")
        for against in ("faq", FAQ)
        for more in ([], ["--json"])
    ],
    "scan": [["faq"], [FAQ], ["chat"], ["--all"]],
    "leak report": [["datasets/faq/rows.jsonl", "train.jsonl", "--text-field", "key"]],
    "add": [["faq", "datasets/faq/rows.jsonl=test"]],
    "retire": [[FAQ, "--reason", "try"]],
    "unfreeze": [[FAQ, "--reason", "try"]],
}


def commands() -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
    names = [*COMMANDS, *(f"{group} {inner}" for group, (_, functions) in GROUPS.items() for inner in functions)]
    for name in names:
        if name.partition(" ")[0] not in LEFT_OUT:
            yield name, TRIED.get(name, [[], ["faq"], [FAQ], [FAQ, "--json"]])


def ran(team: Team, *arguments: str) -> Ran | Run:
    """`load` writes bytes, which needs a standard output of its own."""
    return team.heldout(*arguments) if arguments[0] == "load" else heldout(team.path, *arguments)


def found_in(data: bytes) -> list[str]:
    return [word for word in SECRET_WORDS if word.encode() in data]


def contents_of(top: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of the clone, caches and Git's own included, and what is in Git's objects and packs."""
    for file in top.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            yield str(file), data
            try:
                yield f"{file}, unpacked", zlib.decompress(data)
            except zlib.error:
                continue
    listed = subprocess.run(
        ["git", "cat-file", "--batch", "--batch-all-objects"], cwd=top, capture_output=True, check=True
    )
    yield "git objects", listed.stdout


@pytest.mark.req("A14", "A33")
def test_no_command_prints_or_keeps_a_sealed_text(builder: Team) -> None:
    builder.write("train.jsonl", jsonl([{"input": SEALED["q0"]}, {"input": text("unseen")}]))
    builder.run("fetch", "--all", "--tags")
    tried = 0
    for name, calls in commands():
        for arguments in calls:
            done = ran(builder, *name.split(), *arguments)
            assert done.code != 70, (name, arguments, done)
            assert found_in((done.out + done.err).encode()) == [], (name, arguments)
            tried += 1
    assert tried > 60
    for place, data in contents_of(builder.path):
        assert found_in(data) == [], place


@pytest.mark.req("A33")
def test_the_same_search_finds_texts_where_there_are_some(owner: Team) -> None:
    places = {place for place, data in contents_of(owner.path) if found_in(data)}
    assert any(place.endswith("inputs.jsonl") for place in places)
    assert "git objects" not in places  # Git never had them
    shown = ran(owner, "load", FAQ, "--allow", "unknown", "--allow", "contaminated")
    assert set(found_in(shown.out.encode())) == set(SECRET_WORDS)
