"""How time and memory grow with the size of something: one fresh process a size, and the exponent of the growth."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.timing import table


@dataclass(frozen=True)
class Cost:
    """`memory` is the most that the process had resident, in MB; `cpu` is processor time, which other work on the
    machine disturbs less."""

    seconds: float
    memory: float
    cpu: float


def cost(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], accept: Sequence[int] = (0,)) -> Cost:
    """Of one heldout command in a process of its own."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "heldout", *arguments],
        cwd=cwd,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode not in accept:
        sys.exit(f"heldout {' '.join(arguments)[:200]} ended with {process.returncode}:\n{said.decode()[:2000]}")
    return Cost(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of a straight line through the logarithms: 1 grows in step, 2 is quadratic."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def grow(what: str, sizes: Sequence[int], measure: Callable[[int], Mapping[str, Cost]], start: Cost) -> None:
    """Print a table. What a command costs without any work (`start`) is taken off before the exponent is fitted."""
    by_size = {size: measure(size) for size in sizes}
    rows = [[what, *(f"{size:,}" for size in sizes), "cpu ~ n^", "memory ~ n^"]]
    for name in by_size[sizes[0]]:
        costs = [by_size[size][name] for size in sizes]
        cells = [f"{item.seconds:,.2f} s ({item.cpu:,.2f}) {item.memory:,.0f} MB" for item in costs]
        times = [max(item.cpu - start.cpu, 0.001) for item in costs]
        memories = [max(item.memory - start.memory, 0.1) for item in costs]
        powers = [f"{exponent(sizes, values):.2f}" for values in (times, memories)] if len(sizes) > 1 else ["", ""]
        rows.append([f"  {name}", *cells, *powers])
    print(table(rows), flush=True)
