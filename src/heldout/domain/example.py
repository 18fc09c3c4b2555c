"""An example: the unit that is keyed, split, compared and reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""A parsed JSON value: integers exact at any size, floats finite IEEE doubles, strings without lone surrogates."""


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a dataset as its fields map it.

    `key` is None where the dataset has no key column; such keys are derived once the whole version was read
    (`heldout.domain.members`). `payload` is the digest of an input kept outside the data file; then `has_input` may be
    False and the text cannot be compared here. `from_payload` says that the input was found by that digest: it is no
    part of the example's content, which is the same where nobody can read the input. `line` is where the row starts in
    its file (from 1), for messages only: it is no part of the example's identity.
    """

    split: str
    input: JSON
    key: str | None = None
    expected: JSON = None
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    source_kind: str | None = None
    review_status: str | None = None
    synthetic: bool | None = None
    source_id: str | None = None
    payload: str | None = None
    has_input: bool = True
    from_payload: bool = False
    line: int = 0

    def content(self) -> dict[str, JSON]:
        """What the example digest covers: the whole example but its split and key, which are its address.

        Parts that are absent are left out, so that adding an optional field to the format never changes a digest.
        """
        parts: dict[str, JSON] = {}
        if self.has_input and not self.from_payload:
            parts["input"] = self.input
        if self.expected is not None:
            parts["expected"] = self.expected
        if self.metadata:
            parts["metadata"] = dict(self.metadata)
        if self.tags:
            parts["tags"] = [*sorted(set(self.tags))]
        for name in ("source_kind", "review_status", "synthetic", "source_id", "payload"):
            value = getattr(self, name)
            if value is not None:
                parts[name] = value
        return parts
