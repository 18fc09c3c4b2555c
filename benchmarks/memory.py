"""What `heldout check` needs of memory: bytes a text, and whether limits hold with the same findings.

    python benchmarks/memory.py
    python benchmarks/memory.py --rows 1000000 --limits 4GiB 2GiB 1GiB --runs 1

Runs without a limit and with each, in turns, in fresh processes. The peak is what the process had resident at most;
what a check of 100 rows takes is taken off for the bytes a text. Asserts nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import corpus
from bench.checking import check_files
from bench.process import Found, Job, compare, options_of, serve
from bench.timing import table
from heldout.domain.sizes import parse_size

LIMITS = ("2GiB", "1GiB", "512MiB")


def main() -> None:
    if serve(SIDES, sys.argv[1:]):
        return
    parser = options_of(__doc__)
    parser.add_argument("--limits", nargs="*", default=LIMITS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.corpus or Path(name)
        if options.corpus is None:
            corpus.write(folder, corpus.Plan(options.rows))
        small = Path(name) / "small"
        corpus.write(small, corpus.Plan(100))
        jobs = {"100 rows": ("check", Job(small)), "no limit": ("check", Job(folder))}
        jobs |= {limit: ("check", Job(folder, 0, {"memory": limit})) for limit in options.limits}
        found = compare(__file__, jobs, options.runs)
    start = found.pop("100 rows")["MB"]
    lines = [["", "peak MB", "above 100 rows", "bytes a text", "of its limit", "wall s", "cpu s"]]
    for side, used in found.items():
        above = used["MB"] - start
        cells = [f"{used['MB']:,.0f}", f"{above:,.0f}", f"{above * 1e6 / used['texts']:,.0f}"]
        limit = parse_size(side)
        share = f"{used['MB'] * 1e6 / limit:.2f}" if limit else ""
        lines.append([side, *cells, share, f"{used['wall']:.1f}", f"{used['cpu']:.1f}"])
    same = len({used["same"] for used in found.values()}) == 1
    print(f"{found['no limit']['texts']:,} rows; medians of {options.runs} runs\n{table(lines)}")
    print("the same findings" if same else "THE FINDINGS ARE NOT THE SAME")


def check(job: Job) -> Found:
    ran = check_files(job.folder, *(["--memory", job.options["memory"]] if "memory" in job.options else []))
    same = hashlib.sha256(json.dumps(ran.answer["findings"]).encode()).hexdigest()
    return {
        "wall": ran.wall,
        "cpu": ran.cpu,
        "MB": ran.memory,
        "texts": sum(ran.answer["splits"].values()),
        "same": same,
    }


SIDES = {"check": check}


if __name__ == "__main__":
    main()
