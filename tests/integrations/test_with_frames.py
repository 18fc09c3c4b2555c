"""pandas, Polars and Hugging Face datasets themselves: types, values, and what they say they hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars as pl
import pytest
from support.evaluated import CLEAN, CONTAMINATED, REASON_CONTAMINATED, REASON_UNKNOWN, SECRET, TEST, UNKNOWN

from heldout.errors import CoverageUnknown, HoldoutRefused
from heldout.integrations import huggingface, pandas, polars

METADATA = [json.dumps({"topic": row["topic"], "turns": row["turns"]}) for row in TEST]
TYPED = {"text": "input", "turns": "metadata.turns", "tags": "tags", "second": "tags.1", "meta": "metadata"}
VALUES = [
    {"text": TEST[0]["question"], "turns": 1, "tags": ["de"], "second": None, "meta": METADATA[0]},
    {"text": TEST[1]["question"], "turns": 2, "tags": ["de", "en"], "second": "en", "meta": METADATA[1]},
]


def test_pandas(evaluated: Path) -> None:
    frame = pandas.frame(CLEAN, split="test", fields=TYPED, repo=evaluated)
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("records") == VALUES
    assert frame["turns"].dtype == pd.Int64Dtype()
    assert frame.attrs["heldout"]["version"] == CLEAN
    assert frame[frame["turns"] > 1].attrs["heldout"]["examples"] == 2, "a part of it still says where it is from"
    assert list(pandas.frame(CLEAN, split="test", repo=evaluated)) == [
        "key", "split", "input", "expected", "metadata", "tags",
    ]  # fmt: skip


def test_polars(evaluated: Path) -> None:
    frame, provenance = polars.frame(CLEAN, split="test", fields=TYPED, repo=evaluated)
    assert frame.to_dicts() == VALUES
    assert dict(frame.schema) == {
        "text": pl.String(),
        "turns": pl.Int64(),
        "tags": pl.List(pl.String()),
        "second": pl.String(),
        "meta": pl.String(),
    }
    assert (provenance.version, provenance.examples) == (CLEAN, 2)


def test_hugging_face(evaluated: Path, tmp_path: Path) -> None:
    made = huggingface.dataset(CLEAN, split="test", fields=TYPED, repo=evaluated)
    assert isinstance(made, datasets.Dataset)
    assert list(made) == VALUES
    assert made.cache_files == [], "the text of a holdout is in no cache"
    assert [made.features["turns"].dtype, made.features["tags"].feature.dtype] == ["int64", "string"]
    said = json.loads(made.info.description)
    assert [said["version"], said["split"], str(made.info.version), made.split] == [CLEAN, "test", "2.0.0", "test"]
    made.save_to_disk(tmp_path / "saved")
    assert json.loads(datasets.load_from_disk(tmp_path / "saved").info.description) == said


LOADERS: list[Callable[..., Any]] = [pandas.frame, polars.frame, huggingface.dataset]


@pytest.mark.req("B50")
@pytest.mark.parametrize("load", LOADERS, ids=lambda load: load.__module__.rpartition(".")[2])
def test_any_other_is_refused(evaluated: Path, load: Callable[..., Any]) -> None:
    with pytest.raises(HoldoutRefused, match=REASON_CONTAMINATED):
        load(CONTAMINATED, split="test", repo=evaluated)
    with pytest.raises(CoverageUnknown, match=REASON_UNKNOWN):
        load(UNKNOWN, split="test", repo=evaluated)
    slice_of = load(CLEAN, split="test", slice="post", repo=evaluated)
    assert len(slice_of.frame if hasattr(slice_of, "frame") else slice_of) == 1


@pytest.mark.parametrize("module", ["pandas", "polars", "huggingface"])
def test_a_script_ends_with_the_exception(evaluated: Path, module: str) -> None:
    name = "dataset" if module == "huggingface" else "frame"
    script = f"from heldout.integrations.{module} import {name}\n{name}({CONTAMINATED!r})\nprint('went on')\n"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=evaluated, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"heldout.errors.HoldoutRefused: {REASON_CONTAMINATED}" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert done.stdout == ""
