"""A million result rows by 50 slices, beside polars' group-by on the same file.

    python benchmarks/results.py --rows 1000000 --runs 3

The file has ten keys of metadata with five values each, so fifty slices. Heldout reads, checks and reports it whole:
every row and key is there once, counts with missing outcomes, exact intervals, levels and marks. polars reads the same
file and groups it by each key with the count and the sum of outcomes, all keys at once, on every core. Both run in a
fresh process, in turns; the best of the runs is printed, because the machine may be busy. Their counts must agree, and
with --check the time of Heldout must be at most three times that of polars.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

KEYS, VALUES, LIMIT = 10, 5, 3.0

_CLOCK = "import json, resource, sys, time\nstart = time.perf_counter()\n"
_END = """
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall": time.perf_counter() - start, "processor": used.ru_utime + used.ru_stime,
                  "memory": used.ru_maxrss / 1024, "counts": counts}))
"""
HELDOUT = (
    _CLOCK
    + """
from pathlib import Path
from heldout.domain.results.declared import parse_declared
from heldout.domain.results.suite import Suite
from heldout.services.results.report import report
from heldout.services.results.subject import Asked

suite = Suite(slices=tuple(parse_declared(f"metadata.key{at}") for at in range(int(sys.argv[2]))))
found = report(None, Path(sys.argv[1]), suite, Asked(allow=("unknown",)))
counts = {
    row.scope.text.removeprefix("metadata."): [row.counts.observed, round(row.counts.total)] for row in found.slices
}
"""
    + _END
)
POLARS = (
    _CLOCK
    + """
import polars as pl

frame = pl.scan_ndjson(sys.argv[1]).select("outcome", "metadata").unnest("metadata")
keys = [f"key{at}" for at in range(int(sys.argv[2]))]
groups = pl.collect_all(
    [frame.group_by(key).agg(pl.len().alias("n"), pl.col("outcome").sum().alias("right")) for key in keys]
)
counts = {
    f"{key}={value}": [n, right]
    for key, group in zip(keys, groups)
    for value, n, right in group.select(key, "n", "right").rows()
}
"""
    + _END
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--check", action="store_true", help=f"exit 1 above {LIMIT:g} times polars")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.jsonl"
        write(file, options.rows)
        size = file.stat().st_size / options.rows
        print(f"{options.rows:,} rows of {size:,.0f} bytes, {KEYS * VALUES} slices")
        best: dict[str, dict[str, float]] = {}
        counts = []
        for _ in range(options.runs):
            for name, program in (("heldout", HELDOUT), ("polars", POLARS)):
                found = _run(program, file)
                counts.append(found.pop("counts"))
                if name not in best or found["wall"] < best[name]["wall"]:
                    best[name] = found
        assert all(one == counts[0] for one in counts), "the two count differently"
    for name, found in best.items():
        print(
            f"{name:>8}  {found['wall']:6.2f} s by the clock  {found['processor']:6.2f} s of processors  "
            f"{found['memory']:6,.0f} MB"
        )
    ratio = best["heldout"]["wall"] / best["polars"]["wall"]
    print(f"Heldout takes {ratio:.2f} times as long, at most {LIMIT:g} allowed")
    return int(options.check and ratio > LIMIT)


def _run(program: str, file: Path) -> dict[str, float]:
    command = [sys.executable, "-c", program, str(file), str(KEYS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def write(file: Path, rows: int) -> None:
    choose = random.Random(1)
    values = [[f"{'abcdefghij'[key]}{value}" for value in range(VALUES)] for key in range(KEYS)]
    with file.open("w", encoding="utf-8") as stream:
        for number in range(rows):
            metadata = {f"key{at}": of[int(choose.random() * VALUES)] for at, of in enumerate(values)}
            row = {"key": f"ex-{number:07}", "split": "test", "outcome": choose.random() < 0.8, "metadata": metadata}
            stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    sys.exit(main())
