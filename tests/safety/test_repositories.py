"""Kinds of repositories: linked, nested, sparse, shallow, partial, bare, signed, and with odd formats and paths."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from safety.conftest import NOTES, TEST, TRAIN
from support.git import Repo
from support.story import rows
from support.twins import QuickTeam, Twins, lacking, sound

MORE = {**TRAIN, **rows("more", 2)}


def grow_and_save(twins: Twins, *options: str, name: str = "a") -> None:
    """One commit with the hook and one past it, beside staged, unstaged and untracked files."""
    twins.write("staged.txt", "s\n")
    twins.git("add", "--sparse", "staged.txt")
    twins.write("draft.txt", "untracked\n")
    twins.dataset(name, train=MORE, test=TEST)
    twins.git("commit", "-q", *options, "-m", "Grow", "--", f"datasets/{name}")
    twins.untouched()
    twins.dataset(name, train=rows("again", 3), test=TEST)
    twins.git("commit", "-q", *options, "--no-verify", "-m", "Past the hook", "--", f"datasets/{name}")
    twins.untouched()


def test_linked_worktree_with_the_data_in_the_main_one(twins: Twins) -> None:
    twins.write("notes.txt", "changed in the main tree\n")
    twins.git("worktree", "add", "-q", "../linked", "-b", "side")
    linked = twins.at("../linked")
    grow_and_save(linked)
    twins.untouched()


def test_two_linked_worktrees_of_one_repository_in_a_relocated_git_folder(twins: Twins) -> None:
    for team in twins.both:
        team.git("init", "-q", "--separate-git-dir", str(team.path.parent / "elsewhere.git"))
        shutil.rmtree(team.path / ".dvc/cache/files")
        team.dataset("a", train=TRAIN, test=TEST)
    # the cache lies beside the .dvc folder, not beside the Git folder
    for team in twins.both:
        (team.path.parent / ".dvc/cache/files").rename(team.path / ".dvc/cache/files")
    twins.git("commit", "-q", "-m", "Data changes")
    twins.untouched()


def nest(twins: Twins, outer: str, inner_path: str, source: str) -> Twins:
    """Both outer repositories with a clone of `source` as a submodule."""
    for team in twins.both:
        place = Repo.create(team.path.parent / outer)
        place.commit("Outer", readme="r")
        place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, inner_path)
        place.commit("Add the submodule")
    return twins.at(f"../{outer}")


def test_a_dataset_repository_as_a_submodule(twins: Twins) -> None:
    outer = nest(twins, "outer", "evals", "../origin.git")
    inner = outer.at("evals")
    for team in inner.both:
        shutil.copytree(team.path.parent.parent / "work/.dvc/cache", team.path / ".dvc/cache")
    inner.ours.install()
    outer.write("draft.txt", "of the outer repository\n")
    for team in inner.both:
        cache = team.path / ".dvc/cache/files/md5"
        for name, examples in (("train", MORE), ("test", TEST)):
            data = team.write(
                f"datasets/a/{name}.csv", "id,text\n" + "".join(f"{k},{v}\n" for k, v in examples.items())
            )
            point_in(team, cache, f"datasets/a/{name}.csv", data)
    inner.write("staged.txt", "s\n")
    inner.git("add", "staged.txt")
    inner.git("commit", "-q", "-m", "Grow inside", "--", "datasets")
    inner.untouched()
    # the commit of the outer repository must not touch the inner one, whatever Git's environment says
    outer.git("commit", "-q", "-a", "-m", "Take the new evals")
    inner.untouched()
    assert outer.ours.status() == outer.plain.status() == [" M evals", "?? draft.txt"]  # staged.txt waits inside


def point_in(team: QuickTeam, cache: Path, path: str, data: Path) -> None:
    content = data.read_bytes()
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    (cache / md5[:2]).mkdir(parents=True, exist_ok=True)
    (cache / md5[:2] / md5[2:]).write_bytes(content)
    text = f"outs:\n- md5: {md5}\n  size: {len(content)}\n  hash: md5\n  path: {data.name}\n"
    team.write(f"{path}.dvc", text)


def test_a_dataset_repository_that_holds_a_submodule(twins: Twins) -> None:
    for team in twins.both:
        library = Repo.create(team.path.parent / "library")
        library.commit("Library", code="c")
        team.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "vendor/library")
        team.bypass("commit", "-q", "-m", "Vendor", "--", ".gitmodules", "vendor/library")
        (team.path / "vendor/library/code").write_text("changed inside\n")
    grow_and_save(twins)
    assert " M vendor/library" in twins.ours.status()


@pytest.mark.parametrize("kept", ["datasets", "src"])
def test_sparse_checkout(twins: Twins, kept: str) -> None:
    twins.write("src/code.txt", "c\n")
    twins.git("add", "src")
    twins.git("commit", "-q", "-m", "Code")
    # without .dvc Git would delete DVC's cache: it removes ignored files with the folders outside the cone
    twins.git("sparse-checkout", "set", "--cone", kept, ".dvc")
    if kept == "datasets":
        return grow_and_save(twins)
    # the datasets are not here: their pointer is changed in the index alone
    for team in twins.both:
        staged_pointer(team, "datasets/a/train.csv", MORE)
    twins.git("commit", "-q", "-m", "From outside the cone")
    twins.untouched()
    assert not (twins.ours.path / "datasets").exists()
    twins.git("sparse-checkout", "disable")
    return twins.untouched()


def staged_pointer(team: QuickTeam, path: str, examples: dict[str, str]) -> None:
    data = team.path.parent / "train.csv"
    data.write_text("id,text\n" + "".join(f"{k},{v}\n" for k, v in examples.items()))
    content = data.read_bytes()
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    (team.cache / md5[:2]).mkdir(parents=True, exist_ok=True)
    (team.cache / md5[:2] / md5[2:]).write_bytes(content)
    pointer = f"outs:\n- md5: {md5}\n  size: {len(content)}\n  hash: md5\n  path: train.csv\n"
    oid = team.git("hash-object", "-w", "--stdin", stdin=pointer)
    team.git("update-index", "--cacheinfo", f"100644,{oid},{path}.dvc")


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",)], ids=["shallow", "blob:none"])
def test_narrow_clones(twins: Twins, options: tuple[str, ...]) -> None:
    clones = []
    for team in twins.both:
        remote = team.path.parent / "origin.git"
        Repo(remote).git("config", "uploadpack.allowFilter", "true")
        place = team.path.parent / "clone"
        team.git("clone", "-q", *options, remote.as_uri(), str(place))
        shutil.copytree(team.path / ".dvc/cache", place / ".dvc/cache")
        clones.append(QuickTeam(place))
    narrow = Twins(*clones)
    narrow.ours.install()
    grow_and_save(narrow)
    if options == ("--depth=1",):
        narrow.ours.git("tag", "-a", "a@v1.0.0", "-m", "x")
        assert narrow.ours.gate("a@v1.0.0") == 3
        narrow.git("fetch", "-q", "--unshallow")
        narrow.untouched()


def test_bare_repository(twins: Twins) -> None:
    """Nothing is committed there and nothing written; hooks that only run on work never start."""
    origin = QuickTeam(twins.ours.path.parent / "origin.git")
    before = origin.git("for-each-ref")
    origin.install()
    assert origin.heldout("init").code == 2
    assert origin.heldout("gate", "a").code in (2, 3)
    assert origin.git("for-each-ref") == before
    origin.git("tag", "a@v1.0.0", "main")
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "-m", "Grow")
    assert twins.ours.push("main").code == 0
    sound(origin)
    assert not (origin.path / "datasets").exists()


def test_signed_commits_and_tags(twins: Twins, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"test@example.org {(tmp_path / 'key.pub').read_text()}")
    settings = {
        "gpg.format": "ssh", "user.signingKey": str(key), "commit.gpgSign": "true", "tag.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(allowed),
    }  # fmt: skip
    for name, value in settings.items():
        twins.git("config", name, value)
    grow_and_save(twins)
    ours = twins.ours
    assert ours.git("log", "-3", "--format=%G?").split() == ["G", "G", "G"]
    ours.succeeds("freeze", "a")
    ours.git("verify-tag", "a@v1.0.0")
    twins.plain.bypass("tag", "-m", "x", "a@v1.0.0")
    twins.untouched()
    # a key that cannot be used: the user's own commit fails at Git's hand, ours is given up with a word
    twins.git("config", "user.signingKey", "/nowhere")
    twins.dataset("a", train=rows("unsigned", 3), test=TEST)
    twins.git("-c", "commit.gpgSign=false", "commit", "-q", "--no-verify", "-m", "Unsigned", "--", "datasets/a")
    twins.untouched(recorded=None)
    assert "git-failed" in twins.said or lacking(ours) == []


def test_sha256_repository(tmp_path: Path) -> None:
    team = QuickTeam(tmp_path / "template/work")
    team.path.mkdir(parents=True)
    team.git("init", "-q", "--object-format=sha256")
    team.write(".dvc/config", "[core]\n    analytics = false\n")
    team.write(".dvc/.gitignore", "/tmp\n/cache\n")
    team.write(".gitignore", "/.heldout/\n")
    team.write("notes.txt", NOTES)
    team.git("add", "--all")
    team.git("commit", "-q", "-m", "Start")
    twins = Twins.copied(tmp_path / "template", tmp_path)
    grow_and_save(twins)
    twins.ours.git("tag", "-a", "-m", "x", "a@v1.0.0")
    assert twins.ours.gate("a@v1.0.0") == 0
    refused = twins.ours.run("tag", "a@v2.0.0", "HEAD~1")
    assert refused.returncode != 0
    assert len(twins.ours.head()) == 64


def test_reftable_where_git_has_it_and_a_plain_word_where_not(twins: Twins, tmp_path: Path) -> None:
    """Nothing reads refs but through Git. Git 2.45 and newer can make such a repository; an older one cannot open it,
    and says so in our message."""
    made = twins.ours.run("init", "-q", "--ref-format=reftable", str(tmp_path / "reftable"))
    if made.returncode == 0:
        team = QuickTeam(tmp_path / "reftable")
        team.write(".dvc/config", "[core]\n    analytics = false\n")
        team.install()
        team.dataset("a", train=TRAIN, test=TEST)
        team.git("commit", "-q", "-m", "Start")
        assert lacking(team) == []
        team.git("tag", "-a", "-m", "x", "a@v1.0.0")
        assert team.gate("a@v1.0.0") == 0
        return
    assert "unknown option `ref-format=reftable'" in made.stderr
    twins.ours.git("config", "core.repositoryFormatVersion", "1")
    twins.ours.git("config", "extensions.refStorage", "reftable")
    said = twins.ours.heldout("status")
    assert said.code == 2
    assert "refstorage" in said.err.lower()


def test_unicode_names_and_names_that_differ_in_case_only(twins: Twins) -> None:
    for path in (
        "datasets/a/ünï ☃.txt",
        "datasets/A-notes.txt",
        "datasets/a-Notes.txt",
        "e\u0301.txt",
        "\u00e9.txt",
        " x\ty\"'$.txt",
    ):
        twins.write(path, path)
    twins.git("add", "--all")
    twins.write("datasets/a-Notes.txt", "changed\n")
    grow_and_save(twins)
    twins.git("config", "core.quotePath", "true")
    twins.git("config", "core.precomposeUnicode", "true")
    twins.git("config", "core.ignoreCase", "true")
    grow_and_save(twins, name="b")


def test_datasets_whose_names_differ_in_case_only_are_refused_and_nothing_is_lost(twins: Twins) -> None:
    twins.dataset("A", train=MORE, test=TEST)
    done = twins.ours.run("commit", "-q", "-m", "Two names")
    assert done.returncode == 1
    assert "heldout:" in done.stderr
    twins.untouched(recorded=None)


def test_non_ascii_data_file_names(twins: Twins) -> None:
    twins.dataset("ü".encode().hex(), train=MORE, test=TEST)
    for team in twins.both:
        folder = team.path / "datasets/c3bc"
        text = (folder / "dataset.yaml").read_text().replace("path: train.csv", "path: trâin ☃.csv")
        (folder / "dataset.yaml").write_text(text)
        (folder / "train.csv").rename(folder / "trâin ☃.csv")
        (folder / "train.csv.dvc").unlink()
        team.track("datasets/c3bc/trâin ☃.csv")
    twins.git("commit", "-q", "-m", "Names")
    twins.untouched()


@pytest.mark.parametrize("autocrlf", ["true", "input"])
def test_autocrlf(twins: Twins, autocrlf: str) -> None:
    twins.git("config", "core.autocrlf", autocrlf)
    twins.git("config", "core.safecrlf", "false")
    twins.write("mixed.txt", b"one\r\ntwo\n")
    twins.git("add", "mixed.txt")
    grow_and_save(twins)
    for team in twins.both:
        shutil.rmtree(team.path / "datasets")
    twins.git("checkout", "-q", "--", "datasets")
    records = list((twins.ours.path / "datasets").rglob("scans/*/*"))
    assert records
    assert not any(b"\r" in path.read_bytes() for path in records)
    twins.git("update-index", "-q", "--refresh", ends=None)
    twins.untouched()


def test_autocrlf_without_gitattributes(twins: Twins) -> None:
    """Without the line that `init` writes, Git may convert records in the working tree; committed ones stay exact."""
    twins.git("rm", "-q", ".gitattributes")
    twins.git("commit", "-q", "-m", "No attributes")
    twins.git("config", "core.autocrlf", "true")
    grow_and_save(twins)


def test_reflogs_off_and_a_template_without_hooks_folder(twins: Twins) -> None:
    for team in twins.both:
        team.git("config", "core.logAllRefUpdates", "false")
        shutil.rmtree(team.path / ".git/logs")
    grow_and_save(twins)


def test_index_of_version_four_split_and_with_untracked_cache(twins: Twins) -> None:
    twins.git("update-index", "--index-version", "4", "--split-index", "--untracked-cache", "--force-untracked-cache")
    twins.git("config", "core.splitIndex", "true")
    grow_and_save(twins)
