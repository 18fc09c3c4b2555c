"""The check that a result reports every required slice on its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from heldout.domain.example import JSON
from heldout.domain.slicing.reporting import unreported
from heldout.domain.slicing.views import Required
from heldout.errors import DataError, SliceNotReported
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.regular_files import opened


def check_reported(required: Iterable[Required], report: Mapping[str, JSON] | str | os.PathLike[str]) -> None:
    """Raises SliceNotReported for a result, or the JSON file of one, that leaves a required slice out.

    Its slug is that of the first problem: slice-not-reported, slice-of-other-definition, failed-slice-hidden.
    """
    result = report if isinstance(report, Mapping) else _read(Path(report))
    problems = unreported(required, result)
    if problems:
        hint = "report name, number and digest of each slice that heldout required-slices lists"
        raise SliceNotReported(problems[0].slug, "; ".join(problem.text for problem in problems), hint=hint)


def _read(path: Path) -> Mapping[str, JSON]:
    with opened(path, str(path)) as (stream, _):
        data = stream.read()
    try:
        value = parse_json(data)
    except JSONFault as fault:
        raise DataError(fault.slug, fault.reason, file=str(path), line=fault.line, offset=fault.offset) from None
    if not isinstance(value, dict):
        raise DataError("bad-type", "a result is a JSON object with `slices`", file=str(path))
    return value
