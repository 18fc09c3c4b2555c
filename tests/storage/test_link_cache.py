"""The link cache: what a file of it holds, what becomes of damaged ones, how many are kept, kills and full disks."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from heldout.storage.caches import links as link_cache
from heldout.storage.caches.links import SETS, Compared, LinkCache, Rows

TESTS = Path(__file__).parents[1]
METHOD = "sha256:" + "ab" * 32
ROUNDS = 50


def cache_in(folder: Path, notes: list[str] | None = None, method: str = METHOD) -> LinkCache:
    return LinkCache(folder / ".heldout", method, (notes if notes is not None else []).append)


def compared(seed: int, size: int = 200) -> Compared:
    """A set of which all follows from the seed."""
    rng = np.random.default_rng(seed)

    def numbers(high: int, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return rng.integers(0, high, shape)

    digests = numbers(256, size, 32).astype(np.uint8)
    digests = digests[np.lexsort(digests.T[::-1])]
    counts = numbers(5, size // 2).astype(np.uint32) + np.uint32(1)
    return Compared(
        digests=digests,
        lengths=numbers(1000, size).astype(np.uint32),
        keys=numbers(2**62, size, 16).astype(np.uint64),
        bitmaps=numbers(2**62, size, 16).astype(np.uint64),
        owners=np.arange(size // 2, dtype=np.uint32),
        counts=counts,
        values=numbers(2**32, int(counts.sum())).astype(np.uint32),
        times=numbers(256, 1024).astype(np.uint8),
        anchors=numbers(2**32, size // 2).astype(np.uint32),
        families=numbers(size, seed % 9).astype(np.uint32),
        near=numbers(size, seed % 7, 4).astype(np.int32),
        inside=numbers(size, seed % 5, 5).astype(np.int32),
        spans=numbers(size, seed % 3, 5).astype(np.int32),
    )


def same(found: Compared | None, expected: Compared) -> bool:
    return found is not None and all(
        np.array_equal(getattr(found, field.name), getattr(expected, field.name)) for field in fields(Compared)
    )


def files(folder: Path) -> list[Path]:
    return sorted((folder / ".heldout").rglob("*.compared"))


@pytest.mark.req("A33")
def test_what_was_kept_is_found_by_its_method_only(tmp_path: Path) -> None:
    first, second = compared(8), compared(13, 300)
    cache = cache_in(tmp_path)
    assert not cache
    cache.add(first)
    cache.add(second)
    assert cache
    again = cache_in(tmp_path)
    assert same(again.best(first.digests[5:9]), first)
    assert same(again.best(np.concatenate([first.digests[:3], second.digests[:4]])), second)
    assert again.best(compared(99).digests) is None
    assert not cache_in(tmp_path, method="sha256:" + "cd" * 32)
    assert (tmp_path / ".heldout/.gitignore").read_text() == "*\n"


def test_digests_that_begin_alike_are_told_apart() -> None:
    known = np.array([[7] * 31 + [last] for last in (1, 3, 5)] + [[9] * 32], np.uint8)
    wanted = np.array([[7] * 31 + [last] for last in (0, 5, 1, 9)] + [[9] * 32, [0] * 32], np.uint8)
    assert Rows(known).find(wanted).tolist() == [-1, 2, 0, -1, 3, -1]
    assert Rows(known[:0]).find(wanted).tolist() == [-1] * 6


@pytest.mark.req("B36")
def test_each_byte_of_a_file_is_vouched_for(tmp_path: Path) -> None:
    """A bit that turned anywhere, an end that is missing and one too many: dropped, said, and written again."""
    whole = compared(9, 24)
    cache_in(tmp_path).add(whole)
    (path,) = files(tmp_path)
    data = path.read_bytes()
    variants = [data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :] for at in range(len(data))]
    variants += [data[:cut] for cut in range(0, len(data), 7)] + [data + b"\0"]
    for variant in variants[:: 1 if os.environ.get("CI") else 5]:
        path.write_bytes(variant)
        notes: list[str] = []
        assert cache_in(tmp_path, notes).best(whole.digests) is None
        assert [note.split(" set ")[0] for note in notes] == ["a damaged"]
        assert files(tmp_path) == []
    cache_in(tmp_path).add(whole)
    assert same(cache_in(tmp_path).best(whole.digests), whole)
    assert path.read_bytes() == data


def test_few_sets_are_kept_and_those_that_served_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [compared(seed) for seed in range(SETS + 2)]
    cache = cache_in(tmp_path)
    for number, one in enumerate(sets):
        for path in files(tmp_path):
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**9))
        if number:
            assert same(cache.best(sets[0].digests), sets[0])  # it serves each time
        cache.add(one)
    assert len(files(tmp_path)) == SETS
    kept = [number for number, one in enumerate(sets) if cache_in(tmp_path).best(one.digests) is not None]
    assert kept == [0, SETS - 1, SETS, SETS + 1]
    size = files(tmp_path)[0].stat().st_size
    monkeypatch.setattr(link_cache, "LIMIT", size * 2)
    cache.add(compared(50))
    assert sum(path.stat().st_size for path in files(tmp_path)) <= size * 2 + 4096
    monkeypatch.setattr(link_cache, "LIMIT", 100)
    cache.add(compared(51))
    assert cache_in(tmp_path).best(compared(51).digests) is None


def _adds(folder: Path, seed: int) -> None:
    cache = cache_in(folder)
    for number in range(20):
        one = compared(seed + number % 3)
        cache.add(one)
        found = cache.best(one.digests)
        assert found is None or same(found, one)


def test_processes_side_by_side(tmp_path: Path) -> None:
    """Two write the same sets, one others; none sees half a file or takes a removed one for damage."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_adds, args=(tmp_path, seed)) for seed in (0, 0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    notes: list[str] = []
    cache = cache_in(tmp_path, notes)
    cache.add(compared(200))  # removes what was written while others counted
    cache.best(compared(0).digests)
    assert notes == []
    assert 0 < len(files(tmp_path)) <= SETS
    assert list(tmp_path.rglob("*.aside")) == []


