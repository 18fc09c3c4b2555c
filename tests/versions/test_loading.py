"""`load`: through the gate, whole, exact, and readable again by ourselves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.cli import heldout
from support.story import Run, Team, rows, sentence
from versions.conftest import NEXT_TEST, NEXT_TRAIN

from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.example import Example
from heldout.services.reading import read_version
from heldout.services.sources import PlainFiles
from heldout.storage.example_lines import example_line


def load(team: Team, *arguments: str) -> Run:
    """In a process of its own: the examples go to the standard output's bytes."""
    return team.heldout("load", *arguments)


@pytest.mark.req("B50")
def test_a_clean_version_is_printed_as_records(versions: Team) -> None:
    done = load(versions, "support@v2.0.0", "--split", "test")
    assert (done.code, done.err) == (0, "")
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"key": key, "split": "test", "input": text, "expected": label} for key, (text, label) in NEXT_TEST.items()
    ]


@pytest.mark.req("B50", "A43")
def test_contaminated_is_refused_and_printed_only_when_allowed_aloud(versions: Team) -> None:
    done = load(versions, "support@v1.0.0")
    assert (done.code, done.out) == (1, "")
    assert "support@v1.0.0 is contaminated: 2 held-out examples are given away" in done.err
    assert load(versions, "support@v1.0.0", "--allow", "unknown").code == 1
    allowed = load(versions, "support@v1.0.0", "-s", "test", "--allow", "contaminated")
    assert (allowed.code, len(allowed.out.splitlines())) == (0, 7)
    assert "loaded because --allow contaminated was given" in allowed.err


@pytest.mark.req("B44", "B50", "A43")
def test_unknown_is_refused_with_its_reasons(own: Team) -> None:
    done = load(own, "support@HEAD~1", "-s", "train")
    assert done.code == 1  # its record says so, frozen or not
    own.git("tag", "-d", "support@v1.0.0", "support@v2.0.0")
    done = load(own, "support@HEAD")
    assert (done.code, done.out) == (3, "")
    assert "it is not a frozen version" in done.err
    assert load(own, "support@HEAD", "--allow", "unknown").code == 0


def test_an_unknown_split_is_refused(versions: Team) -> None:
    done = load(versions, "support@v2.0.0", "--split", "tset")
    assert done.code == 2
    assert "unknown-split" in done.err
    assert "its splits: test, train" in done.err


def test_missing_data_is_fetched_and_said(own: Team) -> None:
    shutil.rmtree(own.path / ".dvc/cache")
    done = load(own, "support@v2.0.0", "-s", "test")
    assert (done.code, len(done.out.splitlines())) == (0, 5)
    assert "fetching datasets/support/test.csv, datasets/support/train.csv through DVC (2 objects" in done.err


def test_a_file_is_written_whole_or_not_at_all(own: Team) -> None:
    target = own.path / "out/test.jsonl"
    said = heldout(own.path, "load", "support@v2.0.0", "-o", str(target), "--json")
    assert said.code == 0
    assert said.json == {
        "format": "heldout/load@1",
        "subject": "support@v2.0.0",
        "source": said.json["source"],
        "verdict": "clean",
        "allowed": None,
        "file": str(target),
        "examples": len(NEXT_TRAIN) + len(NEXT_TEST),
        "by_split": {"test": len(NEXT_TEST), "train": len(NEXT_TRAIN)},
    }
    whole = target.read_bytes()
    assert whole.count(b"\n") == said.json["examples"]
    own.write("datasets/support/test.csv.part", "")
    (own.path / "datasets/support/test.csv").unlink()
    own.write("datasets/support/test.csv", 'id,text,label\nh0,"open,yes\n')
    refused = heldout(own.path, "load", "support", "--allow", "unknown", "-o", str(target.with_name("more.jsonl")))
    assert refused.code == 2
    assert "datasets/support/test.csv" in refused.err
    assert target.read_bytes() == whole
    assert [path.name for path in target.parent.iterdir()] == ["test.jsonl"]


def test_json_without_a_file_is_a_question_of_usage(versions: Team) -> None:
    said = heldout(versions.path, "load", "support@v2.0.0", "--json")
    assert (said.code, said.json["error"]) == (2, "json-needs-output")


def test_what_is_loaded_can_be_read_again_as_the_same_examples(own: Team) -> None:
    """Derived keys, repeats, exact numbers and every part of an example survive; the content digest is the record's."""
    records = [
        {"input": {"q": sentence("a"), "n": 12345678901234567890123}, "expected": [1.0, None], "tags": ["x", "y"]},
        {"input": "twice"},
        {"input": "twice", "metadata": {"lang": "de", "deep": {"a": [1]}}, "synthetic": True},
        {"input": "line\u2028end", "source_kind": "web", "review_status": "done", "source_id": "7"},
    ]
    yaml = "format: heldout/dataset@1\nname: parts\ndata:\n  - {path: held.jsonl, split: test}\nholdout: [test]\n"
    own.write("datasets/parts/dataset.yaml", yaml)
    own.write("datasets/parts/held.jsonl", "".join(json.dumps(row) + "\n" for row in records))
    own.track("datasets/parts/held.jsonl")
    own.save("Add parts")
    done = load(own, "parts@HEAD", "--allow", "unknown")
    assert done.code == 0, str(done)
    assert "\u2028" not in done.out
    (own.path / "again.jsonl").write_bytes(done.out.encode())
    spec = DatasetSpec("parts", (DataFile("again.jsonl"),), holdout=("test",))
    again = read_version(spec, "", PlainFiles(own.path))
    assert again.content == heldout(own.path, "show", "parts@HEAD", "--json").json["record"]["content"]
    assert not any(member.derived for member in again.members)


def test_a_line_is_one_line_for_every_reader() -> None:
    line = example_line(Example("test", "a\x85b\u2028c\u2029d\ne", key="1"))
    assert len(line.splitlines()) == 1
    assert json.loads(line)["input"] == "a\x85b\u2028c\u2029d\ne"


@pytest.mark.parametrize("name", ["held.jsonl"])
def test_a_payload_kept_outside_stays_a_reference(name: str, tmp_path: Path) -> None:
    digest = "sha256:" + "0" * 64
    line = example_line(Example("test", None, key="1", payload=digest, has_input=False))
    (tmp_path / name).write_text(line + "\n")
    read = read_version(DatasetSpec("held", (DataFile(name),)), "", PlainFiles(tmp_path))
    assert json.loads(line) == {"key": "1", "split": "test", "payload": digest}
    assert read.payload_missing == 1


def test_rows_that_dataset_yaml_skips_are_skipped_here_too(own: Team) -> None:
    texts = rows("s", 3)
    lines = [json.dumps({"input": text}) for text in texts.values()]
    yaml = "format: heldout/dataset@1\nname: bad\non_bad_row: skip\ndata:\n  - {path: held.jsonl, split: test}\n"
    own.write("datasets/bad/dataset.yaml", yaml)
    own.write("datasets/bad/held.jsonl", "\n".join([lines[0], "{", lines[1], lines[2]]) + "\n")
    own.track("datasets/bad/held.jsonl")
    done = load(own, "bad", "--allow", "unknown")
    assert [json.loads(line)["input"] for line in done.out.splitlines()] == list(texts.values())
