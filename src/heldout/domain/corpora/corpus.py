"""Corpora: files outside DVC that were scanned once against held-out examples, and what a scan of one says.

The corpus side of a finding is named by the corpus, the shard's path in it, the row's number and the digest of its
input; never by its text.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from heldout.domain.canonical import canonical_json
from heldout.domain.example import JSON

LISTED: Final = 16
"""Rows of a corpus named for one held-out input; all are counted."""


class HitKind(StrEnum):
    """How a row meets a held-out input, gravest first. The first two contaminate; containment is for a person."""

    EXACT = "exact"
    NEAR = "near"
    CONTAINMENT = "containment"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {HitKind.EXACT: 0, HitKind.NEAR: 1, HitKind.CONTAINMENT: 2}


@dataclass(frozen=True, slots=True)
class Inside:
    """One text stands whole in the other. `offset` counts code points of the longer normalised text."""

    holdout_is_short: bool
    position: str
    offset: int
    word_aligned: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """One row that meets one held-out input. `similarity` is (intersection, union) of the shingle sets of a near pair;
    `inside` is set for containments, and for near pairs of which one text also contains the other."""

    kind: HitKind
    row: int
    input: str
    similarity: tuple[int, int] | None = None
    inside: Inside | None = None


@dataclass(frozen=True, slots=True)
class PlacedHit:
    """A hit and the shard it is in, by its path in the corpus."""

    shard: str
    hit: Hit

    def order(self) -> tuple[int, str, int]:
        return (self.hit.kind.rank, self.shard, self.hit.row)


@dataclass(slots=True)
class InputHits:
    """What meets one held-out input: how many rows by kind, and the first `LISTED` of them.

    First is by kind, then shard, then row: a function of the corpus alone, in whatever order its parts are read.
    """

    counts: Counter[HitKind] = field(default_factory=Counter)
    listed: list[PlacedHit] = field(default_factory=list)

    def add(self, hit: PlacedHit) -> None:
        self.counts[hit.hit.kind] += 1
        self.listed.append(hit)
        if len(self.listed) >= 4 * LISTED:
            self._trim()

    def merge(self, other: InputHits) -> None:
        self.counts.update(other.counts)
        self.listed += other.listed
        self._trim()

    def first(self) -> tuple[PlacedHit, ...]:
        self._trim()
        return tuple(self.listed)

    def _trim(self) -> None:
        self.listed.sort(key=PlacedHit.order)
        del self.listed[LISTED:]


@dataclass(frozen=True, slots=True)
class ShardRead:
    """One file of a corpus as it was read: `path` in the corpus, its bytes, and what became of its rows.

    `rows` = those that could be read, with the `no_text` among them; `skipped` rows could not.
    """

    path: str
    size: int
    sha256: str
    rows: int
    no_text: int
    skipped: int


def manifest_digest(shards: Iterable[ShardRead]) -> str:
    """The name of a corpus's content: sha256 over the JCS text of each (path, size, sha256), sorted, a line each."""
    state = hashlib.sha256()
    for shard in sorted(shards, key=lambda item: item.path):
        state.update(canonical_json([shard.path, shard.size, shard.sha256]))
        state.update(b"\n")
    return "sha256:" + state.hexdigest()


@dataclass(frozen=True, slots=True)
class CorpusReading:
    """How the rows of a corpus were read; part of a scan's id, for the same bytes read otherwise are other inputs.

    `text_field` None means that a row is a text itself, `format` None that each file's suffix says it.
    """

    text_field: str | None = None
    format: str | None = None
    records: str | None = None
    columns: tuple[str, ...] = ()
    encoding: str = "utf-8"
    skip_bad_rows: bool = False

    def meaning(self) -> dict[str, JSON]:
        return {
            "text_field": self.text_field,
            "format": self.format,
            "records": self.records,
            "columns": list(self.columns),
            "encoding": self.encoding,
            "on_bad_row": "skip" if self.skip_bad_rows else "refuse",
        }


@dataclass(frozen=True, slots=True)
class Against:
    """A frozen version whose held-out examples were looked for: `members` of them, in the splits `holdout`.

    `complete` is False where not all of them could be: rows skipped, or inputs kept outside.
    """

    dataset: str
    source: str
    holdout: tuple[str, ...]
    members: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A held-out example and the versions, as source digests, that hold it out."""

    dataset: str
    split: str
    key: str
    input: str
    versions: tuple[str, ...]

    def identity(self) -> tuple[str, str, str, str]:
        return (self.dataset, self.split, self.key, self.input)

    def label(self) -> str:
        return f"{self.split}/{self.key}"


@dataclass(frozen=True, slots=True)
class CorpusFinding:
    """One held-out example that a corpus holds: `counts` are its rows by kind, `hits` the first of them."""

    corpus: str
    held: HeldOut
    counts: Mapping[HitKind, int]
    hits: tuple[PlacedHit, ...]

    @property
    def kind(self) -> HitKind:
        """The gravest."""
        return min((kind for kind, count in self.counts.items() if count), key=lambda kind: kind.rank)

    @property
    def contaminates(self) -> bool:
        return self.kind is not HitKind.CONTAINMENT

    @property
    def id(self) -> str:
        """16 hex of sha256 over the corpus's name and the example's identity."""
        text = canonical_json(["corpus", self.corpus, *self.held.identity()])
        return hashlib.sha256(text).hexdigest()[:16]

    def sort_key(self) -> tuple[object, ...]:
        return (self.kind.rank, self.held.identity())


@dataclass(frozen=True, slots=True)
class CorpusRecord:
    """A scan of a corpus: its bytes are a function of its id, like those of a version's record.

    `counts` is held-out examples by their gravest kind, with `contaminated` for those that are given away; `hits` are
    pairs of a row and a distinct held-out input, by kind. `manifest` names the corpus's content, `manifest_file` the
    bytes of the list of its shards.
    """

    corpus: str
    manifest: str
    shards: int
    size: int
    reading: CorpusReading
    method_id: str
    method_digest: str
    method_parameters: Mapping[str, JSON]
    rows: int
    no_text: int
    skipped: int
    incomplete: tuple[str, ...]
    against: tuple[Against, ...]
    counts: Mapping[str, int]
    hits: Mapping[str, int]
    findings_digest: str
    findings_lines: int
    manifest_file: str

    @property
    def id(self) -> str:
        sources: list[JSON] = [*sorted({item.source for item in self.against})]
        text = canonical_json([self.corpus, self.manifest, self.reading.meaning(), self.method_digest, LISTED, sources])
        return hashlib.sha256(text).hexdigest()[:16]

    @property
    def complete(self) -> bool:
        return not self.incomplete

    @property
    def contaminated(self) -> int:
        return self.counts["contaminated"]

    def sources(self) -> tuple[str, ...]:
        """Versions in the order in which findings number them."""
        return tuple(sorted(item.source for item in self.against))

    def covers(self, source: str) -> bool:
        """Whether every row was compared with every held-out example of this version."""
        return self.complete and any(item.source == source and item.complete for item in self.against)

    def folder(self) -> str:
        """Where the record lives, relative to the repository's top."""
        return f"corpora/{self.corpus}/scans/{self.id}"


def counts_of(findings: Iterable[CorpusFinding]) -> dict[str, int]:
    totals = Counter[str]()
    for finding in findings:
        totals[finding.kind.value] += 1
        totals["contaminated"] += finding.contaminates
    return {name: totals[name] for name in (*(kind.value for kind in HitKind), "contaminated")}
