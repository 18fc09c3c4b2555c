"""`heldout corpus scan`: stream files that DVC does not track past the held-out examples of frozen versions, once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from heldout.domain.canonical import digest_bytes
from heldout.domain.corpora.corpus import (
    CorpusFinding,
    CorpusReading,
    CorpusRecord,
    HitKind,
    InputHits,
    ShardRead,
    counts_of,
    manifest_digest,
)
from heldout.domain.corpora.part import PartResult
from heldout.domain.coverage import Version
from heldout.domain.example import JSON
from heldout.domain.method import Method
from heldout.domain.names import name_problem
from heldout.domain.proposal import no_header, propose_fields
from heldout.errors import DataError, ExitCode, UsageError
from heldout.services.corpora.crew import Runner, Task, run, usable_processors
from heldout.services.corpora.holdouts import Holdouts
from heldout.services.corpora.reader import Part, data_file, parts_of
from heldout.services.corpora.worker import Target, moved
from heldout.services.progress import Progress
from heldout.storage.corpora.files import CorpusFile, Found, find_files, open_file
from heldout.storage.corpora.records import (
    FINDINGS_FILE,
    RECORD_FILE,
    SHARDS_FILE,
    render_findings,
    render_record,
    render_shards,
)
from heldout.storage.corpora.state import CorpusState
from heldout.storage.readers import format_of, read_rows

_LOOK: Final = 100  # rows that a text field is proposed from
_WORTH_PROCESSES: Final = 1 << 24  # bytes of a corpus below which starting processes costs more than they save


@dataclass(frozen=True, slots=True)
class CorpusScan:
    """A finished scan: its record, its findings and what they are in Git; `resumed` parts were known before."""

    record: CorpusRecord
    findings: tuple[CorpusFinding, ...]
    shards: tuple[ShardRead, ...]
    left_out: tuple[tuple[Version, str], ...] = ()
    resumed: int = 0
    text_field_reason: str | None = None
    recorded: str | None = None

    def files(self) -> dict[str, bytes]:
        """What a commit of the record holds, by path from the repository's top."""
        folder = self.record.folder()
        return {
            f"{folder}/{RECORD_FILE}": render_record(self.record),
            f"{folder}/{FINDINGS_FILE}": render_findings(self.findings, self.record.sources()),
            f"{folder}/{SHARDS_FILE}": render_shards(self.shards),
        }

    @property
    def exit_code(self) -> ExitCode:
        if self.record.contaminated:
            return ExitCode.FOUND
        whole = self.record.complete and all(item.complete for item in self.record.against) and not self.left_out
        return ExitCode.CLEAN if whole else ExitCode.UNKNOWN


def corpus_name(given: str | None, found: Found) -> str:
    """The name given, or the last part of the path that is one. Raises UsageError (corpus-unclear, bad-value)."""
    name = given if given is not None else re.sub(r"[^A-Za-z0-9_-]+", "-", found.title).strip("-_")
    problem = name_problem(name)
    if problem is None:
        return name
    if given is None:
        message = f"the path names no corpus: {found.title!r} is no name ({problem})"
        raise UsageError("corpus-unclear", message, hint="--name common-crawl")
    raise UsageError("bad-value", f"--name {given}: {problem}", hint="--name common-crawl")


def plan_reading(found: Found, reading: CorpusReading) -> tuple[CorpusReading, str | None]:
    """The reading with the field of the text filled in, and why so; every file has to be readable by it.

    Raises UsageError (text-field-unclear), ConfigError (unknown-format).
    """
    for file in found.files:
        format_of(data_file(file.path, reading), None if reading.format else file.path)
    if reading.text_field is not None:
        return reading, None
    for file in found.files:
        values = _first_values(file, reading)
        if not values:
            continue
        if all(isinstance(value, str) for value in values):
            return reading, "each row is a text"
        proposal = propose_fields(values)
        if proposal.header_is_row:
            raise no_header(file.shown)
        if proposal.input is None:
            names = ", ".join(proposal.choices) or "none"
            raise UsageError(
                "text-field-unclear",
                f"{file.shown}: which column is the text? Candidates: {names}",
                hint=f"--text-field {proposal.choices[0] if proposal.choices else 'COLUMN'}",
            )
        why = next((text for text in proposal.reasons if text.startswith("input:")), "input: proposed")
        filled = CorpusReading(
            proposal.input, reading.format, reading.records, reading.columns, reading.encoding, reading.skip_bad_rows
        )
        return filled, why.removeprefix("input: ")
    return reading, None


def _first_values(file: CorpusFile, reading: CorpusReading) -> list[JSON]:
    """Rows that cannot be read are met again, and refused or counted, when all are read."""
    item = data_file(file.path, reading)
    values: list[JSON] = []
    with suppress(DataError), open_file(file) as stream:
        rows = read_rows(stream, item, file.shown, lambda _: None)
        values.extend(row.value for row in islice(rows, _LOOK))
    return values


