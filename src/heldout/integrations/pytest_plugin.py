"""pytest: tests that mean something only while a holdout is clean.

    @pytest.mark.clean_holdout("support@v1.2.0")
    def test_accuracy(): ...

    def test_accuracy(clean_holdout):
        for example in clean_holdout("support@v1.2.0").examples(split="test"): ...

A test fails with the gate's reason where the version is contaminated or nobody knows. The marker is looked at before
any fixture is set up, so nothing is spent on such a test. `--heldout-allow contaminated` lets it run; what was let past
is listed at the end. pytest loads this module in every run, so it imports nothing of Heldout before a test asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from heldout.api import Repository, Version

MARKER = "clean_holdout"
_VERDICTS = ("contaminated", "unknown")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("heldout", "clean holdouts")
    group.addoption(
        "--heldout-repo",
        metavar="PATH",
        help="repository of the datasets; default: the one around pytest's root directory",
    )
    group.addoption(
        "--heldout-allow",
        action="append",
        choices=_VERDICTS,
        default=[],
        help="run tests although their holdout is this; may be repeated",
    )
    parser.addini("heldout_repo", "repository of the datasets, relative to the root directory", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{MARKER}(*versions): fail, and run nothing, unless Heldout's gate says that all of them are clean."
    )
    config.stash[GATE] = Gate(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Said where somebody set something; anybody else's run shows no trace of the plugin."""
    gate = config.stash[GATE]
    if not (gate.allowed or gate.named):
        return None
    allowed = f", let past: {', '.join(gate.allowed)}" if gate.allowed else ""
    return f"heldout: repository {gate.folder}{allowed}"


def pytest_report_collectionfinish(items: list[pytest.Item]) -> str | None:
    asking = Counter(version for item in items for version in _versions(item))
    if not asking:
        return None
    return "heldout: needed clean: " + ", ".join(f"{one} ({_tests(count)})" for one, count in sorted(asking.items()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Ask the gate, and leave out the fixtures of a test that is refused.

    The failure itself is raised when the test is called: pytest counts one in the set-up as an error.
    """
    gate = item.config.stash[GATE]
    reasons = [reason for version in _versions(item) if (reason := gate.refuses(version, item))]
    if any(not mark.args for mark in item.iter_markers(MARKER)):
        reasons.append(f'the marker {MARKER} names no version: {MARKER}("support@v1.2.0")')
    if reasons:
        item.stash[REFUSED] = "\n".join(reasons)
        if isinstance(item, pytest.Function):
            item.fixturenames = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    refused = item.stash.get(REFUSED, None)
    if refused is not None:
        pytest.fail(refused, pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was let past, in this process or by workers of pytest-xdist, by the properties of the tests' reports."""
    past = Counter(
        str(value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == PROPERTY and str(value).endswith(LET_PAST)
    )
    for said, count in sorted(past.items()):
        terminalreporter.write_line(f"heldout: {said} in {_tests(count)}", yellow=True)


@pytest.fixture
def clean_holdout(request: pytest.FixtureRequest) -> Callable[[str], Version]:
    """A function that gives a version as `heldout.open` does, and fails the test unless the gate says that it is clean.

    Where `--heldout-allow` lets a version past, its examples are handed out too.
    """
    gate = request.config.stash[GATE]

    def ask(version: str) -> Version:
        __tracebackhide__ = True
        reason = gate.refuses(version, request.node)
        if reason:
            pytest.fail(reason, pytrace=False)
        found = gate.version(version)
        return found.let_past() if gate.allowed else found

    return ask


class Gate:
    """One repository, opened when the first test asks, and what its gate said in this run."""

    def __init__(self, config: pytest.Config) -> None:
        named = config.getoption("--heldout-repo") or config.getini("heldout_repo")
        self.named = bool(named)
        base = config.invocation_params.dir if config.getoption("--heldout-repo") else config.rootpath
        self.folder: Path = base / str(named)
        self.allowed: tuple[str, ...] = tuple(dict.fromkeys(config.getoption("--heldout-allow")))
        self._repository: Repository | None = None
        self._answers: dict[str, tuple[str, str]] = {}

    def version(self, name: str) -> Version:
        if self._repository is None:
            from heldout.api import open_repository

            self._repository = open_repository(self.folder)
        return self._repository.subject(name)

    def refuses(self, name: str, item: pytest.Item) -> str | None:
        """Why a test must not run on this version, or None. What the gate said becomes a property of the test."""
        if name not in self._answers:
            self._answers[name] = self._ask(name)
        verdict, reason = self._answers[name]
        allowed = verdict in self.allowed
        said = (PROPERTY, f"{name} {verdict}" + (LET_PAST if allowed else ""))
        if said not in item.user_properties:
            item.user_properties.append(said)
        return None if verdict == "clean" or allowed else reason

    def _ask(self, name: str) -> tuple[str, str]:
        """Verdict and reason. A question that has no answer, for a misspelt version, fails the test and is never let
        past."""
        from heldout.errors import ExitCode, HeldoutError

        try:
            self.version(name).require("clean")
        except HeldoutError as error:
            verdict = {ExitCode.FOUND: "contaminated", ExitCode.UNKNOWN: "unknown"}.get(error.exit_code, error.slug)
            return verdict, f"{error}" + (f"\nnext: {error.hint}" if error.hint else "")
        return "clean", ""


GATE = pytest.StashKey[Gate]()
REFUSED = pytest.StashKey[str]()
PROPERTY = "heldout"
"""Name of a test's property, which also stands in JUnit's XML: `support@v1.2.0 clean`."""
LET_PAST = ", let past"


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def _versions(item: pytest.Item) -> Iterator[str]:
    """What markers on the test, its class and its module ask for, once each."""
    yield from dict.fromkeys(str(version) for mark in item.iter_markers(MARKER) for version in mark.args)
