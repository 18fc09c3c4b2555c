"""Rules between the rows of a dataset whose schema is case@1: ids are unique, sources are original cases."""

from __future__ import annotations

from typing import Any

from heldout.domain.dataset import CASE_SCHEMA, DatasetSpec
from heldout.domain.splitting.case import fault_between
from heldout.errors import DataError
from heldout.services.sources import DataSource
from heldout.storage.readers import read_rows
from heldout.storage.splitting.row_schema import row_schema, shipped_schema


def check_between(spec: DatasetSpec, data: DataSource) -> None:
    """Over all files and splits. Raises DataError (slug bad-case) with file, line and field. Rows that are no cases
    are passed over: reading them refuses or counts them."""
    schema = row_schema(shipped_schema(CASE_SCHEMA), CASE_SCHEMA)
    skip = spec.on_bad_row == "skip"
    ids: list[tuple[str, str | None]] = []
    places: list[tuple[str, int]] = []
    for item in spec.data:
        for name, stream in data.open(item.path):
            for row in read_rows(stream, item, name, _passed_over if skip else None):
                case = _case(row.value)
                if case is not None and not (skip and schema.misfit(row.value)):
                    ids.append(case)
                    places.append((name, row.line))
    if (fault := fault_between(ids)) is not None:
        file, line = places[fault.position]
        raise DataError("bad-case", fault.reason, file=file, line=line, field=fault.field)


def _case(value: Any) -> tuple[str, str | None] | None:
    """(id, source id); None for a row that has no id."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return None
    source = value.get("source_id")
    return value["id"], source if isinstance(source, str) else None


def _passed_over(_: DataError) -> None:
    """A row that cannot be read."""
