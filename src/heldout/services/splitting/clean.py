"""`heldout clean`: files again, without the rows that give a holdout away."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from heldout.domain.checked import Place
from heldout.domain.dataset import DataFile
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.splitting.cleaning import Cleaned, CleanFile, Removed
from heldout.errors import UsageError
from heldout.services.checking.check import check
from heldout.services.checking.files import CheckRequest, Planned
from heldout.services.checking.reading import Compared, compared
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.progress import SILENT, Progress
from heldout.services.splitting.clean_choice import Leaving, leaving
from heldout.services.splitting.files_again import FilesAgain, OpenFile, own_kind, states_of
from heldout.storage.member_table import MemberTable
from heldout.storage.new_files import new_files, require_absent
from heldout.storage.readers.compressed import SUFFIXES as PACKED

LIST = "removed.jsonl"


@dataclass(frozen=True, slots=True)
class CleanRequest:
    """`files` says what to read and which splits are held out. Rows leave the other side, or the held-out one where
    `from_holdout` says so: a holdout is not changed unless somebody asks for it. `planned` says how to read the files,
    where a dataset.yaml does."""

    files: CheckRequest
    folder: Path
    from_holdout: bool = False
    groups: tuple[str, ...] = ()
    containment: bool = False
    format: str = "same"
    planned: tuple[Planned, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """A file to write: its rows come from the given file, of one split where the file's structure names the splits."""

    planned: Planned
    split: str | None
    source: str
    path: Path
    kind: str


def clean(
    request: CleanRequest,
    method: Method = DEFAULT_METHOD,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
) -> Cleaned:
    """Write all files and the list of what left, or nothing, and check what was written.

    Raises DataError for rows that cannot be read exactly, UsageError: slugs output-exists, bad-value, rows-not-copied.
    """
    if not request.files.holdout:
        raise UsageError("bad-value", "which split is held out?", hint="--holdout test")
    states = states_of(request.files.files)
    with compared(request.files, method, progress, memory, planned=request.planned) as found:
        table = found.rows.held[0].table
        again = FilesAgain(found, states)
        targets = _targets(request, found)
        listed = request.folder / LIST
        _refuse_one_name([*(target.path for target in targets), listed])
        side = _side(request, table)
        gone = leaving(found, side, groups=again.fields(request.groups), containment=request.containment)
        removed = tuple(_removed(found, gone))
        progress.stage("writing")
        with new_files([*(target.path for target in targets), listed]) as streams:
            contents = again.contents(None if request.format == "same" else request.format)
            kept = _write(contents, found, targets, streams, {item.row for item in gone})
            streams[-1].writelines(map(_line, removed))
            again.require_unchanged()
        rows = Counter(table.splits[number] for number in table.split[side].tolist())
        left = _splits_left(table, gone)
    files = _files(targets, kept)
    written = [_written(file, target) for file, target in zip(files, targets, strict=True) if file.kept]
    return Cleaned(
        holdout=request.files.holdout,
        from_holdout=request.from_holdout,
        files=files,
        removed=removed,
        rows=dict(sorted(rows.items())),
        listed=str(listed),
        remaining=_remaining(request, written, left, (method, progress, memory)),
    )


def _remaining(
    request: CleanRequest,
    written: Sequence[Planned],
    left: set[str],
    how: tuple[Method, Progress, MemoryLimit | None],
) -> int:
    """Findings across the holdout in what was written, if both sides still have rows."""
    holdout = tuple(name for name in request.files.holdout if name in left)
    if not holdout or len(left) == len(holdout):
        return 0
    asked = replace(request.files, files=tuple(item.item.path for item in written), holdout=holdout)
    return sum(finding.holdout_contamination for finding in check(asked, *how, planned=written).findings)


def _side(request: CleanRequest, table: MemberTable) -> NDArray[np.bool_]:
    """The rows of the side that is cleaned."""
    held = np.isin(table.split, [table.splits.index(name) for name in request.files.holdout])
    return held if request.from_holdout else ~held


def _splits_left(table: MemberTable, gone: Sequence[Leaving]) -> set[str]:
    stays = np.ones(len(table), np.bool_)
    stays[[item.row for item in gone]] = False
    return {table.splits[number] for number in np.unique(table.split[stays]).tolist()}


