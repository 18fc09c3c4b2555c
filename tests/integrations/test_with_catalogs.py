"""Catalogs' own readers over what `heldout export` writes, beside the data: mlcroissant, huggingface_hub, datasets."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.evaluated import CLEAN, CONTAMINATED, TEST, TRAIN, UNKNOWN

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
"""mlcroissant's own, of libraries below it."""


@pytest.fixture(scope="module")
def published(evaluated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a version with its descriptions beside it, as somebody would publish it."""
    folder = tmp_path_factory.mktemp("published")
    for name, form in (("croissant.json", "croissant"), ("README.md", "hf-card")):
        options = ["--as", form, "--license", "CC-BY-4.0", "-o", str(folder / name)]
        done = heldout(evaluated, "export", CLEAN, *options)
        assert done.code == 0, done.err
    for entry in json.loads((folder / "croissant.json").read_text(encoding="utf-8"))["distribution"]:
        (folder / entry["contentUrl"]).write_bytes(_object(evaluated, entry))
    return folder


def _object(repo: Path, entry: dict[str, Any]) -> bytes:
    """DVC's object by the digest that the document gives."""
    objects = (path for path in (repo / ".dvc/cache/files/md5").rglob("*") if path.is_file())
    (found,) = [path for path in objects if hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]]
    return found.read_bytes()


def test_croissant_is_read_by_its_reference_library(published: Path) -> None:
    """mlcroissant checks sha256, and gives out the rows that are in the files."""
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(published / "croissant.json"))
    assert (dataset.metadata.name, str(dataset.metadata.version)) == ("support", "2.0.0")
    assert not dataset.metadata.ctx.issues.errors
    for file, rows in (("train.jsonl", TRAIN), ("test.jsonl", TEST)):
        start = f"examples/{file}/"
        found = [
            {name.removeprefix(start): _text(value) for name, value in record.items()}
            for record in dataset.records(f"examples/{file}")
        ]
        assert [(row["key"], row["input"], row["expected"]) for row in found] == [
            (row["id"], row["question"], row["answer"]) for row in rows
        ]
        assert [row["metadata.turns"] for row in found] == [row["turns"] for row in rows]
    splits = [{name: _text(value) for name, value in record.items()} for record in dataset.records("splits")]
    assert splits == [
        {"splits/name": "test", "splits/held_out": True},
        {"splits/name": "train", "splits/held_out": False},
    ]


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def test_a_sha256_that_is_not_the_files_is_noticed(published: Path, tmp_path: Path) -> None:
    import mlcroissant

    text = (published / "croissant.json").read_text(encoding="utf-8")
    (tmp_path / "croissant.json").write_text(text, encoding="utf-8")
    for name in ("train.jsonl", "test.jsonl"):
        (tmp_path / name).write_bytes((published / name).read_bytes() + b"\n")
    with pytest.raises(Exception, match="Download") as caught:
        list(mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json")).records("examples/test.jsonl"))
    assert "is not identical with the reference in the Croissant JSON-LD" in str(caught.value.__cause__)


@pytest.mark.parametrize("subject", [CLEAN, CONTAMINATED, UNKNOWN, "support"])
def test_every_state_is_valid_croissant(evaluated: Path, tmp_path: Path, subject: str) -> None:
    import mlcroissant

    target = tmp_path / "croissant.json"
    assert heldout(evaluated, "export", subject, "--as", "croissant", "-o", str(target)).code == 0
    assert not mlcroissant.Dataset(jsonld=str(target)).metadata.ctx.issues.errors


def test_the_card_is_read_by_hugging_face(published: Path) -> None:
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(published / "README.md")
    assert card.data.pretty_name == "support"
    assert card.data.license == "cc-by-4.0"
    assert card.data.size_categories == ["n<1K"]
    assert card.text.strip().startswith(f"# {CLEAN}")


def test_datasets_finds_splits_by_the_card(published: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    found = load_dataset(str(published), cache_dir=str(tmp_path))
    assert {split: found[split]["question"][:] for split in found} == {
        "train": [row["question"] for row in TRAIN],
        "test": [row["question"] for row in TEST],
    }
