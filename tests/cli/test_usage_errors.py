"""A command that cannot be understood is the caller's mistake, never a defect of ours."""

from __future__ import annotations

import pytest

from heldout.cli.app import invoke
from heldout.errors import ExitCode


@pytest.mark.req("A42")
@pytest.mark.parametrize(
    "arguments",
    [["nosuch"], ["gate"], ["gate", "--nosuch", "x"], ["freeze"], ["demo", "a", "b"]],
    ids=["command", "argument", "option", "argument-again", "too-many"],
)
def test_a_wrong_call_exits_2_and_says_how(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(arguments) == ExitCode.NO_VERDICT
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "Usage: heldout" in printed.err
    assert "defect" not in printed.err


def test_help_and_version_exit_0(capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--help"]) == ExitCode.CLEAN
    assert invoke(["--version"]) == ExitCode.CLEAN
    assert "heldout 0." in capfd.readouterr().out