def scan_corpus(
    name: str,
    found: Found,
    reading: CorpusReading,
    holdouts: Holdouts,
    method: Method,
    progress: Progress,
    *,
    state: CorpusState | None = None,
    jobs: int | None = None,
    runner: Runner | None = None,
) -> CorpusScan:
    """Read every file once, but for parts that `state` knows. A function of the bytes, the holdouts and the method.

    `runner` reads the parts in place of `jobs` processes of this machine.
    """
    parts = {file: parts_of(file, reading) for file in found.files}
    tasks = [Task(part) for pieces in parts.values() for part in pieces]
    tasks += [Task(Part(file), only_digest=True) for file, pieces in parts.items() if len(pieces) > 1]
    known = {task: result for task in tasks if (result := _remembered(state, task))}
    todo = [task for task in tasks if task not in known]
    progress.stage(f"scanning {name}: {len(tasks) - len(todo)} of {len(tasks)} parts were known")
    if todo:
        target = Target(holdouts.index(method), holdouts.digests(), reading)
        for task, result in (
            runner(target, todo, progress) if runner else run(target, todo, _jobs(jobs, todo), progress)
        ):
            known[task] = result
            state = _keep(state, task, result, progress)
            progress.stage(f"scanning {name}: {len(known)} of {len(tasks)} parts")
    shards, hits = merge(parts, known)
    if not any(shard.rows or shard.skipped for shard in shards):
        raise DataError("no-examples", "it holds no row", file=found.files[0].shown, hint="give files that hold texts")
    scan = finish(name, reading, holdouts, method, shards, hits)
    return CorpusScan(scan.record, scan.findings, scan.shards, holdouts.left_out, len(tasks) - len(todo))


def _jobs(wanted: int | None, todo: Sequence[Task]) -> int:
    if any(task.part.file.in_this_process for task in todo):
        return 1
    if wanted is None:
        small = sum(task.part.size for task in todo) < _WORTH_PROCESSES
        wanted = 1 if small or len(todo) == 1 else usable_processors()
        return min(wanted, len(todo))
    return wanted


def _name(task: Task) -> tuple[str | int, ...]:
    part = task.part
    end = -1 if part.end is None else part.end
    kind = "digest" if task.only_digest else "scan"
    return (kind, part.file.path, part.file.place, part.file.size, part.file.mark, part.start, end)


def _remembered(state: CorpusState | None, task: Task) -> PartResult | None:
    """What an earlier run made of the part, where other bytes in its place would have another name."""
    if state is None or not task.part.file.is_told_apart:
        return None
    return state.find(_name(task), task.part.file.path)


def _keep(state: CorpusState | None, task: Task, result: PartResult, progress: Progress) -> CorpusState | None:
    """The state to keep the next part in. One that cannot be written is said once, and costs a second reading after a
    kill, and nothing else."""
    if state is None or not task.part.file.is_told_apart:
        return state
    try:
        state.keep(_name(task), result)
    except OSError as error:
        progress.note(f"finished parts are not remembered: {error.strerror or error}")
        return None
    return state


def merge(
    parts: Mapping[CorpusFile, Sequence[Part]], results: Mapping[Task, PartResult]
) -> tuple[tuple[ShardRead, ...], dict[int, InputHits]]:
    """Shards in the order of their paths, and hits by held-out input, from the results of all parts."""
    shards = []
    hits: dict[int, InputHits] = {}
    for file, pieces in sorted(parts.items(), key=lambda item: item[0].path):
        found = [results[Task(part)] for part in pieces]
        whole = found[0] if len(found) == 1 else results[Task(Part(file), only_digest=True)]
        size = sum(result.size for result in found)
        if size != whole.size:
            message = "the file changed while it was being read"
            raise DataError("corpus-changed", message, file=file.shown, hint="run the command again")
        lines = 0
        for result in found:
            for item, new in result.hits.items():
                hits.setdefault(item, InputHits()).merge(moved(new, lines))
            lines += result.newlines
        rows, no_text, skipped = (
            sum(getattr(result, field) for result in found) for field in ("rows", "no_text", "skipped")
        )
        shards.append(ShardRead(file.path, size, whole.sha256, rows, no_text, skipped))
    return tuple(shards), hits


def finish(
    name: str,
    reading: CorpusReading,
    holdouts: Holdouts,
    method: Method,
    shards: Sequence[ShardRead],
    hits: Mapping[int, InputHits],
) -> CorpusScan:
    """The record and findings of all shards: whatever engine read them, the same bytes."""
    findings = sorted(_findings(name, holdouts, hits), key=CorpusFinding.sort_key)
    totals = Counter[HitKind]()
    for found in hits.values():
        totals.update(found.counts)
    sources = [item.source for item in holdouts.against]
    data = render_findings(findings, sources)
    skipped = sum(shard.skipped for shard in shards)
    record = CorpusRecord(
        corpus=name,
        manifest=manifest_digest(shards),
        shards=len(shards),
        size=sum(shard.size for shard in shards),
        reading=reading,
        method_id=method.id,
        method_digest=method.digest,
        method_parameters=method.parameters(),
        rows=sum(shard.rows for shard in shards),
        no_text=sum(shard.no_text for shard in shards),
        skipped=skipped,
        incomplete=(f"rows that could not be read and were skipped: {skipped}",) if skipped else (),
        against=holdouts.against,
        counts=counts_of(findings),
        hits={kind.value: totals[kind] for kind in HitKind},
        findings_digest=digest_bytes(data),
        findings_lines=len(findings),
        manifest_file=digest_bytes(render_shards(shards)),
    )
    return CorpusScan(record, tuple(findings), tuple(shards))


def _findings(name: str, holdouts: Holdouts, hits: Mapping[int, InputHits]) -> Iterable[CorpusFinding]:
    for item, found in hits.items():
        first = found.first()
        for held in holdouts.members[item]:
            yield CorpusFinding(name, held, dict(found.counts), first)


__all__ = ["CorpusScan", "corpus_name", "find_files", "finish", "merge", "plan_reading", "scan_corpus"]
