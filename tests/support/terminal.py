"""A shell at a terminal of its own, typed at as a person does."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

_COLOUR = re.compile(rb"\x1b[\[\]][0-9;?]*[a-zA-Z]|\x1b[=>()][A-Z0-9]?|[\x00\x07\x0e\x0f]")
_QUIET_SECONDS = 0.4


class Terminal:
    """`with Terminal(["bash", "--norc"], folder, {}) as shell: shell.type(...)`."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self._command, self._folder, self._env = command, folder, {**os.environ, "TERM": "dumb", **env}

    def __enter__(self) -> Terminal:
        self._child, self._screen = pty.fork()
        if self._child == 0:
            os.chdir(self._folder)
            os.execvpe(self._command[0], list(self._command), self._env)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._screen)

    def type(self, keys: str, until: str | None = None, seconds: float = 30.0) -> str:
        """What the screen shows after some keys: up to `until`, else up to a pause."""
        os.write(self._screen, keys.encode())
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            ready = select.select([self._screen], [], [], _QUIET_SECONDS if until is None else 0.1)[0]
            if ready:
                shown += os.read(self._screen, 65536)
                if b"\x1b[c" in shown[-64:]:  # a shell that asks what terminal this is waits for an answer
                    os.write(self._screen, b"\x1b[?62;c")
            elif until is None and shown:
                break
            if until is not None and until.encode() in _COLOUR.sub(b"", shown):
                break
        else:
            raise AssertionError(f"the screen never showed {until!r}:\n{shown.decode('utf-8', 'replace')}")
        return _COLOUR.sub(b"", shown).decode("utf-8", "replace")
