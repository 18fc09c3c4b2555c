"""`heldout check` as a side of a comparison: the command in a process of its own, from files to findings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.process import Found, Job

CHECK = "check"


@dataclass(frozen=True)
class Ran:
    """Seconds by the clock and of the processor, the most that was resident in MB, and what was printed."""

    wall: float
    cpu: float
    memory: float
    answer: dict[str, Any]


def heldout(arguments: Sequence[str], folder: Path) -> Ran:
    """A heldout command that answers in JSON."""
    command = [sys.executable, "-P", "-m", "heldout", *arguments]
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if process.returncode not in (0, 1, 3):
            sys.exit(f"heldout {' '.join(arguments)} ended with {process.returncode}")
        out.seek(0)
        answer = json.load(out)
    memory = usage.ru_maxrss * 1024 / (1e6 if sys.platform != "darwin" else 1024e6)
    return Ran(wall, usage.ru_utime + usage.ru_stime, memory, answer)


def check_files(folder: Path, *more: str) -> Ran:
    files = ["train.jsonl", "holdout.jsonl", "--holdout", "holdout", "--json", "--quiet"]
    return heldout(["check", *files, *more], folder)


def check(job: Job) -> Found:
    more = ["--memory", job.options["memory"]] if "memory" in job.options else []
    ran = check_files(job.folder, *more)
    kinds = Counter(kind for finding in ran.answer["findings"] for kind in (finding["kind"], *finding["also"]))
    rows = sum(ran.answer["splits"].values())
    told = {"texts": rows, "findings": dict(sorted(kinds.items())), "capped": ran.answer["capped"]}
    return {"wall": ran.wall, "cpu": ran.cpu, "MB": ran.memory} | told
