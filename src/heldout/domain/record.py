"""The scan record: what was compared with what, by which method, and what came of it.

Its bytes are a function of its id: no version names, tool versions or times. Names are resolved when it is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from heldout.domain.canonical import canonical_json
from heldout.domain.example import JSON


@dataclass(frozen=True, slots=True)
class Examples:
    """What became of the subject's rows; `total` = `scanned` + `no_text` + `payload_missing`.

    `no_text` examples have an input without a letter or digit: the exact rule still applies to them, no other can;
    `no_text_named` names the first of them as split/key (A49: never silently clean). Rows that could not be read are
    in none of the others.
    """

    total: int = 0
    scanned: int = 0
    no_text: int = 0
    no_text_named: tuple[str, ...] = ()
    payload_missing: int = 0
    rows_skipped: int = 0
    by_split: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """Another version the subject was compared with; `complete` is False where not all of its examples could be."""

    dataset: str
    source: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Capped:
    """Where enumeration stopped: band buckets, pairs of inputs, and contained texts that had too many partners.

    A capped scan still decides each member of each version exactly; what it leaves out are further partners.
    """

    buckets: int = 0
    pairs: int = 0
    containments: int = 0


@dataclass(frozen=True, slots=True)
class ScanRecord:
    """`counts` is findings per kind, a finding counted under each of its kinds, plus `holdout_contamination`.

    `incomplete` lists why the subject itself was not wholly scanned; empty means it was. `findings_digest` and
    `findings_lines` bind findings.jsonl.
    """

    dataset: str
    source: str
    content: str
    method_id: str
    method_digest: str
    method_parameters: Mapping[str, JSON]
    examples: Examples
    holdout_splits: tuple[str, ...]
    holdout_members: int
    incomplete: tuple[str, ...]
    compared: tuple[Compared, ...]
    counts: Mapping[str, int]
    capped: Capped
    findings_digest: str
    findings_lines: int

    @property
    def id(self) -> str:
        return scan_id(self.source, self.method_digest, (item.source for item in self.compared))

    @property
    def self_complete(self) -> bool:
        return not self.incomplete

    @property
    def contaminations(self) -> int:
        return self.counts.get("holdout_contamination", 0)

    def folder(self) -> str:
        """Where the record lives, relative to the repository's top."""
        return f"datasets/{self.dataset}/scans/{self.id}"


def scan_id(source: str, method_digest: str, compared: Iterable[str]) -> str:
    return hashlib.sha256(canonical_json([source, method_digest, [*sorted(set(compared))]])).hexdigest()[:16]


def source_digest(meaning: Mapping[str, JSON], outputs: Iterable[tuple[str, str, int]]) -> str:
    """Name of a version's bytes and their reading: dataset.yaml's meaning and the sorted (path, md5, size) it tracks.

    Git alone can tell it, in milliseconds, without the data.
    """
    rows: list[JSON] = [[path, md5, size] for path, md5, size in sorted(outputs)]
    text = canonical_json({"meaning": dict(meaning), "outputs": rows})
    return "sha256:" + hashlib.sha256(text).hexdigest()