FULL = """
import json, resource, sys
from pathlib import Path
from storage.test_link_cache import cache_in, compared, same

folder, notes = Path(sys.argv[1]), []
whole = compared(6, 3000)
for most in (0, 100, 5000, 100_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    cache_in(folder, notes).add(whole)
    assert cache_in(folder, notes).best(whole.digests) is None
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
cache_in(folder, notes).add(whole)
print(json.dumps({"notes": notes, "kept": same(cache_in(folder, notes).best(whole.digests), whole)}))
"""

KILLED = """
import json, os, random, signal, sys, time
from pathlib import Path
from services.test_warm_scans import Project, changed, universe, NAMES
from heldout.domain.method import DEFAULT_METHOD
from heldout.services.matching import warm as matching_warm

matching_warm.REMEMBER_FROM = 0
folder, rounds, rng = Path(sys.argv[1]) / "p", int(sys.argv[2]), random.Random(5)
project, versions = Project(folder, DEFAULT_METHOD), {name: {} for name in NAMES}
pool = universe(rng, 60)
for name in NAMES:
    changed(rng, pool, versions[name], 0.6)
    project.write(name, versions[name])
start = time.perf_counter()
project.scan(warm=True)
lasts = time.perf_counter() - start
ends, wrong = [], 0
for round in range(1, rounds + 1):
    if round % 5 == 0:
        changed(rng, pool, versions["a1"], 0.1)
        project.write("a1", versions["a1"])
    child = os.fork()
    if not child:
        try:
            while True:
                project.scan(warm=True)
                for path in project.sets[: rng.random() < 0.5]:
                    path.unlink()  # so that there is something to write
        finally:
            os._exit(0)
    time.sleep(rng.uniform(0, 1.5 * lasts))
    os.kill(child, signal.SIGKILL)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    rng.random()
    if round % 5 == 0:
        wrong += project.scan(warm=True) != project.scan(warm=False)
print(json.dumps({"killed": ends.count(-9), "wrong": wrong, "notes": project.notes, "sets": len(project.sets)}))
"""


def run(script: str, *arguments: object) -> dict[str, object]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.req("B36")
def test_a_disk_that_fills_up_costs_a_note_each(tmp_path: Path) -> None:
    told = run(FULL, tmp_path)
    assert told["kept"]
    assert len(told["notes"]) == 4  # type: ignore[arg-type]
    assert all("not cached" in note for note in told["notes"])  # type: ignore[attr-defined]
    assert list(tmp_path.rglob("*.aside")) == []


@pytest.mark.req("B36")
def test_fifty_kills_of_scans_that_remember(tmp_path: Path) -> None:
    """Whatever a killed scan left, a later one writes what a scan without a cache writes, and finds no damage."""
    told = run(KILLED, tmp_path, ROUNDS)
    assert told["killed"] == ROUNDS
    assert (told["wrong"], told["notes"]) == (0, [])
    assert told["sets"]
