"""The signature cache: what it keeps, what it survives, and that no scan can tell it is there."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.data import prepared
from support.matching import links_of

from heldout.domain.canonical import digest
from heldout.domain.members import Member
from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.pool import Holding, Pool
from heldout.services.matching import texts as matching_texts
from heldout.storage.caches.signatures import SEGMENTS, SignatureCache

METHOD = "sha256:" + "ab" * 32
WIDTH = 4


def cache_in(folder: Path, notes: list[str] | None = None, method: str = METHOD, width: int = WIDTH) -> SignatureCache:
    return SignatureCache(folder / ".heldout", method, width, (notes if notes is not None else []).append)


def names(*values: object) -> list[str]:
    return [digest(str(value)) for value in values]


def rows(inputs: Sequence[str], width: int = WIDTH) -> NDArray[np.uint32]:
    """A signature that follows from the digest, so that any row that comes back can be checked."""
    seeds = [int(text[-8:], 16) for text in inputs]
    return np.array([[(seed + k) % 2**32 for k in range(width)] for seed in seeds], np.uint32).reshape(-1, width)


def segments(folder: Path) -> list[Path]:
    return sorted((folder / ".heldout").glob("cache/signatures/*/*.records"))


def assert_holds(cache: SignatureCache, inputs: Sequence[str]) -> None:
    found, known = cache.find(inputs)
    assert known.all()
    assert np.array_equal(found, rows(inputs))


# --- what it keeps --------------------------------------------------------------------------------------------------


@pytest.mark.req("B36")
def test_what_was_added_is_found_by_another_process_of_the_same_method_only(tmp_path: Path) -> None:
    inputs = names("a", "b", "c")
    cache_in(tmp_path).add(inputs, rows(inputs))
    assert_holds(cache_in(tmp_path), [inputs[2], inputs[0], inputs[1]])
    found, known = cache_in(tmp_path).find([*names("d"), inputs[1]])
    assert known.tolist() == [False, True]
    assert np.array_equal(found[1:], rows(inputs[1:2]))
    assert not cache_in(tmp_path, method="sha256:" + "cd" * 32).find(inputs)[1].any()


@settings(max_examples=25)
@given(st.lists(st.lists(st.binary(min_size=1, max_size=2), max_size=12), max_size=12))
def test_it_behaves_like_a_dictionary(tmp_path_factory: pytest.TempPathFactory, batches: list[list[bytes]]) -> None:
    """Digests with zero bytes at either end too: NumPy drops them from its byte strings."""
    folder = tmp_path_factory.mktemp("cache")
    cache, kept = cache_in(folder), set[str]()
    for batch in batches:
        inputs = ["sha256:" + (value + bytes(28) + value).ljust(32, b"\0").hex() for value in batch]
        cache.add(inputs, rows(inputs))
        kept |= set(inputs)
    every = sorted({*kept, *names("absent"), "sha256:" + "00" * 32})
    for reader in (cache, cache_in(folder)):
        found, known = reader.find(every)
        assert {name for name, there in zip(every, known.tolist(), strict=True) if there} == kept
        assert np.array_equal(found[known], rows([name for name in every if name in kept]))


def test_nothing_asked_and_nothing_added_is_nothing_written(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    found, known = cache.find([])
    cache.add([], rows([]))
    assert (found.shape, known.shape) == ((0, WIDTH), (0,))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("B36", "A33")
def test_its_files_are_digests_and_signatures_and_git_ignores_them(tmp_path: Path) -> None:
    inputs = names("a", "b")
    cache_in(tmp_path).add(inputs, rows(inputs))
    (segment,) = segments(tmp_path)
    ordered = sorted(inputs)
    block = bytes.fromhex("".join(name[7:] for name in ordered)) + rows(ordered).astype("<u4").tobytes()
    table = struct.pack("<III", 2, zlib.crc32(block[:64]), zlib.crc32(block[64:]))
    vouched = table + struct.pack("<16sIIQ", b"\x89HELDOUT SEG 1\n\0", 16, 1, 2)
    assert segment.read_bytes() == block + vouched
    assert segment.name == hashlib.sha256(vouched).hexdigest() + ".records"
    assert segment.parent.name == METHOD[7:23]
    assert (tmp_path / ".heldout" / ".gitignore").read_text() == "*\n"


def test_many_segments_are_merged_and_none_is_lost(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    every = []
    for number in range(3 * SEGMENTS):
        inputs = names(number, "in every segment")
        cache.add(inputs, rows(inputs))
        every += inputs
        assert len(segments(tmp_path)) <= SEGMENTS
    assert_holds(cache, every)
    assert_holds(cache_in(tmp_path), every)


# --- what it survives -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: b"not an array",
        lambda data: data[:70] + bytes([data[70] ^ 1]) + data[71:],
        lambda data: data[:10] + bytes([data[10] ^ 128]) + data[11:],
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
    ],
    ids=["cut off", "empty", "foreign", "bit of a signature", "bit of a digest", "bit of the table"],
)
def test_a_damaged_segment_is_dropped_said_so_and_made_again(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    good, bad = names("good"), names("bad", "worse")
    cache_in(tmp_path).add(bad, rows(bad))
    (segment,) = segments(tmp_path)
    segment.write_bytes(damage(segment.read_bytes()))
    cache_in(tmp_path).add(good, rows(good))
    notes: list[str] = []
    cache = cache_in(tmp_path, notes)
    assert cache.find([*bad, *good])[1].tolist() == [False, False, True]
    assert not segment.exists()
    cache.find(bad)
    assert len(notes) == 1
    assert "damaged" in notes[0]
    cache.add(bad, rows(bad))
    assert_holds(cache_in(tmp_path), [*bad, *good])


def test_a_folder_that_cannot_be_written_costs_one_note_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".heldout").write_text("a file where the folder should be")
    notes: list[str] = []
    cache = cache_in(tmp_path, notes)
    for name in "ab":
        assert not cache.find(names(name))[1].any()
        cache.add(names(name), rows(names(name)))
    assert len(notes) == 1
    assert "not cached" in notes[0]


def test_deleting_it_at_any_time_is_safe(tmp_path: Path) -> None:
    inputs = names("a")
    cache = cache_in(tmp_path)
    cache.add(inputs, rows(inputs))
    assert_holds(cache, inputs)
    for segment in segments(tmp_path):
        segment.unlink()
    assert not cache.find(inputs)[1].any()
    cache.add(inputs, rows(inputs))
    assert_holds(cache, inputs)


def _write_many(folder: str, writer: int) -> None:
    cache = cache_in(Path(folder))
    for number in range(25):
        inputs = names(f"{writer}:{number}", f"shared:{number}")
        cache.add(inputs, rows(inputs))
        found, known = cache.find(inputs)
        assert np.array_equal(found[known], rows([name for name, there in zip(inputs, known, strict=True) if there]))


def test_writers_side_by_side_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(str(tmp_path), number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    notes: list[str] = []
    every = names(*(f"{name}:{number}" for name in (0, 1, 2, "shared") for number in range(25)))
    cache = cache_in(tmp_path, notes)
    assert_holds(cache, every)
    assert notes == []
    assert [path for path in (tmp_path / ".heldout").rglob("*") if path.suffix == ".aside"] == []


def test_files_that_a_dead_process_left_are_removed_with_time(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.add(names("a"), rows(names("a")))
    folder = segments(tmp_path)[0].parent
    old, young = folder / ".old.aside", folder / ".young.aside"
    for aside in (old, young):
        aside.write_bytes(b"half")
    os.utime(old, (0, 0))
    for number in range(SEGMENTS + 1):
        cache.add(names(number), rows(names(number)))
    assert not old.exists()
    assert young.exists()


# --- that a scan cannot tell ----------------------------------------------------------------------------------------


class Signed:
    """Counts the texts that are signed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[int] = []
        real = matching_texts.signatures

        def counted(texts, **options):  # type: ignore[no-untyped-def]
            self.counts.append(len(texts))
            return real(texts, **options)

        monkeypatch.setattr(matching_texts, "signatures", counted)


