"""What every command's text has in common, whatever the names in it are."""

from __future__ import annotations

import json

import pytest

from heldout.cli import app
from heldout.cli.session import Session
from heldout.errors import UsageError


def test_a_line_of_text_neither_steers_a_terminal_nor_begins_another_line(capsys: pytest.CaptureFixture[str]) -> None:
    Session().emit(["test/1\n::error::no ~ \x1b[2Jtrain/2"], {})
    assert capsys.readouterr().out == "test/1\\u000a::error::no ~ \\u001b[2Jtrain/2\n"


def test_notes_and_errors_do_not_either(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Session().note("x\n::error::no")
    assert capsys.readouterr().err == "heldout: x\\u000a::error::no\n"

    def refuse(_: str | None) -> None:
        raise UsageError("bad-x", "first \x1b[2J\n  ^ here", hint="no\x07")

    monkeypatch.setattr(app, "application", refuse)
    assert app.invoke(["status"]) == 2
    assert capsys.readouterr().err == "heldout: first \\u001b[2J\n  ^ here [bad-x]\nheldout: try: no\\u0007\n"


def test_json_holds_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    Session(as_json=True).emit([], {"key": "1\n\x1b"})
    assert json.loads(capsys.readouterr().out) == {"key": "1\n\x1b"}
