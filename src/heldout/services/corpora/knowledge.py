"""Records of corpora in committed trees, for the answers that policy makes depend on them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from heldout.domain.canonical import digest_bytes
from heldout.domain.corpora.corpus import CorpusFinding, CorpusRecord
from heldout.domain.corpora.cover import CorpusCover, CorpusEvidence
from heldout.domain.settings import Settings
from heldout.errors import TamperedError
from heldout.storage.corpora.records import FINDINGS_FILE, RECORD_FILE, ROOT, check_place, load_findings, parse_record
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import REGULAR_MODES, GitTree, entries_of_all


def corpus_cover(git: Git, trees: Iterable[GitTree], settings: Settings) -> CorpusCover:
    """What the trees know of the corpora that policy names; other corpora are not read."""
    wanted = {corpus.name for corpus in settings.corpora}
    files: dict[str, list[str]] = {}
    for entry in entries_of_all(trees, ROOT):
        if entry.mode in REGULAR_MODES and corpus_of(entry.path) in wanted:
            files.setdefault(entry.path, []).append(entry.oid)
    evidence: list[CorpusEvidence] = []
    damaged: list[tuple[str, str]] = []
    paths = sorted(path for path in files if posixpath.basename(path) == RECORD_FILE)
    contents = git.read_blobs([oid for path in paths for oid in files[path]])
    for path in paths:
        findings = files.get(posixpath.join(posixpath.dirname(path), FINDINGS_FILE), [])
        for oid in dict.fromkeys(files[path]):
            try:
                record = parse_record(contents[oid], path)
                check_place(record, path)
            except TamperedError as error:
                damaged.append((corpus_of(path), error.message))
                continue
            if settings.accepts(record.method_digest):
                evidence.append(_evidence(git, record, findings))
    return CorpusCover(settings.corpora, evidence, damaged)


def corpus_of(path: str) -> str:
    """The corpus in whose folder a record's file lies."""
    head, found, _ = path.rpartition("/scans/")
    return head[len(ROOT) + 1 :] if found else ""


def _evidence(git: Git, record: CorpusRecord, findings: list[str]) -> CorpusEvidence:
    def load() -> tuple[CorpusFinding, ...]:
        copies = (git.read_blobs([oid])[oid] for oid in findings)
        return load_findings(record, next((c for c in copies if digest_bytes(c) == record.findings_digest), None))

    return CorpusEvidence(record, load)
