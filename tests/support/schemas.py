"""Whatever a command of a test hands out as JSON, held against docs/schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from support.console import ROOT

from heldout.cli.session import Session

FOLDER = ROOT / "docs" / "schemas"


OTHERS = ("split", "check")
"""Of case files it prints the report of the tool whose files they are, all keys of it fixed by C19."""


@cache
def _validator(name: str) -> Any:
    return jsonschema_rs.validator_for((FOLDER / name).read_text(encoding="utf-8"))


def schema_of(data: Mapping[str, Any]) -> str:
    return str(data["format"]).removeprefix("heldout/").replace("@", "-") + ".schema.json"


def complaint(data: Mapping[str, Any]) -> str | None:
    """What is wrong with an output."""
    name = schema_of(data)
    if not (FOLDER / name).exists():
        return f"no schema {name}"
    found = [
        f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}"
        for error in _validator(name).iter_errors(data)
    ]
    return f"{name}: {found[:3]}" if found else None


def require_schema(arguments: Sequence[str], out: str) -> None:
    """Fails where a command was asked for JSON and printed what its schema does not allow."""
    if "--json" in arguments and out:
        data = json.loads(out)
        if tuple(arguments[:2]) == OTHERS and "format" not in data:
            return
        found = complaint(data)
        assert found is None, found


@contextmanager
def every_output_by_its_schema() -> Iterator[None]:
    """Commands that run in this process fail where their JSON breaks its schema, printed as text or not."""
    from heldout.reports.rows import written

    emit = Session.emit

    def checked(self: Session, lines: Iterable[str], data: Mapping[str, Any]) -> None:
        if data:  # a form that is no JSON comes without
            found = complaint(json.loads(json.dumps(data, default=written)))
            assert found is None, found
        emit(self, lines, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "emit", checked)
        yield
