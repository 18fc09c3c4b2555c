"""The same content gives the same bytes, whoever scans it (E2)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from story.conftest import TEST, TRAIN, copy
from support.story import Split, Team, csv

from heldout.domain.record import ScanRecord
from heldout.storage.records import parse_record


def committed(team: Team, train: Split) -> tuple[dict[str, str], ScanRecord]:
    team.dataset("support", train=train, test=TEST)
    team.save("Add support", "--date=2031-05-06T07:08:09")
    return told(team)


def told(team: Team) -> tuple[dict[str, str], ScanRecord]:
    (record,) = team.records(dataset="support")
    files = {path: team.show(f"HEAD:{path}") for path in (record, record.replace("scan.yaml", "findings.jsonl"))}
    return files, parse_record(files[record].encode() + b"\n", record)


@pytest.mark.req("E2", "B28")
def test_two_people_write_the_same_record_and_the_order_of_rows_changes_no_content(
    empty_template: Path, tmp_path: Path
) -> None:
    first, one = committed(copy(empty_template, tmp_path / "a"), TRAIN)
    second, _ = committed(copy(empty_template, tmp_path / "b"), TRAIN)
    assert first == second
    text = "\n".join(first.values())
    assert not re.search(r"20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d|@v\d", text)
    assert not any(sample in text for sample in {**TRAIN, **TEST}.values())

    # rows in another order, and spread over shards: other bytes, the same examples, the same findings
    reverse, other = committed(copy(empty_template, tmp_path / "c"), dict(reversed(TRAIN.items())))
    sharded = copy(empty_template, tmp_path / "d")
    sharded.dataset("support", test=TEST)
    for number in (0, 1):
        part = dict(list(TRAIN.items())[number::2])
        sharded.write(f"datasets/support/train/{number}.csv", csv(part))
    file = sharded.path / "datasets/support/dataset.yaml"
    file.write_text(file.read_text().replace("data:\n", "data:\n  - {path: train, split: train}\n"))
    sharded.track("datasets/support/train")
    sharded.save("Add support in shards")
    shards, third = told(sharded)
    assert len({one.source, other.source, third.source}) == 3
    assert one.content == other.content == third.content
    assert one.counts == other.counts == third.counts
    findings = [list(files.values())[1] for files in (first, reverse, shards)]
    assert findings[0] == findings[1] == findings[2]
