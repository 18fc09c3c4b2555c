"""The second scan of a dataset, with one input in a hundred new, beside the first, less what reading takes.

    python benchmarks/cache.py
    python benchmarks/cache.py --rows 20000

A working copy with the corpus of `corpus.py` is scanned without a cache, then a hundredth of its training rows is
changed and it is scanned again. Reading (rows, keys, digests of inputs, examples and content; no comparison) is
measured alone. Fresh processes, in turns; each round begins without a cache. Also prints what the cache itself takes:
to find, on disk. Asserts nothing.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import corpus
from bench.process import Found, Job, compare, compiled, options_of, serve
from bench.timing import table

SPEC = """\
format: heldout/dataset@1
name: big
data:
- path: train.jsonl
  split: train
- path: holdout.jsonl
  split: holdout
fields:
  key: id
  input: input
"""


def main() -> None:
    if serve(SIDES, sys.argv[1:]):
        return
    options = options_of(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "project"
        dataset = place / "datasets/big"
        corpus.write(dataset, corpus.Plan(options.rows))
        (dataset / "truth.jsonl").unlink()
        (dataset / "dataset.yaml").write_text(SPEC, encoding="utf-8")
        (place / ".dvc").mkdir()
        (place / ".dvc/config").touch()
        for file in dataset.glob("*.jsonl"):
            data = file.read_bytes()
            md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
            pointer = f"outs:\n- md5: {md5}\n  size: {len(data)}\n  hash: md5\n  path: {file.name}\n"
            file.with_name(f"{file.name}.dvc").write_text(pointer, encoding="utf-8")
        (place / ".gitignore").write_text("*.jsonl\n.heldout/\n", encoding="utf-8")
        for command in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "n"],
        ):
            subprocess.run(["git", *command], cwd=place, check=True)
        again = Path(name) / "again"
        _changed(dataset / "train.jsonl", again)
        sides = {
            "reading": ("reading", Job(place)),
            "first scan": ("first", Job(place)),
            "second, 1 % new": ("second", Job(place, 0, {"again": str(again)})),
        }
        print(_report(compare(__file__, sides, options.runs), options.rows))


def _changed(source: Path, target: Path) -> None:
    """Every hundredth row with another text."""
    with source.open(encoding="utf-8") as rows, target.open("w", encoding="utf-8") as out:
        for number, line in enumerate(rows):
            if number % 100 == 50:
                row = json.loads(line)
                out.write(json.dumps(row | {"input": f"{row['input']} Row {number} has changed."}) + "\n")
            else:
                out.write(line)


def _report(found: dict[str, Found], rows: int) -> str:
    lines = [["", "wall s", "cpu s", "us a row", "less reading: wall", "cpu", "of the first, cpu", "MB"]]
    reading, first = found["reading"], found["first scan"]
    for side, used in found.items():
        wall, cpu = (used[key] - reading[key] for key in ("wall", "cpu"))
        share = cpu / (first["cpu"] - reading["cpu"])
        cells = [f"{used['wall']:.2f}", f"{used['cpu']:.2f}", f"{used['cpu'] / rows * 1e6:.1f}"]
        lines.append([side, *cells, f"{wall:.2f}", f"{cpu:.2f}", f"{share:.2f}", f"{used['MB']:,.0f}"])
    second = found["second, 1 % new"]
    store = f"cache: {first['cached'] / 1e6:,.0f} MB on disk, {second['find'] / rows * 1e6:.2f} us a row to find"
    allowed = 0.1 * first["cpu"] + reading["cpu"]
    asked = f"asked for: {allowed:.2f} cpu s (a tenth of the first, and reading); is {second['cpu']:.2f}"
    return f"{rows:,} rows\n{table(lines)}\n{asked}\n{store}"


def reading(job: Job) -> Found:
    from heldout.services.contents import open_data
    from heldout.services.progress import SILENT
    from heldout.services.reading import read_version
    from heldout.services.workspace import Workspace

    shutil.rmtree(job.folder / ".heldout", ignore_errors=True)
    job.read(lambda _: None)
    workspace = Workspace.open(job.folder)
    located = workspace.find("big")
    read = read_version(located.state.spec, "working copy", open_data(workspace, located, SILENT))
    return {"texts": len(read.members), "content": read.content}


def first(job: Job) -> Found:
    shutil.rmtree(job.folder / ".heldout", ignore_errors=True)
    return _scan(job)


def second(job: Job) -> Found:
    data = job.folder / "datasets/big/train.jsonl"
    kept = data.with_suffix(".kept")
    data.rename(kept)
    shutil.copyfile(job.options["again"], data)
    try:
        return _scan(job)
    finally:
        kept.replace(data)


def _scan(job: Job) -> Found:
    from heldout.services.contents import open_data
    from heldout.services.progress import SILENT
    from heldout.services.scanner import Scanner
    from heldout.services.workspace import Workspace
    from heldout.storage.caches import signatures as signature_cache

    compiled()
    spent = _timed(signature_cache.RecordCache)
    job.read(lambda _: None)
    workspace = Workspace.open(job.folder)
    located = workspace.find("big")
    scanner = Scanner(workspace, fetch=False)
    scanned = scanner.scan_reading(
        scanner.read(located.state.spec, "working copy", open_data(workspace, located, SILENT))
    )
    used = job.used()
    size = sum(path.stat().st_size for path in (job.folder / ".heldout").rglob("*") if path.is_file())
    return used | {"findings": len(scanned.result.findings), "cached": size, "find": spent["find"], "add": spent["add"]}


def _timed(cache: type) -> dict[str, float]:
    """Processor seconds inside the cache's two methods."""
    spent = {"find": 0.0, "add": 0.0}

    def wrap(name: str) -> None:
        real = getattr(cache, name)

        def method(*arguments: object) -> object:
            start = time.process_time()
            try:
                return real(*arguments)
            finally:
                spent[name] += time.process_time() - start

        setattr(cache, name, method)

    for name in spent:
        wrap(name)
    return spent


SIDES = {"reading": reading, "first": first, "second": second}


if __name__ == "__main__":
    main()
