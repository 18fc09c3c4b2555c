"""Reading one version: keys are unique in their split, wherever the rows stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.errors import ConfigError, DataError
from heldout.services.reading import Reading, read_version
from heldout.services.sources import PlainFiles


def read(folder: Path, content: str, name: str = "rows.json", **spec: object) -> Reading:
    (folder / name).write_text(content, encoding="utf-8")
    return read_version(DatasetSpec("a", (DataFile(name),), **spec), "s", PlainFiles(folder))  # type: ignore[arg-type]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_repeated_key_is_refused_with_both_places(tmp_path: Path, gap: str) -> None:
    """Also where both rows are on one line of a JSON file."""
    rows = [f'{{"key": 1, "split": "test", "input": "{text}"}}' for text in ("one", "two")]
    with pytest.raises(DataError) as caught:
        read(tmp_path, f"[{rows[0]},{gap}{rows[1]}]")
    assert caught.value.slug == "repeated-key"
    assert "rows.json:1" in caught.value.message
    assert caught.value.line == (2 if gap else 1)


def test_one_key_in_two_splits_is_two_examples(tmp_path: Path) -> None:
    rows = [f'{{"key": 1, "split": "{split}", "input": "one"}}' for split in ("test", "train")]
    members = read(tmp_path, f"[{rows[0]},{rows[1]}]").members
    assert [(member.split, member.key, member.derived) for member in members] == [
        ("test", "1", False),
        ("train", "1", False),
    ]


@pytest.mark.req("A52")
def test_a_holdout_that_no_data_has_gives_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, '[{"split": "train", "input": "one"}]', holdout=("test",))
    assert caught.value.slug == "holdout-absent"
    assert caught.value.exit_code == 2


@pytest.mark.req("A52")
def test_skipped_rows_make_a_version_incomplete(tmp_path: Path) -> None:
    lines = '{"split": "test", "input": "one"}\nno json\n{"split": "test", "input": "two"}\n'
    whole = read(tmp_path, lines, "rows.jsonl", on_bad_row="skip")
    assert len(whole.members) == 2
    assert whole.incomplete == ("rows that could not be read and were skipped: 1",)
    with pytest.raises(DataError) as caught:
        read(tmp_path, lines, "rows.jsonl")
    assert caught.value.line == 2


@pytest.mark.req("A27")
def test_a_test_split_is_a_holdout_only_when_declared(tmp_path: Path) -> None:
    rows = '[{"split": "test", "input": "one"}, {"split": "sealed", "input": "two"}]'
    assert read(tmp_path, rows).holdout_splits == ("sealed",)
    assert read(tmp_path, rows, holdout=("test",)).holdout_splits == ("test",)
    assert read(tmp_path, rows, holdout=()).holdout_splits == ()
