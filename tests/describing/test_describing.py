"""Descriptions for catalogs, held against the files themselves, DVC and GTO."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from support.cli import heldout
from support.evaluated import CLEAN, CONTAMINATED, TEST, TRAIN, UNKNOWN, evaluated_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_repository(tmp_path_factory.mktemp("described"))


def described(folder: Path, subject: str, form: str, *options: str) -> str:
    done = heldout(folder, "export", subject, "--as", form, *options)
    assert done.code == 0, done.err
    text: str = done.out
    for row in (*TRAIN, *TEST):
        assert row["question"].strip() not in text
    return text


def front_matter(card: str) -> Any:
    return YAML(typ="safe", pure=True).load(card.split("---\n")[1])


def stored(folder: Path, pointer: str, rev: str) -> bytes:
    """The bytes that DVC keeps for a pointer at a revision."""
    text = subprocess.run(["git", "show", f"{rev}:{pointer}"], cwd=folder, capture_output=True, check=True).stdout
    md5 = YAML(typ="safe", pure=True).load(text.decode())["outs"][0]["md5"]
    return (folder / ".dvc/cache/files/md5" / md5[:2] / md5[2:]).read_bytes()


def test_croissant_says_what_the_files_are(repository: Path) -> None:
    document = json.loads(described(repository, CLEAN, "croissant", "--license", "CC-BY-4.0"))
    assert document["conformsTo"][0] == "http://mlcommons.org/croissant/1.0"
    assert (document["name"], document["version"], document["license"]) == ("support", "2.0.0", "CC-BY-4.0")
    assert document["isLiveDataset"] is False
    day = subprocess.run(["git", "log", "-1", "--format=%cs", CLEAN], cwd=repository, capture_output=True, check=True)
    assert document["datePublished"] == day.stdout.decode().strip()
    for entry in document["distribution"]:
        data = stored(repository, f"datasets/support/{entry['contentUrl']}.dvc", CLEAN)
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
        assert entry["contentSize"] == f"{len(data)} B"
        assert hashlib.md5(data).hexdigest() in entry["description"]
    assert [entry["@id"] for entry in document["distribution"]] == ["train.jsonl", "test.jsonl"]
    names, *records = document["recordSet"]
    assert names["data"] == [
        {"splits/name": "test", "splits/held_out": True},
        {"splits/name": "train", "splits/held_out": False},
    ]
    columns = {
        field["@id"].rpartition("/")[2]: (field["source"]["extract"]["column"], field["dataType"])
        for field in records[1]["field"]
    }
    assert columns == {
        "key": ("id", "sc:Text"),
        "input": ("question", "sc:Text"),
        "expected": ("answer", "sc:Text"),
        "tags": ("labels", "sc:Text"),
        "metadata.topic": ("topic", "sc:Text"),
        "metadata.turns": ("turns", "sc:Integer"),
    }


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (CLEAN, "was compared with every known version, and no held-out example is given away"),
        (CONTAMINATED, "is contaminated: 1 held-out example is given away"),
        (UNKNOWN, "nobody knows whether the held-out examples of support@v3.0.0 are given away: it was retired"),
    ],
)
def test_every_form_gives_the_leakage_answer(repository: Path, subject: str, words: str) -> None:
    assert words in json.loads(described(repository, subject, "croissant"))["rai:dataLimitations"]
    assert words in described(repository, subject, "hf-card")


def test_the_same_bytes_every_time(repository: Path) -> None:
    for form in ("croissant", "hf-card", "dvc-artifacts"):
        assert described(repository, CLEAN, form) == described(repository, CLEAN, form)


def test_a_card_tells_splits_versions_and_slices(repository: Path) -> None:
    card = described(repository, CONTAMINATED, "hf-card", "--license", "Apache-2.0")
    head = front_matter(card)
    assert head["license"] == "apache-2.0"
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"] == [
        {
            "config_name": "default",
            "data_files": [{"split": "train", "path": ["train.jsonl"]}, {"split": "test", "path": ["test.jsonl"]}],
        }
    ]
    assert "| test | 3 | yes |\n| train | 2 | no |" in card
    for name, verdict in ((CONTAMINATED, "**contaminated**"), (CLEAN, "clean"), (UNKNOWN, "unknown")):
        assert f"| {name} | {verdict} |" in card
    assert "| post | 1 | `" in card


def test_a_description_is_written_to_a_new_file_only(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "card.md"
    assert heldout(repository, "export", CLEAN, "--as", "hf-card", "-o", str(target)).code == 0
    assert target.read_text(encoding="utf-8") == described(repository, CLEAN, "hf-card")
    refused = heldout(repository, "export", CLEAN, "--as", "hf-card", "-o", str(target))
    assert (refused.code, "[output-exists]" in refused.err) == (2, True)


@pytest.mark.parametrize("form", ["croissant", "hf-card", "dvc-artifacts"])
def test_json_tells_of_the_file(repository: Path, tmp_path: Path, form: str) -> None:
    target = tmp_path / "described"
    done = heldout(repository, "export", CLEAN, "--as", form, "-o", str(target), "--json")
    assert done.code == 0, done.err
    data = target.read_bytes()
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    told = done.json
    assert told["files"] == [{"file": str(target), "digest": digest, "bytes": len(data)}]
    assert f"{told['dataset']}@v{told['version']}" == told["subject"] == CLEAN
    assert (told["as"], told["verdict"]) == (form, "clean")
    assert told["source"] == json.loads(heldout(repository, "show", CLEAN, "--json").out)["source"]
    assert data.decode() == described(repository, CLEAN, form)
    refused = heldout(repository, "export", CLEAN, "--as", form, "--json")
    assert (refused.code, refused.json["error"]) == (2, "json-needs-output")


def test_entries_are_written_where_they_belong_or_not_at_all(repository: Path) -> None:
    for options, slug in [
        ((CLEAN, "--as", "dvc-artifacts", "--write"), "working-copy-only"),
        (("support", "--as", "croissant", "--write"), "options-exclude"),
    ]:
        refused = heldout(repository, "export", *options)
        assert (refused.code, f"[{slug}]" in refused.err) == (2, True), refused.err
    assert not (repository / "dvc.yaml").exists()


def test_dvc_and_gto_find_the_dataset(tmp_path: Path) -> None:
    top = evaluated_repository(tmp_path)
    pointer = top / "datasets/support/test.jsonl.dvc"
    pointer.write_text(f"# who asks: the team\n{pointer.read_text(encoding='utf-8')}", encoding="utf-8")
    (top / "dvc.yaml").write_text("# ours\nstages:\n  nothing:\n    cmd: echo 1  # says one\n", encoding="utf-8")
    gate = heldout(top, "gate", CLEAN)
    source = json.loads(heldout(top, "show", "support", "--json").out)["source"]
    done = heldout(top, "export", "support", "--as", "dvc-artifacts", "--write", "--json")
    assert done.code == 0, done.err
    written = {item["file"]: item["digest"].removeprefix("sha256:") for item in done.json["files"]}
    assert written == {path: hashlib.sha256((top / path).read_bytes()).hexdigest() for path in written}
    assert {"dvc.yaml", "datasets/support/test.jsonl.dvc"} <= {*written}
    assert "# ours" in (top / "dvc.yaml").read_text(encoding="utf-8")
    assert "# says one" in (top / "dvc.yaml").read_text(encoding="utf-8")
    assert pointer.read_text(encoding="utf-8").startswith("# who asks: the team\n")
    meta = YAML(typ="safe", pure=True).load(pointer.read_text(encoding="utf-8"))["meta"]["heldout"]
    assert meta == {"dataset": "support", "splits": ["test"], "held_out": True}

    from dvc.repo import Repo

    with Repo(str(top)) as repo:
        found = repo.artifacts.read()["dvc.yaml"]["support"]
        assert (found.path, found.type, found.meta["held_out"]) == ("datasets/support", "dataset", ["test"])
        assert repo.artifacts.get_rev("support", version="v2.0.0") is not None
    before = (top / "dvc.yaml").read_bytes()
    again = heldout(top, "export", "support", "--as", "dvc-artifacts", "--write", "--json")
    assert again.json["files"] == []
    assert "every entry is there already" in again.err
    assert (top / "dvc.yaml").read_bytes() == before
    assert json.loads(heldout(top, "show", "support", "--json").out)["source"] == source, "a note makes no version"
    assert heldout(top, "gate", CLEAN).out == gate.out

    for command in (
        ["dvc", "add", "-q", "datasets/support/test.jsonl"],
        ["git", "add", "-A"],
        ["git", "commit", "-qm", "x"],
    ):
        subprocess.run(command, cwd=top, check=True, capture_output=True, env=environment())
    assert "held_out: true" in pointer.read_text(encoding="utf-8"), "DVC keeps the note"
    assert heldout(top, "freeze", "support", "--number", "v4.0.0").code == 0
    shown = subprocess.run(["gto", "show", "support"], cwd=top, check=True, capture_output=True, env=environment())
    assert "v4.0.0" in shown.stdout.decode()
    get = ["dvc", "artifacts", "get", ".", "support", "--rev", "v4.0.0", "-o", str(tmp_path / "got")]
    subprocess.run(get, cwd=top, check=True, capture_output=True, env=environment())
    for name in ("train.jsonl", "test.jsonl"):
        assert (tmp_path / "got" / name).read_bytes() == (top / "datasets/support" / name).read_bytes()


def environment() -> dict[str, str]:
    """With the commands that lie beside this Python."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
