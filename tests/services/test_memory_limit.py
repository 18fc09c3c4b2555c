"""Scans in as little memory as one likes: the same bytes, texts read again, and nothing left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.errors import DataError, UsageError
from heldout.services.checking.check import check
from heldout.services.checking.files import CheckRequest
from heldout.services.matching import texts as matching_texts
from heldout.services.matching.memory_limit import MemoryLimit, asked_limit, default_limit
from heldout.services.matching.texts import TextStore
from heldout.services.reading import read_version
from heldout.services.scanning import scan
from heldout.services.sources import PlainFiles
from heldout.storage import scratch

TIGHT = Method(bucket_cap=3, pair_cap=4, containment_cap=2)
WORDS = ("the", "of", "and", "to", "in", "is", "you", "that", "it", "he", "was", "for", "on", "are", "as", "with")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(matching_texts, "_CHARACTERS", 400)
    return place


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words))


def texts(rng: random.Random) -> list[str]:
    """Families, crowds of containments, edits, repeats, scripts of every width, and texts that say nothing."""
    base = [sentence(rng, rng.randint(2, 60)) for _ in range(40)]
    template = sentence(rng, 30)
    family = [f"{template} number {rng.randint(0, 99)}" for _ in range(12)]
    short = sentence(rng, 6)
    holders = [f"{sentence(rng, rng.randint(0, 9))} {short} {sentence(rng, rng.randint(0, 9))}" for _ in range(8)]
    edits = [text[:-3] + "xyz" for text in rng.sample(base, 8)]
    wide = [
        f"шпион {rng.choice(base)}",
        f"日本語の文章です {rng.choice(base)}",
        f"\U00020000 {base[0]}",
        "naïve " + base[1],
    ]
    everything = [*base, *family, short, *holders, *edits, *wide, *rng.sample(base, 6), "?!", "…", "ok"]
    rng.shuffle(everything)
    return everything


def write(path: Path, rng: random.Random, rows: list[str], *, keys: bool) -> None:
    lines = []
    for number, text in enumerate(rows):
        row: dict[str, object] = {"split": rng.choice(["train", "train", "test"]), "input": text}
        if keys:
            row["key"] = f"k{number % 37}-{number // 74}" if rng.random() < 0.7 else f"n{number}"
        if rng.random() < 0.2:
            row["expected"] = rng.choice(["yes", 1, 0.5, ["a"]])
        lines.append(json.dumps(row, ensure_ascii=rng.random() < 0.5))
    unique = {
        (json.loads(line)["split"], json.loads(line).get("key", number)): line for number, line in enumerate(lines)
    }
    path.write_text("\n".join(unique.values()) + "\n", encoding="utf-8")


def files_of(folder: Path, names: list[str], method: Method, limit: MemoryLimit | None) -> dict[str, bytes]:
    store = TextStore(method, limit)
    readings = [
        read_version(
            DatasetSpec(name[0], (DataFile(f"{name}.jsonl"),), holdout=("test",)), name, PlainFiles(folder), store=store
        )
        for name in names
    ]
    result = scan(readings[0], readings[1:], method, store=store).files()
    assert store.spilled == (limit is not None)
    store.close()
    return result


@pytest.mark.req("E40")
def test_a_limit_that_cannot_be_kept_is_told() -> None:
    assert MemoryLimit(1 << 30).beyond(1_000_000) is None
    told = MemoryLimit(1 << 30).beyond(5_000_000)
    assert told is not None
    assert told.startswith("a limit of 1.00 GiB cannot be kept: 5,000,000 distinct inputs take about 3.7 GiB")


@pytest.mark.req("B37", "E40")
@pytest.mark.parametrize("method", [DEFAULT_METHOD, TIGHT], ids=["default", "tight"])
@pytest.mark.parametrize("seed", range(6))
def test_any_limit_gives_the_same_bytes(tmp_path: Path, temporary: Path, seed: int, method: Method) -> None:
    rng = random.Random(seed)
    pool = texts(rng)
    names = ["a1", "a2", "b1"]
    for name in names:
        write(tmp_path / f"{name}.jsonl", rng, rng.sample(pool, rng.randint(20, len(pool))), keys=seed % 2 == 0)
    plain = files_of(tmp_path, names, method, None)
    assert files_of(tmp_path, names, method, MemoryLimit(1)) == plain
    assert files_of(tmp_path, names, method, MemoryLimit((192 << 20) + 20_000)) == plain
    assert list(temporary.iterdir()) == []


@pytest.mark.req("E40")
@pytest.mark.parametrize("seed", range(3))
def test_check_finds_the_same_within_any_limit(tmp_path: Path, seed: int) -> None:
    rng = random.Random(50 + seed)
    for name in ("train", "test"):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts(rng)), encoding="utf-8")
    request = CheckRequest(tuple(str(tmp_path / f"{name}.txt") for name in ("train", "test")), holdout=("test",))
    plain, small = check(request), check(request, memory=MemoryLimit(1))
    assert small.findings == plain.findings
    assert plain.findings
    for name in ("pairs", "rates", "contaminated", "capped", "no_text", "splits", "many_marks", "places"):
        assert getattr(small, name) == getattr(plain, name), name
    assert dict(small.texts) == dict(plain.texts)


@pytest.mark.req("A33", "E40")
def test_temporary_files_hold_no_text(tmp_path: Path, temporary: Path) -> None:
    rng = random.Random(7)
    write(tmp_path / "a1.jsonl", rng, texts(rng), keys=False)
    store = TextStore(DEFAULT_METHOD, MemoryLimit(1))
    spec = DatasetSpec("a", (DataFile("a1.jsonl"),))
    reading = read_version(spec, "a1", PlainFiles(tmp_path), store=store)
    scan(reading, [], DEFAULT_METHOD, store=store)
    (folder,) = temporary.iterdir()
    data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert data
    for line in (tmp_path / "a1.jsonl").read_text(encoding="utf-8").splitlines():
        for word in json.loads(line)["input"].split():
            assert len(word) < 6 or word.encode() not in data
    assert folder.stat().st_mode & 0o077 == 0
    store.close()
    assert not folder.exists()


@pytest.mark.req("A50", "E40")
def test_data_that_changes_before_it_is_read_again_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a1.jsonl"
    write(path, random.Random(1), texts(random.Random(1)), keys=False)
    store = TextStore(DEFAULT_METHOD, MemoryLimit(1))
    reading = read_version(DatasetSpec("a", (DataFile("a1.jsonl"),)), "a1", PlainFiles(tmp_path), store=store)
    path.write_text(path.read_text(encoding="utf-8").replace("the", "thee"), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        scan(reading, [], DEFAULT_METHOD, store=store)
    assert caught.value.slug == "changed-while-reading"


LEAVE = """
import os, signal, sys, time
from heldout.storage.scratch import Scratch
made = Scratch()
made.path("keys").write_bytes(b"1")
print(made.folder, flush=True)
if sys.argv[1] == "wait":
    time.sleep(60)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.req("E40")
