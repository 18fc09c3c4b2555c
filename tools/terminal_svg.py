"""Draw docs/images/demo.svg from a real run of the demo.

    python -m tools.terminal_svg

Only the steps that tell the story are drawn, each whole. Nothing in the picture depends on the day or the machine.
"""

from __future__ import annotations

import re
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console  # noqa: TID251 - a tool draws, too
from rich.text import Text  # noqa: TID251

from heldout.cli.narrator import WIDTH, Narrator
from heldout.domain.story import Step
from heldout.services.demonstration.demo import tell

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "demo.svg"
DRAWN = ("git add datasets", "heldout findings show eaad", "git push", "heldout gate", "heldout freeze")
"""Steps to draw, by how their commands begin."""

_FONT_FROM_ELSEWHERE = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)


class Draughtsman:
    """Lets a narrator tell the drawn steps, and a chapter's heading only where one of its steps is drawn."""

    def __init__(self, narrator: Narrator) -> None:
        self._narrator = narrator
        self._heading: tuple[int, str] | None = None
        self._drawing = False

    def opening(self, folder: str) -> None:
        pass

    def chapter(self, number: int, title: str) -> None:
        self._heading = (number, title)

    def command(self, step: Step) -> None:
        self._drawing = step.command.startswith(DRAWN)
        if not self._drawing:
            return
        if self._heading:
            self._narrator.chapter(*self._heading)
            self._heading = None
        self._narrator.command(step)

    def output(self, line: str) -> None:
        if self._drawing:
            self._narrator.output(line)

    def end(self, step: Step, status: int) -> None:
        if self._drawing:
            self._narrator.end(step, status)


def draw(ansi: str) -> str:
    """A terminal window of the demo's width, as SVG that loads nothing from elsewhere."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(ansi.strip("\n")))
    svg = console.export_svg(title="heldout demo", unique_id="heldout-demo")
    return _FONT_FROM_ELSEWHERE.sub("", svg)


def main() -> int:
    stream = StringIO()
    with tempfile.TemporaryDirectory() as folder:
        telling = tell(Path(folder), Draughtsman(Narrator(stream, colour=True, pauses=False)))
    if telling.broken:
        print(f"{telling.broken.step.command}: {telling.broken.complaint()}", file=sys.stderr)
        return 1
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw(stream.getvalue()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
