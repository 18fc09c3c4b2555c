"""GitHub's workflow commands, read as its runner reads them, and the page for the step's summary."""

from __future__ import annotations

import re

from heldout.domain.reporting import Report
from heldout.reports.forms.github import github

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def unescaped(text: str) -> str:
    """The runner's way: `%25` last, or `%250A` would become a line break."""
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def parsed(report: Report) -> list[tuple[str, dict[str, str], str]]:
    """Every line has to be one command: a line that names planted would be one more."""
    found = []
    text = "".join(github(report))
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(pair.split("=", 1) for pair in match[2].split(","))
        found.append((match[1], {key: unescaped(value) for key, value in properties.items()}, unescaped(match[3])))
    return found


def test_ten_at_most_are_annotations_and_one_notice_tells_the_answer(report: Report) -> None:
    *annotations, last = parsed(report)
    assert len(annotations) == min(10, report.total)
    assert last[0] == "notice"
    assert "file" not in last[1]
    if report.total > 10:
        assert f"The 10 worst of {report.total:,} are annotated" in last[2]


def test_the_worst_are_shown_where_they_stand(report: Report) -> None:
    *annotations, _ = parsed(report)
    worst = sorted(report.items, key=lambda item: ["error", "warning", "note"].index(item.level.value))[:10]
    assert [name for name, _, _ in annotations] == [
        {"error": "error", "warning": "warning", "note": "notice"}[item.level.value] for item in worst
    ]
    files = {"datasets/support/scans/0123456789abcdef/findings.jsonl"}
    assert {properties["file"] for _, properties, _ in annotations} <= files
    assert all(int(properties["line"]) >= 1 for _, properties, _ in annotations)


def test_names_cannot_plant_a_command(report: Report) -> None:
    assert len(parsed(report)) == min(10, report.total) + 1
