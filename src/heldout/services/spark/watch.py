"""Spark's tasks as progress, while the driver waits for a job."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from heldout.services.progress import Progress, Silent

_EVERY = 0.5  # seconds


@contextmanager
def watched(context: Any, progress: Progress) -> Iterator[None]:
    """Tell `progress` of finished tasks for as long as the block runs. What cannot be asked is not told."""
    if isinstance(progress, Silent):
        yield
        return
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(context, progress, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(context: Any, progress: Progress, over: threading.Event) -> None:
    seen: dict[int, int] = {}
    while not over.wait(_EVERY):
        with suppress(Exception):  # a stopped context, or none of this process
            tracker = context.statusTracker()
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info is not None:
                    # 256 at a time: a bar looks at its clock that often, and tasks are seconds apart.
                    progress.advance(256 * (info.numCompletedTasks - seen.get(stage, 0)))
                    seen[stage] = info.numCompletedTasks
