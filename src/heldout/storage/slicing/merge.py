"""A slice's file after a merge of two branches that both recorded a definition under the same number.

The conflict is on purpose (decision A5): a person has to choose the definition. The histories need no choice: both
branches' entries are kept, ours under their numbers, theirs under the next ones, their digests as they were.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from heldout.domain.slicing.slices import Recorded, Slice
from heldout.errors import ConfigError
from heldout.storage.slicing.file import append_history, parse_slice, parse_unchecked
from heldout.storage.yaml.files import load_yaml_located

_HISTORY = re.compile(rb"^history:", re.MULTILINE)
_KEY = re.compile(rb"^[^\s#-]", re.MULTILINE)


def resolve_conflict(data: bytes, path: str, prefer: Literal["ours", "theirs"] | None = None) -> bytes:
    """A file whose history two branches continued, with both continuations; a file without conflict as it is.

    For conflict markers, or for one number twice with each its own definition (both sides accepted in an editor).
    `prefer` is the side whose definition, description and so on are taken; None takes what a person has chosen and
    raises ConfigError (merge-conflict) while the two sides still differ above the history.
    """
    sides = _sides(data, path)
    if sides is None:
        return _renumbered(data, path)
    sides.check(path)
    head = sides.ours.head if prefer == "ours" else sides.theirs.head if prefer == "theirs" else sides.chosen(path)
    merged = head + sides.ours.history
    for entry in parse_slice(sides.theirs.head + sides.theirs.history, path).history:
        item = parse_slice(merged, path)
        if item.find_digest(entry.digest) is None:
            merged = append_history(merged, path, Recorded.of(item.next_number, entry.definition))
    parse_slice(merged, path)
    return merged


@dataclass(frozen=True, slots=True)
class _Version:
    """The file as one branch has it: what people wrote, and from `history:` on to the end what Heldout wrote."""

    head: bytes
    history: bytes

    @classmethod
    def of(cls, lines: list[bytes]) -> _Version:
        text = b"".join(lines)
        found = _HISTORY.search(text)
        start = len(text) if found is None else found.start()
        return cls(text[:start], text[start:])


@dataclass(frozen=True, slots=True)
class _Sides:
    ours: _Version
    theirs: _Version
    line: int  # of the first marker

    def check(self, path: str) -> None:
        """What stands after the history would be taken for a part of it."""
        if any(_KEY.search(side.history, 1) for side in (self.ours, self.theirs)):
            hint = "Move `history` to the end of the file, on both sides of the markers."
            message = "the two sides cannot be told apart: there are keys after `history`"
            raise ConfigError("merge-conflict", message, file=path, line=self.line, hint=hint)

    def chosen(self, path: str) -> bytes:
        if self.ours.head == self.theirs.head:
            return self.ours.head
        hint = "Choose: above `history`, leave one side's lines and no markers. Then run heldout slice save."
        message = "two branches changed what stands above `history`"
        raise ConfigError("merge-conflict", message, file=path, line=self.line, hint=hint)


def _sides(data: bytes, path: str) -> _Sides | None:
    """Both versions of a file with markers; what a common ancestor had (diff3) is dropped."""
    lines: dict[str, list[bytes]] = {"ours": [], "base": [], "theirs": []}
    inside, first = "", 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        mark = line[:7]
        if mark == b"<<<<<<<" and not inside:
            inside, first = "ours", first or number
        elif mark == b"|||||||" and inside == "ours":
            inside = "base"
        elif line.rstrip() == b"=======" and inside in ("ours", "base"):
            inside = "theirs"
        elif mark == b">>>>>>>" and inside == "theirs":
            inside = ""
        else:
            for side in (inside,) if inside else ("ours", "theirs"):
                lines[side].append(line)
    if inside:
        hint = "Take the file from one of the branches: git checkout --ours, or --theirs."
        raise ConfigError("merge-conflict", "a conflict marker has no end", file=path, line=first, hint=hint)
    return _Sides(_Version.of(lines["ours"]), _Version.of(lines["theirs"]), first) if first else None


def _renumbered(data: bytes, path: str) -> bytes:
    """One number twice, the entries one after the other: the numbers counted anew from the first repeat on."""
    item = parse_unchecked(data, path)
    if not _has_repeat(item):
        return data
    located = load_yaml_located(data, path)
    lines = data.splitlines(keepends=True)
    for index, entry in enumerate(item.history):
        line = located.line("history", index, "number")
        if entry.number == index + 1 or line is None:
            continue
        old = rb"(number[\"']?\s*:\s*)%d\b" % entry.number
        lines[line - 1] = re.sub(old, rb"\g<1>%d" % (index + 1), lines[line - 1], count=1)
    written = b"".join(lines)
    parse_slice(written, path)
    return written


def _has_repeat(item: Slice) -> bool:
    """Only a repeat of a number is the mark of a merge; any other disorder is for a person to look at."""
    numbers = [entry.number for entry in item.history]
    kept = sorted(set(numbers)) == list(range(1, max(numbers, default=0) + 1))
    return kept and len(set(numbers)) < len(numbers) and len({entry.digest for entry in item.history}) == len(numbers)
