"""Sides of a comparison, each in a fresh process, in turns; what each one used, as medians.

A side is a function of a `Job` that does its imports, reads its texts through `job.read`, works, and returns what it
found. What it did before is the price of starting and is left out; the texts count as memory, reading them not as time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bench.timing import quiet_environment

Found = dict[str, Any]
Read = TypeVar("Read")


@dataclass
class Job:
    """`folder` holds the corpus, `rows` is how many of its rows to take; 0 for all."""

    folder: Path
    rows: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    _memory: float = 0
    _clock: tuple[float, float] = (0, 0)

    def read(self, reader: Callable[[Job], Read]) -> Read:
        """Memory counts from here, time from the end of reading."""
        _forget_peak()
        self._memory = resident()
        texts = reader(self)
        self._clock = (time.perf_counter(), processor())
        return texts

    def used(self) -> Found:
        wall, cpu = self._clock
        return {"wall": time.perf_counter() - wall, "cpu": processor() - cpu, "MB": peak() - self._memory}


Side = Callable[[Job], Found]


def processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def peak() -> float:
    """Most memory resident since `begin`, in MB, where Linux tells; since the start elsewhere."""
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )


def resident() -> float:
    return _status("VmRSS") or peak()


def _status(name: str) -> float:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(name)), 0.0)


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def serve(sides: Mapping[str, Side], arguments: Sequence[str]) -> bool:
    """Be one side, if the arguments ask for it, and print what it used."""
    if not arguments or arguments[0] != "--side":
        return False
    name, folder, rows, options = arguments[1:]
    job = Job(Path(folder), int(rows), json.loads(options))
    found = sides[name](job)  # first, for it counts until here
    sys.stdout.write(json.dumps(job.used() | found) + "\n")
    return True


def compare(script: str, sides: Mapping[str, tuple[str, Job]], runs: int) -> dict[str, Found]:
    """Each side, name -> (function, job), `runs` times in turns; medians of numbers, the last of everything else."""
    results: dict[str, list[Found]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory() as home:
        env = quiet_environment(Path(home)) | {
            key: os.environ[key] for key in ("HELDOUT_KERNELS", "VIRTUAL_ENV") if key in os.environ
        }
        for _ in range(runs):
            for name, (function, job) in sides.items():
                command = [sys.executable, script, "--side", function, str(job.folder), str(job.rows)]
                done = subprocess.run(
                    [*command, json.dumps(dict(job.options))], env=env, check=False, capture_output=True, text=True
                )
                if done.returncode:
                    sys.exit(f"{name} ended with {done.returncode}:\n{done.stderr[-3000:]}")
                results[name].append(json.loads(done.stdout.splitlines()[-1]))
    return {name: _medians(found) for name, found in results.items() if found}


def _medians(found: Sequence[Found]) -> Found:
    def middle(key: str) -> Any:
        values = [item[key] for item in found]
        plain = all(isinstance(value, int | float) for value in values)
        return statistics.median(values) if plain else values[-1]

    return {key: middle(key) for key in found[0]}


def compiled() -> None:
    """Load Heldout's kernels, and compile them first where this machine has none: the price of starting, once."""
    from heldout.matching.kernels import prepare

    if os.environ.get("HELDOUT_KERNELS") != "off" and not prepare():
        sys.exit("the kernels could not be compiled; HELDOUT_KERNELS=off measures without")


def texts_of(job: Job) -> list[str]:
    """Inputs of the corpus, its holdout after its training rows, both in full or by their share of `job.rows`."""
    texts: list[str] = []
    for name, share in (("train", 0.95), ("holdout", 0.05)):
        with (job.folder / f"{name}.jsonl").open(encoding="utf-8") as stream:
            wanted = int(job.rows * share) if job.rows else None
            for number, line in enumerate(stream):
                if number == wanted:
                    break
                texts.append(json.loads(line)["input"])
    return texts


def options_of(description: str | None, **rows: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="rounds in which every side has a turn")
    parser.add_argument("--rows", type=int, default=rows.get("rows", 100_000))
    parser.add_argument("--corpus", type=Path, help="a folder that corpus.py filled; made for the run otherwise")
    return parser
