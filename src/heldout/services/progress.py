"""How services say what they are doing, without knowing about terminals."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """`stage` opens a step of known or unknown size; `advance` counts in it; `note` is a line worth keeping."""

    def stage(self, text: str, total: int | None = None) -> None: ...

    def advance(self, steps: int = 1) -> None: ...

    def note(self, text: str) -> None: ...


class Silent:
    """Progress nobody watches."""

    def stage(self, text: str, total: int | None = None) -> None:
        pass

    def advance(self, steps: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        pass


SILENT = Silent()
