"""An example and what was made from it on two sides of a split: in memory, and in a repository with hooks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.readings import reading
from support.story import Team, sentence

from heldout.domain.finding import Finding, Kind
from heldout.domain.method import DEFAULT_METHOD
from heldout.services.reading import Reading
from heldout.services.scanning import scan
from heldout.storage.finding_lines import parse_findings
from heldout.storage.records import parse_record, sources_of

Row = tuple[str, str, str | None]
"""(split, key, source id)."""


def version(rows: list[Row], state: str = "1") -> Reading:
    """Texts share nothing, and stay with their key."""
    made = reading("support", [(split, key, sentence(key)) for split, key, _ in rows], state=state)
    return replace(made, sources={number: source for number, (*_, source) in enumerate(rows) if source is not None})


def crossings(subject: Reading, *others: Reading) -> list[tuple[str, str, bool]]:
    found = scan(subject, others, DEFAULT_METHOD).findings
    return [
        (item.a.label(), item.b.label(), item.holdout_contamination)
        for item in found
        if item.kind is Kind.SOURCE_CROSSES_SPLIT
    ]


@pytest.mark.req("C14", "A51")
def test_a_source_in_another_split_is_found_and_the_held_out_side_comes_first() -> None:
    rows: list[Row] = [
        ("train", "a", None),
        ("test", "b", None),
        ("validation", "c", None),
        ("test", "from-a", "a"),
        ("train", "from-b", "b"),
        ("validation", "from-a-too", "a"),
        ("train", "from-a-here", "a"),
        ("train", "from-nowhere", "gone"),
        ("train", "from-itself", "from-itself"),
    ]
    assert sorted(crossings(version(rows))) == [
        ("test/b", "train/from-b", True),
        ("test/from-a", "train/a", True),
        ("validation/from-a-too", "train/a", False),  # neither is held out: it blocks and contaminates nothing
    ]


@pytest.mark.req("C14", "A29")
def test_a_copy_in_another_version_gives_the_frozen_source_away() -> None:
    old = version([("test", "b", None), ("train", "a", None)])
    new = version([("train", "a", None), ("train", "from-b", "b")], "2")
    assert crossings(new, old) == [("train/from-b", "test/b", True)]
    assert crossings(old, new) == [("test/b", "train/from-b", True)]
    (finding,) = scan(new, [old], DEFAULT_METHOD).findings
    assert [*finding.sides_exposed(old.source, {new.source})]
    assert not [*finding.sides_exposed(new.source, {old.source})]


@pytest.mark.req("C14", "B43")
def test_records_count_it_where_there_is_one_and_read_back() -> None:
    plain, crossed = (version([("train", "a", None), ("test", "b", source)]) for source in (None, "a"))
    without, found = (scan(item, (), DEFAULT_METHOD) for item in (plain, crossed))
    assert "source_crosses_split" not in without.record.counts
    assert found.record.counts == {**without.record.counts, "source_crosses_split": 1, "holdout_contamination": 1}
    (scan_yaml,) = (data for path, data in found.files().items() if path.endswith("scan.yaml"))
    record = parse_record(scan_yaml, "scan.yaml")
    assert record == found.record
    read: tuple[Finding, ...] = parse_findings(found.findings_bytes, sources_of(record))[0]
    assert read == found.findings
    assert found.record.id == without.record.id  # what was declared is in the source digest, not in the method


@pytest.mark.req("C14", "B42", "B50")
def test_a_paraphrase_in_the_training_split_is_told_at_commit_and_stops_the_gate(tmp_path: Path) -> None:
    team = Team.start(tmp_path)
    team.write(
        "datasets/support/dataset.yaml",
        "format: heldout/dataset@1\nname: support\ndata:\n  - {path: rows.csv}\n"
        "fields: {key: id, input: text, split: split, source_id: made_from}\nholdout: [test]\n",
    )
    rows = [("a", "train", ""), ("b", "test", ""), ("c", "train", "b")]
    lines = [f"{key},{split},{sentence(key)},{source}" for key, split, source in rows]
    team.write("datasets/support/rows.csv", "\n".join(["id,split,text,made_from", *lines]) + "\n")
    team.track("datasets/support/rows.csv")
    assert "1 held-out example is given away" in team.save("Add support")
    answer = team.heldout("gate", "support@HEAD")
    assert answer.code == 1
    assert "test/b <-> train/c  source_crosses_split" in answer.out
    listed = team.succeeds("findings", "list", "support@HEAD", "--kind", "source_crosses_split")
    assert "test/b" in listed.out
    shown = team.succeeds("findings", "show", listed.out.split("[")[1].split("]")[0])
    assert "Remove train/c, or move or remove test/b; then commit." in shown.out
    assert "1 records checked, 1 made again" in team.heldout("verify").out
