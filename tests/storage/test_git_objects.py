"""Objects through one lasting process: what Git's own commands say of them, however many are asked for."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from support.git import Repo

from heldout.errors import RepositoryError
from heldout.storage.git.objects import Objects
from heldout.storage.git.trees import entries_of_all, parse_folder


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "repo")


@pytest.fixture
def objects(repo: Repo) -> Objects:
    return Objects(repo.path, os.environ)


def test_more_names_than_a_pipe_holds(repo: Repo, objects: Objects) -> None:
    repo.commit("start", **{f"file{number}": "x" * 3000 + str(number) for number in range(3)})
    oids = [line.split()[2] for line in repo.git("ls-tree", "HEAD").splitlines()]
    contents = objects.read_blobs(oids)
    assert [contents[oid][-1:] for oid in oids] == [b"0", b"1", b"2"]
    names = [oids[number % 3] for number in range(6000)]
    assert [found[0] for found in objects.ask(names) if found] == names


def test_what_is_not_there_is_none_among_what_is(repo: Repo, objects: Objects) -> None:
    commit = repo.commit("start", a="1")
    names = [commit, "f" * 40, "nowhere", "HEAD:a", "HEAD:b c", "", "HEAD^{tree}", "HEAD^{/no such message}"]
    kinds = [found and found[1] for found in objects.ask(names)]
    assert kinds == ["commit", None, None, "blob", None, None, "tree", None]


def test_names_are_looked_up_anew(repo: Repo, objects: Objects) -> None:
    assert list(objects.ask(["HEAD"])) == [None]
    for text in ("1", "2"):
        commit = repo.commit("work", a=text)
        (found,) = objects.ask(["HEAD"])
        assert found is not None
        assert found[0] == commit
        assert objects.trees(["HEAD"]) == [repo.git("rev-parse", "HEAD^{tree}")]


def test_a_process_that_was_killed_is_replaced(repo: Repo, objects: Objects) -> None:
    commit = repo.commit("start", a="1")
    assert [found and found[0] for found in objects.ask([commit])] == [commit]
    process = objects._process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    assert [found and found[0] for found in objects.ask([commit])] == [commit]


def test_a_damaged_object_is_told_in_gits_words(repo: Repo, objects: Objects) -> None:
    repo.commit("start", a="1")
    oid = repo.git("rev-parse", "HEAD:a")
    file = repo.path / ".git/objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"nonsense")
    with pytest.raises(RepositoryError) as caught:
        objects.read_blobs([oid])
    assert caught.value.slug in ("git-failed", "git-object-missing")
    assert oid in caught.value.message


def test_modes_that_old_tools_wrote_are_read_as_git_reads_them() -> None:
    oid = bytes(20)
    modes = ["100664", "100600", "100775", "040000", "120777", "160000"]
    data = b"".join(f"{mode} {number}\0".encode() + oid for number, mode in enumerate(modes))
    found = [mode for mode, _ in parse_folder(data, 20).values()]
    assert found == ["100644", "100644", "100755", "40000", "120000", "160000"]


def test_entries_of_many_trees_are_those_of_each(repo: Repo) -> None:
    commits = []
    for number in range(4):
        repo.add(f"datasets/a/scans/{number}/scan.yaml", str(number))
        repo.add("datasets/a/dataset.yaml", str(number // 2))
        repo.add(f"other/{number}", "x")
        if number == 3:
            repo.git("rm", "-q", "datasets/a/scans/0/scan.yaml")
        commits.append(repo.commit())
    wanted = {
        (path, oid)
        for commit in commits
        for line in repo.git("ls-tree", "-r", commit, "--", "datasets").splitlines()
        for (head, path) in [line.split("\t")]
        for oid in [head.split()[2]]
    }
    trees = repo.door.many_trees([*reversed(commits), commits[0]])
    found = [(entry.path, entry.oid) for entry in entries_of_all(trees, "datasets")]
    assert sorted(found) == sorted(wanted)
    specs = [oid for path, oid in found if path == "datasets/a/dataset.yaml"]
    assert specs == [repo.git("rev-parse", f"{commit}:datasets/a/dataset.yaml") for commit in (commits[3], commits[0])]
    assert list(entries_of_all(trees, "nowhere")) == []
    assert list(entries_of_all([], "datasets")) == []
