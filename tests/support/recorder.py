"""A stand-in for the Python that hooks start: it tells whether, and how, it would have been started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RECORDER = """\
#!/bin/sh
# stands in for Python: writes down how it is called, answers as told
case "$*" in *"-c import heldout.hooks"*) [ ! -e "{folder}/broken" ]; exit ;; esac
{{ echo "$HELDOUT_HOOK $*"; case "$*" in *pre-push*|*post-rewrite*) cat | sed 's/^/< /' ;; esac; }} >>"{folder}/calls"
exit "$(cat "{folder}/status" 2>/dev/null || echo 0)"
"""


@dataclass(frozen=True)
class Recorder:
    """The fake interpreter: what it was asked to do, and what it answers."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Recorder:
        folder.mkdir()
        recorder = cls(folder)
        recorder.path.write_text(RECORDER.format(folder=folder))
        recorder.path.chmod(0o755)
        return recorder

    @property
    def path(self) -> Path:
        return self.folder / "python with blank"

    def calls(self) -> list[str]:
        """Calls since the last time this was asked; lines of standard input follow as `< ...`."""
        log = self.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.removeprefix("1 -P -m heldout.hooks ") for line in lines]

    def answers(self, status: int) -> None:
        (self.folder / "status").write_text(str(status))

    def breaks(self) -> None:
        """As an interpreter whose environment has lost the package."""
        (self.folder / "broken").touch()
        self.answers(1)
