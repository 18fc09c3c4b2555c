"""The demo's audience at a terminal or in a pipe: chapters, one sentence of why, the command, what it really prints."""

from __future__ import annotations

import re
import textwrap
import time
from typing import TextIO

from heldout.domain.story import Step

WIDTH = 100
_FINDING = re.compile(r"\[[0-9a-f]{16}\]")
_BOLD, _DIM, _COMMAND, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[1;36m", "\x1b[0m"
_SIGNAL = (
    (re.compile(r"refused|contaminated\b|examples are given away|nothing was pushed"), "\x1b[31m"),
    (re.compile(r": clean\b|none of its held-out|\[new (branch|tag)\]"), "\x1b[32m"),
)


class Narrator:
    """Long lines are wrapped, and of a list of findings only the first few lines are shown; nothing else is changed."""

    def __init__(self, stream: TextIO, *, colour: bool, pauses: bool) -> None:
        self._stream = stream
        self._colour = colour
        self._pauses = pauses
        self._findings_left = 0
        self._left_out = 0

    def opening(self, folder: str) -> None:
        self._line("Heldout on real data: BANKING77, questions of bank customers, as it was published.", _BOLD)
        self._line(f"Every command is run for real, in {folder}", _DIM)
        self._line("Your own settings and repositories are not touched.", _DIM)

    def chapter(self, number: int, title: str) -> None:
        heading = f"{number}. {title} "
        self._line()
        self._line(f"{heading:─<{WIDTH}}", _BOLD)

    def command(self, step: Step) -> None:
        self._findings_left = step.findings
        self._line()
        for line in textwrap.wrap(step.why, WIDTH):
            self._line(line)
        self._pause(0.4)
        first, *more = step.command.splitlines()
        self._line(f"$ {first}", _COMMAND)
        for line in more:
            self._line(f"> {line}", _COMMAND)

    def output(self, line: str) -> None:
        if _FINDING.search(line):
            self._findings_left -= 1
            if self._findings_left < 0:
                self._left_out += 1
                return
        self._say_what_was_left_out()
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        for part in textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]:
            self._line(part, next((style for pattern, style in _SIGNAL if pattern.search(line)), ""))

    def end(self, step: Step, status: int) -> None:
        self._say_what_was_left_out()
        if status or step.tells_status:
            self._line(f"(exit code {status})", _DIM)
        self._pause(0.4)

    def _say_what_was_left_out(self) -> None:
        if self._left_out:
            self._line(f"    ({self._left_out} more lines like these)", _DIM)
            self._left_out = 0

    def _line(self, text: str = "", style: str = "") -> None:
        self._stream.write(f"{style}{text}{_PLAIN}\n" if style and self._colour else f"{text}\n")
        self._stream.flush()

    def _pause(self, seconds: float) -> None:
        if self._pauses:
            time.sleep(seconds)


class Absent:
    """Nobody watches: --quiet and --json."""

    def opening(self, folder: str) -> None:
        pass

    def chapter(self, number: int, title: str) -> None:
        pass

    def command(self, step: Step) -> None:
        pass

    def output(self, line: str) -> None:
        pass

    def end(self, step: Step, status: int) -> None:
        pass
