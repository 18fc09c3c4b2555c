"""Kill -9 at any point of a scan: no result is wrong afterwards, none is lost, and nothing finished is read twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.corpora import holdouts, jsonl, scanned, sentences, varied

from heldout.errors import DataError
from heldout.services.corpora import reader as corpus_reader
from heldout.services.progress import Silent

HELD = sentences(1, 60)
_SHARDS = 12
_RUN = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from support.corpora import holdouts, scanned, sentences
from heldout.services.corpora import reader as corpus_reader

if __name__ == "__main__":
    corpus_reader.PART = 4000
    print("ready", flush=True)
    scan = scanned([{corpus!r}], holdouts(sentences(1, 60)), state=Path({state!r}), jobs={jobs})
    for path, data in scan.files().items():
        Path({out!r}, Path(path).name).write_bytes(data)
    print(f"resumed {{scan.resumed}}", flush=True)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("corpus")
    for number in range(_SHARDS):
        (top / f"{number:02}.jsonl").write_bytes(jsonl(varied(number, HELD, 150 if number else 600)))
    return top


def _script(top: Path, corpus: Path, jobs: int) -> Path:
    (top / "out").mkdir(exist_ok=True)
    tests = str(Path(__file__).parents[1])
    script = top / "scan_it.py"
    script.write_text(
        _RUN.format(tests=tests, corpus=str(corpus), state=str(top / "state"), out=str(top / "out"), jobs=jobs)
    )
    return script


def _killed_after(script: Path, seconds: float) -> str:
    """What a run printed that was killed, with its processes left to notice; all of it where it was faster."""
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        first = run.stdout.readline()
        time.sleep(seconds)
        run.kill()
        assert first == "ready\n"
        return run.communicate(timeout=300)[0]


@pytest.mark.req("E40")
@pytest.mark.parametrize(("jobs", "kills"), [(1, 44), (2, 6)])
def test_killed_at_any_point_nothing_is_wrong_or_lost(tmp_path: Path, corpus: Path, jobs: int, kills: int) -> None:
    wanted = {Path(path).name: data for path, data in scanned([str(corpus)], holdouts(HELD)).files().items()}
    script = _script(tmp_path, corpus, jobs)
    stream = random.Random(jobs)
    finished = 0
    for _ in range(kills):
        if "resumed" in _killed_after(script, stream.uniform(0, 0.4 if jobs == 1 else 4)):
            finished += 1
            _forget_some(tmp_path / "state", stream)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert "resumed" in done.stdout
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == wanted
    assert finished < kills  # else nothing was killed


def _forget_some(state: Path, stream: random.Random) -> None:
    """So that there is something left to be killed in: some finished parts go, and some are damaged."""
    for file in sorted(state.rglob("*.json")):
        choice = stream.random()
        if choice < 0.5:
            file.unlink()
        elif choice < 0.6:
            file.write_bytes(file.read_bytes()[: stream.randrange(200)])


def test_finished_parts_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    for number in range(4):
        (crawl / f"{number}.jsonl").write_bytes(jsonl(varied(number, HELD, 60)))
    first = scanned([str(crawl)], holdouts(HELD), state=tmp_path / "state")
    read: list[str] = []
    opened = corpus_reader.open_file
    monkeypatch.setattr(corpus_reader, "open_file", lambda file: read.append(file.path) or opened(file))  # type: ignore[func-returns-value]
    again = scanned([str(crawl)], holdouts(HELD), state=tmp_path / "state")
    assert (again.files(), again.resumed, read) == (first.files(), 4, [])
    os.utime(crawl / "2.jsonl", ns=(0, 0))
    assert scanned([str(crawl)], holdouts(HELD), state=tmp_path / "state").files() == first.files()
    assert read == ["2.jsonl"]
    scanned([str(crawl)], holdouts(HELD[:50]), state=tmp_path / "other")
    assert len(read) == 5


@pytest.mark.parametrize("damage", [b"", b"{}", b"\x00" * 400, None])
def test_a_damaged_state_is_read_again(tmp_path: Path, corpus: Path, damage: bytes | None) -> None:
    shard = str(corpus / "03.jsonl")
    first = scanned([shard], holdouts(HELD), state=tmp_path)
    (file,) = tmp_path.rglob("*.json")
    whole = file.read_bytes()
    file.write_bytes(damage if damage is not None else whole.replace(b'"rows":150', b'"rows":151'))
    again = scanned([shard], holdouts(HELD), state=tmp_path)
    assert (again.resumed, again.files(), file.read_bytes()) == (0, first.files(), whole)


def test_the_state_holds_no_text(tmp_path: Path, corpus: Path) -> None:
    scanned([str(corpus)], holdouts(HELD), state=tmp_path)
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*.json"))
    words = {word for text in HELD for word in text.split() if word.isalpha() and len(word) > 4}
    assert words
    assert not [word for word in words if word.encode() in kept]
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_a_place_that_takes_no_state_is_said_once(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    monkeypatch.setattr(Silent, "note", lambda _, text: notes.append(text))
    (tmp_path / "corpus").touch()
    scan = scanned([str(corpus)], held := holdouts(HELD), state=tmp_path)
    assert notes == ["finished parts are not remembered: Not a directory"]
    assert (scan.record.shards, scan.files()) == (_SHARDS, scanned([str(corpus)], held).files())


_KILLER = """
import sys
sys.path.insert(0, {tests!r})
import os, signal
from pathlib import Path
from support.corpora import holdouts, scanned, sentences
from heldout.errors import DataError
from heldout.storage.corpora import files as corpus_files
from heldout.services.corpora import reader as corpus_reader

