"""Times of operations, taken in turns: a machine that slows down for a while slows every side of a comparison."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Operation:
    """One thing to time; `before` and `after` are called around every run and not timed."""

    run: Callable[[], object]
    before: Callable[[], object] = lambda: None
    after: Callable[[], object] = lambda: None


@dataclass
class Times:
    """Milliseconds of every run: by the clock, and of processor time that its processes took."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.wall)

    @property
    def least(self) -> float:
        """The run that was disturbed least, which tells more than the median on a busy machine."""
        return min(self.wall)

    @property
    def cpu_median(self) -> float:
        return statistics.median(self.cpu)


def take_turns(operations: Mapping[str, Operation], runs: int) -> dict[str, Times]:
    """Each operation once to warm up, then `runs` rounds in which each has its turn."""
    times = {name: Times() for name in operations}
    for round_ in range(runs + 1):
        for name, operation in operations.items():
            operation.before()
            used, start = _children_cpu(), time.perf_counter()
            operation.run()
            wall, cpu = time.perf_counter() - start, _children_cpu() - used
            operation.after()
            if round_:
                times[name].wall.append(wall * 1e3)
                times[name].cpu.append(cpu * 1e3)
    return times


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quiet_environment(home: Path) -> dict[str, str]:
    """A home without anyone's settings, and compiled Python files as an installed package has them."""
    config = home / "gitconfig"
    config.write_text(
        "[user]\n\tname = Bench\n\temail = bench@example.org\n[init]\n\tdefaultBranch = main\n"
        "[gc]\n\tauto = 0\n[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n",
        encoding="utf-8",
    )
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
        "LC_ALL": "C.UTF-8",
        "PYTHONPYCACHEPREFIX": str(home / "compiled"),
    }


def run(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes = b"", accept: int = 0) -> str:
    done = subprocess.run(list(arguments), cwd=cwd, env=env, input=stdin, capture_output=True, check=False)
    if done.returncode != accept:
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}:\n{(done.stdout + done.stderr).decode()}")
    return done.stdout.decode()


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be; the first at the left, numbers at the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
