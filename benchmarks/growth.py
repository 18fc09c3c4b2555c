"""What grows with what: versions, datasets, shards, the size of a file, findings, the length of a path.

    python benchmarks/growth.py                          small sizes, about two minutes
    python benchmarks/growth.py --full                   the stated limits: 500 versions, 100 datasets, 10,000 shards,
                                                         5 GB, a million findings
    python benchmarks/growth.py --only versions findings
    python benchmarks/growth.py --only rows --size 800000 --steps 5

Prints seconds (in brackets processor time) and memory of each command for doubling sizes, and the exponent with which
processor time and memory grow: 1 is in step, 2 is quadratic. Asserts nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import corpus
from bench.growth import Cost, cost, grow
from bench.process import compiled
from bench.repository import many_findings, many_versions
from bench.timing import quiet_environment, run

SMALL = {
    "versions": 120,
    "datasets": 24,
    "shards": 800,
    "rows": 80_000,
    "megabytes": 16,
    "findings": 20_000,
    "path": 4_000,
}
FULL = {
    "versions": 500,
    "datasets": 100,
    "shards": 10_000,
    "rows": 800_000,
    "megabytes": 5_000,
    "findings": 1_000_000,
    "path": 4_000,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the stated limits instead of small sizes")
    parser.add_argument("--only", nargs="+", choices=list(SMALL), default=list(SMALL))
    parser.add_argument("--size", type=int, help="the largest size, for one --only")
    parser.add_argument("--steps", type=int, default=4, help="how often the size is doubled, plus one")
    options = parser.parse_args()
    compiled()  # otherwise the smallest size would pay for it, and growth would look slower than it is
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = quiet_environment(folder)
        cost(["--version"], cwd=folder, env=env)  # compiles modules
        start = cost(["--version"], cwd=folder, env=env)
        print(f"heldout --version: {start.seconds:.2f} s, {start.memory:.0f} MB, taken off before exponents are fitted")
        for what in options.only:
            largest = options.size or (FULL if options.full else SMALL)[what]
            sizes = [largest // 2**step for step in reversed(range(options.steps))]
            grow(what, sizes, partial(MEASURES[what], folder, env), start)


def versions(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    return _answers(folder / f"versions-{size}", env, versions=size, datasets=6)


def datasets(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    return _answers(folder / f"datasets-{size}", env, versions=size, datasets=size)


def _answers(place: Path, env: Mapping[str, str], *, versions: int, datasets: int) -> dict[str, Cost]:
    tags = many_versions(place, env, versions, datasets)
    listed = tags[-1].partition("@")[0]
    return {
        "gate": cost(["gate", tags[-1]], cwd=place, env=env),
        "versions": cost(["versions", listed], cwd=place, env=env),
        "status": cost(["status"], cwd=place, env=env, accept=(0, 1, 3)),
        "verify --trust-records": cost(["verify", "--trust-records"], cwd=place, env=env, accept=(0, 1, 3)),
    }


def shards(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    place = folder / f"shards-{size}"
    (place / "train").mkdir(parents=True)
    for number in range(size):
        (place / f"train/{number:05}.jsonl").write_text(_row(number), encoding="utf-8")
    (place / "test.jsonl").write_text(_row(-1), encoding="utf-8")
    return {"check": cost(["check", "train", "test.jsonl", "--holdout", "test"], cwd=place, env=env)}


def rows(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    """Real sentences with planted pairs: `corpus.py`."""
    place = folder / f"rows-{size}"
    corpus.write(place, corpus.Plan(size))
    found = {
        "check": cost(
            ["check", "train.jsonl", "holdout.jsonl", "--holdout", "holdout", "--quiet"],
            cwd=place,
            env=env,
            accept=(1,),
        )
    }
    shutil.rmtree(place)
    return found


def megabytes(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    place = folder / f"file-{size}"
    place.mkdir()
    with (place / "train.jsonl").open("w", encoding="utf-8") as stream:
        number = written = 0
        while written < size * 1_000_000:
            written += stream.write(_row(number))
            number += 1
    (place / "test.jsonl").write_text(_row(-1), encoding="utf-8")
    found = {"check": cost(["check", "train.jsonl", "test.jsonl", "--holdout", "test"], cwd=place, env=env)}
    (place / "train.jsonl").unlink()
    return found


def _row(number: int) -> str:
    """About 500 characters that no other row shares much of."""
    digits = hashlib.shake_128(str(number).encode()).hexdigest(220)
    return json.dumps({"input": " ".join(digits[at : at + 8] for at in range(0, 440, 8))}) + "\n"


def findings(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    place = folder / f"findings-{size}"
    tag = many_findings(place, env, size)
    return {
        "gate": cost(["gate", tag], cwd=place, env=env, accept=(1,)),
        "findings --json": cost(["findings", tag, "--json"], cwd=place, env=env, accept=(0, 1)),
        "verify --trust-records": cost(["verify", "--trust-records"], cwd=place, env=env, accept=(1,)),
    }


def path(folder: Path, env: Mapping[str, str], size: int) -> dict[str, Cost]:
    """A file at a path of that many characters: below the working folder, for a whole path may have 4,095 in Linux."""
    place = folder / f"p{size}"
    place.mkdir()
    parts = []
    left = size - len("train.jsonl")
    while left > 1:
        parts.append("d" * min(200, left - 1))
        left -= len(parts[-1]) + 1
    script = "import os,sys\nfor part in sys.argv[1:]:\n os.mkdir(part); os.chdir(part)\nopen('train.jsonl','w').write"
    run(["python3", "-c", f"{script}({_row(1)!r})", *parts], cwd=place, env=env)
    (place / "test.jsonl").write_text(_row(-1), encoding="utf-8")
    name = "/".join([*parts, "train.jsonl"])
    return {"check": cost(["check", name, "test.jsonl", "--holdout", "test"], cwd=place, env=env)}


MEASURES: dict[str, Callable[[Path, Mapping[str, str], int], dict[str, Cost]]] = {
    "versions": versions,
    "datasets": datasets,
    "shards": shards,
    "rows": rows,
    "megabytes": megabytes,
    "findings": findings,
    "path": path,
}

if __name__ == "__main__":
    main()
