"""A family of 10,000 near-identical rows inside 100,000: what a scan takes, beside the same number of rows without it.

    python benchmarks/families.py
    python benchmarks/families.py --rows 20000 --family 2000
    python benchmarks/families.py --peers            dictionaries of buckets, and datasketch, on rows that fit a minute

One template with a number behind it makes family * (family - 1) / 2 pairs, which nobody wants listed. Both sides run
`heldout check` from files to findings, in turns, in fresh processes. With --peers, libraries that enumerate pairs are
given families of a few sizes and nothing else: at 10,000 they do not end in minutes. Asserts nothing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import corpus
from bench.checking import CHECK, check
from bench.near_sides import SIDES
from bench.process import Job, compare, options_of, serve
from bench.timing import table

EVERY = SIDES | {CHECK: check}
PEERS = (500, 1000, 2000)
BESIDE = ("heldout", "datasketch", "rensa")


def main() -> None:
    if serve(EVERY, sys.argv[1:]):
        return
    parser = options_of(__doc__)
    parser.add_argument("--family", type=int, default=10_000)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write(folder / "without", corpus.Plan(options.rows))
        corpus.write(folder / "with", corpus.Plan(options.rows, family=options.family))
        found = compare(__file__, {side: (CHECK, Job(folder / side)) for side in ("without", "with")}, options.runs)
        lines = [["heldout check", "wall s", "cpu s", "MB", "ratio of cpu", "ratio of wall"]]
        first = found["without"]
        for side, used in found.items():
            cells = [f"{used['wall']:.2f}", f"{used['cpu']:.2f}", f"{used['MB']:,.0f}"]
            ratios = [f"{used[key] / first[key]:.2f}" for key in ("cpu", "wall")]
            lines.append([f"{options.rows:,} rows, {side} a family of {options.family:,}", *cells, *ratios])
        print(table(lines), flush=True)
        if options.peers:
            print(_peers(folder, options.runs))


def _peers(folder: Path, runs: int) -> str:
    """Pure families, so that what is measured is the family."""
    lines = [["family alone, cpu s", *(f"{size:,}" for size in PEERS)]]
    jobs = {}
    for size in PEERS:
        corpus.write(folder / f"family-{size}", corpus.Plan(size + size // 19 + 1, family=size, planted=0))
        for side in BESIDE:
            jobs[f"{side} {size}"] = (side, Job(folder / f"family-{size}"))
    found = compare(__file__, jobs, runs)
    lines += [[side, *(f"{found[f'{side} {size}']['cpu']:.2f}" for size in PEERS)] for side in BESIDE]
    return table(lines)


if __name__ == "__main__":
    main()
