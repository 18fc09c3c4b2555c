"""Reading repositories: discovery, trees, refs. What is expected comes from Git itself or from how it was built."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from support.git import Repo, inside

from heldout.errors import RepositoryError
from heldout.storage.git import Git, RefUpdate, Tag, parse_push
from heldout.storage.trees import FileTree, FolderTree


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "repo")


def test_discovers_top_from_a_subfolder(repo: Repo) -> None:
    (repo.path / "a/b").mkdir(parents=True)
    git = Git.discover(repo.path / "a/b")
    assert (git.top, git.git_dir, git.common_dir, git.bare) == (
        repo.path,
        repo.path / ".git",
        repo.path / ".git",
        False,
    )


def test_outside_any_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError) as caught:
        Git.discover(tmp_path)
    assert caught.value.slug == "not-a-repository"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError) as caught:
        Git.discover(tmp_path / "nowhere")
    assert caught.value.slug == "not-a-repository"


def test_a_broken_configuration_is_reported_in_gits_words(repo: Repo) -> None:
    repo.write(".git/config", "[core\n")
    with pytest.raises(RepositoryError, match="bad config"):
        Git.discover(repo.path)


def test_linked_worktree_has_its_own_git_folder(repo: Repo) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", "../linked", "-b", "side")
    git = Git.discover(repo.path.parent / "linked")
    assert git.git_dir == repo.path / ".git/worktrees/linked"
    assert git.common_dir == repo.path / ".git"
    assert git.branch() == "refs/heads/side"
    assert git.path("hooks") == repo.path / ".git/hooks"


def test_bare_repository_reads_like_any_other(repo: Repo, tmp_path: Path) -> None:
    repo.add("a.txt", "one")
    repo.commit()
    bare = Repo.create_bare(tmp_path / "bare.git")
    repo.git("push", "-q", str(bare.path), "main")
    git = Git.discover(bare.path)
    assert git.bare
    assert git.tree("main").read("a.txt") == b"one"


def test_another_repository_than_the_hooks_own_sees_none_of_its_variables(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo.create(tmp_path / "other")
    repo.add("mine", "1")
    other.add("theirs", "2")
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    with inside(repo.path):
        foreign, own = Git.discover(other.path), Git.discover(repo.path)
        foreign_tree, own_tree = foreign.index_tree(), own.index_tree()
    assert foreign_tree is not None
    assert own_tree is not None
    assert foreign.tree(foreign_tree).paths() == ["theirs"]
    assert own.tree(own_tree).paths() == ["mine"]


def test_git_dir_given_without_a_repository_around(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git --git-dir=... --work-tree=...`: dotfile managers keep the two apart."""
    tree = tmp_path / "tree"
    tree.mkdir()
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tree))
    with inside(tree):
        git = Git.discover(tree)
    assert (git.top, git.git_dir) == (tree, repo.path / ".git")


def test_settings_given_by_environment_hold_for_every_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("COUNT", "1"), ("KEY_0", "heldout.x"), ("VALUE_0", "given")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    (tmp_path / "nowhere").mkdir()
    with inside(tmp_path / "nowhere"):
        assert Git.discover(repo.path).config_get("heldout.x") == "given"


def test_tree_reads_regular_files_only_and_byte_exact(repo: Repo) -> None:
    awkward = ["ünï/coded.txt", "with space", 'quo"te', "new\nline", "-dash", "*.glob", "back\\slash"]
    for number, path in enumerate(awkward):
        repo.add(path, bytes([0, 13, 10, 255, number]))
    repo.add("empty", b"")
    (repo.path / "link").symlink_to("empty")
    repo.git("add", "link")
    repo.commit()
    tree = repo.door.tree("HEAD")
    assert isinstance(tree, FileTree)
    assert sorted(tree.paths()) == sorted([*awkward, "empty"])
    assert {path: tree.read(path) for path in awkward} == {p: bytes([0, 13, 10, 255, n]) for n, p in enumerate(awkward)}
    assert tree.read("empty") == b""
    assert tree.read("link") is None
    assert tree.read("absent") is None
    assert {entry.path: entry.mode for entry in tree.entries()}["link"] == "120000"


