"""Inputs kept outside: the same data with and without them inline gives the same answers wherever the store is."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest
from support.cli import heldout
from support.story import Team, nearly, sentence

import heldout as package
from heldout.domain.dataset import DatasetSpec
from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.evaluation import count
from heldout.errors import ConfigError, DataError
from heldout.services.reading import Reading, read_version
from heldout.services.scanning import scan
from heldout.services.slicing.counting import rows_to_count
from heldout.services.sources import PlainFiles
from heldout.storage.dataset_file import parse_dataset, render_dataset

YAML = "format: heldout/dataset@1\nname: talk\ndata: [{path: rows.jsonl}]\nholdout: [test]\n"
STORED = YAML + "payloads: inputs.jsonl\n"
TEXTS = [sentence(f"talk {number}") for number in range(20)]
PAIRS = ((0, 9, sentence), (1, 8, nearly))
"""Test rows 0 and 1 stand in train once more: word for word, and with another last letter."""


def digest_of(text: str) -> str:
    """A text's canonical JSON is the text in quotes: ours have nothing to escape."""
    return "sha256:" + hashlib.sha256(f'"{text}"'.encode()).hexdigest()


def rows() -> list[dict[str, Any]]:
    made = [
        {"key": f"k{number}", "split": "test" if number < 5 else "train", "input": text, "metadata": {"n": number}}
        for number, text in enumerate(TEXTS)
    ]
    for first, second, likeness in PAIRS:
        made[second]["input"] = likeness(f"talk {first}")
    return made


def outside(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "input"} | {"payload": digest_of(row["input"])}


def open_below(folder: Path) -> list[str]:
    return [file.path for file in psutil.Process().open_files() if Path(file.path).is_relative_to(folder.resolve())]


def lines(items: list[Any]) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def store(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"payload": digest_of(item["input"]), "input": item["input"]} for item in reversed(items)]


def spec(text: str) -> DatasetSpec:
    return parse_dataset(text.encode(), "dataset.yaml")


