"""Outcomes out of any data file: of what was drawn, for labels; of every unit, for a study that knows the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.paths import Missing, lookup, parse_path
from heldout.domain.sampling.frame import Frame
from heldout.errors import DataError
from heldout.services.sources import open_files
from heldout.storage.readers import read_rows


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A file of outcomes, one a row: where a unit's id stands in it, and where its label."""

    file: str
    key: str
    label: str


def truth_of(source: LabelSource, frame: Frame) -> dict[str, int]:
    """Failures in each stratum, when all outcomes are known. Raises DataError (slug label-missing) where one is not."""
    found = outcomes_of(source, frame.stratum_of)
    for name in frame.stratum_of:
        if name not in found:
            message = f"{name!r} is in the frame and has no outcome: that is no truth"
            raise DataError("label-missing", message, file=source.file, hint="--failures gives numbers by hand")
    failures = Counter(frame.stratum_of[name] for name, failed in found.items() if failed)
    return {stratum: failures[stratum] for stratum in frame.strata}


def outcomes_of(source: LabelSource, wanted: Collection[str]) -> dict[str, bool]:
    """Whether each wanted unit that is there failed. Raises DataError (slugs repeated-unit, bad-value)."""
    found: dict[str, bool] = {}
    key, label = parse_path(source.key), parse_path(source.label)
    for _, file, stream, _ in open_files(Path(source.file), source.file):
        for row in read_rows(stream, DataFile(file), file):
            name = lookup(row.value, key)
            if not isinstance(name, str) or name not in wanted:
                continue
            if name in found:
                raise DataError("repeated-unit", f"{name!r} has two outcomes", file=file, line=row.line)
            found[name] = _as_failure(lookup(row.value, label), source, file, row.line)
    return found


def _as_failure(value: JSON | Missing, source: LabelSource, file: str, line: int) -> bool:
    """1, true and their texts are failures, for csv has texts only."""
    if isinstance(value, bool | int) and value in (0, 1):
        return bool(value)
    if value in ("0", "1", "true", "false"):
        return value in ("1", "true")
    message = f"expected 1 (failure) or 0 at {source.label!r}"
    raise DataError("bad-value", message, file=file, line=line, field=source.label)
