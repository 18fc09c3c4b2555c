"""Exposure: who showed which examples to what. An append-only log of people's acts, and what follows from it.

An example that entered a prompt or a fine-tune no longer measures how a model does on what it has not seen. The log
says so by the digest of the input, so that neither another key nor another split makes the example fresh again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from heldout.domain.canonical import digest
from heldout.domain.example import JSON

MemberName = tuple[str, str, str]
"""(split, key, input digest)."""


class How(StrEnum):
    """What an example was used for. The last three say where it went, and not yet what came of it."""

    PROMPT = "prompt"
    FINE_TUNING = "fine-tuning"
    RETRIEVAL = "retrieval"
    DEBUGGING = "debugging"
    OPTIMISATION = "optimisation"
    ACCESS = "access"
    EXPORT = "export"
    JOIN = "join"


SPOILING = frozenset({How.PROMPT, How.FINE_TUNING, How.RETRIEVAL, How.OPTIMISATION})
"""Kinds after which an example counts as seen, where heldout.yaml does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """One line of a log. `previous` is the digest of the line before, None for the first; `number` counts from 1.

    `day` is when it happened, `by` who did it and `note` where, both in that person's words. `members` are sorted.
    """

    number: int
    previous: str | None
    day: date
    how: How
    by: str
    note: str
    members: tuple[MemberName, ...]

    def as_json(self) -> dict[str, JSON]:
        return {"number": self.number, "previous": self.previous, **self.said()}

    def said(self) -> dict[str, JSON]:
        """What the person said, whatever place the line has in its log."""
        return {
            "date": self.day.isoformat(),
            "how": self.how.value,
            "by": self.by,
            "note": self.note,
            "members": [list(member) for member in self.members],
        }

    @property
    def inputs(self) -> frozenset[str]:
        return frozenset(member[2] for member in self.members)


def line_digest(line: Exposure) -> str:
    return digest(line.as_json())


def appended(log: Sequence[Exposure], line: Exposure) -> tuple[Exposure, ...]:
    """The log with one more line, numbered and chained to the last one."""
    previous = line_digest(log[-1]) if log else None
    return (*log, replace(line, number=len(log) + 1, previous=previous))


def rechained(agreed: Sequence[Exposure], lines: Sequence[Exposure]) -> tuple[Exposure, ...]:
    """`agreed` as it stands, then whatever else `lines` say, each once, in their order: the union of two branches."""
    log = tuple(agreed)
    seen = {digest(line.said()) for line in log}
    for line in lines:
        if (said := digest(line.said())) not in seen:
            seen.add(said)
            log = appended(log, line)
    return log


def chain_faults(log: Sequence[Exposure]) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) for each line that does not follow from the one before it."""
    previous: str | None = None
    for number, line in enumerate(log, 1):
        if line.number != number:
            yield number, f"calls itself number {line.number}"
        elif line.previous != previous:
            yield number, "does not name the digest of the line before it"
        previous = line_digest(line)


def history_faults(before: Sequence[Exposure], after: Sequence[Exposure], *, merged: bool) -> Iterator[tuple[int, str]]:
    """(line of `before`, what happened to it) where `after` does not keep a log that it continues.

    Where two branches were `merged`, the lines of one of them may stand in other places, in their order.
    """
    places = {digest(line.said()): place for place, line in enumerate(after, 1)}
    last = 0
    for number, line in enumerate(before, 1):
        place = places.get(digest(line.said()))
        if place is None:
            yield number, "was removed or edited"
        elif place < last:
            yield number, "was reordered"
        elif not merged and after[place - 1] != line:
            yield number, "was chained anew"
        last = max(last, place or 0)


@dataclass(frozen=True, slots=True)
class ExposureCheck:
    """What somebody with the data found: the held-out examples of a content that its dataset's log names.

    The log is named by the digest of its last line, so that every line up to it is known to have been looked for.
    """

    dataset: str
    source: str
    log: str
    held: tuple[MemberName, ...]


@dataclass(frozen=True)
class ExposureLog:
    """All lines of one dataset's log that any tree knows, by their digests: branches that are not merged yet differ."""

    lines: Mapping[str, Exposure]

    @cached_property
    def in_order(self) -> tuple[Exposure, ...]:
        return tuple(sorted(self.lines.values(), key=lambda line: (line.number, line_digest(line))))

    def leaves(self) -> tuple[tuple[Exposure, ...], ...]:
        """Every log that the lines make: one, or several where branches are not merged."""
        before = {line.previous for line in self.lines.values()}
        ends = sorted(self.lines.keys() - before)
        return tuple(tuple(reversed([*self.up_to(end)])) for end in ends)

    def up_to(self, last: str) -> Iterator[Exposure]:
        """The line with that digest and those before it; nothing where it was chained anew since."""
        at: str | None = last
        while at is not None and (line := self.lines.get(at)) is not None:
            yield line
            at = line.previous
