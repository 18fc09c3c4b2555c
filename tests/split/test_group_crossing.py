"""Groups and lineage across splits, versions and datasets: in memory, and in a repository with hooks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.readings import reading
from support.story import Team, sentence

from heldout.domain.finding import Kind
from heldout.domain.method import DEFAULT_METHOD
from heldout.errors import ConfigError
from heldout.services.reading import Reading
from heldout.services.scanning import scan
from heldout.storage.dataset_file import parse_dataset, render_dataset
from heldout.storage.finding_lines import parse_findings
from heldout.storage.records import parse_record, sources_of

Row = tuple[str, str, str | None]
"""(split, key, customer)."""


def version(rows: list[Row], state: str = "1", name: str = "support", holdout: tuple[str, ...] = ("test",)) -> Reading:
    """Texts share nothing, and stay with their key."""
    made = reading(name, [(split, key, sentence(f"{name} {key}")) for split, key, _ in rows], holdout, state)
    return replace(made, groups={"customer": {number: who for number, (*_, who) in enumerate(rows) if who is not None}})


def crossings(subject: Reading, *others: Reading) -> list[tuple[str, str, bool]]:
    return sorted(
        (item.a.label(), item.b.label(), item.holdout_contamination)
        for item in scan(subject, others, DEFAULT_METHOD).findings
        if item.kind is Kind.GROUP_CROSSES_SPLIT
    )


@pytest.mark.req("D50", "A51")
def test_each_example_of_a_crossing_group_has_a_partner_in_every_other_split() -> None:
    rows: list[Row] = [
        ("train", "a1", "acme"),
        ("train", "a2", "acme"),
        ("test", "a3", "acme"),
        ("test", "b", "bolt"),
        ("test", "b2", "bolt"),
        ("train", "none", None),
        ("test", "none2", None),
        ("train", "c", "cog"),
        ("validation", "c2", "cog"),
    ]
    assert crossings(version(rows)) == [
        ("test/a3", "train/a1", True),
        ("test/a3", "train/a2", True),
        ("train/c", "validation/c2", False),  # neither is held out: it blocks and contaminates nothing
    ]


@pytest.mark.req("D50", "A29")
def test_a_new_key_makes_no_fresh_holdout() -> None:
    """The customer was in an earlier version's training split; today's holdout has a new example of him."""
    old = version([("train", "old", "acme"), ("test", "t", "bolt")])
    new = version([("train", "other", "cog"), ("test", "t", "bolt"), ("test", "brand-new", "acme")], "2")
    assert crossings(new, old) == [("test/brand-new", "train/old", True)]
    assert crossings(old, new) == [("train/old", "test/brand-new", True)]
    (finding,) = scan(new, [old], DEFAULT_METHOD).findings
    assert [*finding.sides_exposed(new.source, {old.source})]
    assert not [*finding.sides_exposed(old.source, {new.source})]


@pytest.mark.req("D50", "A28", "A32")
def test_across_datasets_only_where_one_side_is_held_out_and_a_revision_is_none() -> None:
    subject = version([("test", "t", "acme"), ("train", "x", "bolt")])
    training = version([("train", "y", "acme"), ("train", "z", "bolt")], name="chats", holdout=())
    assert crossings(subject, training) == [("test/t", "train/y", True)]
    later = version([("test", "t", "acme"), ("train", "x", "bolt")], "2")
    assert crossings(later, subject) == []
    moved = version([("train", "t", "acme")], "3")  # that is `moved`, a kind of its own
    assert crossings(moved, subject) == []


@pytest.mark.req("D50")
def test_what_was_made_from_one_lost_source_crosses_by_itself() -> None:
    made = reading("support", [(split, key, sentence(key)) for split, key in (("train", "a"), ("test", "b"))])
    found = scan(replace(made, sources={0: "gone", 1: "gone"}), (), DEFAULT_METHOD).findings
    assert [(item.kind, item.a.label(), item.b.label()) for item in found] == [
        (Kind.SOURCE_CROSSES_SPLIT, "test/b", "train/a")
    ]


@pytest.mark.req("B43", "B50")
def test_records_without_groups_stay_as_they_are_and_others_read_back() -> None:
    plain = version([("train", "a", None), ("test", "b", None)])
    crossed = version([("train", "a", "acme"), ("test", "b", "acme")])
    without, found = (scan(item, (), DEFAULT_METHOD) for item in (plain, crossed))
    assert without.files() == scan(replace(plain, groups={}), (), DEFAULT_METHOD).files()
    assert found.record.counts == {**without.record.counts, "group_crosses_split": 1, "holdout_contamination": 1}
    (scan_yaml,) = (data for path, data in found.files().items() if path.endswith("scan.yaml"))
    record = parse_record(scan_yaml, "scan.yaml")
    assert parse_findings(found.findings_bytes, sources_of(record))[0] == found.findings
    assert b'"group":"customer"' in found.findings_bytes
    assert b"acme" not in found.findings_bytes


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["train", "test", "val"]), st.sampled_from("pqr")), min_size=1, max_size=12),
)
def test_the_held_out_examples_decided_are_those_of_brute_force(rows: list[tuple[str, str]]) -> None:
    made = version([(split, f"k{number}", who) for number, (split, who) in enumerate(rows)])
    found = {a for a, _, contaminated in crossings(made) if contaminated}
    assert found == {
        f"test/k{number}"
        for number, (split, who) in enumerate(rows)
        if split == "test" and any(other != "test" and who == whose for other, whose in rows)
    }


@pytest.mark.req("D50")
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("groups: [customer, meta.session]", {"customer": "customer", "session": "meta.session"}),
        ("groups: {customer: meta.id, session: id}", {"customer": "meta.id", "session": "id"}),
    ],
)
def test_groups_in_dataset_yaml(written: str, expected: dict[str, str]) -> None:
    head = "format: heldout/dataset@1\nname: a\ndata:\n  - {path: a.csv}\n"
    spec = parse_dataset(f"{head}{written}\n".encode(), "dataset.yaml")
    assert spec.groups == expected
    assert parse_dataset(render_dataset(spec), "dataset.yaml") == spec
    plain = parse_dataset(head.encode(), "dataset.yaml")
    assert "groups" not in plain.meaning()
    assert spec.meaning()["groups"] == expected
    with pytest.raises(ConfigError, match="two groups would be called 'id'"):
        parse_dataset(f"{head}groups: [a.id, b.id]\n".encode(), "dataset.yaml")


@pytest.mark.req("D50", "B42")
def test_a_customer_in_both_splits_is_told_at_commit_and_stops_the_gate(tmp_path: Path) -> None:
    team = Team.start(tmp_path)
    team.write(
        "datasets/support/dataset.yaml",
        "format: heldout/dataset@1\nname: support\ndata:\n  - {path: rows.csv}\n"
        "fields: {key: id, input: text, split: split}\ngroups: [customer]\nholdout: [test]\n",
    )
    rows = [("a", "train", "acme"), ("b", "test", "bolt"), ("c", "train", "bolt")]
    lines = [f"{key},{split},{sentence(key)},{who}" for key, split, who in rows]
    team.write("datasets/support/rows.csv", "\n".join(["id,split,text,customer", *lines]) + "\n")
    team.track("datasets/support/rows.csv")
    assert "1 held-out example is given away" in team.save("Add support")
    answer = team.heldout("gate", "support@HEAD")
    assert answer.code == 1
    assert "test/b <-> train/c  group_crosses_split (customer)" in answer.out
    assert "1 records checked, 1 made again" in team.heldout("verify").out
