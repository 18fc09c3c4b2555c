"""Processes that read the parts of a corpus, and what happens when one of them is killed.

They are started anew (spawn) by an executor that notices a death. A part that was being read then is read once more,
alone, so that nothing else can be the cause of a second death; that one ends the scan with the name of the file.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from ctypes import c_int64
from dataclasses import dataclass
from typing import Any, Final

from heldout.domain.corpora.part import PartResult
from heldout.errors import DataError
from heldout.matching.kernels import prepare
from heldout.services.corpora.reader import Part
from heldout.services.corpora.worker import Target, digest_file, scan_part
from heldout.services.progress import Progress

_SLOTS: Final = 64
_COMPILE_FROM: Final = 1 << 24  # bytes of a corpus
_TICK: Final = 0.25  # seconds between looks at the progress


@dataclass(frozen=True, slots=True)
class Task:
    """A part to scan, or a file of which only the digest is wanted."""

    part: Part
    only_digest: bool = False


Runner = Callable[[Target, Sequence[Task], Progress], Iterator[tuple[Task, PartResult]]]
"""What else may run tasks: another engine. Results come in any order."""


def run(target: Target, tasks: Sequence[Task], jobs: int, progress: Progress) -> Iterator[tuple[Task, PartResult]]:
    """Results as they come, in any order. With one job everything happens here, in this process.

    Raises DataError for what cannot be read, and with the slug worker-killed when a part's process died twice.
    """
    compiled = is_worth_compiling(tasks)
    if jobs == 1:
        for task in tasks:
            yield task, done(target, task, progress.advance)
        return
    crew = _Crew(target, jobs, progress, compiled)
    try:
        yield from crew.run(deque(tasks))
    finally:
        crew.dismiss()


def is_worth_compiling(tasks: Sequence[Task]) -> bool:
    """Load the compiled kernels for a large scan, before any process is started: they find them compiled.

    The blocks of a scan are small each, so that none of them would load kernels on its own.
    """
    return sum(task.part.size for task in tasks if not task.only_digest) >= _COMPILE_FROM and prepare()


def usable_processors() -> int:
    """Processors that this process may use: a container often has fewer than its machine."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class _Crew:
    def __init__(self, target: Target, jobs: int, progress: Progress, compiled: bool) -> None:
        self._compiled = compiled
        self._target = target
        self._jobs = jobs
        self._progress = progress
        self._context = multiprocessing.get_context("spawn")
        # Raw, without a lock: a process that is killed while it holds one would stop all others.
        self._counts = self._context.RawArray(c_int64, _SLOTS)
        self._stop = self._context.RawValue(c_int64, 0)
        self._told = 0
        self._executor: ProcessPoolExecutor | None = None

    def run(self, tasks: deque[Task]) -> Iterator[tuple[Task, PartResult]]:
        running: dict[Future[PartResult], Task] = {}
        while tasks or running:
            while tasks and len(running) < self._jobs:
                task = tasks.popleft()
                running[self._submit(task)] = task
            done, _ = wait(running, _TICK, FIRST_COMPLETED)
            self._tell()
            lost: list[Task] = []
            for future in done:
                try:
                    yield running[future], future.result()
                except BrokenProcessPool:
                    lost.append(running[future])
                del running[future]
            if lost:
                # A broken executor breaks all of its futures; some may not be marked yet, some may have ended before.
                for future, task in running.items():
                    if not future.cancel() and future.exception() is None:
                        yield task, future.result()
                    else:
                        lost.append(task)
                running.clear()
                self.dismiss()
                for task in lost:
                    yield task, self._alone(task)

    def _submit(self, task: Task) -> Future[PartResult]:
        if self._executor is None:
            self._stop.value = 0
            arguments = (self._target, self._counts, self._stop, self._compiled)
            self._executor = ProcessPoolExecutor(self._jobs, self._context, _begin, arguments)
        try:
            return self._executor.submit(_work, task)
        except BrokenProcessPool as error:
            broken: Future[PartResult] = Future()
            broken.set_exception(error)
            return broken

    def _alone(self, task: Task) -> PartResult:
        self._progress.note(f"a process that read {task.part.file.shown} was killed; it is read once more")
        jobs, self._jobs = self._jobs, 1
        try:
            return self._submit(task).result()
        except BrokenProcessPool:
            raise DataError(
                "worker-killed",
                "the process that read it was killed twice, mostly a sign that memory ran out",
                file=task.part.file.shown,
                hint="--jobs 1, or more memory; files that are finished are not read again",
            ) from None
        finally:
            self._jobs = jobs
            self.dismiss()

    def _tell(self) -> None:
        total = sum(self._counts)
        if total > self._told:
            self._progress.advance(total - self._told)
            self._told = total

    def dismiss(self) -> None:
        """End the processes, at the next block at the latest."""
        if self._executor is not None:
            self._stop.value = 1
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None


class _Stopped(Exception):
    """Nobody wants the rest of a part any more."""


_here: dict[str, Any] = {}


def _begin(target: Target, counts: Any, stop: Any, compiled: bool) -> None:
    """In a new process: what all its parts need. ^C is for the process that asked, and its death ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here.update(target=target, counts=counts, stop=stop)
    if compiled:
        prepare()
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _work(task: Task) -> PartResult:
    counts, stop = _here["counts"], _here["stop"]

    def advance(rows: int) -> None:
        counts[os.getpid() % _SLOTS] += rows
        if stop.value:
            raise _Stopped

    return done(_here["target"], task, advance)


def done(target: Target, task: Task, advance: Callable[[int], None]) -> PartResult:
    """What a task comes to, wherever it runs."""
    return digest_file(task.part) if task.only_digest else scan_part(target, task.part, advance)
