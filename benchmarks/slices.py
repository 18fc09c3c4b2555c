"""What a count of a slice costs, beside a bare msgspec decode of the same file.

    python benchmarks/slices.py --rows 1000000 --runs 3

Counts slices of 5 and of 50 conditions over JSON Lines in Heldout's own shape, once with rows that all have the same
fields and plain texts, once with what makes reading slower: fields that come and go, colons in texts, nested inputs.
Prints processor time and wall time a row, the ratio to decoding alone, and how much memory the counts added; asserts
nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.evaluation import count
from heldout.services.slicing.counting import rows_to_count
from heldout.services.sources import PlainFiles
from heldout.storage.dataset_file import parse_dataset

SPEC = parse_dataset(b"format: heldout/dataset@1\nname: big\ndata: [{path: big.jsonl}]\n", "dataset.yaml")
FIVE = Definition(
    (
        Condition("metadata", "language", "eq", "de"),
        Condition("tag", None, "contains", "bill"),
        Condition("metadata", "turns", "gte", 3),
        Condition("split", None, "eq", "test"),
        Condition("field", "input", "contains", "lorem"),
    )
)
FIFTY = Definition(tuple(Condition("metadata", "topic", "neq", f"topic {number}") for number in range(100, 150)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "big.jsonl"
        for mixed in (False, True):
            write(file, options.rows, mixed=mixed)
            size = file.stat().st_size / options.rows
            print(f"{options.rows:,} rows {'of many shapes' if mixed else 'of one shape'}, {size:,.0f} bytes each")
            measure(file, options.rows, options.runs)


def write(file: Path, rows: int, *, mixed: bool) -> None:
    choose = random.Random(1)
    words = ["".join(choose.choices("abcdefghilmnoprstu", k=choose.randint(2, 9))) for _ in range(3000)] + ["lorem"]
    with file.open("w", encoding="utf-8") as stream:
        for number in range(rows):
            row: dict[str, object] = {
                "key": f"ex-{number:07}",
                "input": " ".join(choose.choices(words, k=40)),
                "expected": choose.choice(words),
                "metadata": {
                    "language": choose.choice(["de", "en", "fr"]),
                    "turns": choose.randint(1, 9),
                    "topic": f"topic {choose.randint(1, 20)}",
                },
                "tags": choose.sample(["billing", "refund", "card", "login"], 2),
                "split": choose.choice(["train", "test"]),
            }
            if mixed and number % 2:
                row |= {"source_kind": "web", "review_status": "done"}
            if mixed:
                text = row["input"]
                row["input"] = {"messages": [{"role": "user", "content": f"Ask: {text} see http://x.org :-)"}]}
            stream.write(json.dumps(row) + "\n")


def measure(file: Path, rows: int, runs: int) -> None:
    """Every operation once a run, in turns; the best of the runs, because the machine may be busy."""
    operations: dict[str, Callable[[], object]] = {
        "msgspec decode": lambda: decode(file),
        "5 conditions": lambda: count(FIVE, rows_to_count(SPEC, PlainFiles(file.parent))),
        "50 conditions": lambda: count(FIFTY, rows_to_count(SPEC, PlainFiles(file.parent))),
    }
    best = {name: (float("inf"), float("inf")) for name in operations}
    decode(file)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(runs):
        for name, operation in operations.items():
            start = time.process_time(), time.perf_counter()
            operation()
            spent = time.process_time() - start[0], time.perf_counter() - start[1]
            best[name] = min(best[name][0], spent[0]), min(best[name][1], spent[1])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    for name, (processor, wall) in best.items():
        ratio = processor / best["msgspec decode"][0]
        print(
            f"{name:>16}  {processor / rows * 1e6:6.2f} us a row ({wall / rows * 1e6:.2f} by the clock)  {ratio:5.2f} x"
        )
    print(f"memory added by counting: {grown / 1024:.0f} MiB")


def decode(file: Path) -> None:
    decoder = msgspec.json.Decoder()
    with file.open("rb") as stream:
        for line in stream:
            decoder.decode(line)


if __name__ == "__main__":
    main()
