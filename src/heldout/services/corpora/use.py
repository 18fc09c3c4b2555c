"""Corpora of a repository: scanning one for the record, and what the records say."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.domain.canonical import digest_bytes
from heldout.domain.corpora.corpus import CorpusFinding, CorpusReading, CorpusRecord
from heldout.domain.coverage import Knowledge
from heldout.errors import UsageError
from heldout.services.checking.reading import hints_for_flags
from heldout.services.corpora.crew import Runner
from heldout.services.corpora.holdouts import read_holdouts
from heldout.services.corpora.scan import CorpusScan, corpus_name, plan_reading, scan_corpus
from heldout.services.progress import Progress
from heldout.services.recording import commit_records, write_records
from heldout.services.scanner import Scanner
from heldout.services.workspace import Workspace
from heldout.storage.atomic import write_file
from heldout.storage.corpora.files import find_files
from heldout.storage.corpora.records import FINDINGS_FILE, RECORD_FILE, ROOT, check_place, load_findings, parse_record
from heldout.storage.corpora.state import CorpusState
from heldout.storage.trees import FileTree, FolderTree
from heldout.storage.working_files import FOLDER, local_folder

if TYPE_CHECKING:
    from heldout.services.spark.session import SparkOptions


@dataclass(frozen=True, slots=True)
class CorpusRequest:
    """What a person asked for. `record` False prints and writes nothing; `commit` makes a commit of the record; `spark`
    says where the files are read, None for here."""

    files: tuple[str, ...]
    against: tuple[str, ...]
    reading: CorpusReading
    name: str | None = None
    jobs: int | None = None
    record: bool = True
    commit: bool = False
    spark: SparkOptions | None = None


def scan(workspace: Workspace, request: CorpusRequest, progress: Progress) -> CorpusScan:
    """Scan a corpus, going on where an earlier run of the same scan was ended."""
    with hints_for_flags():
        return _scanned(workspace, request, progress)


def _scanned(workspace: Workspace, request: CorpusRequest, progress: Progress) -> CorpusScan:
    runner = _on_spark(request.spark) if request.spark else None
    found = find_files(request.files)
    name = corpus_name(request.name, found)
    reading, reason = plan_reading(found, request.reading)
    scanner = Scanner(workspace, fetch=True, progress=progress)
    holdouts = read_holdouts(workspace, request.against, scanner)
    method = workspace.settings.method
    state = None
    if (folder := local_folder(workspace.git)) is not None:
        key = (holdouts.digest, method.digest, json.dumps(reading.meaning()))
        state = CorpusState(folder, key)
    made = scan_corpus(name, found, reading, holdouts, method, progress, state=state, jobs=request.jobs, runner=runner)
    recorded = _record(workspace, made, progress, commit=request.commit) if request.record else None
    if recorded and folder is not None:
        _remember_place(workspace, name, request.files)
    return replace(made, text_field_reason=reason, recorded=recorded)


def _on_spark(options: SparkOptions) -> Runner:
    """Raises UsageError (spark-missing, java-missing) before anything is fetched or read."""
    from heldout.services.spark.corpus import run
    from heldout.services.spark.session import require_spark

    require_spark()
    return partial(run, options)


def _record(workspace: Workspace, made: CorpusScan, progress: Progress, *, commit: bool) -> str:
    if not commit:
        write_records(workspace, made.files())
        return "working copy"
    notes: list[str] = []
    name = commit_records(workspace, made.files(), notes)
    for note in notes:
        progress.note(note)
    return name


def _place_file(workspace: Workspace, name: str) -> Path:
    return workspace.git.top / FOLDER / "corpus" / (name.replace("/", "%") + ".place.json")


def _remember_place(workspace: Workspace, name: str, files: Sequence[str]) -> None:
    """Where the corpus lies on this machine, so that `verify` can read it again; never part of a record."""
    places = [file if "://" in file else str(Path(file).absolute()) for file in files]
    with suppress(OSError):
        write_file(_place_file(workspace, name), json.dumps(places).encode())


def place_of(workspace: Workspace, name: str) -> tuple[str, ...] | None:
    """The arguments that a corpus was last scanned from on this machine."""
    try:
        return tuple(map(str, json.loads(_place_file(workspace, name).read_bytes())))
    except (OSError, ValueError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Listed:
    """A record of a corpus, where it is (working copy or HEAD) and the versions that still are what it names."""

    record: CorpusRecord
    committed: bool
    against: tuple[str, ...]


def list_corpora(workspace: Workspace) -> tuple[Listed, ...]:
    """Records of HEAD and of the working copy, by corpus and id. Damaged ones raise TamperedError."""
    found: dict[str, Listed] = {}
    known = workspace.knowledge()
    for tree, committed in _trees(workspace):
        for path in record_paths(tree):
            record = parse_record(tree.read(path) or b"", path)
            check_place(record, path)
            found.setdefault(path, Listed(record, committed, _names(known, record)))
    return tuple(found[path] for path in sorted(found))


def show(workspace: Workspace, name: str) -> tuple[tuple[Listed, tuple[CorpusFinding, ...]], ...]:
    """The records of one corpus with their findings. Raises UsageError (unknown-corpus)."""
    everything = list_corpora(workspace)
    wanted = [item for item in everything if item.record.corpus == name]
    if not wanted:
        names = ", ".join(sorted({item.record.corpus for item in everything})) or "none yet"
        raise UsageError("unknown-corpus", f"no record of a corpus {name!r} is here", hint=f"corpora here: {names}")
    trees = _trees(workspace)
    return tuple((item, findings_of(item.record, [tree for tree, _ in trees])) for item in wanted)


def findings_of(record: CorpusRecord, trees: Sequence[FileTree]) -> tuple[CorpusFinding, ...]:
    """Of the copies that the trees have, the one that the record names. Raises TamperedError (findings-changed)."""
    for tree in trees:
        data = tree.read(f"{record.folder()}/{FINDINGS_FILE}")
        if data is not None and digest_bytes(data) == record.findings_digest:
            return load_findings(record, data)
    return load_findings(record, None)


def record_paths(tree: FileTree) -> list[str]:
    return sorted(path for path in tree.paths(ROOT) if posixpath.basename(path) == RECORD_FILE and "/scans/" in path)


def _trees(workspace: Workspace) -> list[tuple[FileTree, bool]]:
    head = workspace.git.head()
    trees: list[tuple[FileTree, bool]] = [(workspace.tree(head), True)] if head else []
    if not workspace.git.bare:
        trees.append((FolderTree(workspace.git.top), False))
    return trees


def _names(known: Knowledge, record: CorpusRecord) -> tuple[str, ...]:
    sources = {item.source for item in record.against}
    return tuple(sorted(str(version.name) for version in known.versions if version.source in sources))