def read(folder: Path, text: str) -> Reading:
    return read_version(spec(text), "sha256:" + "1" * 64, PlainFiles(folder))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The same rows with their inputs, and with three of four kept outside."""
    inline, kept = tmp_path / "inline", tmp_path / "kept"
    inline.mkdir()
    kept.mkdir()
    made = rows()
    (inline / "rows.jsonl").write_text(lines(made))
    (kept / "rows.jsonl").write_text(
        lines([row if number % 4 == 3 else outside(row) for number, row in enumerate(made)])
    )
    (kept / "inputs.jsonl").write_text(lines(store(made)))
    return inline, kept


@pytest.mark.req("A14", "B20")
def test_inputs_inline_and_outside_give_the_same_digests_findings_and_counts(folders: tuple[Path, Path]) -> None:
    inline, kept = folders
    here, there = read(inline, YAML), read(kept, STORED)
    assert [(item.split, item.key, item.input) for item in there.members] == [
        (item.split, item.key, item.input) for item in here.members
    ]
    assert there.incomplete == ()
    found, wanted = (scan(item, [], DEFAULT_METHOD) for item in (there, here))
    assert found.findings_bytes == wanted.findings_bytes
    assert {(item.a.key, item.b.key, item.kind.value) for item in found.findings} == {
        ("k0", "k9", "exact"),
        ("k1", "k8", "near"),
    }
    for condition in (
        Condition("field", "input", "contains", "a"),
        Condition("field", "input", "gt", TEXTS[3]),
        Condition("metadata", "n", "gte", 7),
    ):
        definition = Definition((condition,))
        numbers = [
            count(definition, rows_to_count(spec(text), PlainFiles(folder)))
            for folder, text in ((kept, STORED), (inline, YAML))
        ]
        assert numbers[0] == numbers[1]
        assert numbers[0].unevaluable == 0


@pytest.mark.req("A14")
def test_a_version_holds_the_same_where_nobody_can_read_its_inputs(folders: tuple[Path, Path]) -> None:
    """What a version holds must not depend on who looks: only the texts are missing, and the record would say so."""
    _, kept = folders
    readable, blind = read(kept, STORED), read(kept, YAML)
    assert readable.content == blind.content
    assert [item.input for item in readable.members] == [item.input for item in blind.members]
    assert (readable.payload_missing, blind.payload_missing) == (0, 15)


@pytest.mark.req("A14", "B20")
def test_a_store_may_be_a_folder_of_shards_and_lack_some(folders: tuple[Path, Path]) -> None:
    _, kept = folders
    items = store(rows())
    (kept / "inputs").mkdir()
    (kept / "inputs/a.jsonl").write_text(lines(items[:6]))
    (kept / "inputs/b.jsonl.gz").write_bytes(gzip.compress(lines(items[6:12] + items[:2]).encode()))
    text = YAML + "payloads: inputs\n"
    had = {item["payload"] for item in items[:12]}
    lacking = [row for number, row in enumerate(rows()) if number % 4 != 3 and digest_of(row["input"]) not in had]
    assert read(kept, text).payload_missing == len(lacking) > 0
    found = count(Definition((Condition("field", "input", "exists"),)), rows_to_count(spec(text), PlainFiles(kept)))
    assert (found.matched, found.unmatched, found.unevaluable) == (20 - len(lacking), 0, len(lacking))


@pytest.mark.req("A14")
@pytest.mark.parametrize("value", [1, 1.5, 2**70, True, "", "ü\n", [], [None, {"b": 1, "a": [0.1]}], {"text": "x"}])
def test_any_value_comes_back_as_it_was_put_in(tmp_path: Path, value: Any) -> None:
    from rfc8785 import dumps

    number = isinstance(value, int) and value > 2**53  # beyond what RFC 8785 writes
    payload = "sha256:" + hashlib.sha256(str(value).encode() if number else dumps(value)).hexdigest()
    (tmp_path / "rows.jsonl").write_text(lines([{"split": "test", "payload": payload}]))
    (tmp_path / "inputs.jsonl").write_text(lines([{"payload": payload, "input": value}]))
    (found,) = rows_to_count(spec(STORED), PlainFiles(tmp_path))
    assert json.dumps(found.input) == json.dumps(value)


@pytest.mark.req("A14")
@pytest.mark.parametrize(
    ("row", "slug"),
    [
        ({"payload": digest_of("a"), "input": "b"}, "payload-mismatch"),
        ({"payload": digest_of("a").upper(), "input": "a"}, "payload-mismatch"),
        ({"payload": None, "input": "a"}, "payload-mismatch"),
        ({"payload": digest_of("a"), "input": None}, "missing-input"),
        ({"payload": digest_of("a")}, "bad-payload"),
        ({"payload": digest_of("a"), "input": "a", "more": 1}, "bad-payload"),
        (["a"], "bad-payload"),
        ("a", "bad-payload"),
    ],
)
def test_a_row_of_the_store_that_is_not_its_digest_is_refused(tmp_path: Path, row: Any, slug: str) -> None:
    (tmp_path / "rows.jsonl").write_text(lines([outside(rows()[0])]))
    (tmp_path / "inputs.jsonl").write_text(lines([store(rows())[0], row]))
    with pytest.raises(DataError) as refused:
        read(tmp_path, STORED)
    assert (refused.value.slug, refused.value.line) == (slug, 2)
    assert "inputs.jsonl" in str(refused.value)
    assert open_below(tmp_path) == [], "whoever still looks at the error holds no file open"


@pytest.mark.req("A14")
def test_the_store_is_a_part_of_what_a_version_is_and_of_nothing_else() -> None:
    plain, stored = spec(YAML), spec(STORED)
    assert "payloads" not in plain.meaning()
    assert stored.meaning() == {**plain.meaning(), "payloads": "inputs.jsonl"}
    assert stored.tracked_paths() == ("inputs.jsonl", "rows.jsonl")
    assert parse_dataset(render_dataset(stored), "dataset.yaml") == stored
    for path in ("rows.jsonl", "/tmp/x", "../x/..", ""):
        with pytest.raises(ConfigError):
            spec(YAML + f"payloads: '{path}'\n")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("payloads")
    team = Team.start(base)
    made = rows()
    team.write("datasets/talk/dataset.yaml", STORED)
    team.write("datasets/talk/rows.jsonl", lines([outside(row) for row in made]))
    # Stores of other runs are others: where DVC reads a relative remote of an old commit, it looks below the root.
    text = str(uuid4())
    team.write("datasets/talk/inputs.jsonl", lines([*store(made), {"payload": digest_of(text), "input": text}]))
    team.track("datasets/talk/rows.jsonl", "datasets/talk/inputs.jsonl")
    team.save("Add talk")
    return base


@pytest.fixture
def team(template: Path, tmp_path: Path) -> Team:
    """A dataset whose inputs are all outside, recorded with its commit."""
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Team(tmp_path / "work")


def push(team: Team) -> None:
    from dvc.repo import Repo

    with Repo(str(team.path)) as dvc:
        dvc.push()


def lose_inputs(team: Team) -> None:
    """No cache and no working copy has the store any more; a remote has it where it was pushed before."""
    (team.path / "datasets/talk/inputs.jsonl").unlink()
    pointer = (team.path / "datasets/talk/inputs.jsonl.dvc").read_text()
    md5 = pointer.partition("md5: ")[2][:32]
    (team.path / ".dvc/cache/files/md5" / md5[:2] / md5[2:]).unlink()


def counted(team: Team, *where: str, subject: str = "talk") -> dict[str, Any]:
    words = [word for text in where for word in ("--where", text)]
    done = heldout(team.path, "slice", "preview", subject, *words, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def load(team: Team, said: str = "") -> list[Any]:
    (team.path / "loaded.jsonl").unlink(missing_ok=True)
    done = heldout(team.path, "load", "talk@HEAD", "--allow", "contaminated", "--output", "loaded.jsonl")
    assert done.code == 0, done
    assert said in done.err
    return [json.loads(line) for line in (team.path / "loaded.jsonl").read_text().splitlines()]


@pytest.mark.req("A14", "B20", "B21", "B22")
def test_counting_reads_a_store_that_is_here_and_never_fetches_one(team: Team) -> None:
    wanted = sum("a" in row["input"] for row in rows())
    for subject in ("talk", "talk@HEAD"):
        found = counted(team, "input contains a", subject=subject)
        assert (found["matched"], found["unevaluable"], found["total"]) == (wanted, 0, 20)
    (team.path / "datasets/talk/inputs.jsonl").unlink()  # the cache still has it
    assert counted(team, "input contains a")["matched"] == wanted
    team.write("datasets/talk/inputs.jsonl", "")
    lose_inputs(team)
    for subject in ("talk", "talk@HEAD"):
        found = counted(team, "input contains a", subject=subject)
        assert (found["matched"], found["unmatched"], found["unevaluable"]) == (0, 0, 20)
        assert counted(team, "input contains a", "metadata.n lt 5", subject=subject)["unevaluable"] == 5


@pytest.mark.req("A14")
def test_a_store_that_a_remote_has_is_fetched_by_nothing_that_counts(team: Team) -> None:
    push(team)
    lose_inputs(team)
    assert counted(team, "input contains a")["unevaluable"] == 20
    assert heldout(team.path, "slice", "suggest", "talk", "--support", "1").code == 0
    assert counted(team, "input contains a")["unevaluable"] == 20


@pytest.mark.req("A14")
def test_a_record_needs_the_store_and_is_the_same_wherever_it_is_made(team: Team) -> None:
    before = team.records()
    assert len(before) == 1
    assert team.gate("talk@HEAD") == 1  # rows 0 and 1 of the test split stand in train too
    lose_inputs(team)
    assert team.gate("talk@HEAD") == 1  # what was recorded needs no data
    refused = heldout(team.path, "scan", "talk@HEAD", "--json")
    assert (refused.code, refused.json["error"]) == (2, "fetch-failed")
    assert team.status() == []


@pytest.mark.req("A14")
def test_a_scan_fetches_the_store(team: Team) -> None:
    push(team)
    lose_inputs(team)
    done = heldout(team.path, "scan", "talk@HEAD")
    assert done.code in (0, 1), done
    assert "inputs.jsonl" in done.err
    assert counted(team, "input contains a")["unevaluable"] == 0


@pytest.mark.req("A14", "B22")
def test_loading_and_showing_read_the_inputs_or_say_that_they_could_not(team: Team) -> None:
    loaded = load(team)
    assert [row["input"] for row in loaded] == [row["input"] for row in rows()]
    listed = heldout(team.path, "findings", "list", "talk@HEAD", "--json").json
    near = next(item["id"] for item in listed["findings"] if item["kind"] == "near")
    assert sentence("talk 1") in heldout(team.path, "findings", "show", near, "--json").out
    lose_inputs(team)
    first = load(team, "inputs kept outside stay references")[0]
    assert (first["payload"], "input" in first) == (digest_of(TEXTS[0]), False)
    assert heldout(team.path, "findings", "show", near, "--json").json["a"]["text"].startswith("(kept outside, sha256:")
    assert "longest shared piece" not in heldout(team.path, "findings", "show", near).out


@pytest.mark.req("A14")
def test_the_python_api_counts_and_hands_out_what_is_outside(team: Team) -> None:
    version = package.open(team.path).subject("talk@HEAD")
    definition = Definition((Condition("field", "input", "contains", "a"),))
    assert version.count(definition).matched == sum("a" in row["input"] for row in rows())
    assert [example.input for example in version.examples(require=None)] == [row["input"] for row in rows()]
