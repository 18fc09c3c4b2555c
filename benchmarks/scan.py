"""A scan of banking77 and gsm8k, side by side with datasketch doing the same job.

    python benchmarks/scan.py --runs 5

Both read the same decompressed files, in processes of their own that take turns. Heldout reads rows, digests them,
normalises, finds near pairs and contained texts, verifies, and makes a record with findings. The peer is what one would
build on datasketch in an afternoon: texts normalised by our batch code, 5-character shingles in Python sets,
MinHash.update_batch with 64 permutations over crc32, MinHashLSH of 16 bands with 4 rows, and every candidate verified
on the sets; it looks for no containment and writes nothing. Time and memory count from reading to the result, without
imports. `near pairs` are pairs of unequal normalised texts at a Jaccard index of 4/5 or more. Asserts nothing.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from bench.timing import quiet_environment, table

DATA = Path(__file__).parents[1] / "tests" / "data"
FILES = ("banking77/train.csv", "banking77/test.csv", "gsm8k/train.jsonl", "gsm8k/test.jsonl")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--side", choices=("heldout", "datasketch"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side is not None:
        sys.stdout.write(json.dumps(SIDES[options.side](options.folder)) + "\n")
        return
    with tempfile.TemporaryDirectory() as name:
        compare(Path(name), options.runs)


def compare(folder: Path, runs: int) -> None:
    for name in FILES:
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
    env = quiet_environment(folder)
    command = [sys.executable, __file__, "--folder", str(folder), "--side"]
    results: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for round_ in range(runs + 1):
        for side in SIDES:
            done = subprocess.run([*command, side], env=env, check=True, stdout=subprocess.PIPE)
            if round_:
                results[side].append(json.loads(done.stdout))
    print(_report(results, runs))


def _report(results: dict[str, list[dict[str, float]]], runs: int) -> str:
    def median(side: str, key: str) -> float:
        return statistics.median(result[key] for result in results[side])

    keys = ("seconds", "texts/s", "processor seconds", "MB at most", "MB above start", "near pairs")
    rows = [["", *SIDES, "ratio"]]
    for key in keys:
        ours, theirs = (median(side, key) for side in SIDES)
        rows.append([key, f"{ours:,.2f}", f"{theirs:,.2f}", f"{ours / theirs:.2f}"])
    count = int(median("heldout", "texts"))
    return f"{count:,} distinct inputs of {', '.join(FILES)}; median of {runs} runs\n" + table(rows)


# --- the sides: each in a process of its own -------------------------------------------------------------------------


def heldout_side(folder: Path) -> dict[str, float]:
    # What a scan imports at its first step is part of starting, for both sides.
    import heldout.matching.near
    import heldout.storage.readers.delimited
    import heldout.storage.readers.json_rows  # noqa: F401
    from heldout.domain.method import DEFAULT_METHOD
    from heldout.domain.pool import Pool
    from heldout.services.matching_pool import match
    from heldout.services.reading import read_version
    from heldout.services.scanning import scan
    from heldout.services.sources import PlainFiles
    from heldout.storage.dataset_file import parse_dataset

    meter = Meter()
    readings = [
        read_version(parse_dataset(text.encode(), "dataset.yaml"), name, PlainFiles(folder / name))
        for name, text in _SPECS.items()
    ]
    subject, *others = readings
    scan(subject, others, DEFAULT_METHOD)
    texts = {digest: text for reading in readings for digest, text in reading.texts.items()}
    used = meter.read(len(texts))
    # How many pairs, once more outside the measured time: the scan's findings leave out those of the other set.
    links = match(Pool(subject.holding(), [reading.holding() for reading in others]), texts, DEFAULT_METHOD)
    pairs = {frozenset((links.texts.text(link.first), links.texts.text(link.second))) for link in links.near}
    return used | {"near pairs": sum(len(pair) == 2 for pair in pairs)}


_SPECS = {
    "banking77": """\
format: heldout/dataset@1
name: banking77
data:
- path: train.csv
  split: train
- path: test.csv
  split: test
fields:
  input: text
  expected: category
holdout:
- test
""",
    "gsm8k": """\
format: heldout/dataset@1
name: gsm8k
data:
- path: train.jsonl
  split: train
- path: test.jsonl
  split: test
fields:
  input: question
  expected: answer
holdout:
- test
""",
}


def datasketch_side(folder: Path) -> dict[str, float]:
    from datasketch import MinHash, MinHashLSH

    from heldout.matching.texts import normalise_batch

    meter = Meter()
    normalised = normalise_batch([text for name in FILES for text in _texts(folder / name)])
    texts = list(dict.fromkeys(normalised.text(position) for position in range(len(normalised))))
    shingles = [{text[at : at + 5] for at in range(max(1, len(text) - 4))} for text in texts]
    lsh = MinHashLSH(num_perm=64, params=(16, 4))
    signed = []
    for number, parts in enumerate(shingles):
        signature = MinHash(num_perm=64, seed=1, hashfunc=zlib.crc32)
        signature.update_batch([part.encode() for part in parts])
        lsh.insert(number, signature, check_duplication=False)
        signed.append(signature)
    near = 0
    for number, signature in enumerate(signed):
        for other in lsh.query(signature):
            if other > number:
                both = len(shingles[number] & shingles[other])
                either = len(shingles[number]) + len(shingles[other]) - both
                near += both * 5 >= either * 4
    return meter.read(len(texts)) | {"near pairs": near}


def _texts(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            return [row["text"] for row in csv.DictReader(stream)]
        return [json.loads(line)["question"] for line in stream]


class Meter:
    """Time and memory since it was made: interpreter and imports are left out, on both sides."""

    def __init__(self) -> None:
        self._memory = _peak()
        self._cpu = time.process_time()
        self._wall = time.perf_counter()

    def read(self, texts: int) -> dict[str, float]:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return {
            "seconds": wall,
            "processor seconds": cpu,
            "texts": texts,
            "texts/s": texts / wall,
            "MB at most": _peak(),
            "MB above start": _peak() - self._memory,
        }


def _peak() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1e6 if sys.platform == "darwin" else 1e3)


SIDES = {"heldout": heldout_side, "datasketch": datasketch_side}


if __name__ == "__main__":
    main()
