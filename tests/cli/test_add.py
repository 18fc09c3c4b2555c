"""`heldout add` on real files with real DVC: what it reads, proposes, copies and writes, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import Ran, heldout, snapshot
from support.data import data_path, original
from support.dvc import dvc_repository
from support.git import Repo

from heldout.storage.catalog import Catalog
from heldout.storage.dvc.store import DvcStore
from heldout.storage.trees import FolderTree


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(dvc_repository(tmp_path_factory.mktemp("add") / "repo"))


@pytest.fixture(scope="module")
def banking(repo: Repo) -> Ran:
    files = (str(original(f"banking77/{name}.csv", repo.path.parent)) for name in ("train", "test"))
    ran = heldout(repo.path, "add", "banking77", *files, "--holdout", "test")
    assert ran.code == 0, ran.err
    return ran


def described(repo: Repo, name: str) -> str:
    return (repo.path / f"datasets/{name}/dataset.yaml").read_text(encoding="utf-8")


def test_it_says_what_it_read_and_why(banking: Ran) -> None:
    """Counts are those of the set's paper: 10,003 and 3,080."""
    assert "added banking77: 13,083 examples in 2 splits" in banking.out
    assert "rows: train 10,003, test 3,080" in banking.out
    assert "fields: input = text, expected = category" in banking.out
    assert "input: 'text' is the only column named like a text" in banking.out
    assert "held out: test" in banking.out
    assert 'next: git add datasets/banking77 && git commit -m "Add banking77"' in banking.out


def test_dataset_yaml_is_short_and_complete(repo: Repo, banking: Ran) -> None:
    assert described(repo, "banking77") == (
        "format: heldout/dataset@1\nname: banking77\ndata:\n- path: train.csv\n  split: train\n"
        "- path: test.csv\n  split: test\nfields:\n  input: text\n  expected: category\nholdout:\n- test\n"
    )


def test_data_is_tracked_by_dvc_and_nothing_is_staged(repo: Repo, banking: Ran) -> None:
    state = Catalog(FolderTree(repo.path)).state("banking77")
    for output in state.outputs:
        DvcStore(repo.path).verify(output)
    seen = [line for line in repo.status() if "banking77" in line]
    assert seen == [
        f"?? datasets/banking77/{name}" for name in (".gitignore", "dataset.yaml", "test.csv.dvc", "train.csv.dvc")
    ]
    assert (repo.path.parent / "train.csv").exists(), "a person's own file stays where it is"


