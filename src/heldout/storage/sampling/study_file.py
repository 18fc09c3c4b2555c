"""Studies as files: everything that went into an estimate or a qualification, and everything that came out of it.

`heldout/sample-estimate@1` and `heldout/sample-qualification@1`. Fractions are texts (`3/16`), so that a replay
compares exactly. What came out is never read back as input: a replay computes it from what went in.
"""

from __future__ import annotations

from typing import Any, Final

from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design
from heldout.domain.sampling.drawing import Draw
from heldout.domain.sampling.estimate import Labels
from heldout.domain.sampling.frame import Frame
from heldout.storage.documents import json_document, needed_section
from heldout.storage.sampling.design_file import design_of
from heldout.storage.sampling.draw_files import draw_of, labels_of
from heldout.storage.sampling.frame_file import frame_of
from heldout.storage.yaml.schema import Section

ESTIMATE: Final = "heldout/sample-estimate@1"
QUALIFICATION: Final = "heldout/sample-qualification@1"


class StoredStudy:
    """A study file: `kind` is its format, `value` all of it as it stands. Its inputs are parsed when asked for."""

    def __init__(self, path: str) -> None:
        """Raises ConfigError (slug unknown-format) for another file."""
        located = json_document(path)
        self.path = path
        self._top = Section(located, located.value)
        kind = self._top.needed_text("format")
        if kind not in (ESTIMATE, QUALIFICATION):
            self._top.fail("unknown-format", f"this Heldout replays {ESTIMATE!r} and {QUALIFICATION!r}", "format")
        self.kind = kind
        value: Any = located.value
        self.value: dict[str, JSON] = value

    def frame(self) -> Frame:
        return frame_of(needed_section(self._top, "frame"))

    def design(self) -> Design:
        return design_of(needed_section(self._top, "design"))

    def draw(self) -> Draw:
        return draw_of(needed_section(self._top, "draw"))

    def labels(self) -> Labels:
        return labels_of(needed_section(self._top, "labels"), self.path)

    def truth(self) -> dict[str, int]:
        """Failures of each stratum, which only a study knows."""
        section = needed_section(self._top, "truth")
        return {name: value for name, value in section.items() if isinstance(value, int)}
