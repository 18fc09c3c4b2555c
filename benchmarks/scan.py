"""Near pairs of 100,000 texts, by Heldout and by others; and a scan of a million rows against the truth.

    python benchmarks/scan.py                        beside datasketch, rensa, gaoya, verascan and noleak
    python benchmarks/scan.py --long                 documents of 17,000 characters, beside usual ones: cost a character
    python benchmarks/scan.py --whole --rows 1000000 `heldout check`: recall, precision, memory, time
    python benchmarks/scan.py --only heldout rensa --rows 20000

The first two time what finds pairs: texts in memory, to verified pairs (`bench/near_sides.py` says how each side does
it). Every side runs in a fresh process, in turns; medians. verascan and noleak take minutes to hours for 100,000 texts
and are given fewer: a text costs them the same. Peak memory counts from after the imports, texts included.

The third runs the command from files to findings on the corpus of `corpus.py`, and looks for each planted pair.
Precision is by recomputation: each near finding's similarity is counted again on sets of shingles, each contained text
searched in the other. The physical limit is the bytes a second that plain normalisation reaches on the same texts, in
the same run, with both cores. Asserts nothing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import corpus
from bench.near_sides import SIDES
from bench.process import Found, Job, compare, options_of, serve, texts_of
from bench.texts import LONG, USUAL, Lengths
from bench.timing import table
from bench.truth import whole

FEWER = {"verascan": 100, "noleak": 500}
"""A side that gets one text in so many."""


def main() -> None:
    if serve(SIDES, sys.argv[1:]):
        return
    parser = options_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(SIDES), default=list(SIDES))
    parser.add_argument("--long", action="store_true", help="the cost of a character in long documents")
    parser.add_argument("--whole", action="store_true", help="the command, from files to findings, against the truth")
    parser.add_argument("--memory", help="with --whole: a limit to pass on, such as 1GiB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.corpus or made(Path(name) / "corpus", options.rows)
        if options.whole:
            print(whole(folder, options.memory), flush=True)
        elif options.long:
            print(by_character(folder, Path(name) / "long", options.rows, options.runs))
        else:
            print(beside(folder, options.rows, options.runs, options.only))


def made(folder: Path, rows: int, lengths: Lengths = USUAL) -> Path:
    corpus.write(folder, corpus.Plan(rows, lengths))
    return folder


def beside(folder: Path, rows: int, runs: int, names: list[str]) -> str:
    jobs = {name: (name, Job(folder, max(200, rows // FEWER.get(name, 1)))) for name in names}
    found = compare(__file__, jobs, runs)
    lines = [["", "texts", "wall s", "cpu s", "texts / cpu s", "times as fast", "KB a text", "near pairs"]]
    best = _rate(found["heldout"]) if "heldout" in found else None
    for name, used in found.items():
        rate = _rate(used)
        cells = [f"{used['wall']:,.2f}", f"{used['cpu']:,.2f}", f"{rate:,.0f}", f"{best / rate:,.1f}" if best else ""]
        lines.append(
            [name, f"{used['texts']:,}", *cells, f"{used['MB'] * 1e3 / used['texts']:,.2f}", f"{used['near pairs']:,}"]
        )
    return f"times as fast: processor time, Heldout beside this one; medians of {runs} runs\n{table(lines)}"


def _rate(used: Found) -> float:
    return float(used["texts"] / used["cpu"])


def by_character(usual: Path, long: Path, rows: int, runs: int) -> str:
    """As many characters of either length."""
    count = max(100, rows * (USUAL.low + USUAL.high) // (LONG.low + LONG.high))
    made(long, count, LONG)
    jobs = {"usual": Job(usual, rows), "long": Job(long)}
    found = compare(__file__, {name: ("heldout", job) for name, job in jobs.items()}, runs)
    sizes = {name: sum(map(len, texts_of(job))) for name, job in jobs.items()}
    lines = [["", "texts", "characters each", "cpu s", "ns a character", "ratio"]]
    first = found["usual"]["cpu"] / sizes["usual"]
    for name, used in found.items():
        each = used["cpu"] / sizes[name]
        cells = [
            f"{sizes[name] / used['texts']:,.0f}",
            f"{used['cpu']:.2f}",
            f"{each * 1e9:.1f}",
            f"{each / first:.2f}",
        ]
        lines.append([name, f"{used['texts']:,.0f}", *cells])
    return table(lines)


if __name__ == "__main__":
    main()