opened = corpus_files.open_file

def deadly(file):
    # In a worker that opens the poisoned shard: as the kernel does when memory runs out.
    poison = Path({top!r}, "poison")
    if file.path == "05.jsonl" and poison.exists() and "{jobs}" != "1":
        if poison.read_text() == "once":
            poison.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return opened(file)

corpus_reader.open_file = deadly

if __name__ == "__main__":
    try:
        scan = scanned([{corpus!r}], holdouts(sentences(1, 60)), jobs={jobs})
    except DataError as error:
        print(error.slug, Path(error.file).name)
    else:
        print(scan.record.id, scan.record.findings_digest)
"""


@pytest.mark.req("E40")
@pytest.mark.parametrize("times", ["once", "always"])
def test_a_worker_that_is_killed(tmp_path: Path, corpus: Path, times: str) -> None:
    script = tmp_path / "kill_it.py"
    tests = str(Path(__file__).parents[1])
    script.write_text(_KILLER.format(tests=tests, top=str(tmp_path), corpus=str(corpus), jobs=2))
    (tmp_path / "poison").write_text(times)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=300)
    if times == "always":
        assert done.stdout.split() == ["worker-killed", "05.jsonl"]
    else:
        record = scanned([str(corpus)], holdouts(HELD)).record
        assert done.stdout.split() == [record.id, record.findings_digest]


def test_interrupted_it_ends_at_once_and_leaves_no_process(tmp_path: Path, corpus: Path) -> None:
    script = _script(tmp_path, corpus, 2)
    run = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "ready\n"
    time.sleep(1)
    os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=120)
    assert not list((tmp_path / "out").iterdir()) or run.returncode == 0
    assert not _alive(run.pid)


def _alive(group: int) -> bool:
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def test_errors_arrive_whole_from_another_process(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl(HELD) + b"not json\n")
    (tmp_path / "b.jsonl").write_bytes(jsonl(HELD))
    with pytest.raises(DataError) as caught:
        scanned([str(tmp_path)], holdouts(HELD), jobs=2)
    assert (caught.value.line, caught.value.slug) == (61, "bad-json")
    assert json.dumps(caught.value.location())
