"""Progress on a terminal: nothing for work under two seconds, and nothing at all when piped or with --quiet."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from heldout.domain.controls import escaped_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 2.0
"""Seconds before a bar appears."""


class TerminalProgress:
    """Implements `heldout.services.progress.Progress` with rich, imported only when a bar is due."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._visible = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._text = ""
        self._total: int | None = None
        self._done = 0

    def stage(self, text: str, total: int | None = None) -> None:
        self._text, self._total, self._done = text, total, 0
        if self._bar is not None:
            self._show()

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        if self._visible and (self._done & 0xFF) < steps and time.monotonic() - self._started > PATIENCE:
            self._show()

    def note(self, text: str) -> None:
        if not self._quiet:
            sys.stderr.write(f"heldout: {escaped_line(text)}\n")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if self._bar is None:
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.completed:,.0f}"),
                TimeElapsedColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._text, total=self._total)
        assert self._task is not None
        self._bar.update(self._task, description=self._text, total=self._total, completed=self._done)