def _targets(request: CleanRequest, found: Compared) -> list[_Target]:
    table, result = found.rows.held[0].table, []
    for number, name in enumerate(table.files):
        planned = next(item for item in found.planned if _is_part(name, item.item.path))
        given = PurePosixPath(Path(planned.item.path).as_posix())
        inside = PurePosixPath(name).relative_to(given) if name != planned.item.path else PurePosixPath()
        path = PurePosixPath(given.name) / inside
        if path.suffix in PACKED:
            path = path.with_suffix("")
        kind = _kind(request, planned)
        if kind != planned.format:
            path = path.with_suffix(f".{kind}")
        splits = {table.splits[at] for at in np.unique(table.split[table.file == number]).tolist()}
        by_structure = planned.format == "manifest" or "{split}" in (planned.item.records or "")
        if by_structure and splits != {planned.split}:
            result += [
                _Target(planned, split, name, request.folder / f"{path.with_suffix('')}.{split}{path.suffix}", kind)
                for split in sorted(splits)
            ]
        else:
            result.append(_Target(planned, None, name, request.folder / path, kind))
    return result


def _kind(request: CleanRequest, planned: Planned) -> str:
    return own_kind(planned) if request.format == "same" else request.format


def _is_part(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}/")


def _refuse_one_name(paths: Sequence[Path]) -> None:
    for path, count in Counter(paths).items():
        if count > 1:
            message = f"two files would both be written to {path}"
            raise UsageError("bad-value", message, hint="rename one, or clean them into two folders")
    require_absent(paths)


def _removed(found: Compared, gone: Sequence[Leaving]) -> Iterator[Removed]:
    table = found.rows.held[0].table

    def place(row: int) -> Place:
        return found.read.place(int(table.file[row]), int(table.line[row]))

    members = table.take(np.array([item.row for item in gone], np.int64))
    for item, member in zip(gone, members, strict=True):
        yield Removed(
            place=place(item.row),
            split=member.split,
            key=None if member.derived else member.key,
            input=member.input,
            kind=item.kind,
            partner=place(item.partner),
            partner_split=table.splits[int(table.split[item.partner])],
            similarity=item.similarity,
        )


def _write(
    contents: Iterable[tuple[OpenFile, bytes, Iterator[bytes]]],
    found: Compared,
    targets: Sequence[_Target],
    streams: Sequence[BinaryIO],
    gone: set[int],
) -> dict[Path, tuple[int, int]]:
    """(kept, removed) rows of each target."""
    table = found.rows.held[0].table
    counts: defaultdict[Path, list[int]] = defaultdict(lambda: [0, 0])
    by_source: defaultdict[str, dict[str | None, tuple[_Target, BinaryIO]]] = defaultdict(dict)
    for target, stream in zip(targets, streams, strict=False):
        by_source[target.source][target.split] = (target, stream)
    for file, head, rows in contents:
        outputs = by_source[file.name]
        for _, stream in outputs.values():
            stream.write(head)
        for number, row in zip(range(file.first, file.end), rows, strict=False):
            split = None if None in outputs else table.splits[int(table.split[number])]
            target, stream = outputs[split]
            counts[target.path][number in gone] += 1
            if number not in gone:
                stream.write(row)
    return {path: (kept, left) for path, (kept, left) in counts.items()}


def _line(item: Removed) -> bytes:
    """The row by place and key or digest, never by its text."""
    line: dict[str, object] = {**_place(item.place), "split": item.split}
    line.update({"input": item.input} if item.key is None else {"key": item.key, "input": item.input})
    line["kind"] = item.kind
    if item.similarity is not None:
        line["similarity"] = round(float(item.similarity), 4)
    line["partner"] = {**_place(item.partner), "split": item.partner_split}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _place(place: Place) -> dict[str, object]:
    return {"file": place.file, "row" if place.in_rows else "line": place.number}


def _files(targets: Sequence[_Target], kept: dict[Path, tuple[int, int]]) -> tuple[CleanFile, ...]:
    return tuple(CleanFile(target.source, str(target.path), *kept.get(target.path, (0, 0))) for target in targets)


def _written(file: CleanFile, target: _Target) -> Planned:
    """How to read what was written, from the disk again. A file that no row is left of cannot be checked."""
    planned = target.planned
    split = target.split or planned.item.split
    item = replace(planned.item, path=file.path, split=split, format=target.kind)
    if target.kind != planned.format:
        item = DataFile(file.path, split, format=target.kind)
    return replace(planned, item=item, format=target.kind, split=target.split or planned.split)
