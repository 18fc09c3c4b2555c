"""Things that end the process which uses them, once. Workers of Spark import this module: tests/ is on their path."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heldout.domain.method import Method
from heldout.matching.holdout_index import Hits, HoldoutIndex
from heldout.matching.texts import NormalisedTexts
from heldout.services.corpora.holdouts import Holdouts


@dataclass(frozen=True, slots=True)
class Deadly:
    """`strike` ends the first process that calls it: `how` is killed (SIGKILL) or failed (an exception)."""

    marker: Path
    how: str

    def strike(self) -> None:
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise RuntimeError("a task that fails once")

    def rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Passes rows of a table through."""
        for rows in batches:
            self.strike()
            yield rows


@dataclass(frozen=True, slots=True)
class DeadlyIndex:
    """An index of held-out texts that strikes at its third block, in the middle of a part."""

    index: HoldoutIndex
    deadly: Deadly
    calls: list[int]

    def probe(self, texts: NormalisedTexts) -> Hits:
        self.calls.append(len(texts))
        if len(self.calls) >= 3:
            self.deadly.strike()
        return self.index.probe(texts)


class DeadlyHoldouts(Holdouts):
    """The same holdouts behind a deadly index."""

    deadly: Deadly

    @classmethod
    def of(cls, held: Holdouts, deadly: Deadly) -> DeadlyHoldouts:
        made = cls(held.inputs, held.texts, held.members, held.against)
        object.__setattr__(made, "deadly", deadly)
        return made

    def index(self, method: Method) -> Any:
        return DeadlyIndex(super().index(method), self.deadly, [])
