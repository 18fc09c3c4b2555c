"""The page on integrations, every block of it, where the harnesses are."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from support import console
from support.console import ROOT, complaints, steps_of


def test_the_page_shows_what_harnesses_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    whole = re.sub(r'^```console skip="needs .*: make test-integrations"$', "```console", page, flags=re.MULTILINE)
    assert len(steps_of(whole)) > len(steps_of(page)) + 10
    commands = Path(sys.prefix) / "promptfoo" / "node_modules" / ".bin"
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), str(commands), os.environ["PATH"]]))
    monkeypatch.setattr(console, "_TIMEOUT_SECONDS", 900)  # ten starts of harnesses, on a machine that may be busy
    (tmp_path / "scratch").mkdir()
    found = complaints(whole, tmp_path / "scratch")
    assert not found, "\n\n".join(found)