def pool_of(values: Sequence[str], *, outside: Sequence[str] = ()) -> tuple[Pool, dict[str, str]]:
    """Inputs of one version; those in `outside` are known by their digests only."""
    every = [*values, *outside]
    members = [Member("train", f"{n}", digest(text), digest([text])) for n, text in enumerate(every)]
    return Pool(Holding("set", "source", members, frozenset())), {digest(text): text for text in values}


def method_cache(folder: Path, notes: list[str] | None = None) -> SignatureCache:
    return cache_in(folder, notes, DEFAULT_METHOD.digest, DEFAULT_METHOD.permutations)


@pytest.mark.req("B36", "B37")
def test_links_are_the_same_and_only_new_inputs_are_signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [row["input"] for row in prepared("mbpp")]
    pool, known = pool_of(texts)
    plain = links_of(pool, known)
    signed = Signed(monkeypatch)
    half, some = pool_of(texts[:400])
    links_of(half, some, cache=method_cache(tmp_path))
    cold = links_of(pool, known, cache=method_cache(tmp_path))
    warm = links_of(pool, known, cache=method_cache(tmp_path))
    assert signed.counts == [len(half.inputs), len(pool.inputs) - len(half.inputs)]
    assert len(plain.near) > 50
    for links in (cold, warm):
        assert (links.near, links.contained) == (plain.near, plain.contained)


@pytest.mark.req("B36", "A33")
def test_no_text_is_in_the_cache(tmp_path: Path) -> None:
    texts = [row["input"] for row in prepared("gsm8k")[:500]]
    pool, known = pool_of(texts)
    links_of(pool, known, cache=method_cache(tmp_path))
    assert {
        path.name for path in (tmp_path / ".heldout").rglob("*") if path.suffix != ".records" and path.is_file()
    } == {".gitignore"}
    (segment,) = segments(tmp_path)
    data = segment.read_bytes()
    assert 0 <= len(data) - 500 * 288 < 100
    words = {word.lower().encode() for text in texts for word in re.findall(r"[A-Za-z]{6,}", text)}
    lowered = data.lower()
    assert len(words) > 1000
    assert [word for word in words if word in lowered] == []
    assert [text for text in texts if text.encode("utf-32-le")[:40] in data] == []


def test_an_input_kept_outside_is_signed_once_it_can_be_read(tmp_path: Path) -> None:
    """Its digest is that of the text it stands for: a signature of no text under it would hide the pair for ever."""
    near = ["where is the ticket office of the old station", "where is the ticket office of the old station?"]
    blind, known = pool_of(near[:1], outside=near[1:])
    assert links_of(blind, known, cache=method_cache(tmp_path)).near == ()
    seeing, known = pool_of(near)
    assert len(links_of(seeing, known, cache=method_cache(tmp_path)).near) == 1
