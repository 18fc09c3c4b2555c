"""Rows of a run file read one by one and strictly: where each is in order, and a refusal with its line where not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from heldout.domain.example import JSON
from heldout.domain.results.run import FIELDS, RUN_FORMAT, Header, Rag, RunRow
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.yaml.schema import kind_of, type_of

_HEADER = ("format", "run", "dataset", "source", "content", "split", "metric", "rag", "model", "system", "extra")
_TEXTS = ("run", "dataset", "source", "content", "split", "metric")
_OTHER = "a run is JSON Lines (docs/results.md); heldout results import reads exports of other tools"
_HINT = "docs/results.md has the fields of a run file"


def parse_line(line: bytes, file: str, number: int) -> Mapping[str, JSON]:
    """One line as an object. Raises DataError."""
    try:
        value = parse_json(line)
    except JSONFault as fault:
        hint = _OTHER if fault.slug == "bad-json" else None
        raise DataError(fault.slug, fault.reason, file=file, line=number, offset=fault.offset, hint=hint) from None
    if not isinstance(value, dict):
        message = f"expected an object, found {type_of(value)}"
        raise DataError("bad-run-row", message, file=file, line=number, hint=_OTHER)
    return value


def header_of(value: Mapping[str, JSON], file: str) -> Header | None:
    """The header, where a file's first line is one; None where it is a row. Raises DataError (bad-run-header)."""
    if "format" not in value:
        return None

    def wrong(text: str, field: str, hint: str = _HINT) -> NoReturn:
        raise DataError("bad-run-header", text, file=file, line=1, field=field, hint=hint)

    if value["format"] != RUN_FORMAT:
        wrong(f"the format is {value['format']!r}, this Heldout reads {RUN_FORMAT!r}", "format")
    for key in value:
        if key not in _HEADER:
            wrong(f"unknown key {key!r}", key, f"known are {', '.join(_HEADER)}; whatever else goes under extra")
    texts: dict[str, str] = {}
    for key in _TEXTS:
        item = value.get(key)
        if item is not None and (not isinstance(item, str) or not item):
            wrong(f"expected a text, found {kind_of(item)}", key)
        if isinstance(item, str):
            texts[key] = item
    about = {key: value[key] for key in ("model", "system", "extra") if key in value}
    return Header(**texts, rag=_rag(value.get("rag"), wrong), about=about)


def _rag(value: JSON, wrong: Callable[[str, str], NoReturn]) -> Rag:
    if value is None:
        return Rag()
    if not isinstance(value, dict) or not value.keys() <= {"top_k", "token_budget"}:
        wrong("expected a mapping with top_k and token_budget", "rag")
    numbers: dict[str, int] = {}
    for key, item in value.items():
        if not isinstance(item, int) or isinstance(item, bool) or item < 1:
            wrong(f"expected a whole number from 1, found {kind_of(item)}", f"rag.{key}")
        numbers[key] = item
    return Rag(**numbers)


def row_of(value: Mapping[str, JSON], file: str, number: int) -> RunRow:
    """Raises DataError (slug bad-run-row) with line and field."""

    def wrong(text: str, field: str) -> NoReturn:
        raise DataError("bad-run-row", text, file=file, line=number, field=field, hint=_HINT)

    for key, item in value.items():
        if key not in FIELDS:
            wrong(f"unknown field {key!r}; whatever else a row has goes under extra", key)
        expected = _EXPECTED.get(key)
        if expected is not None and not expected[1](item):
            wrong(f"expected {expected[0]}, found {kind_of(item)}", key)
    if "key" not in value:
        wrong("the field 'key' is needed: which case is this?", "key")
    if not (value.get("excluded") or "outcome" in value or "score" in value):
        wrong("a row says outcome or score (null when it is missing), or why it is excluded", "outcome")
    if value.get("outcome") is not None and value.get("score") is not None:
        wrong("a row has an outcome or a score, not both; give the second a row with a metric of its own", "score")
    return RunRow(**value)  # type: ignore[arg-type]


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_EXPECTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "key": ("a text", _text),
    "split": ("a text", _text),
    "metric": ("a text", _text),
    "route": ("a text like a>b, or null", lambda value: value is None or _text(value)),
    "outcome": ("true, false or null", lambda value: value is None or isinstance(value, bool)),
    "score": ("a number or null", lambda value: value is None or _number(value)),
    "confidence": ("a number or null", lambda value: value is None or _number(value)),
    "excluded": ("true, false or a reason", lambda value: value is None or isinstance(value, bool) or _text(value)),
    "trajectory": ("a mapping with steps, or null", lambda value: value is None or isinstance(value, dict)),
    "retrieval": ("a mapping, or null", lambda value: value is None or isinstance(value, dict)),
    "metadata": ("a mapping", lambda value: isinstance(value, dict)),
}
