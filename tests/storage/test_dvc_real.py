"""Real Git and real DVC: what it writes is read, what is missing is fetched. A call of DVC costs about a second."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest
from support.dvc import commit, dvc, dvc_repository, git, write

from heldout.errors import MissingDataError, RepositoryError, TamperedError
from heldout.storage.dvc import DvcStore
from heldout.storage.git.repository import Git
from heldout.storage.pointers import Output, Pointers

FIRST = b"text,category\r\nhello,greeting\r\nbye,greeting\n"
SECOND = b"text,category\nhello,greeting\n"
SHARDS = {"datasets/s/shards/1.csv": b"text\na\n", "datasets/s/shards/deep/2.csv": b"text\nb\n"}
TRACKED = "datasets/s/train.csv"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two frozen versions of one file, a folder of shards, a pipeline's output, all pushed to a remote beside it."""
    base = tmp_path_factory.mktemp("dvc")
    top = dvc_repository(base / "repo")
    with (top / ".dvc/config").open("a") as config:
        config.write(f"    remote = here\n['remote \"here\"']\n    url = {base}/remote\n")
    write(top, {TRACKED: FIRST, **SHARDS})
    write(
        top,
        {"p/dvc.yaml": b"stages:\n  s:\n    cmd: echo text > out.csv\n    wdir: ../datasets\n    outs: [out.csv]\n"},
    )
    assert DvcStore(top).add([TRACKED, "datasets/s/shards"]) == (
        "datasets/s/.gitignore",
        "datasets/s/shards.dvc",
        "datasets/s/train.csv.dvc",
    )
    dvc(top, "repro", "p/dvc.yaml")
    commit(top, "First")
    git(top, "tag", "-a", "s@v1.0.0", "-m", "v1")
    (top / TRACKED).write_bytes(SECOND)
    DvcStore(top).add([TRACKED])
    commit(top, "Second")
    dvc(top, "push", "--all-commits")
    return base


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Path:
    """A copy with the cache; the remote stays the template's and is not written by anybody."""
    shutil.copytree(template / "repo", tmp_path / "repo", symlinks=True)
    return tmp_path / "repo"


@pytest.fixture
def clone(template: Path, tmp_path: Path) -> Path:
    """A fresh clone: no cache, no data."""
    git(tmp_path, "clone", "-q", str(template / "repo"), "clone")
    return tmp_path / "clone"


def at(top: Path, rev: str, path: str = TRACKED) -> Output:
    return Pointers(Git.discover(top).tree(rev)).output(path)


def read(store: DvcStore, output: Output) -> bytes:
    with store.open(output) as stream:
        return stream.read()


def test_each_version_is_read_at_its_tag_without_a_checkout(repository: Path) -> None:
    (repository / TRACKED).unlink()
    store = DvcStore(repository)
    assert read(store, at(repository, "s@v1.0.0")) == FIRST
    assert read(store, at(repository, "HEAD")) == SECOND
    assert git(repository, "status", "--porcelain") == ""


def test_output_of_a_pipeline_and_shards_of_a_folder_are_read_at_a_tag(repository: Path) -> None:
    store = DvcStore(repository)
    assert read(store, at(repository, "s@v1.0.0", "datasets/out.csv")) == b"text\n"
    folder = at(repository, "s@v1.0.0", "datasets/s/shards")
    assert {item.path: read(store, item) for item in store.expand(folder)} == SHARDS
    (shard,) = store.expand(at(repository, "HEAD", "datasets/s/shards/deep/2.csv"), "datasets/s/shards/deep/2.csv")
    assert read(store, shard) == SHARDS["datasets/s/shards/deep/2.csv"]


def test_changed_byte_in_the_cache_that_dvc_wrote_is_noticed(repository: Path) -> None:
    store, output = DvcStore(repository), at(repository, "s@v1.0.0")
    path = store.locate(output)
    assert path is not None
    path.chmod(0o644)
    path.write_bytes(FIRST.replace(b"bye", b"bya"))
    with pytest.raises(TamperedError):
        read(store, output)


def test_edit_through_a_hard_linked_working_copy_is_noticed(repository: Path) -> None:
    dvc(repository, "config", "--local", "cache.type", "hardlink")
    shutil.rmtree(repository / "datasets/s/shards")
    dvc(repository, "checkout", "--relink", "datasets/s/shards.dvc")
    shard = repository / "datasets/s/shards/1.csv"
    assert shard.stat().st_nlink > 1
    shard.chmod(0o644)
    with shard.open("ab") as stream:
        stream.write(b"c\n")
    with pytest.raises(TamperedError):
        DvcStore(repository).verify(at(repository, "HEAD", "datasets/s/shards"))


