"""Which part of an example becomes which field of a harness.

`fields={"question": "input.text", "answer": "expected", "topic": "metadata.topic"}` names the harness's fields and,
with the paths of slices and dataset.yaml (decision A12), where their values stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heldout.domain.example import JSON, Example
from heldout.domain.paths import MISSING, Missing, lookup, parse_path
from heldout.errors import UsageError

PARTS = (
    "key",
    "split",
    "input",
    "expected",
    "metadata",
    "tags",
    "source_kind",
    "review_status",
    "synthetic",
    "source_id",
)
"""What a path may begin with, in the order in which tables show them."""

ALWAYS = ("key", "split", "input", "expected")

Fields = Mapping[str, str]
Record = dict[str, JSON]


def parts_of(example: Example) -> Record:
    """The parts an example has; an absent one is not there, which differs from a null."""
    parts: Record = {"key": example.key, "split": example.split, "input": example.input}
    for name, value in example.content().items():
        if name in PARTS:
            parts[name] = value
    return parts


def default_fields(examples: Iterable[Example]) -> Fields:
    """Every part that some example has, under its own name."""
    present = set(ALWAYS).union(*(parts_of(example) for example in examples))
    return {name: name for name in PARTS if name in present}


class Mapper:
    """Takes fields out of examples. Raises UsageError (slug unknown-field) for a path that no example can have."""

    def __init__(self, fields: Fields) -> None:
        self._paths = {name: _parsed(path) for name, path in fields.items()}

    def values(self, example: Example) -> dict[str, JSON | Missing]:
        parts = parts_of(example)
        return {name: lookup(parts, path) for name, path in self._paths.items()}

    def records(self, examples: Iterable[Example]) -> list[Record]:
        """One record an example, null where it has no such place; a place that none has is a misspelt one."""
        found = [self.values(example) for example in examples]
        for name, path in self._paths.items():
            if len(path) > 1 and all(row[name] is MISSING for row in found):
                raise UsageError(
                    "unknown-field", f"no example has {'.'.join(path)!r}, wanted as {name!r}", hint="heldout show NAME"
                )
        return [{name: None if isinstance(value, Missing) else value for name, value in row.items()} for row in found]


def _parsed(text: str) -> tuple[str, ...]:
    try:
        path = parse_path(text)
    except ValueError as error:
        raise UsageError("unknown-field", f"{text!r} is no path: {error}", hint="metadata.topic") from None
    if path[0] not in PARTS:
        raise UsageError("unknown-field", f"an example has no part {path[0]!r}", hint=f"its parts: {', '.join(PARTS)}")
    return path
