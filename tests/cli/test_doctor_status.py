"""`heldout doctor` and `heldout status` on one real repository, from its set-up to a frozen version."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cli import heldout
from support.git import Repo

TRAIN = "text,label\nhow do I top up my account today,top_up\nwhere is my new card,card\n"
TEST = "text,label\nhow do I top up my account now,top_up\nmy card was stolen yesterday,card\n"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Set up, with a dataset that is committed, recorded and frozen."""
    repo = Repo.create(tmp_path_factory.mktemp("standing") / "repo")
    assert heldout(repo.path, "init").code == 0
    repo.write("raw/train.csv", TRAIN)
    repo.write("raw/test.csv", TEST)
    ran = heldout(repo.path, "add", "support", "raw/train.csv", "raw/test.csv", "--holdout", "test")
    assert ran.code == 0, ran.err
    shutil.rmtree(repo.path / "raw")
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "Add support")
    repo.git("tag", "-a", "-m", "first", "support@v1.0.0")
    return repo


def checks(folder: Path) -> tuple[int, dict[str, tuple[str, str | None]]]:
    ran = heldout(folder, "doctor", "--json")
    return ran.code, {item["name"]: (item["state"], item["fix"]) for item in ran.json["checks"]}


def test_all_is_well(repo: Repo) -> None:
    code, found = checks(repo.path)
    assert code == 0, found
    assert {name for name, (state, _) in found.items() if state == "good"} == {
        "repository",
        "git",
        "dvc",
        "hooks",
        ".gitattributes",
        ".gitignore",
        "dataset support",
        "data",
        "records",
        "versions",
    }
    assert heldout(repo.path, "doctor").out.endswith("all good\n")


def test_outside_of_a_repository(tmp_path: Path) -> None:
    code, found = checks(tmp_path)
    assert code == 1
    assert found == {"repository": ("problem", "git init, then heldout init")}


@pytest.fixture
def clone(repo: Repo, tmp_path: Path) -> Repo:
    """Without hooks, without data, without the original's version tags."""
    repo.git("clone", "-q", "--no-tags", str(repo.path), str(tmp_path / "clone"))
    return Repo(tmp_path / "clone")


def test_a_fresh_clone_is_told_what_it_lacks(clone: Repo) -> None:
    code, found = checks(clone.path)
    assert code == 1
    assert found["hooks"] == ("problem", "heldout init")
    assert found["data of support"] == ("problem", "dvc pull")
    assert found["tags of origin"] == ("problem", "git fetch origin --tags")
    assert found["version tags"][0] == "advice"
    assert found["records"][0] == "good", "records travel with Git"


def test_each_broken_thing_is_named_with_its_fix(clone: Repo) -> None:
    heldout(clone.path, "init")
    hook = clone.path / ".git/hooks/pre-push"
    hook.write_text(hook.read_text().replace("HELDOUT_PYTHON=/", "HELDOUT_PYTHON=/gone/"))
    clone.write(".gitignore", "")
    clone.write(".gitattributes", "")
    clone.write(
        "datasets/support/dataset.yaml",
        "format: heldout/dataset@1\nname: support\nholdouts: []\ndata: [{path: a.csv}]\n",
    )
    code, found = checks(clone.path)
    assert code == 1
    assert found["hooks"] == ("problem", "heldout init")
    assert found[".gitignore"] == found[".gitattributes"] == ("problem", "heldout init")
    text = heldout(clone.path, "doctor").out
    assert "FIX   dataset support: datasets/support/dataset.yaml:3" in text
    assert "/gone/" in text


@pytest.mark.req("B50")
def test_a_shallow_clone_cannot_know(repo: Repo, tmp_path: Path) -> None:
    repo.bypass("commit", "-q", "--allow-empty", "-m", "more history")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    _, found = checks(tmp_path / "shallow")
    assert found["history"] == ("problem", "git fetch --unshallow --tags")
    repo.bypass("reset", "-q", "--hard", "HEAD~1")


def test_status_says_where_it_stands(repo: Repo) -> None:
    said = heldout(repo.path, "status")
    assert said.code == 0
    assert said.out.splitlines() == ["support", "  working copy: as in HEAD", "  v1.0.0: clean"]
    alone = heldout(repo.path).out
    assert alone.startswith(said.out), "alone, the command shows the status"
    assert alone.splitlines()[-1].startswith("next: heldout gate support@v1.0.0 ")


def test_status_leads_from_an_edit_to_the_next_version(repo: Repo) -> None:
    file = repo.path / "datasets/support/train.csv"
    file.write_text(TRAIN + "my card was stolen yesterday,card\n")
    said = heldout(repo.path, "status").out
    assert "datasets/support/train.csv was edited and DVC has not seen it" in said
    assert "next: heldout add support datasets/support/train.csv" in said

    assert heldout(repo.path, "add", "support", "datasets/support/train.csv").code == 0
    item = heldout(repo.path, "status", "--json").json["datasets"][0]
    assert (item["working_copy"], item["edited"]) == ("changed", [])
    assert item["next"] == "git add datasets/support && git commit"

    repo.git("commit", "-q", "--all", "--no-verify", "-m", "A leak")
    item = heldout(repo.path, "status", "--json").json["datasets"][0]
    assert item["recorded"] is True, "post-commit made up for --no-verify"
    assert item["head"]["summary"] == "contaminated, 1 held-out example given away"
    assert item["next"] == "heldout findings support@HEAD --holdout-only"
    assert "HEAD: recorded, contaminated, 1 held-out example given away" in heldout(repo.path, "status").out


def test_without_datasets_the_command_alone_helps(tmp_path: Path) -> None:
    ran = heldout(tmp_path)
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "new here: heldout demo; every command: heldout --help"
    repo = Repo.create(tmp_path / "empty")
    assert heldout(repo.path, "init").code == 0
    assert "next: heldout add NAME" in heldout(repo.path, "status").out