def test_missing_data_of_every_version_is_fetched_and_announced(clone: Path) -> None:
    said: list[str] = []
    store = DvcStore(clone)
    wanted = [at(clone, "s@v1.0.0"), at(clone, "HEAD"), at(clone, "HEAD", "datasets/s/shards")]
    assert {item.path for item in store.missing(wanted)} == {TRACKED, "datasets/s/shards"}
    fetched = store.fetch(wanted, report=said.append)
    assert len(fetched) == 3
    assert said == [
        "fetching datasets/s/train.csv, datasets/s/train.csv, datasets/s/shards through DVC (3 objects, 0.0 MB)"
    ]
    assert [read(store, item) for item in wanted[:2]] == [FIRST, SECOND]
    store.verify(wanted[2])
    assert store.fetch(wanted, report=said.append) == ()
    assert len(said) == 1
    assert git(clone, "status", "--porcelain") == ""
    assert not (clone / TRACKED).exists()


def test_one_shard_is_fetched_without_the_others(clone: Path) -> None:
    store = DvcStore(clone)
    folder = at(clone, "HEAD", "datasets/s/shards")
    store.fetch([folder])
    one, other = store.expand(folder)
    for item in (one, other):
        path = store.locate(item)
        assert path is not None
        path.unlink()
    assert store.fetch([one]) == (one,)
    assert store.missing([folder]) == (other,)


def test_data_that_no_remote_has_is_named(clone: Path, tmp_path: Path) -> None:
    (clone / ".dvc/config.local").write_text(f"['remote \"here\"']\n    url = {tmp_path}/empty\n")
    with pytest.raises(MissingDataError) as caught:
        DvcStore(clone).fetch([at(clone, "s@v1.0.0")], rev="s@v1.0.0")
    assert caught.value.slug == "fetch-failed"
    assert TRACKED in caught.value.message


def test_import_is_fetched_from_its_source_where_our_remote_does_not_have_it(template: Path, tmp_path: Path) -> None:
    top = dvc_repository(tmp_path / "importer")
    dvc(top, "import", str(template / "repo"), TRACKED, "-o", "imported.csv")
    rev = commit(top, "Import")
    output = at(top, rev, "imported.csv")
    shutil.rmtree(top / ".dvc/cache")
    (top / "imported.csv").unlink()
    store = DvcStore(top)
    store.fetch([output], rev=rev)
    assert read(store, output) == SECOND


def test_linked_worktree_reads_and_fetches(clone: Path, tmp_path: Path) -> None:
    DvcStore(clone).fetch([at(clone, "HEAD")])
    linked = tmp_path / "linked"
    git(clone, "worktree", "add", "-q", str(linked), "s@v1.0.0")
    there = Git.discover(linked)
    store = DvcStore(linked, there.common_dir)
    assert read(store, at(linked, "main")) == SECOND
    store.fetch([at(linked, "HEAD")])
    assert read(store, at(linked, "HEAD")) == FIRST


def test_environment_of_a_hook_does_not_reach_dvc(clone: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    output = at(clone, "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    DvcStore(clone).fetch([output])
    assert not (tmp_path / "index").exists()


def test_module_of_the_same_name_in_the_repository_is_not_run(clone: Path) -> None:
    write(clone, {"json.py": b"raise SystemExit('theirs')", "dvc/__init__.py": b"raise SystemExit('theirs')"})
    DvcStore(clone).fetch([at(clone, "HEAD")])


def test_dvc_is_stopped_when_it_takes_too_long(clone: Path) -> None:
    start = time.monotonic()
    with pytest.raises(MissingDataError) as caught:
        DvcStore(clone).fetch([at(clone, "HEAD")], timeout=0.05)
    assert caught.value.slug == "dvc-timeout"
    assert time.monotonic() - start < 5


def test_init_and_add_say_which_files_git_has_to_track(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    store = DvcStore(tmp_path)
    assert not store.is_initialised
    assert store.init() == (".dvc/.gitignore", ".dvc/config", ".dvcignore")
    assert store.is_initialised
    write(tmp_path, {"d/x.csv": SECOND})
    assert store.add(["d/x.csv"]) == ("d/.gitignore", "d/x.csv.dvc")
    commit(tmp_path, "Add")
    assert read(store, at(tmp_path, "HEAD", "d/x.csv")) == SECOND
    assert "d/x.csv" not in git(tmp_path, "ls-files").split("\n")


def test_file_that_git_tracks_is_refused_with_the_words_of_dvc(repository: Path) -> None:
    write(repository, {"notes.txt": b"x"})
    commit(repository, "Notes")
    with pytest.raises(RepositoryError) as caught:
        DvcStore(repository).add(["notes.txt"])
    assert caught.value.slug == "dvc-failed"
    assert "notes.txt" in caught.value.message


def test_nothing_here_imports_dvc() -> None:
    import subprocess

    code = "import sys, heldout.storage.dvc, heldout.storage.pointers; print([m for m in sys.modules if m == 'dvc'])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("how", [["--filter=blob:none"], ["--depth=1"]])
def test_partial_and_shallow_clones_fetch_and_do_not_hang(template: Path, tmp_path: Path, how: list[str]) -> None:
    git(template / "repo", "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", *how, f"file://{template}/repo", "clone")
    store, output = DvcStore(tmp_path / "clone"), at(tmp_path / "clone", "HEAD")
    store.fetch([output], rev="HEAD", timeout=60)
    assert read(store, output) == SECOND
