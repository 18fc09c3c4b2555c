"""Commits and staged files made beside a user's own work. After each, everything else is as the user left it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.git import Repo, inside

from heldout.errors import ConfigError, RepositoryError
from heldout.storage.git import Git

RECORD = "datasets/a/scans/0123/scan.yaml"
FILES = {RECORD: b"format: heldout/scan@1\n", "datasets/a/scans/0123/findings.jsonl": b""}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "repo")
    repo.pointer("a", "v1")
    repo.add("notes.txt", "one\n")
    repo.commit("start")
    return repo


def follow_up(repo: Repo, files: dict[str, bytes] | None = None) -> tuple[str, list[str]]:
    notes: list[str] = []
    git = repo.door
    commit = git.commit_files(files or FILES, "Record a scan\n", git.head(), notes.append)
    return commit, notes


@pytest.mark.req("B42", "B43")
def test_the_commit_holds_the_files_and_nothing_else(repo: Repo) -> None:
    before = repo.head()
    commit, notes = follow_up(repo)
    assert repo.head() == commit
    assert repo.git("rev-parse", "HEAD~1") == before
    assert repo.git("diff", "--name-status", "HEAD~1", "HEAD").splitlines() == [f"A\t{path}" for path in sorted(FILES)]
    assert repo.git("log", "-1", "--format=%s|%an|%ae") == "Record a scan|Test Person|test@example.org"
    assert (repo.path / RECORD).read_bytes() == FILES[RECORD]
    assert repo.status() == []
    assert notes == []
    assert "heldout: Record a scan" in repo.git("reflog", "-1")


def test_staged_and_unstaged_work_stays_as_it_is(repo: Repo) -> None:
    repo.add("staged.txt", "staged\n")
    repo.add("notes.txt", "two\n")
    repo.write("notes.txt", "three\n")
    repo.write("untracked.txt", "u\n")
    before = repo.status()
    index = repo.git("diff", "--cached")
    follow_up(repo)
    assert repo.status() == before == ["MM notes.txt", "A  staged.txt", "?? untracked.txt"]
    assert repo.git("diff", "--cached") == index


def test_first_commit_of_a_repository(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "new")
    repo.add("staged.txt", "s\n")
    commit, _ = follow_up(repo)
    assert repo.head() == commit
    assert repo.git("rev-list", "HEAD") == commit
    assert repo.files() == sorted(FILES)
    assert repo.status() == ["A  staged.txt"]


def test_an_existing_file_is_updated_where_the_user_left_it_alone(repo: Repo) -> None:
    _, notes = follow_up(repo, {"notes.txt": b"ours\n"})
    assert (repo.path / "notes.txt").read_bytes() == b"ours\n"
    assert repo.status() == []
    assert notes == []


def test_an_existing_file_with_staged_changes_keeps_them(repo: Repo) -> None:
    repo.add("notes.txt", "mine\n")
    _, notes = follow_up(repo, {"notes.txt": b"ours\n"})
    assert repo.show("HEAD:notes.txt") == "ours"
    assert repo.show(":notes.txt") == "mine"
    assert (repo.path / "notes.txt").read_text() == "mine\n"
    assert "staged changes" in notes[0]


def test_an_existing_file_with_unstaged_changes_keeps_them(repo: Repo) -> None:
    repo.write("notes.txt", "mine\n")
    follow_up(repo, {"notes.txt": b"ours\n"})
    assert repo.status() == [" M notes.txt"]
    assert (repo.path / "notes.txt").read_text() == "mine\n"


def test_a_branch_that_moved_meanwhile_is_not_overwritten(repo: Repo) -> None:
    stale = repo.head()
    moved = repo.commit("sneaky")
    with pytest.raises(RepositoryError) as caught:
        repo.door.commit_files(FILES, "late", stale)
    assert caught.value.slug == "head-moved"
    assert repo.head() == moved
    assert repo.status() == []
    with pytest.raises(RepositoryError):
        repo.door.commit_files(FILES, "late", None)
    assert repo.head() == moved


def test_detached_head_is_refused(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    with pytest.raises(RepositoryError) as caught:
        follow_up(repo)
    assert caught.value.slug == "detached-head"


def test_a_held_index_lock_is_survived_and_said(repo: Repo) -> None:
    lock = repo.write(".git/index.lock", "")
    commit, notes = follow_up(repo)
    assert repo.head() == commit
    assert [f"git reset -q -- {path}" in note for path, note in zip(FILES, notes, strict=True)] == [True, True]
    lock.unlink()
    for path in FILES:
        repo.git("reset", "-q", "--", path)
    assert repo.status() == []


def test_staging_with_a_held_index_lock_is_refused(repo: Repo) -> None:
    repo.write(".git/index.lock", "")
    git = repo.door
    assert git.index_tree() == repo.git("rev-parse", "HEAD^{tree}")
    with pytest.raises(RepositoryError) as caught:
        git.stage(FILES)
    assert caught.value.slug == "index-locked"


def test_signed_when_commits_are_signed(repo: Repo, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingKey", str(key)), ("commit.gpgSign", "true")):
        repo.git("config", name, value)
    commit, _ = follow_up(repo)
    assert "-----BEGIN SSH SIGNATURE-----" in repo.git("cat-file", "commit", commit)
    repo.door.create_tag("a@v1.0.0", commit, "freeze")
    assert "-----BEGIN SSH SIGNATURE-----" in repo.git("cat-file", "tag", "a@v1.0.0")


def test_a_commit_that_cannot_be_signed_changes_nothing(repo: Repo) -> None:
    for name, value in (("gpg.format", "ssh"), ("user.signingKey", "/nowhere"), ("commit.gpgSign", "true")):
        repo.git("config", name, value)
    before = repo.head()
    with pytest.raises(RepositoryError, match="commit-tree"):
        follow_up(repo)
    assert repo.head() == before
    assert repo.status() == []


def test_linked_worktree_commits_on_its_own_branch(repo: Repo) -> None:
    main = repo.head()
    repo.git("worktree", "add", "-q", "../linked", "-b", "side")
    linked = Repo(repo.path.parent / "linked")
    commit, _ = follow_up(linked)
    assert linked.head() == commit
    assert linked.status() == []
    assert repo.head() == main
    assert repo.status() == []


def test_a_sparse_checkout_is_not_filled_up(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "elsewhere")
    assert not (repo.path / "datasets").exists()
    follow_up(repo)
    assert not (repo.path / "datasets").exists()
    assert repo.status() == []
    assert RECORD in repo.files()


def test_a_link_out_of_the_repository_is_not_written_through(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / "away").symlink_to(outside)
    before = repo.head()
    with pytest.raises(ConfigError) as caught:
        follow_up(repo, {"away/file": b"x"})
    assert caught.value.slug == "symbolic-link"
    repo.door.stage({"away/file": b"x"})  # the commit being made gets it, the folder behind the link does not
    assert repo.show(":away/file") == "x"
    assert list(outside.iterdir()) == []
    assert repo.head() == before


def test_line_endings_are_committed_as_given(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    follow_up(repo, {RECORD: b"a\r\nb\n"})
    assert repo.door.tree("HEAD").read(RECORD) == b"a\r\nb\n"


def staging_hook(repo: Repo) -> None:
    """A pre-commit hook that stages a file through the door under test, as ours does."""
    import sys

    code = (
        "from pathlib import Path; from heldout.storage.git import Git; g = Git.discover(Path.cwd()); "
        f"g.stage({{{RECORD!r}: g.index_tree().encode()}})"
    )
    repo.hook("pre-commit", f'#!/bin/sh\nexec "{sys.executable}" -c "{code}"\n')


def seen_by_hook(repo: Repo) -> list[str]:
    """The files of the tree that the hook saw as the commit to be, which it wrote into its record."""
    return repo.files(repo.show(f"HEAD:{RECORD}"))


@pytest.mark.req("B42")
@pytest.mark.parametrize("how", ["staged", "all", "path", "patch", "amend", "first"])
def test_a_hook_stages_into_the_commit_being_made(tmp_path: Path, how: str) -> None:
    repo = Repo.create(tmp_path / "repo")
    if how != "first":
        repo.add("notes.txt", "one\n")
        repo.commit("start")
    repo.add("notes.txt", "two\n")
    staging_hook(repo)
    if how in ("path", "patch"):
        repo.git("reset", "-q")
        repo.add("staged.txt", "left out by path\n")
    arguments = {
        "all": ["-a"],
        "path": ["notes.txt"],
        "patch": ["-p"],
        "amend": ["--amend"],
    }.get(how, [])
    repo.git("commit", "-q", "-m", "x", *arguments, stdin="y\n")
    extra = ["staged.txt"] if how == "patch" else []
    assert seen_by_hook(repo) == ["notes.txt", *extra]
    assert repo.files() == [RECORD, "notes.txt", *extra]
    repo.door.adopt([RECORD])
    assert repo.status() == (["A  staged.txt"] if how == "path" else [])


def test_adopt_leaves_staged_removals_alone(repo: Repo) -> None:
    follow_up(repo)
    repo.commit("later", other="x")
    repo.git("rm", "-q", "--cached", RECORD)
    repo.door.adopt([RECORD])
    assert f"D  {RECORD}" in repo.status()


def test_adopt_leaves_what_the_index_knows(repo: Repo) -> None:
    repo.add("notes.txt", "staged\n")
    repo.door.adopt(["notes.txt", "absent.txt"])
    repo.door.adopt([])
    assert repo.status() == ["M  notes.txt"]


def test_a_hook_sees_the_path_limited_index_from_a_subfolder_with_git_dir_given(repo: Repo, tmp_path: Path) -> None:
    staging_hook(repo)
    (repo.path / "sub").mkdir()
    repo.write("notes.txt", "sub\n")
    done = repo.run("commit", "-q", "-m", "x", "../notes.txt", cwd=repo.path / "sub")
    assert done.returncode == 0, done.stderr
    assert RECORD in repo.files()
    repo.write("notes.txt", "far\n")
    done = repo.run(
        "--git-dir", f"{repo.path}/.git", "--work-tree", str(repo.path), "commit", "-qam", "y", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "notes.txt" in seen_by_hook(repo)


def test_an_interrupted_commit_leaves_nothing_behind(repo: Repo) -> None:
    follow_up(repo)
    assert [path.name for path in (repo.path / ".git").iterdir() if "heldout" in path.name or "lock" in path.name] == []
    assert "missing" not in repo.git("fsck")


def test_bare_repository_takes_a_commit(repo: Repo, tmp_path: Path) -> None:
    bare = Repo.create_bare(tmp_path / "bare.git")
    repo.git("push", "-q", str(bare.path), "main")
    git = Git.discover(bare.path)
    git.commit_files(FILES, "Record", git.head())
    assert RECORD in bare.files("main")
    assert not (bare.path / "datasets").exists()


def test_index_tree_of_an_empty_repository_is_the_empty_tree(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "empty")
    with inside(repo.path):
        assert Git.discover(Path.cwd()).index_tree() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
