"""JUnit's XML as Jenkins and GitLab read it: an item a test case, so a test report lists what blocks as failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from heldout.domain.reporting import Item, Level, Outcome, Report, Weight
from heldout.reports.excerpts import printable


def junit(report: Report) -> Iterator[str]:
    """Failed is what blocks, an error is what nobody can say yet, skipped is what blocks nothing. All clean is one
    test that passed. There are no times: the same data gives the same bytes."""
    counts = Counter(_element(item) for item in report.items)
    tests = counts.total() or 1
    failures, errors, skipped = counts["failure"], counts["error"], counts["skipped"]
    name = _attribute(report.title)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name={name} tests="{tests}" failures="{failures}" errors="{errors}">\n'
    yield f'<testsuite name={name} tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}">\n'
    for item in report.items:
        yield from _case(item)
    if not counts:
        yield from _alone(report)
    said = "\n".join(printable(line) for line in (*report.answer, _total(report, counts.total()), *report.next) if line)
    yield f"<system-out>{escape(said)}</system-out>\n</testsuite>\n</testsuites>\n"


def _total(report: Report, listed: int) -> str:
    return "" if listed == report.total else f"{listed:,} of {report.total:,} are listed"


def _element(item: Item) -> str:
    if item.weight is Weight.UNKNOWN:
        return "error"
    return "failure" if item.level is Level.ERROR else "skipped"


def _case(item: Item) -> Iterator[str]:
    name = f"{item.message} [{item.id}]"
    yield f"<testcase classname={_attribute(f'heldout.{item.rule}')} name={_attribute(name)}>"
    told = [str(item.location), *(f"contaminates {version}" for version in item.contaminates)]
    told += [f"accepted: {item.reason}"] if item.reason is not None else []
    told += [f"{part.label}: {part.text}" for part in item.parts if part.text is not None]
    element, text = _element(item), escape("\n".join(map(printable, told)))
    yield f"<{element} type={_attribute(item.rule)} message={_attribute(item.message)}>{text}</{element}></testcase>\n"


def _alone(report: Report) -> Iterator[str]:
    """No item to show: the answer itself is the test."""
    answer = "; ".join(report.answer)
    yield f"<testcase classname={_attribute(f'heldout.{report.command}')} name={_attribute(answer)}>"
    if report.outcome is not Outcome.CLEAN:
        element = "failure" if report.outcome is Outcome.FOUND else "error"
        yield f"<{element} type={_attribute(report.outcome.value)} message={_attribute(answer)}/>"
    yield "</testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
