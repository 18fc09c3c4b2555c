"""Cases of the split check: a typed case file, and the digest that its lock files use.

The digest is of Python's own JSON form (sorted keys, no ASCII escapes, no blanks), as such locks have always had it. It
is another canonical form than that of `heldout.domain.canonical` and has a name of its own: neither stands for the
other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from heldout.domain.example import JSON

DIGEST_ID: Final = "case-json@1"
"""Names the canonical form that case digests are of."""

DEVELOPMENT: Final = "development"
HELD_OUT: Final = "held_out"


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `source_id` names the original case that it was made from; an original has none."""

    id: str
    issue: str
    label: str
    split: str
    priority: str | None = None
    must_mention: tuple[str, ...] = ()
    source_id: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Case:
        """A row that fits the schema case@1, its defaults filled in."""
        return cls(
            id=row["id"],
            issue=row["issue"],
            label=row["expected"]["label"],
            split=row["split"],
            priority=row["expected"].get("priority"),
            must_mention=tuple(row.get("must_mention", ())),
            source_id=row.get("source_id"),
        )

    @property
    def group(self) -> str:
        """A case and all that were made from it are one group."""
        return self.id if self.source_id is None else self.source_id

    @property
    def held_out(self) -> bool:
        return self.split == HELD_OUT

    def content(self) -> dict[str, JSON]:
        """The whole case; nulls and empty lists included."""
        return {
            "id": self.id,
            "issue": self.issue,
            "expected": {"label": self.label, "priority": self.priority},
            "must_mention": list(self.must_mention),
            "source_id": self.source_id,
            "split": self.split,
        }

    def canonical(self) -> str:
        return json.dumps(self.content(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @property
    def digest(self) -> str:
        """64 hex of sha256, bare: locks have no prefix."""
        return hashlib.sha256(self.canonical().encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class CaseSet:
    """A case file: a named, numbered list of cases."""

    name: str
    version: int
    cases: tuple[Case, ...]

    def of_split(self, split: str) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if case.split == split)


@dataclass(frozen=True, slots=True)
class CaseFault:
    """A case, by its place in the file, that breaks a rule between cases."""

    position: int
    field: str
    reason: str


def fault_between(ids: Iterable[tuple[str, str | None]]) -> CaseFault | None:
    """The first fault of cases given as (id, source id): a repeated id, or a source that is no original case."""
    rows = list(ids)
    sources: dict[str, str | None] = {}
    for position, (name, source) in enumerate(rows):
        if name in sources:
            return CaseFault(position, "id", f"duplicate case ID: {name}")
        sources[name] = source
    for position, (_, source) in enumerate(rows):
        if source is not None and (source not in sources or sources[source] is not None):
            return CaseFault(position, "source_id", f"source_id must name an original case, {source} is none")
    return None
