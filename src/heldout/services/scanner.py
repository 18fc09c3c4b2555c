"""Scanning states of a repository: which versions to compare with, whose data is here, and what may be fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from heldout.domain.coverage import Knowledge, Version
from heldout.domain.dataset import DatasetSpec
from heldout.domain.outcomes import ScanDone
from heldout.domain.scans import Scan, Scans
from heldout.errors import HeldoutError, MissingDataError
from heldout.matching.kernels import when_compiling
from heldout.services.matching.link_memory import LinkMemory
from heldout.services.matching.memory_limit import MemoryLimit, default_limit
from heldout.services.matching.pool import match
from heldout.services.matching.texts import TextStore
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading, read_version
from heldout.services.scanning import ScanResult, scan
from heldout.services.sources import DataSource, StoredData
from heldout.services.workspace import Workspace
from heldout.storage.caches.links import LinkCache
from heldout.storage.caches.signatures import SignatureCache
from heldout.storage.catalog import DatasetState
from heldout.storage.working_files import local_folder


@dataclass(frozen=True, slots=True)
class Scanned:
    """A scan of one state; `left_out` are versions it could not be compared with, and why."""

    result: ScanResult
    left_out: tuple[tuple[Version, str], ...]

    def done(self) -> ScanDone:
        """What is worth telling about it."""
        record = self.result.record
        live = {item.source for item in record.compared}
        held = {
            held.identity()
            for finding in self.result.findings
            for held, _ in finding.sides_exposed(record.source, live)
        }
        return ScanDone(record, self.left_out, len(held))


class Scanner:
    """Reads each version at most once, however many states are scanned. `fetch` allows DVC to bring missing data.

    `cached` is off where a record is proven: then no signature and no link is taken from an earlier run.
    """

    def __init__(self, workspace: Workspace, *, fetch: bool, progress: Progress = SILENT, cached: bool = True) -> None:
        self._workspace = workspace
        self._fetch = fetch
        self._progress = progress
        self._cached = cached
        self._readings: dict[str, Reading] = {}
        when_compiling(lambda: progress.stage("compiling kernels (once on this machine)"))

    @cached_property
    def texts(self) -> TextStore:
        """The texts of all that was read; each distinct one once."""
        settings, memory = self._workspace.settings, self._workspace.memory
        asked = memory if memory is not None else settings.memory
        limit = default_limit() if asked is None else MemoryLimit(asked)
        if self._workspace.matcher is not None:  # texts are only read and kept here
            return TextStore(settings.method, limit, sketches=False)
        folder = local_folder(self._workspace.git) if self._cached else None
        if folder is None:
            return TextStore(settings.method, limit)
        return TextStore(settings.method, limit, self._cache(folder), memory=LinkMemory(self._links(folder)))

    def read(self, spec: DatasetSpec, source: str, data: DataSource) -> Reading:
        """Every example of one state, its texts in `texts`."""
        with self.texts.reading():
            return read_version(spec, source, data, progress=self._progress, store=self.texts)

    def _cache(self, folder: Path) -> SignatureCache:
        """In the working copy's .heldout; a bare repository, which has no such place, works without."""
        method = self._workspace.settings.method
        return SignatureCache(folder, method.digest, method.permutations, self._progress.note)

    def _links(self, folder: Path) -> LinkCache:
        return LinkCache(folder, self._workspace.settings.method.digest, self._progress.note)

    def reading(self, state: DatasetState, commit: str | None = None) -> Reading:
        """Every example of a committed state. Raises MissingDataError (slug data-missing) for data that is not here."""
        if state.source not in self._readings:
            data = StoredData(state, self._workspace.store)
            if self._fetch:
                self._workspace.store.fetch(state.outputs, rev=commit, report=self._progress.note)
            elif missing := data.missing():
                raise MissingDataError(
                    "data-missing",
                    f"{state.name}: {missing[0].path} is not in the DVC cache of this machine",
                    hint="dvc fetch, or heldout scan, which fetches",
                )
            self._readings[state.source] = self.read(state.spec, state.source, data)
        return self._readings[state.source]

    def scan(self, state: DatasetState, commit: str | None = None) -> Scanned:
        """Compare a state with itself and with every other frozen version that takes part and can be read here."""
        return self.scan_reading(self.reading(state, commit))

    def scan_reading(self, subject: Reading) -> Scanned:
        """The same for a subject that was read already: a working copy."""
        others, left_out = [], []
        for version in self._others(subject.source):
            try:
                others.append(self._version(version))
            except HeldoutError as error:
                left_out.append((version, str(error)))
        method, matcher = self._workspace.settings.method, self._workspace.matcher or match
        result = scan(subject, others, method, self._progress, self.texts, matcher)
        return Scanned(result, tuple(left_out))

    def _version(self, version: Version) -> Reading:
        if version.source in self._readings:
            return self._readings[version.source]
        return self.reading(self._workspace.catalog(version.commit).state(version.dataset), version.commit)

    def _others(self, source: str) -> Iterator[Version]:
        seen = {source}
        for version in self._workspace.knowledge().taking_part:
            if version.source not in seen:
                seen.add(version.source)
                yield version


def with_results(knowledge: Knowledge, results: Iterable[ScanResult]) -> Knowledge:
    """What would be known if these records were committed."""
    scans = [Scan(result.record, lambda found=result.findings: found) for result in results]  # type: ignore[misc]
    return replace(knowledge, scans=Scans([*knowledge.scans, *scans]))


@dataclass(frozen=True, slots=True)
class Sweep:
    """What `scan --all` found: the records that were missing, and what could not be scanned or compared."""

    scanned: tuple[Scanned, ...]
    failed: tuple[tuple[Version, str], ...]


def sweep(workspace: Workspace, scanner: Scanner) -> Sweep:
    """Scan versions, newest first, until every pair of frozen versions is covered.

    One record of a version against all others covers all its pairs, so a linear history with one unscanned version
    gets one record.
    """
    known = workspace.knowledge()
    scanned: list[Scanned] = []
    failed: list[tuple[Version, str]] = []
    done: set[str] = set()
    for version in sorted(known.taking_part, key=lambda item: item.name, reverse=True):
        if version.source in done or _is_covered(known, version):
            continue
        done.add(version.source)
        try:
            state = workspace.catalog(version.commit).state(version.dataset)
            made = scanner.scan(state, version.commit)
        except HeldoutError as error:
            failed.append((version, str(error)))
        else:
            scanned.append(made)
            known = with_results(known, [made.result])
    return Sweep(tuple(scanned), tuple(failed))


def _is_covered(knowledge: Knowledge, version: Version) -> bool:
    """An incomplete scan is not repeated: the same data and method would give the same record."""
    return bool(knowledge.scans_of(version.source)) and all(
        knowledge.met(version.source, other.source) for other in knowledge.taking_part
    )
