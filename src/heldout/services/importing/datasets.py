"""An export's rows as examples: JSON Lines in Heldout's own record shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.domain.importing.examples import example_of
from heldout.errors import DataError, UsageError
from heldout.services.importing.reading import Seen, fault_at, faults_at, mapping_for
from heldout.storage.example_lines import json_line
from heldout.storage.importing.exports import Export
from heldout.storage.new_files import new_files, require_absent

if TYPE_CHECKING:
    from heldout.domain.example import JSON, Example
    from heldout.storage.readers import Row


@dataclass(slots=True)
class Imported:
    """What was written. `repeated` rows say an example again, in the same words; `passed_over` were not asked for."""

    mapping: str
    output: Path
    digest: str
    examples: int = 0
    repeated: int = 0
    passed_over: int = 0
    by_split: Counter[str] = field(default_factory=Counter)


def import_dataset(
    path: Path,
    mapping_name: str,
    output: Path,
    *,
    split: str | None = None,
    places: Sequence[str] = (),
    only: Sequence[str] = (),
) -> Imported:
    """Write the examples of an export to a new file. `split` is that of every row.

    Raises UsageError: output-exists, unknown-preset, no-such-import; DataError: bad-import-row, import-conflict,
    rows-not-found, no-rows, and what reading raises.
    """
    require_absent([output])
    mapping = mapping_for(mapping_name, places, only)
    if mapping.examples is None:
        raise UsageError(
            "no-such-import",
            f"{mapping.name} maps no examples",
            hint=f"heldout results import {path} --as {mapping_name}",
        )
    export = Export(path, mapping)
    done = Imported(mapping.name, output, export.digest)
    seen = Seen()
    with new_files([output]) as (stream,):
        for row in export.rows():
            with faults_at(export, row):
                example = example_of(row.value, mapping.examples, row.line)
            record = _record(example, split)
            if _is_new(export, row, record, seen):
                stream.write(json_line(record).encode() + b"\n")
                done.examples += 1
                done.by_split[str(record.get("split", ""))] += 1
            else:
                done.repeated += 1
        done.passed_over = export.passed_over
        if not done.examples:
            raise DataError("no-rows", "the export has no row that was asked for", file=str(path), hint=_why(export))
    return done


def _record(example: Example, split: str | None) -> dict[str, JSON]:
    """A row that `heldout add` reads without `fields`; what nothing says is left out."""
    chosen = split or example.split
    record: dict[str, JSON] = {} if example.key is None else {"key": example.key}
    if chosen:
        record["split"] = chosen
    return {**record, **example.content()}


def _is_new(export: Export, row: Row, record: dict[str, JSON], seen: Seen) -> bool:
    """Rows of a case (an epoch, a prompt, a filter each) say its example again; what differs under a key is refused."""
    if "key" not in record:
        return True
    again = seen.add([record.get("split"), record["key"]], record)
    if again is False:
        message = f"the key {record['key']!r} was met before, with another example"
        hint = "say where keys are: --set key=PATH, or which rows count: --only PATH=VALUE"
        raise fault_at(export, row, "import-conflict", message, hint=hint)
    return again is None


def _why(export: Export) -> str | None:
    return f"{export.passed_over} rows were left out by `only`" if export.passed_over else None
