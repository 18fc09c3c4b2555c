"""Files of results: rows by shape are the rows that the strict reader gives, and configuration is read or refused."""

from __future__ import annotations

from typing import Any

from heldout.domain.results.run import FIELDS
from heldout.errors import ConfigError, DataError
from heldout.storage.results import policy_file, run_file, run_rows, suite_file
from heldout.storage.results.run_shape import Learned
from tools.fuzzing.promise import require, same, target

_KEYS = ("lang", "topic")


@target
def run_rows_by_shape(data: bytes) -> None:
    """What the quick way takes, the strict one takes too, with the same values; the quick one learnt from the first."""
    from msgspec import UNSET

    lines = [line for line in data.split(b"\n") if line.strip()]
    learned, strict = Learned(_KEYS), list[Any]()
    for number, line in enumerate(lines, 1):
        row = _strict(line, number)
        strict.append(row)
        if row is not None and len(strict) <= len(lines) // 2 + 1:
            learned.add(run_rows.parse_line(line, "f", number).keys(), row)
    shape = learned.shape()
    quick = None if shape is None else shape.decode(b"\n".join(lines))
    if shape is None or quick is None or not run_file._in_order(quick, shape.fields):
        return
    require(len(quick) == len(lines), "another number of rows")
    require(None not in strict, "a row that is refused came through")
    names = [name for name in FIELDS if name not in ("metadata", "score", "confidence", "extra")]
    for one, other in zip(quick, strict, strict=True):
        require(same([getattr(one, name) for name in names], [getattr(other, name) for name in names]), "another row")
        require((one.score, one.confidence) == (other.score, other.confidence), "another number")
    columns = shape.columns(quick, _KEYS)
    for key in _KEYS:
        expected = [(row.metadata or {}).get(key, UNSET) for row in strict]
        require(same(list(columns[key]), expected), "another value of metadata")


def _strict(line: bytes, number: int) -> Any:
    try:
        value = run_rows.parse_line(line, "f", number)
        if number == 1:
            run_rows.header_of(value, "f")
        return run_rows.row_of(value, "f", number)
    except DataError as fault:
        require(fault.file == "f" and fault.line == number and bool(fault.message), "a refusal without its place")
        return None


@target
def suites(data: bytes) -> None:
    for parse in (suite_file.parse_suite, policy_file.parse_policy):
        try:
            parse(data, "f")
        except ConfigError as fault:
            require(fault.file == "f" and bool(fault.message), "a refusal without its place")
