"""Outcomes out of any data file: of what was drawn, for labels; of every unit, for a study that knows the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.paths import Missing, lookup, parse_path
from heldout.domain.sampling.estimate import Label
from heldout.domain.sampling.frame import Frame, unit_name
from heldout.errors import DataError
from heldout.services.sources import open_files
from heldout.storage.readers import read_rows

_PROHIBITED = parse_path("prohibited")


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A file of outcomes, one a row: where a unit's id stands in it, and where its label.

    An action that no weight makes up for is at `prohibited` in every such file, as it is in sheets of labels.
    """

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
    failures = Counter(frame.stratum_of[name] for name, label in found.items() if label.failure)
    return {stratum: failures[stratum] for stratum in frame.strata}


def outcomes_of(source: LabelSource, wanted: Collection[str]) -> dict[str, Label]:
    """The label of each wanted unit that is there.

    Raises DataError: repeated-unit, bad-value, missing-key where no row has an id, and nothing could be found.
    """
    found: dict[str, Label] = {}
    key, label = parse_path(source.key), parse_path(source.label)
    named = False
    for _, file, stream, _ in open_files(Path(source.file), source.file):
        for row in read_rows(stream, DataFile(file), file):
            name = unit_name(lookup(row.value, key))
            named = named or name is not None
            if name is None or name not in wanted:
                continue
            if name in found:
                raise DataError("repeated-unit", f"{name!r} has two outcomes", file=file, line=row.line)
            failure = _flag(lookup(row.value, label), "1 (failure) or 0", source.label, file, row.line)
            barred = lookup(row.value, _PROHIBITED)
            absent = barred is None or isinstance(barred, Missing) or barred == ""
            prohibited = not absent and _flag(barred, "true or false", "prohibited", file, row.line)
            found[name] = Label(name, failure, prohibited)
    if not named:
        hint = "--id names the field that tells units apart"
        raise DataError("missing-key", f"no row has an id at {source.key!r}", file=source.file, hint=hint)
    return found


def _flag(value: JSON | Missing, expected: str, field: str, file: str, line: int) -> bool:
    """1 and true, and their texts, for csv has texts only."""
    if isinstance(value, bool | int) and value in (0, 1):
        return bool(value)
    if value in ("0", "1", "true", "false"):
        return value in ("1", "true")
    raise DataError("bad-value", f"expected {expected} at {field!r}", file=file, line=line, field=field)
