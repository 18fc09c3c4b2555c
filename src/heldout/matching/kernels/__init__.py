"""Compiled kernels: the same results as the numpy code of `heldout.matching`, an order of magnitude faster.

`kernels_for(work)` is what matching asks before each step; it answers None where numpy serves better: on little work,
where numba or llvmlite is missing, or when HELDOUT_KERNELS is "off". Loading costs about a tenth of a second, and
compiling, once a machine, seconds, of which `when_compiling` tells whoever talks to people.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.matching.kernels.loader import Kernels

LOAD_FROM = 1_000_000
"""Code points from which loading compiled kernels pays: numpy takes about 80 ns for each, kernels 10."""

COMPILE_FROM = 30_000_000
"""Code points, in one process, from which compiling is worth the wait: later scans of that data take a fifth."""


class _State:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.loaded: Kernels | None = None
        self.refused = False
        self.looked = False
        self.work = 0
        self.threads = 0
        self.announce: Callable[[], None] | None = None


_STATE = _State()

Result = TypeVar("Result")


def kernels_for(work: int, *, fresh: bool = False) -> Kernels | None:
    """The kernels, if they are loaded or the work, in code points, is worth loading them for.

    Work on `fresh` texts adds up: a process that meets enough of them compiles the kernels if nobody has.
    """
    setting = os.environ.get("HELDOUT_KERNELS", "")
    if setting == "off":
        return None
    if _STATE.loaded is not None or _STATE.refused:
        return _STATE.loaded
    _STATE.work += work if fresh else 0
    if work >= LOAD_FROM or _STATE.work >= COMPILE_FROM or setting == "on":
        return _obtain(compiling=_STATE.work >= COMPILE_FROM or setting == "on")
    return None


def to_compile(work: int) -> bool:
    """Whether so much work would compile the kernels first, which takes seconds, once a machine."""
    if os.environ.get("HELDOUT_KERNELS", "") == "off" or _STATE.refused or work < COMPILE_FROM:
        return False
    return _obtain(compiling=False) is None and not _STATE.refused


def prepare() -> bool:
    """Load the kernels, and compile them if this machine has none yet; False where that cannot be done."""
    return _obtain(compiling=True) is not None


def when_compiling(announce: Callable[[], None]) -> None:
    """Call this before kernels are compiled, which takes seconds, once a machine: people should be told why."""
    _STATE.announce = announce


def _obtain(*, compiling: bool) -> Kernels | None:
    """Any failure, from a missing library to a strange processor, leaves numpy to do the work, for good."""
    with _STATE.lock:
        if _STATE.loaded is None and not _STATE.refused:
            try:
                from heldout.matching.kernels import loader

                if not _STATE.looked:
                    _STATE.loaded = loader.load_cached()
                    _STATE.looked = True
                if _STATE.loaded is None and compiling:
                    if _STATE.announce is not None:
                        _STATE.announce()
                    _STATE.loaded = loader.compile_and_store()
            except Exception:
                _STATE.refused = True
        return _STATE.loaded


def threads() -> int:
    """Threads that kernels use: one for each processor this process may run on, unless set."""
    if _STATE.threads:
        return _STATE.threads
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def set_threads(count: int) -> None:
    """Use so many threads in this process; 0 for one each processor. No result depends on it."""
    _STATE.threads = count


def in_threads(function: Callable[[int, int], Result], ranges: Sequence[tuple[int, int]]) -> list[Result]:
    """`function(low, high)` of every range, in their order."""
    return list(each_in_threads(function, ranges))


def each_in_threads(function: Callable[[int, int], Result], ranges: Sequence[tuple[int, int]]) -> Iterator[Result]:
    """The same one after the other, as each and those before it are done."""
    count = min(threads(), len(ranges))
    if count < 2:
        yield from (function(low, high) for low, high in ranges)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        yield from pool.map(lambda part: function(*part), ranges)
