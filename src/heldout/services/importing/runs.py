"""An export's rows as a run file, which `heldout results report` reads.

The export is read twice: a row without any result (its case ended in an error) is missing in every metric that other
rows have, and whether a metric is a rate or a mean score is told by all of its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.domain.importing.provenance import parse_provenance
from heldout.domain.importing.results import CaseResults, Result, case_of
from heldout.domain.results.run import RATE, RUN_FORMAT
from heldout.errors import DataError, UsageError
from heldout.services.importing.reading import Seen, fault_at, faults_at, mapping_for, told_apart
from heldout.storage.example_lines import json_line
from heldout.storage.importing.exports import Export
from heldout.storage.new_files import new_files, require_absent

if TYPE_CHECKING:
    from heldout.domain.example import JSON
    from heldout.domain.importing.mapping import RunMap
    from heldout.storage.readers import Row


@dataclass(frozen=True, slots=True)
class Named:
    """What the command line says of the run: it wins over the export."""

    run: str | None = None
    dataset: str | None = None
    split: str | None = None


@dataclass(slots=True)
class ImportedRun:
    """`metrics` tells of each whether it is a rate; `missing` counts its cases without a result."""

    mapping: str
    output: Path
    digest: str
    header: Mapping[str, JSON] = field(default_factory=dict)
    cases: int = 0
    excluded: int = 0
    passed_over: int = 0
    metrics: dict[str, bool] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)


def import_run(
    path: Path,
    mapping_name: str,
    output: Path,
    *,
    named: Named | None = None,
    metrics: Sequence[str] = (),
    rates: Sequence[str] = (),
    places: Sequence[str] = (),
    only: Sequence[str] = (),
) -> ImportedRun:
    """Write the results of an export to a new run file. `rates` are metrics whose 1 and 0 mean true and false.

    Raises UsageError: output-exists, unknown-preset, no-such-import, unknown-metric; DataError: bad-import-row,
    repeated-result, several-versions, rows-not-found, no-rows, and what reading raises.
    """
    from dataclasses import replace

    require_absent([output])
    mapping = mapping_for(mapping_name, places, only)
    if mapping.run is None:
        raise UsageError("no-such-import", f"{mapping.name} maps no results", hint=f"heldout import {path}")
    fields = replace(mapping.run, rates=mapping.run.rates | frozenset(rates))
    export = Export(path, mapping, nan_is_null=fields.nan_is_missing)
    reader = _Reader(export, fields, metrics)
    found = reader.look()
    _require_metrics(found.metrics, metrics)
    header = _header(export, found.provenance, named or Named())
    done = ImportedRun(mapping.name, output, export.digest, header, found.cases, found.excluded, export.passed_over)
    done.metrics = found.metrics or {RATE: True}
    done.missing = dict.fromkeys(done.metrics, 0)
    with new_files([output]) as (stream,):
        stream.write(json_line(dict(header)).encode() + b"\n")
        for _, case in reader.cases():
            for record in _records(case, done, with_metadata="dataset" not in header):
                stream.write(json_line(record).encode() + b"\n")
    return done


@dataclass(slots=True)
class _Found:
    """`metrics`: whether each is a rate so far, in the order in which they came up."""

    metrics: dict[str, bool] = field(default_factory=dict)
    cases: int = 0
    excluded: int = 0
    provenance: str | None = None
    observed: set[str] = field(default_factory=set)

    def drop_wholes(self) -> None:
        """A scorer of several values (`mine.a`, `mine.b`) has null under its own name where it gave none of them."""
        for name in [name for name in self.metrics if name not in self.observed]:
            if any(other.startswith(f"{name}.") for other in self.metrics):
                del self.metrics[name]


class _Reader:
    def __init__(self, export: Export, fields: RunMap, wanted: Sequence[str]) -> None:
        self._export, self._fields, self._wanted = export, fields, wanted

    def cases(self) -> Iterator[tuple[Row, CaseResults]]:
        for row in self._export.rows():
            with faults_at(self._export, row):
                case = case_of(row.value, self._fields, self._wanted)
            yield row, case

    def look(self) -> _Found:
        found, seen = _Found(), Seen()
        for row, case in self.cases():
            if seen.add([case.split, case.key]) is not None:
                raise self._repeated(row, case)
            if found.cases and case.provenance != found.provenance:
                message = "this row was run on another dataset version than the rows before it"
                raise fault_at(self._export, row, "several-versions", message, str(self._fields.provenance), _APART)
            found.provenance = case.provenance
            found.cases += 1
            found.excluded += case.excluded is not None
            for metric, result in case.results.items():
                is_rate = result is None or isinstance(result, bool)
                found.observed |= {metric} if result is not None else set()
                found.metrics[metric] = found.metrics.get(metric, True) and is_rate
        found.drop_wholes()
        if not found.cases:
            left = self._export.passed_over
            hint = f"{left} rows were left out by `only`" if left else None
            raise DataError(
                "no-rows", "the export has no row that was asked for", file=str(self._export.path), hint=hint
            )
        return found

    def _repeated(self, row: Row, case: CaseResults) -> DataError:
        apart = told_apart(self._export.mapping, row.value)
        named = ", ".join(f"{name} {value}" for name, value in apart.items())
        message = f"the case {case.key!r} has a second result" + (f" (here {named})" if named else "")
        limits = " ".join(f"--only {name}={value}" for name, value in apart.items())
        hint = f"a run has one result for a case and metric; choose which: {limits}" if limits else "choose with --only"
        return fault_at(self._export, row, "repeated-result", message, hint=hint)


_APART = "import each version's rows by themselves: --only PATH=VALUE"


def _require_metrics(found: Mapping[str, bool], wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in found:
            hint = f"it has {', '.join(found)}" if found else "leave --metric out to see all"
            raise UsageError("unknown-metric", f"no row has a result for {name!r}", hint=hint)


def _header(export: Export, provenance: str | None, named: Named) -> dict[str, JSON]:
    """What the command line says, then what Heldout's loaders wrote into the log, then what the tool calls things."""
    around = export.around
    said = parse_provenance(provenance or around.get("provenance", ""))
    other = named.dataset is not None and named.dataset != said.get("dataset")
    known: dict[str, str | None] = {
        "run": named.run or around.get("run"),
        "dataset": named.dataset or said.get("dataset"),
        "content": None if other else said.get("content"),
        "split": named.split or said.get("split"),
        "model": around.get("model"),
        "system": around.get("system"),
    }
    imported: dict[str, JSON] = {"mapping": export.mapping.name, "sha256": export.digest.removeprefix("sha256:")}
    return {
        "format": RUN_FORMAT,
        **{key: value for key, value in known.items() if value},
        "extra": {"imported": imported},
    }


def _records(case: CaseResults, done: ImportedRun, *, with_metadata: bool) -> Iterator[dict[str, JSON]]:
    """A row for each metric. What is not there is missing; an excluded case says only that."""
    start: dict[str, JSON] = {"key": case.key}
    if case.split is not None:
        start["split"] = case.split
    parts = {name: value for name, value in case.parts.items() if with_metadata or name != "metadata"}
    for metric, is_rate in done.metrics.items():
        named: dict[str, JSON] = {**start, "metric": metric}
        if case.excluded is not None:
            yield {**named, "excluded": case.excluded, **parts}
            continue
        result = case.results.get(metric)
        done.missing[metric] += result is None
        yield {**named, **_said(result, is_rate=is_rate), **parts}


def _said(result: Result, *, is_rate: bool) -> dict[str, JSON]:
    if is_rate:
        return {"outcome": result}
    return {"score": None if result is None else float(result)}
