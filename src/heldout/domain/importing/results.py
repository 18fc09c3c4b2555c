"""A row of an export as results of one case."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from heldout.domain.example import JSON
from heldout.domain.importing.examples import SLUG, key_of, metadata_of, split_of
from heldout.domain.importing.mapping import MetricMap, RunMap, StepMap, says
from heldout.domain.importing.places import ImportFault, Many, kind
from heldout.domain.paths import MISSING

SCHEMA = "agent_trajectory/v1"
Result = bool | float | None
"""True or false, a score, or None where it is missing."""


@dataclass(frozen=True, slots=True)
class CaseResults:
    """What one row says of its case: `results` by metric, and `parts`, the fields that stand on each of its rows."""

    key: str
    split: str | None
    results: Mapping[str, Result]
    excluded: str | None = None
    parts: Mapping[str, JSON] = field(default_factory=dict)
    provenance: str | None = None


def case_of(row: JSON, fields: RunMap, wanted: Collection[str] = ()) -> CaseResults:
    """Only the `wanted` metrics, or all of them. Raises ImportFault (slug bad-import-row)."""
    said = None if fields.provenance is None else fields.provenance.value(row)
    lost = any(says(row, *limit) for limit in fields.missing)
    excluded = None if fields.excluded is None else fields.excluded.value(row)
    return CaseResults(
        key=key_of(row, fields.key),
        split=split_of(row, fields.split),
        results={} if lost else dict(_results(row, fields, wanted)),
        excluded=None if excluded in (MISSING, None, False, "") else _reason(excluded),
        parts=dict(_parts(row, fields)),
        provenance=said if isinstance(said, str) else None,
    )


def _reason(value: object) -> str:
    return value if isinstance(value, str) else "excluded"


def _results(row: JSON, fields: RunMap, wanted: Collection[str]) -> Iterator[tuple[str, Result]]:
    seen = set()
    for name, value, at in _found(row, fields.metrics):
        entries = {f"{name}.{key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}
        for metric, item in entries.items():
            if wanted and metric not in wanted:
                continue
            if metric in seen:
                raise ImportFault(SLUG, f"the metric {metric!r} is there twice", at)
            seen.add(metric)
            yield metric, _result(metric, item, fields, at)


def _found(row: JSON, metrics: MetricMap) -> Iterator[tuple[str, JSON, str]]:
    """(metric, what it says, where) in the order of the row."""
    for name, place in metrics.named.items():
        found, at = place.find(row)
        if found is not MISSING:
            yield name, found, at
    if metrics.listed is not None:
        yield from _listed(row, metrics)
    if metrics.each is not None:
        yield from _each(row, metrics)


def _listed(row: JSON, metrics: MetricMap) -> Iterator[tuple[str, JSON, str]]:
    assert metrics.listed is not None
    names, at = metrics.listed.find(row)
    if not isinstance(names, list) or not isinstance(row, dict):
        raise ImportFault(SLUG, f"expected a list of metrics, found {kind(names)}", at)
    for name in names:
        if not isinstance(name, str) or name not in row:
            raise ImportFault(SLUG, f"there is no value of the metric {name!r}", at)
        yield name, row[name], name


def _each(row: JSON, metrics: MetricMap) -> Iterator[tuple[str, JSON, str]]:
    assert metrics.each is not None
    found, at = metrics.each.find(row)
    if found is MISSING or found is None:
        return
    if isinstance(found, dict):
        for name, entry in found.items():
            place = f"{at}.{name}"
            yield name, _value(entry, metrics, place), place
    elif isinstance(found, list) and metrics.name is not None:
        for index, entry in enumerate(found):
            place = f"{at}.{index}"
            name_of = metrics.name.value(entry)
            if not isinstance(name_of, str) or not name_of:
                raise ImportFault(SLUG, f"expected the name of a metric, found {kind(name_of)}", place)
            yield name_of, _value(entry, metrics, place), place
    else:
        raise ImportFault(SLUG, f"expected results by metric, found {kind(found)}", at)


def _value(entry: JSON, metrics: MetricMap, at: str) -> JSON:
    if metrics.value is None:
        return entry
    found = metrics.value.value(entry)
    if found is MISSING:
        raise ImportFault(SLUG, f"there is no {metrics.value}", at)
    return found


def _result(metric: str, value: JSON, fields: RunMap, at: str) -> Result:
    if isinstance(value, str) and value in fields.values:
        return fields.values[value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if metric not in fields.rates:
            return float(value)
        if value in (0, 1):
            return bool(value)
        raise ImportFault(SLUG, f"{metric!r} is a rate, and this result is neither 0 nor 1", at, "leave --rate out")
    hint = "say under run.values of a mapping what texts mean, or take other metrics: --metric NAME"
    raise ImportFault(SLUG, f"expected true, false or a number for {metric!r}, found {kind(value)}", at, hint)


def _parts(row: JSON, fields: RunMap) -> Iterator[tuple[str, JSON]]:
    if fields.trajectory is not None and fields.trajectory.steps.is_there(row):
        yield "trajectory", {"schema": SCHEMA, "steps": list(_steps(row, fields.trajectory))}
    if fields.retrieved is not None and fields.retrieved.is_there(row):
        yield "retrieval", _retrieval(row, fields, fields.retrieved)
    for name, place in (("route", fields.route), ("confidence", fields.confidence)):
        found, at = (MISSING, "") if place is None else place.find(row)
        if found is MISSING or found is None:
            continue
        if name == "route" and not isinstance(found, str):
            raise ImportFault(SLUG, f"expected a route like a>b, found {kind(found)}", at)
        if name == "confidence" and (isinstance(found, bool) or not isinstance(found, int | float)):
            raise ImportFault(SLUG, f"expected a number, found {kind(found)}", at)
        yield name, found
    if metadata := metadata_of(row, fields.metadata):
        yield "metadata", metadata


def _retrieval(row: JSON, fields: RunMap, retrieved: Many) -> dict[str, JSON]:
    result: dict[str, JSON] = {"retrieved": list(retrieved.all(row))}
    dropped = MISSING if fields.dropped is None else fields.dropped.value(row)
    if dropped is not MISSING:
        result["dropped"] = dropped
    return result


def _steps(row: JSON, steps: StepMap) -> Iterator[dict[str, JSON]]:
    for step in steps.steps.all(row):
        tool, at = steps.tool.find(step)
        if not isinstance(tool, str):
            raise ImportFault(SLUG, f"expected the name of a tool, found {kind(tool)}", at)
        result: dict[str, JSON] = {"tool": tool}
        for name, place in (("arguments", steps.arguments), ("agent", steps.agent)):
            found = MISSING if place is None else place.value(step)
            if found is not MISSING and found is not None:
                result[name] = _decoded(found) if name == "arguments" else found
        yield result


def _decoded(arguments: JSON) -> JSON:
    """OpenAI's messages hold arguments as a text of JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        value: JSON = json.loads(arguments)
    except ValueError:
        return arguments
    return value
