"""Reading DVC's cache, with caches laid out by hand: quick, and every wrong byte on purpose."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.errors import ConfigError, MissingDataError, RepositoryError, TamperedError
from heldout.storage.dvc import DvcStore
from heldout.storage.dvc.verified import open_verified
from heldout.storage.pointers import Output

DATA = b"text,category\r\nhello,greeting\r\n" * 100_000
"""3.2 MB: several blocks."""


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def put(cache: Path, data: bytes, digest: str | None = None, old: bool = False) -> Path:
    digest = digest or md5(data)
    path = (cache if old else cache / "files" / "md5") / digest[:2] / digest[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def out(data: bytes, path: str = "d/x.csv", *, digest: str | None = None, legacy: bool = False) -> Output:
    return Output(path, digest or md5(data), len(data), False, legacy, path + ".dvc")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / ".dvc").mkdir()
    return tmp_path


def test_object_is_read_whole_and_right(top: Path) -> None:
    put(top / ".dvc/cache", DATA)
    store = DvcStore(top)
    with store.open(out(DATA)) as stream:
        assert stream.read() == DATA
    assert store.verified_path(out(DATA)).read_bytes() == DATA


@pytest.mark.parametrize("where", [0, len(DATA) // 2, len(DATA) - 1])
def test_one_changed_byte_is_an_error_when_the_reader_meets_the_end(top: Path, where: int) -> None:
    path = put(top / ".dvc/cache", DATA)
    changed = bytearray(DATA)
    changed[where] ^= 1
    path.write_bytes(changed)
    with pytest.raises(TamperedError) as caught, DvcStore(top).open(out(DATA)) as stream:
        for _ in stream:
            pass
    assert caught.value.slug == "corrupt-object"
    assert "d/x.csv" in caught.value.message


@pytest.mark.parametrize("change", [DATA[:-1], DATA + b"\n", b""])
def test_shorter_longer_and_emptied_objects_are_errors(top: Path, change: bytes) -> None:
    put(top / ".dvc/cache", DATA).write_bytes(change)
    with pytest.raises(TamperedError):
        DvcStore(top).verify(out(DATA))


def test_cache_of_hard_links_is_corrupted_by_an_edit_and_that_is_noticed(top: Path) -> None:
    work = top / "x.csv"
    work.write_bytes(DATA)
    target = top / ".dvc/cache/files/md5" / md5(DATA)[:2] / md5(DATA)[2:]
    target.parent.mkdir(parents=True)
    os.link(work, target)
    DvcStore(top).verify(out(DATA))
    with work.open("ab") as stream:
        stream.write(b"one more,row\n")
    with pytest.raises(TamperedError):
        DvcStore(top).verify(out(DATA))


def test_cache_of_symbolic_links_is_followed(top: Path) -> None:
    elsewhere = top / "elsewhere"
    elsewhere.write_bytes(DATA)
    target = put(top / ".dvc/cache", DATA)
    target.unlink()
    target.symlink_to(elsewhere)
    DvcStore(top).verify(out(DATA))


def test_object_that_is_not_here_is_named_with_the_command_that_brings_it(top: Path) -> None:
    with pytest.raises(MissingDataError) as caught:
        DvcStore(top).open(out(DATA))
    assert caught.value.slug == "data-missing"
    assert caught.value.hint == "dvc fetch d/x.csv.dvc"


def test_legacy_output_is_found_at_its_old_place_under_the_digest_of_its_unix_text(top: Path) -> None:
    digest = md5(DATA.replace(b"\r\n", b"\n"))
    put(top / ".dvc/cache", DATA, digest, old=True)
    store = DvcStore(top)
    store.verify(out(DATA, digest=digest, legacy=True))
    with pytest.raises(TamperedError):
        store.verify(out(DATA, digest=digest, legacy=False))


@given(data=st.binary(max_size=2000) | st.text("ab\r\n\0é", max_size=900).map(str.encode))
def test_legacy_digest_equals_that_of_dvc(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    from dvc_data.hashfile.hash import file_md5

    path = tmp_path_factory.getbasetemp() / "legacy.bin"
    path.write_bytes(data)
    with open_verified(path, file_md5(str(path), name="md5-dos2unix"), legacy=True, name="x") as stream:
        assert stream.read() == data


def test_legacy_digest_equals_that_of_dvc_where_a_block_ends_between_cr_and_lf(tmp_path: Path) -> None:
    from dvc_data.hashfile.hash import file_md5

    path = tmp_path / "x"
    path.write_bytes(b"a" * ((1 << 20) - 1) + b"\r\nb\r\n")
    with open_verified(path, file_md5(str(path), name="md5-dos2unix"), legacy=True, name="x") as stream:
        assert len(stream.read()) == (1 << 20) + 4


def folder(files: dict[str, bytes], cache: Path) -> Output:
    rows = [{"md5": md5(data), "relpath": name} for name, data in files.items()]
    manifest = json.dumps(rows).encode()
    put(cache, manifest, md5(manifest) + ".dir")
    for data in files.values():
        put(cache, data)
    return Output("d/shards", md5(manifest) + ".dir", None, True, False, "d/shards.dvc")


def test_folder_expands_to_its_shards_in_the_order_of_their_paths(top: Path) -> None:
    tracked = folder({"2.csv": b"b", "1.csv": b"a", "deep/3.csv": b"c"}, top / ".dvc/cache")
    store = DvcStore(top)
    assert [item.path for item in store.expand(tracked)] == ["d/shards/1.csv", "d/shards/2.csv", "d/shards/deep/3.csv"]
    assert [item.path for item in store.expand(tracked, "d/shards/deep")] == ["d/shards/deep/3.csv"]
    assert [item.md5 for item in store.expand(tracked, "d/shards/2.csv")] == [md5(b"b")]
    with pytest.raises(RepositoryError, match="is not in the folder"):
        store.expand(tracked, "d/shards/4.csv")
    store.verify(tracked)


def test_changed_manifest_and_missing_shard_are_noticed(top: Path) -> None:
    cache = top / ".dvc/cache"
    tracked = folder({"1.csv": b"a", "2.csv": b"b"}, cache)
    (cache / "files/md5" / md5(b"b")[:2] / md5(b"b")[2:]).unlink()
    assert [item.path for item in DvcStore(top).missing([tracked])] == ["d/shards/2.csv"]
    manifest = cache / "files/md5" / tracked.md5[:2] / tracked.md5[2:]
    manifest.write_bytes(manifest.read_bytes().replace(b"2.csv", b"3.csv"))
    with pytest.raises(TamperedError):
        DvcStore(top).members(tracked)


@pytest.mark.parametrize("name", ["../x.csv", "/etc/passwd", "a/../../x", "..", "a//b", ""])
def test_manifest_cannot_lead_out_of_its_folder(top: Path, name: str) -> None:
    tracked = folder({name: b"a"}, top / ".dvc/cache")
    with pytest.raises(TamperedError, match="not readable"):
        DvcStore(top).members(tracked)


@pytest.mark.parametrize("file", ["config", "config.local"])
def test_cache_folder_comes_from_the_configuration_and_is_relative_to_it(top: Path, file: str) -> None:
    (top / ".dvc" / file).write_text("['remote \"x\"']\n    url = s3://b/%(x)s\n[cache]\n    dir = ../shared-cache\n")
    put(top / "shared-cache", DATA)
    DvcStore(top).verify(out(DATA))


def test_cache_folder_of_the_person_gives_way_to_that_of_the_repository(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DVC_GLOBAL_CONFIG_DIR", str(top / "person"))
    (top / "person").mkdir()
    (top / "person/config").write_text(f"[cache]\n    dir = {top}/mine\n")
    put(top / "mine", DATA)
    DvcStore(top).verify(out(DATA))
    (top / ".dvc/config").write_text("[cache]\n    dir = cache\n")
    assert DvcStore(top).locate(out(DATA)) is None


def test_unreadable_configuration_names_its_file(top: Path) -> None:
    (top / ".dvc/config").write_text("cache dir\n")
    with pytest.raises(ConfigError) as caught:
        DvcStore(top).locate(out(DATA))
    assert (caught.value.slug, caught.value.file) == ("dvc-config", str(top / ".dvc/config"))


def test_linked_worktree_reads_the_cache_of_the_main_one(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    (linked / ".dvc").mkdir(parents=True)
    put(main / ".dvc/cache", DATA)
    DvcStore(linked, main / ".git").verify(out(DATA))
    assert DvcStore(linked).locate(out(DATA)) is None