def test_a_newer_file_of_the_same_name_updates(repo: Repo, banking: Ran) -> None:
    before = described(repo, "banking77")
    newer = repo.path.parent / "newer" / "test.csv"
    newer.parent.mkdir()
    newer.write_bytes(b"text,category\nwhere is my card,card_arrival\n")
    ran = heldout(repo.path, "add", "banking77", str(newer), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["splits"] == {"train": 10003, "test": 1}
    assert ran.json["files"] == [
        {"path": "datasets/banking77/test.csv", "given": str(newer), "how": "updated"},
    ]
    assert ran.json["created"] is False
    assert (repo.path / "datasets/banking77/test.csv").read_bytes() == newer.read_bytes()
    assert described(repo, "banking77") == before


def test_an_edit_that_dvc_has_not_seen_is_not_overwritten(repo: Repo, banking: Ran) -> None:
    tracked = repo.path / "datasets/banking77/train.csv"
    kept = tracked.read_bytes()
    tracked.write_bytes(kept + b"one more question,other\n")
    newer = repo.path.parent / "again" / "train.csv"
    newer.parent.mkdir()
    newer.write_bytes(b"text,category\nx y z,other\n")
    ran = heldout(repo.path, "add", "banking77", str(newer))
    assert ran.code == 2
    assert "[file-exists]" in ran.err
    assert tracked.read_bytes() == kept + b"one more question,other\n"
    tracked.write_bytes(kept)


def test_a_file_more_keeps_comments_of_dataset_yaml(repo: Repo) -> None:
    repo.write("datasets/notes/dev.jsonl", '{"input": "a", "split": "dev"}\n')
    ran = heldout(repo.path, "add", "notes", "datasets/notes/dev.jsonl", "--holdout", "dev")
    assert ran.code == 0, ran.err
    assert "in place: datasets/notes/dev.jsonl" in ran.out
    yaml = described(repo, "notes").replace("data:\n", "data:   # what people wrote\n")
    repo.write("datasets/notes/dataset.yaml", yaml)
    repo.write("more.jsonl", '{"input": "b"}\n')
    ran = heldout(repo.path, "add", "notes", "more.jsonl=train")
    assert ran.code == 0, ran.err
    assert described(repo, "notes") == yaml.replace(
        "- path: dev.jsonl\n", "- path: dev.jsonl\n- path: more.jsonl\n  split: train\n"
    )


def test_a_description_is_not_rewritten_by_options(repo: Repo, banking: Ran) -> None:
    ran = heldout(repo.path, "add", "banking77", "datasets/banking77/train.csv", "--holdout", "train")
    assert ran.code == 2
    assert "[dataset-exists]" in ran.err


@pytest.mark.req("A27")
def test_no_holdout_is_guessed_and_that_is_said_aloud(repo: Repo) -> None:
    """`test` is the most tempting name there is."""
    repo.write("raw/test.csv", "text,label\nhow are you,x\n")
    ran = heldout(repo.path, "add", "unheld", "raw/test.csv")
    assert ran.code == 0, ran.err
    assert "NO HOLDOUT IS DECLARED: `heldout gate` will answer unknown" in ran.out
    assert "holdout" not in described(repo, "unheld")


def test_a_path_inside_one_json_file_is_a_split(repo: Repo, tmp_path: Path) -> None:
    """clinc150: {"test": [[text, intent], ...], ...}; its paper counts 4,500 in-scope test queries and 1,000 others."""
    file = original("clinc150/data_full.json", tmp_path)
    flags = ("--records", "{split}", "--input", "0", "--expected", "1", "--holdout", "test", "--holdout", "oos_test")
    ran = heldout(repo.path, "add", "clinc150", str(file), *flags, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["splits"] == {
        "oos_val": 100,
        "val": 3000,
        "train": 15000,
        "oos_test": 1000,
        "test": 4500,
        "oos_train": 100,
    }
    assert ran.json["holdout"] == ["oos_test", "test"]


def test_without_a_header_columns_are_named(repo: Repo) -> None:
    """MGSM: 250 problems a language, no header line."""
    file = data_path("mgsm/mgsm_en.tsv")
    ran = heldout(repo.path, "add", "mgsm", f"{file}=en", "--columns", "question,answer", "--holdout", "en", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["splits"] == {"en": 250}
    assert ran.json["fields"] == {"input": "question", "expected": "answer"}


@pytest.mark.req("A52")
def test_skipped_rows_are_listed(repo: Repo) -> None:
    repo.write("raw/some.jsonl", '{"text": "one"}\n{"text": \n{"text": "three"}\n')
    ran = heldout(repo.path, "add", "some", "raw/some.jsonl=dev", "--on-bad-row", "skip")
    assert ran.code == 0, ran.err
    assert "1 row was skipped, so no version of this can be called clean" in ran.out
    assert "raw/some.jsonl:2" in ran.out
    assert "on_bad_row: skip" in described(repo, "some")


def test_a_key_that_is_none_is_given_up_aloud(repo: Repo) -> None:
    """Unique in the first hundred rows and not in all."""
    rows = "".join(f"{number % 120},question number {number}\n" for number in range(200))
    repo.write("raw/keyed.csv", "id,text\n" + rows)
    ran = heldout(repo.path, "add", "keyed", "raw/keyed.csv=train", "--json")
    assert ran.code == 0, ran.err
    assert "key" not in ran.json["fields"]
    assert any(reason.startswith("key: not taken, raw/keyed.csv:122") for reason in ran.json["reasons"])


def test_a_folder_of_shards_is_one_split(repo: Repo) -> None:
    for number in range(3):
        repo.write(f"raw/shards/{number}.jsonl", f'{{"text": "text {number}"}}\n')
    ran = heldout(repo.path, "add", "sharded", "raw/shards=train", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["splits"] == {"train": 3}
    assert sorted(path.name for path in (repo.path / "datasets/sharded/shards").iterdir()) == [
        "0.jsonl",
        "1.jsonl",
        "2.jsonl",
    ]


def test_when_dvc_fails_everything_is_as_before(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: DvcStore, paths: list[str]) -> None:
        (self.top / f"{paths[0]}.dvc").write_text("half a pointer")
        raise KeyboardInterrupt

    repo.write("raw/fresh.csv", "text,label\nhow are you,x\n")
    before = snapshot(repo.path), repo.status()
    monkeypatch.setattr(DvcStore, "add", fail)
    ran = heldout(repo.path, "add", "fresh", "raw/fresh.csv")
    assert ran.code == 130
    assert (snapshot(repo.path), repo.status()) == before
    assert not (repo.path / "datasets/fresh").exists()
    assert not (repo.path / ".heldout").exists()


def test_data_that_git_tracks_is_refused(repo: Repo) -> None:
    repo.add("datasets/ingit/train.csv", "text,label\nhow are you,x\n")
    ran = heldout(repo.path, "add", "ingit", "datasets/ingit/train.csv")
    assert ran.code == 2
    assert "datasets/ingit/train.csv: Git itself tracks this data file" in ran.err
    repo.git("rm", "-q", "--cached", "datasets/ingit/train.csv")
