"""A line an item, valid by the schema that is published."""

from __future__ import annotations

import json

import jsonschema_rs
from support.console import ROOT

from heldout.domain.reporting import Report
from heldout.reports.forms.jsonl import jsonl

SCHEMA = jsonschema_rs.validator_for((ROOT / "docs/schemas/item-1.schema.json").read_text(encoding="utf-8"))


def test_every_line_is_valid_and_nothing_is_left_out(report: Report) -> None:
    text = "".join(jsonl(report))
    lines = text.encode("utf-8", "backslashreplace").decode().splitlines() if text else []
    assert len(lines) == report.total
    for line in lines:
        item = json.loads(line)
        assert SCHEMA.is_valid(item), [*SCHEMA.iter_errors(item)]
    assert [json.loads(line)["id"] for line in lines] == [item.id for item in report.items]
