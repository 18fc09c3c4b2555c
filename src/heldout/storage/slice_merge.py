"""A slice's file after a merge of two branches that both recorded a definition under the same number.

The conflict is on purpose (decision A5): a person has to choose the definition. The histories need no choice: both
branches' entries are kept, ours under their numbers, theirs under the next ones, their digests as they were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from heldout.domain.slices import Recorded, Slice, history_problems
from heldout.errors import ConfigError
from heldout.storage.slice_file import append_history, parse_slice, parse_unchecked
from heldout.storage.yaml_files import load_yaml_located

_HISTORY = re.compile(rb"history:")


def resolve_conflict(data: bytes, path: str, published: Sequence[Recorded] = ()) -> bytes:
    """A file whose history two branches continued, with both continuations; a file without conflict as it is.

    `published` are entries that others have seen: where theirs has them under their numbers and ours has not, theirs
    come first.

    For conflict markers in the history only, or for one number twice with each its own definition (both sides accepted
    in an editor). Raises ConfigError (merge-conflict) when the markers reach what people edit: they choose first.
    """
    ours, theirs = _sides(data, path)
    if theirs is None:
        return _renumbered(ours, path)
    other = parse_slice(theirs, path)
    if history_problems(published, parse_slice(ours, path).history) and not history_problems(published, other.history):
        ours, other = theirs, parse_slice(ours, path)
    merged = ours
    for entry in other.history:
        item = parse_slice(merged, path)
        if item.find_digest(entry.digest) is None:
            merged = append_history(merged, path, Recorded.of(item.next_number, entry.definition))
    return merged


def _sides(data: bytes, path: str) -> tuple[bytes, bytes | None]:
    """The whole file as each branch has it; theirs is None for a file without markers."""
    ours: list[bytes] = []
    theirs: list[bytes] = []
    inside, seen, in_history = "", False, False
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        mark = line[:7]
        if mark == b"<<<<<<<" and not inside:
            if not in_history and not any(map(_HISTORY.match, lines[number : number + 1])):
                hint = "Choose one side above `history`, remove its markers, then run heldout slice save."
                raise ConfigError("merge-conflict", "two branches changed this part", file=path, line=number, hint=hint)
            inside, seen = "ours", True
        elif mark == b"|||||||" and inside:
            inside = "base"
        elif line.rstrip() == b"=======" and inside:
            inside = "theirs"
        elif mark == b">>>>>>>" and inside:
            inside = ""
        else:
            in_history = in_history or bool(_HISTORY.match(line))
            if inside in ("", "ours"):
                ours.append(line)
            if inside in ("", "theirs"):
                theirs.append(line)
    return b"".join(ours), b"".join(theirs) if seen else None


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
