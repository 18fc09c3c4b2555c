"""`heldout split make`: one file, or several joined, becomes splits that share nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.splitting.making import Clump, SplitMade, assigned, deviation, parts_of
from heldout.errors import UsageError
from heldout.matching.components import components
from heldout.services.checking.files import CheckRequest
from heldout.services.checking.reading import Compared, compared
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.pool import Links
from heldout.services.matching.rows import PoolRows
from heldout.services.progress import SILENT, Progress
from heldout.services.splitting.files_again import FilesAgain, output_kind, states_of
from heldout.storage.new_files import new_files, require_absent

_ALL = "all"
_WITHOUT = "(none)"
"""The stratum of rows that have no value in the field."""

Edges = NDArray[np.int64]
"""Pairs of inputs that belong together, by their places, shape (2, pairs)."""


@dataclass(frozen=True, slots=True)
class MakeRequest:
    """`files` says which files and how to read them; its key, split and holdout are left empty. `groups` name fields
    whose equal values stay together; `source` names the field that holds the `key` of the row that a row was made from.
    """

    files: CheckRequest
    folder: Path
    shares: Mapping[str, Fraction]
    seed: int = 7
    stratify: str | None = None
    groups: tuple[str, ...] = ()
    key: str | None = None
    source: str | None = None
    containment: bool = False
    tolerance: Fraction = Fraction(1, 100)
    format: str = "same"


@dataclass(frozen=True, slots=True)
class _Clusters:
    """`root` is the lowest input of each input's cluster; `clumps` are in the order of their roots, `of_input` tells
    which one an input is in."""

    root: NDArray[np.int64]
    clumps: tuple[Clump, ...]
    of_input: NDArray[np.int64]


def make_splits(
    request: MakeRequest,
    method: Method = DEFAULT_METHOD,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
) -> SplitMade:
    """Write one file a split into the folder, all of them or none.

    Raises DataError for rows that cannot be read exactly; UsageError: slugs output-exists, split-too-uneven (no sizes
    within the tolerance), rows-not-copied, headers-differ, bad-value.
    """
    files = replace(request.files, splits=dict.fromkeys(request.files.files, _ALL))
    states = states_of(files.files)
    with compared(files, method, progress, memory) as found:
        again = FilesAgain(found, states)
        kind = output_kind(found, request.format)
        targets = {name: request.folder / f"{name}.{kind}" for name in request.shares}
        require_absent(list(targets.values()))
        fields = [*request.groups, *(path for path in (request.stratify, request.key, request.source) if path)]
        values = again.fields(list(dict.fromkeys(fields)))
        progress.stage("making splits")
        made, splits = _made(request, found, values, progress)
        made = replace(made, parts=tuple(replace(part, file=str(targets[part.name])) for part in made.parts))
        with new_files(list(targets.values())) as streams:
            _write(again, kind, splits, dict(zip(targets, streams, strict=True)))
            again.require_unchanged()
    return made


def _made(
    request: MakeRequest, found: Compared, values: Mapping[str, list[str | None]], progress: Progress
) -> tuple[SplitMade, list[str]]:
    """How it came out, and the split of each row."""
    places = found.rows.places[0]
    strata = values[request.stratify] if request.stratify else [None] * places.size
    held = _held_together(request, found, values)
    edges = np.concatenate(list(held.values()), axis=1)
    root, rounds = components(found.rows.inputs.size, edges), 0
    while True:
        rounds += 1
        clusters = _clusters(found, root, strata)
        splits = np.array(assigned(clusters.clumps, request.shares, request.seed), dtype=object)
        of_input: list[str] = splits[clusters.of_input].tolist()
        crossing = _crossing(request, found, of_input, progress)
        if not crossing.size:
            break
        root = components(root.size, crossing, root)
    _require_even(request, found, clusters, splits.tolist(), values)
    sizes = Counter({clump.name: clump.size for clump in clusters.clumps})
    made = SplitMade(
        parts=parts_of(clusters.clumps, splits.tolist(), request.shares, {}),
        clusters=len(clusters.clumps),
        largest=max(sizes.values()),
        tied=sum(size for size in sizes.values() if size > 1),
        seed=request.seed,
        tolerance=request.tolerance,
        stratify=request.stratify,
        held_together={name: pairs.shape[1] for name, pairs in held.items()},
        repeated_keys=_repeated(values[request.key]) if request.key else 0,
        rounds=rounds,
    )
    return made, [of_input[place] for place in places.tolist()]


def _repeated(keys: Sequence[str | None]) -> int:
    return sum(count > 1 for key, count in Counter(keys).items() if key is not None)


def _held_together(request: MakeRequest, found: Compared, values: Mapping[str, list[str | None]]) -> dict[str, Edges]:
    """Pairs of distinct inputs by what holds them together. Rows of one input are together without."""
    links, places = found.links, found.rows.places[0]
    held = {"near": _near(links)}
    if request.containment:
        held["containment"] = np.stack([links.inside.short, links.inside.long])
    for path in request.groups:
        held[f"group {path}"] = _same(places, [values[path]])
    if request.key and request.source:
        held["key and source"] = _same(places, [values[request.key], values[request.source]])
    elif request.key:
        held["key"] = _same(places, [values[request.key]])
    return held


def _near(links: Links) -> Edges:
    return np.stack([links.pairs.a, links.pairs.b])


def _same(places: NDArray[np.int64], columns: Sequence[Sequence[str | None]]) -> Edges:
    """Each row that has a value with the first row that has it, in whichever of the columns."""
    first: dict[str, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for column in columns:
        for place, value in zip(places.tolist(), column, strict=True):
            if value is not None and (other := first.setdefault(value, place)) != place:
                pairs[min(place, other), max(place, other)] = None
    return np.array(list(pairs), np.int64).reshape(-1, 2).T


def _clusters(found: Compared, root: NDArray[np.int64], strata: Sequence[str | None]) -> _Clusters:
    roots, of_input = np.unique(root, return_inverse=True)
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    rows = of_input[found.rows.places[0]].tolist()
    for cluster, stratum in zip(rows, strata, strict=True):
        counts[cluster][_WITHOUT if stratum is None else stratum] += 1
    table = found.rows.held[0].table
    digests = table.known.digests()[found.rows.inputs[roots]]
    clumps = tuple(
        Clump(DIGEST_PREFIX + digest.tobytes().hex(), counts[number]) for number, digest in enumerate(digests)
    )
    return _Clusters(root, clumps, of_input)


def _crossing(request: MakeRequest, found: Compared, splits: Sequence[str], progress: Progress) -> Edges:
    """Links that still go from one split into another, which only families leave: of their pairs not all are listed,
    but each text has one in every split that has any."""
    links = found.links
    capped = links.capped_buckets or (request.containment and links.capped_containments)
    if not capped:
        return np.zeros((2, 0), np.int64)
    names = tuple(request.shares)
    number = {name: position for position, name in enumerate(names)}
    places = found.rows.places[0]
    of_input = np.array([number[name] for name in splits], np.int32)
    held = found.rows.held[0]
    table = replace(held.table, splits=names, split=of_input[places])
    again = found.relinked(PoolRows.of(replace(held, table=table)), progress)
    edges = _near(again)
    if request.containment:
        edges = np.concatenate([edges, np.stack([again.inside.short, again.inside.long])], axis=1)
    return edges[:, of_input[edges[0]] != of_input[edges[1]]]


def _require_even(
    request: MakeRequest,
    found: Compared,
    clusters: _Clusters,
    splits: Sequence[str],
    values: Mapping[str, list[str | None]],
) -> None:
    sizes: Counter[str] = Counter()
    for clump, split in zip(clusters.clumps, splits, strict=True):
        sizes[split] += clump.size
    missed = deviation(sizes, request.shares)
    empty = [name for name in request.shares if not sizes[name]]
    if missed <= request.tolerance and not empty:
        return
    largest = max(range(len(clusters.clumps)), key=lambda at: (clusters.clumps[at].size, clusters.clumps[at].name))
    total, size = sum(sizes.values()), clusters.clumps[largest].size
    got = ", ".join(f"{name} {_percent(Fraction(sizes[name], total))}" for name in request.shares)
    what = f"{', '.join(empty)} would be empty" if empty else f"the nearest is {got}"
    where = _where(request, found, clusters, largest, values)
    enough = ceil(missed * 10_000) / 10_000
    raise UsageError(
        "split-too-uneven",
        f"no split within {_percent(request.tolerance)} of the wanted sizes: {what}. The largest of "
        f"{len(clusters.clumps):,} clusters has {size:,} of {total:,} rows{where}",
        hint="fewer splits, or more rows" if empty else f"--tolerance {enough} would do, or take that cluster apart",
    )


def _where(
    request: MakeRequest, found: Compared, clusters: _Clusters, number: int, values: Mapping[str, list[str | None]]
) -> str:
    """Where the cluster begins, and which group most of it is."""
    table = found.rows.held[0].table
    rows = np.flatnonzero(clusters.of_input[found.rows.places[0]] == number)
    first = int(rows[0])
    text = f", the first at {found.read.place(int(table.file[first]), int(table.line[first]))}"
    for path in request.groups:
        common = Counter(value for row in rows.tolist() if (value := values[path][row]) is not None).most_common(1)
        if common and 2 * common[0][1] > rows.size:
            text += f"; {common[0][1]:,} of them have {path}={common[0][0]}"
    return text


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.4g} %"


def _write(again: FilesAgain, kind: str, splits: Sequence[str], streams: Mapping[str, BinaryIO]) -> None:
    header: bytes | None = None
    for file, head, rows in again.contents(kind):
        if header is None:
            header = head
            for stream in streams.values():
                stream.write(head)
        elif _plain(header) != _plain(head):
            message = f"{file.name} has other columns than the files before it, or the same in another order"
            raise UsageError("headers-differ", message, hint="--format jsonl writes the name of each value")
        for number, row in zip(range(file.first, file.end), rows, strict=False):
            streams[splits[number]].write(row)


def _plain(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
