"""A table without a header: its first row is neither lost nor printed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.cli import heldout
from support.console import ROOT

MGSM = ROOT / "tests/data/mgsm/mgsm_en.tsv.gz"
GSM8K = ROOT / "tests/data/gsm8k/test.jsonl.gz"


@pytest.mark.req("E7")
@pytest.mark.parametrize("command", [("check",), ("leak", "report"), ("corpus", "scan")])
def test_the_first_row_of_mgsm_is_not_taken_for_names(command: tuple[str, ...], tmp_path: Path) -> None:
    first = gzip.decompress(MGSM.read_bytes()).decode().partition("\t")[0]
    ran = heldout(
        tmp_path, *command, str(MGSM), str(GSM8K), *(() if command[0] != "check" else ("--holdout", "mgsm_en"))
    )
    if command[0] != "corpus":  # which needs a repository first
        assert "[header-is-row]" in ran.err
    assert ran.code == 2
    assert first[:30] not in ran.out + ran.err


def test_with_its_columns_named_all_250_are_there(tmp_path: Path) -> None:
    options = ("--columns", "question,answer", "--text-field", "question", "--holdout", "mgsm_en", "--json")
    ran = heldout(tmp_path, "check", str(MGSM), str(GSM8K), *options)
    assert ran.code == 1, ran.err
    assert "250 of 250" in heldout(tmp_path, "check", str(MGSM), str(GSM8K), *options[:-1]).out


def test_long_names_of_columns_are_names(tmp_path: Path) -> None:
    """Survey exports have questions for columns; somebody who names the column knows that."""
    rows = "How do you like it here?,How much do you pay\nIt is a very nice and quiet place to live,12\n"
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text(rows.replace("quiet", "noisy and loud"))
    ran = heldout(tmp_path, "check", "a.csv", "b.csv", "--text-field", "How do you like it here?", "--holdout", "b")
    assert ran.code in (0, 1), ran.err
