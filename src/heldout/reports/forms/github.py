"""GitHub Actions: workflow commands that the runner turns into annotations, and a page for the job's summary.

GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest without a word; so the ten worst of
all are annotations, one notice says how many there are, and the summary lists on.
"""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.reporting import Level, Location, Report
from heldout.reports.excerpts import printable

SHOWN = 10
"""Annotations of a kind that GitHub keeps of one step."""

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def github(report: Report) -> Iterator[str]:
    worst = report.worst(SHOWN)
    for item in worst:
        yield _command(_COMMANDS[item.level], item.message, item.location, f"heldout: {item.rule}") + "\n"
    said = "; ".join(report.answer)
    if report.total > len(worst):
        said += f". The {len(worst)} worst of {report.total:,} are annotated; the summary of the job lists more"
    yield _command("notice", said, None, report.title) + "\n"


def _command(name: str, message: str, location: Location | None, title: str) -> str:
    """`::error file=...,line=...,title=...::message`, escaped as the runner undoes it."""
    properties = {"title": title}
    if location is not None:
        line = {} if location.line is None else {"line": str(location.line)}
        properties = {"file": location.file, **line, **properties}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(printable(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