def test_what_a_killed_process_left_is_removed_later_and_what_a_live_one_uses_is_not(temporary: Path) -> None:
    env = {**os.environ, "TMPDIR": str(temporary)}
    dead = subprocess.run([sys.executable, "-c", LEAVE, "die"], env=env, stdout=subprocess.PIPE, check=False)
    left = Path(dead.stdout.decode().strip())
    assert left.is_dir()
    with subprocess.Popen([sys.executable, "-c", LEAVE, "wait"], env=env, stdout=subprocess.PIPE) as alive:
        assert alive.stdout is not None
        used = Path(alive.stdout.readline().decode().strip())
        try:
            mine = scratch.Scratch()
            assert not left.exists()
            assert used.is_dir()
            mine.close()
        finally:
            alive.kill()
    scratch.remove_abandoned()
    assert list(temporary.iterdir()) == []


INTERRUPTED = """
import sys
from heldout.cli import main
from heldout.services.matching import pool as matching_pool
def wait(*_):
    print("here", file=sys.stderr, flush=True)
    import time
    time.sleep(60)
matching_pool.near_pairs_streamed = wait
sys.argv = ["heldout", "check", *sys.argv[1:], "--memory", "1"]
main()
"""


@pytest.mark.req("E40")
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, temporary: Path) -> None:
    write(tmp_path / "a1.jsonl", random.Random(1), texts(random.Random(1)), keys=False)
    env = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "a1.jsonl")]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b"here" not in process.stderr.readline():
            assert process.poll() is None
        assert len(list(temporary.iterdir())) == 1
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("1GiB", 1 << 30), ("512 mib", 512 << 20), ("2GB", 2 * 10**9), ("1.5kB", 1500), ("4096", 4096), ("7b", 7)],
)
def test_sizes(text: str, size: int) -> None:
    assert asked_limit(text) == MemoryLimit(size)


@pytest.mark.parametrize("text", ["", "much", "1 parsec", "-1GiB", "0", "1e9", "GiB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked_limit(text)
    assert caught.value.slug == "bad-size"


def test_the_default_is_half_of_the_machine_or_less() -> None:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < default_limit().size <= total // 2
