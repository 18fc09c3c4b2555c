"""Scans and writes of the signature cache that are killed at any point, and disks that fill up: nothing wrong, nothing
lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

ROUNDS = 50

KILLED = """
import json, os, random, signal, sys, time
from pathlib import Path

import numpy as np
from support.data import prepared
from support.matching import links_of
from storage.test_signature_cache import method_cache, pool_of

from heldout.matching.minhash import signatures
from heldout.matching.texts import normalise_batch

folder, rounds, choose = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
texts = [row["input"] for row in prepared("mbpp")]
pool, known = pool_of(texts)
right = signatures(normalise_batch([known[name] for name in pool.inputs]), count=64, seed=1)
plain = links_of(pool, known)
half = pool_of(texts[:400])


def scan(round):  # of more texts each time, so that there is something to write
    some, read = pool_of(texts[: 100 + 15 * round])
    links_of(some, read, cache=method_cache(folder))


def write(round):  # more than a life is long enough for, merges among it
    cache, order = method_cache(folder), np.arange(len(pool.inputs))
    while True:
        choose.shuffle(order)
        for low in range(0, order.size, 50):
            rows = np.sort(order[low : low + 50])
            cache.add([pool.inputs[row] for row in rows], right[rows])


def killed(work, round, after):
    child = os.fork()
    if not child:
        try:
            choose.seed(round)
            work(round)
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


start = time.perf_counter()
scan(0)
lasts = time.perf_counter() - start
ends, wrong, lost, damage, before = [], 0, 0, [], np.zeros(len(pool.inputs), bool)
for round in range(1, rounds + 1):
    work, longest = (scan, lasts * 1.5) if round % 2 else (write, 0.05)
    ends.append(killed(work, round, choose.uniform(0, longest)))
    found, there = method_cache(folder, damage).find(pool.inputs)
    wrong += int((found[there] != right[there]).any(axis=1).sum())
    lost += int((before & ~there).sum())
    before = there
    if round % 10 == 0:
        links = links_of(pool, known, cache=method_cache(folder))
        wrong += (links.near, links.contained) != (plain.near, plain.contained)
        before[:] = True
aside = len(list(folder.rglob("*.aside")))
print(json.dumps({"killed": ends.count(-9), "wrong": wrong, "lost": lost, "damage": damage, "aside": aside}))
"""

FULL = """
import json, resource, sys
from pathlib import Path

from storage.test_signature_cache import cache_in, names, rows

folder, notes = Path(sys.argv[1]), []
inputs = names(*range(5000))
for most in (0, 100, 5000, 100_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    cache = cache_in(folder, notes)
    cache.add(inputs, rows(inputs))
    assert not cache.find(inputs)[1].any()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
cache = cache_in(folder, notes)
cache.add(inputs, rows(inputs))
found, known = cache.find(inputs)
print(json.dumps({"notes": notes, "known": bool(known.all() and (found == rows(inputs)).all())}))
"""


def run(script: str, *arguments: object) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.req("B36", "B37")
def test_fifty_kills_at_any_point_of_a_scan_and_of_a_write(tmp_path: Path) -> None:
    told = run(KILLED, tmp_path, ROUNDS, 11)
    assert told["killed"] >= ROUNDS // 2 - 5, "too few were still at work"
    assert (told["wrong"], told["lost"], told["damage"]) == (0, 0, [])


@pytest.mark.req("B36")
def test_a_disk_that_fills_up_costs_a_note(tmp_path: Path) -> None:
    """A limit on the size of files ends a write where a full disk would: after a part."""
    told = run(FULL, tmp_path)
    assert told["known"]
    assert len(told["notes"]) == 4
    assert all("not cached" in note for note in told["notes"])
    assert list(tmp_path.rglob("*.aside")) == []
