"""The published study as files: twelve routine and four risk cases, a design, a draw and labels, each to be broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.cli import Ran, heldout
from support.schemas import every_output_by_its_schema

POPULATION = """\
format: heldout/population@1
product: support agent
workflows: [refund, delivery]
languages: [de, en]
channels: [chat]
risk_window: 2026-06-01/2026-06-30
traffic_window: 2026-07-01/2026-07-31
excluded: [test accounts]
"""
AT = "2026-08-01T12:00:00Z"
ENRICHED = ("--kind", "risk_enriched", "--draw", "routine=4", "--draw", "risk=4", "--risk", "risk")
PROPORTIONAL = ("--kind", "representative", "--size", "8")


@dataclass(frozen=True)
class Files:
    """The files of one sample in one folder, and `heldout sample` there."""

    folder: Path

    def run(self, *arguments: str) -> Ran:
        return heldout(self.folder, "sample", *arguments)

    def make(self, *arguments: str) -> Ran:
        """As `run`, for a step that works."""
        ran = self.run(*arguments)
        assert ran.code == 0, ran.err
        return ran

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        before = self.read(name)
        after = change(before)
        assert after != before
        self.write(name, after)

    def edit_json(self, name: str, change: Callable[[Any], Any]) -> None:
        value = json.loads(self.read(name))
        change(value)
        self.write(name, json.dumps(value))

    def design(self, *arguments: str) -> Ran:
        return self.make(
            *("design", "frame.jsonl", "-o", "design.yaml", "--failure", "wrong refund", "--maturity", "14 days"),
            *("--seed", "august", "--threshold", "release=0.35", "--threshold", "strict=0.2", *arguments),
        )

    def draw(self) -> Ran:
        return self.make("draw", "frame.jsonl", "design.yaml", "--at", AT, "-o", "draw.json")

    def selected(self, stratum: str) -> list[str]:
        return [each["id"] for each in json.loads(self.read("draw.json"))["selected"] if each["stratum"] == stratum]

    def label(self, **failures: int) -> None:
        """So many failures in each stratum, among the first that were drawn."""
        failing = {name for stratum, count in failures.items() for name in self.selected(stratum)[:count]}
        every = [name for stratum in ("routine", "risk") for name in self.selected(stratum)]
        self.write("outcomes.jsonl", "".join(f'{{"id": "{n}", "label": {int(n in failing)}}}\n' for n in every))
        self.make(
            *("label", "draw.json", "--by", "ana", "--rubric", "refunds@3", "--from", "outcomes.jsonl"),
            *("-o", "labels.jsonl"),
        )

    def estimate(self, *arguments: str) -> Ran:
        return self.run("estimate", "frame.jsonl", "design.yaml", "draw.json", "labels.jsonl", *arguments)

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture
def framed(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    files.write("population.yaml", POPULATION)
    rows = [{"id": f"r{n:02}", "risk": "low"} for n in range(12)] + [{"id": f"k{n}", "risk": "high"} for n in range(4)]
    files.write("cases.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    files.make(
        *("frame", "cases.jsonl", "--id", "id", "--by", "risk", "--group", "risk=high", "--group", "routine=low"),
        *("--population", "population.yaml", "-o", "frame.jsonl"),
    )
    return files


@pytest.fixture
def labelled(framed: Files) -> Files:
    """The worked example: no failure among four of twelve routine cases, three among all four risk cases."""
    framed.design(*ENRICHED)
    framed.draw()
    framed.label(risk=3)
    return framed


@pytest.fixture(scope="module", autouse=True)
def _by_schema() -> Iterator[None]:
    with every_output_by_its_schema():
        yield
