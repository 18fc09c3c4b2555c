"""Loading: examples leave the repository only through the gate, unless somebody says aloud that they may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.answer import Verdict
from heldout.domain.example import Example
from heldout.domain.slicing.views import Chosen
from heldout.errors import UsageError
from heldout.services.contents import Contents, read_contents
from heldout.services.gate import GateAnswer, answer_for, require_clean
from heldout.services.payloads import fetch_payloads
from heldout.services.progress import SILENT, Progress
from heldout.services.slicing.counting import Selection
from heldout.services.slicing.use import choose, find_target
from heldout.services.workspace import Workspace
from heldout.storage.example_lines import example_line
from heldout.storage.new_files import new_files, require_absent


@dataclass(frozen=True, slots=True)
class Loaded:
    """A subject that passed the gate, or was let past it: `allowed` is the verdict that somebody put up with."""

    answer: GateAnswer
    allowed: Verdict | None
    contents: Contents
    splits: tuple[str, ...]
    chosen: Chosen | None = None
    selection: Selection | None = None

    def examples(self) -> Iterator[Example]:
        """The examples of the wanted splits, streamed in the order of the files, keys filled in."""
        for example in self._selected():
            if example.split in self.splits:
                yield example

    def _selected(self) -> Iterator[Example]:
        rows = self.contents.examples()
        return rows if self.selection is None else self.selection.select(rows)

    def lines(self) -> Iterator[bytes]:
        """The same as JSONL in Heldout's own record shape."""
        for example in self.examples():
            yield example_line(example).encode() + b"\n"

    def write(self, path: Path) -> None:
        """Write the lines to a file, which appears whole or not at all. Raises UsageError (slug output-exists)."""
        with new_files([path]) as (stream,):
            for line in self.lines():
                stream.write(line)

    @property
    def by_split(self) -> dict[str, int]:
        if self.selection is not None:
            found = Counter(example.split for example in self.examples())
            return {split: found[split] for split in self.splits}
        counts = self.contents.reading.by_split
        return {split: counts[split] for split in self.splits}


def load(
    workspace: Workspace,
    subject: str,
    *,
    splits: Collection[str] = (),
    allow: Collection[str] = (),
    slice_text: str | None = None,
    output: Path | None = None,
    progress: Progress = SILENT,
) -> Loaded:
    """Ask the gate, then read everything once, so that a bad row is refused before the first example is handed out.

    `slice_text` names a slice of the subject, `NAME` or `NAME#NUMBER`: only its examples are handed out. `output` is
    where they are to be written: refused before anything is read where a file is there already.

    Raises HoldoutRefused (contaminated) and CoverageUnknown unless allowed, UsageError: unknown-split,
    output-exists.
    """
    if output is not None:
        require_absent([output])
    target = find_target(workspace, subject, slice_text)
    located = target.located
    chosen = choose(target) if target.reference else None
    answer = answer_for(workspace, located)
    verdict = answer.answer.verdict
    if verdict.value not in allow:
        require_clean(answer)
    fetch_payloads(workspace, located, progress)
    contents = read_contents(workspace, located, progress)
    wanted = choose_splits(contents, subject, splits)
    selection = Selection.of(chosen.definition, contents.examples) if chosen else None
    return Loaded(answer, None if verdict is Verdict.CLEAN else verdict, contents, wanted, chosen, selection)


def choose_splits(contents: Contents, subject: str, wanted: Collection[str]) -> tuple[str, ...]:
    """The wanted splits, or all of them. Raises UsageError (slug unknown-split)."""
    for split in wanted:
        if split not in contents.splits:
            known = ", ".join(contents.splits) or "none"
            raise UsageError("unknown-split", f"{subject} has no split {split!r}", hint=f"its splits: {known}")
    return tuple(split for split in contents.splits if split in wanted) if wanted else contents.splits