def test_prefix_is_a_whole_path(repo: Repo) -> None:
    for path in ("datasets/a/x", "datasets/ab/x", "datasets/a.yaml", "heldout.yaml"):
        repo.add(path, path)
    repo.commit()
    for tree in (repo.door.tree("HEAD"), FolderTree(repo.path)):
        assert list(tree.paths("datasets/a")) == ["datasets/a/x"]
        assert list(tree.paths("heldout.yaml")) == ["heldout.yaml"]
        assert list(tree.paths("nowhere")) == []
    assert repo.door.tree("HEAD", under=["datasets/ab", "heldout.yaml"]).paths() == ["datasets/ab/x", "heldout.yaml"]


def test_folder_tree_does_not_leave_the_repository(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("no")
    (repo.path / "out").symlink_to(tmp_path)
    tree = FolderTree(repo.path)
    assert tree.read("../secret") is None
    assert tree.read("out/secret") is None
    assert tree.paths() == []


def test_blobs_are_read_once_each(repo: Repo) -> None:
    contents = [b"one\n", b"", b"x" * (2 << 20)]
    for number, data in enumerate(contents):
        repo.add(f"f{number}", data)
    oids = {data: hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() for data in contents}
    git = repo.door
    for _ in range(2):
        assert git.read_blobs([*oids.values(), oids[b""]]) == {oid: data for data, oid in oids.items()}


def test_an_object_that_is_gone_is_named(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match="f00") as caught:
        repo.door.read_blobs(["f00" + "0" * 37])
    assert caught.value.slug == "git-object-missing"


def test_unknown_revision(repo: Repo) -> None:
    git = repo.door
    assert git.head() is None
    assert git.branch() == "refs/heads/main"
    assert git.commit_of("--all") is None
    for ask in (git.tree, git.require_commit):
        with pytest.raises(RepositoryError) as caught:
            ask("nothing")
        assert caught.value.slug == "unknown-revision"


@pytest.mark.req("B38")
def test_version_tags_of_every_shape(repo: Repo) -> None:
    commit = repo.commit()
    repo.git("tag", "a@v1.0.0")
    repo.git("tag", "-a", "-m", "two", "nlp/deep/b@v2.0.0")
    repo.git("tag", "-a", "-m", "of a tag", "c@v3.0.0", "nlp/deep/b@v2.0.0")
    repo.git("tag", "plain")
    repo.git("tag", "tree@v1.0.0", "HEAD^{tree}")
    tags = repo.door.version_tags()
    oid = {name: repo.git("rev-parse", f"refs/tags/{name}") for name in ("nlp/deep/b@v2.0.0", "c@v3.0.0")}
    assert tags == [
        Tag("a@v1.0.0", commit, annotated=False, oid=commit),
        Tag("c@v3.0.0", commit, annotated=True, oid=oid["c@v3.0.0"]),
        Tag("nlp/deep/b@v2.0.0", commit, annotated=True, oid=oid["nlp/deep/b@v2.0.0"]),
    ]


def test_remote_tags_and_branches(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit("first")
    repo.git("tag", "-a", "-m", "x", "a@v1.0.0")
    repo.git("tag", "b@v1.0.0")
    bare = Repo.create_bare(tmp_path / "remote.git")
    repo.git("remote", "add", "origin", str(bare.path))
    repo.git("push", "-q", "origin", "main", "--tags")
    second = repo.commit("second")
    git = repo.door
    assert {(tag.name, tag.commit, tag.annotated) for tag in git.ls_remote_tags("origin")} == {
        ("a@v1.0.0", first, True),
        ("b@v1.0.0", first, False),
    }
    assert [(ref.name, ref.oid) for ref in git.remote_refs()] == [("refs/remotes/origin/main", first)]
    assert (git.is_published(first), git.is_published(second)) == (True, False)
    assert (git.is_ancestor(first, second), git.is_ancestor(second, first)) == (True, False)
    assert git.merge_base(first, second) == first
    assert git.parents(second) == [first]


def test_a_remote_that_is_not_there(repo: Repo) -> None:
    with pytest.raises(RepositoryError) as caught:
        repo.door.ls_remote_tags("nowhere")
    assert caught.value.slug == "git-failed"


def test_shallow_clone_knows_that_it_is_one(repo: Repo, tmp_path: Path) -> None:
    repo.commit("one")
    repo.commit("two")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    assert not repo.door.is_shallow()
    assert Git.discover(tmp_path / "shallow").is_shallow()


def test_in_progress_names_what_the_user_is_doing(repo: Repo) -> None:
    for number in range(4):
        repo.add("file", str(number))
        repo.commit(f"c{number}")
    git = repo.door
    assert git.in_progress() is None
    repo.git("bisect", "start", "HEAD", "HEAD~3")
    assert git.in_progress() == "a bisection"
    repo.git("bisect", "reset")
    repo.git("checkout", "-q", "-b", "side", "HEAD~2")
    repo.add("file", "side")
    repo.commit("side")
    assert repo.run("merge", "main").returncode == 1
    assert git.in_progress() == "a merge with conflicts"
    assert git.index_tree() is None
    repo.git("merge", "--abort")
    assert repo.run("rebase", "main").returncode == 1
    assert git.in_progress() == "a rebase"
    repo.git("rebase", "--abort")
    assert repo.run("cherry-pick", "main~1", "main").returncode == 1
    assert git.in_progress() == "a cherry-pick or revert of several commits"


def test_a_rebase_is_over_when_post_rewrite_runs(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", side="s")
    repo.git("checkout", "-q", "main")
    repo.commit("main", main="m")
    repo.git("checkout", "-q", "side")
    code = (
        "from pathlib import Path; from heldout.storage.git import Git; print(Git.discover(Path.cwd()).in_progress())"
    )
    for name in ("post-rewrite", "post-commit"):
        repo.hook(name, f"#!/bin/sh\n'{sys.executable}' -c '{code}' >>'{tmp_path}/{name}'\n")
    repo.git("rebase", "-q", "main")
    assert (tmp_path / "post-rewrite").read_text() == "None\n"
    assert set((tmp_path / "post-commit").read_text().splitlines()) <= {"a rebase"}


def test_changed_paths(repo: Repo) -> None:
    repo.add("a/é", "1")
    repo.add("b", "1")
    old = repo.commit()
    repo.add("a/é", "2")
    repo.add("b", "2")
    new = repo.commit()
    assert repo.door.changed_paths(old, new) == ["a/é", "b"]
    assert repo.door.changed_paths(old, new, under=["a"]) == ["a/é"]


def test_configuration(repo: Repo) -> None:
    git = repo.door
    assert git.config_get("heldout.x") is None
    git.config_set("heldout.x", "a # b")
    git.config_set("remote.my.origin.tagOpt", "--tags")
    assert git.config_get("heldout.x") == "a # b"
    assert repo.git("config", "remote.my.origin.tagOpt") == "--tags"
    repo.git("config", "heldout.yes", "on")
    assert git.config_bool("heldout.yes")
    assert not git.config_bool("heldout.absent")


def test_creates_and_deletes_tags(repo: Repo) -> None:
    commit = repo.commit()
    git = repo.door
    git.create_tag("a@v1.0.0", commit, "freeze a")
    git.create_tag("b@v1.0.0", commit, None)
    assert [(tag.name, tag.annotated) for tag in git.version_tags()] == [("a@v1.0.0", True), ("b@v1.0.0", False)]
    with pytest.raises(RepositoryError, match="already exists"):
        git.create_tag("a@v1.0.0", commit, "again")
    git.delete_tag("a@v1.0.0")
    assert [tag.name for tag in git.version_tags()] == ["b@v1.0.0"]


def test_push_lines_count_fields_from_the_end() -> None:
    zero, one = "0" * 40, "1" * 40
    text = f"HEAD^{{/a message}} {one} refs/heads/main {zero}\n(delete) {zero} refs/tags/a@v1.0.0 {one}\n"
    branch, tag = parse_push(text)
    assert branch == RefUpdate("HEAD^{/a message}", one, "refs/heads/main", zero)
    assert (branch.creates, branch.deletes, branch.is_version_tag) == (True, False, False)
    assert (tag.creates, tag.deletes, tag.is_version_tag) == (False, True, True)
    assert parse_push("") == []


def test_the_door_is_cheap_to_open() -> None:
    """Hooks pay for every import; GitPython and DVC alone cost more than the rest of a hook."""
    code = "import sys, heldout.storage.git, heldout.hooks.entry; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"git", "dvc", "numpy", "typer", "rich", "pyarrow"} & set(loaded)
