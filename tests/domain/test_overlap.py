"""Findings against a brute force written from the requirements, on small pools that hold everything at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leak_rules import Expected, Identity, Links, Row
from support.worlds import INPUTS, NO_CAP, SPLITS, World, derived_members, given_members, record, worlds

from heldout.domain.coverage import Knowledge, Version
from heldout.domain.finding import Finding, Kind, Severity
from heldout.domain.kind import ALWAYS_COUNTED
from heldout.domain.names import VersionName, VersionNumber
from heldout.domain.overlap import Expansion, NearLink, Overlaps
from heldout.domain.pool import Holding, Pool
from heldout.domain.scans import Scan, Scans


def sides(finding: Finding) -> frozenset[Identity]:
    return frozenset((finding.a.identity(), finding.b.identity()))


def summary(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "kinds": tuple(kind.value for kind in finding.kinds),
        "severity": finding.severity.value,
        "contaminates": finding.holdout_contamination,
        "similarity": finding.similarity,
        "held": {side.identity(): frozenset(side.held_out_in) for side in (finding.a, finding.b)},
        "open": {side.identity(): frozenset(side.open_in) for side in (finding.a, finding.b)},
    }


@pytest.mark.req("B38", "B39", "B40", "B41", "A28", "A32", "A51")
@settings(max_examples=150)
@given(worlds())
def test_findings_are_those_that_the_requirements_name(world: World) -> None:
    found = world.found()
    got = {sides(finding): summary(finding) for finding in found.findings}
    assert got == {pair: finding.summary() for pair, finding in world.expected().items()}
    assert len(got) == len(found.findings), "a pair of examples is one finding"
    assert found.capped_pairs == 0


@pytest.mark.req("B46")
@given(worlds())
def test_side_a_is_scanned_and_held_out_where_both_are(world: World) -> None:
    subject = world.holdings[0].source
    for finding in world.found().findings:
        assert subject in finding.a.versions
        if subject in finding.b.versions:
            assert subject in finding.a.held_out_in or subject not in finding.b.held_out_in


@given(worlds())
def test_containment_says_which_side_is_the_shorter(world: World) -> None:
    for finding in world.found().findings:
        inside = finding.containment
        assert (inside is not None) == (Kind.CONTAINMENT in finding.kinds)
        if inside is not None:
            a, b = finding.a.input, finding.b.input
            assert ((a, b) if inside.short == "a" else (b, a)) in world.links.contained


@given(worlds())
def test_counts_are_of_the_findings(world: World) -> None:
    wanted = list(world.expected().values())
    counts = world.found().counts()
    for kind in ALWAYS_COUNTED:
        assert counts[kind.value] == sum(kind.value in item.named for item in wanted)
    assert counts["holdout_contamination"] == sum(item.contaminates for item in wanted)
    assert len(counts) == len(ALWAYS_COUNTED) + 1  # overlaps find no other kind, and what is not found has no count


@given(worlds(least=2))
def test_order_of_members_and_versions_changes_nothing(world: World) -> None:
    subject, *others = world.holdings
    turned = [replace(item, members=item.members[::-1]) for item in (subject, *others[::-1])]
    assert World(tuple(turned), world.links).found() == world.found()


@pytest.mark.req("B38", "A30")
@settings(max_examples=100)
@given(worlds(least=2))
def test_either_of_two_versions_finds_what_lies_between_them(world: World) -> None:
    """Coverage counts a pair of versions from either side, so both scans have to say the same about it."""
    first, second = world.holdings[0].source, world.holdings[1].source
    one = {finding.id: finding for finding in world.found().findings}
    other = {finding.id: finding for finding in world.scanned_from(1).found().findings}
    for wanted in world.expected().values():
        between = any({e.version, f.version} == {first, second} for e, f in wanted.pairs)
        if wanted.across and between:
            x, y = summary(one[wanted.id]), summary(other[wanted.id])
            assert x == y


# --- caps -------------------------------------------------------------------------------------------------------------


def partners(rows: Sequence[Row], found: dict[frozenset[Identity], Expected]) -> set[tuple[Identity, tuple[str, ...]]]:
    """(example, the (dataset, split, version) that a partner of it stands in) for each pair of rows that is a leak."""
    return {
        (mine.identity, (theirs.dataset, theirs.split, theirs.version))
        for finding in found.values()
        for e, f in finding.pairs
        for mine, theirs in ((e, f), (f, e))
    }


@pytest.mark.req("B50")
@settings(max_examples=150)
@given(worlds(), st.integers(0, 3))
def test_a_capped_scan_keeps_a_partner_of_every_example_in_every_version(world: World, cap: int) -> None:
    wanted = world.expected()
    kept = {sides(finding) for finding in world.found(cap).findings}
    assert kept <= set(wanted)
    capped = {pair: finding for pair, finding in wanted.items() if pair in kept}
    assert partners(world.rows(), capped) == partners(world.rows(), wanted)


@pytest.mark.req("A29", "B50")
@settings(max_examples=150)
@given(worlds(), st.integers(0, 3), st.data())
def test_a_cap_hides_no_contaminated_example(world: World, cap: int, data: st.DataObject) -> None:
    sources = [item.source for item in world.holdings]
    live = data.draw(st.sets(st.sampled_from(sources)))
    whole, capped = (knowledge(world, world.found(cap_), live) for cap_ in (NO_CAP, cap))
    for source in sources:
        assert exposed(capped, source) == exposed(whole, source)


def exposed(known: Knowledge, source: str) -> set[Identity]:
    return {hit.held.identity() for hit in known.contaminations(source)}


def knowledge(world: World, overlaps: Overlaps, live: set[str]) -> Knowledge:
    """One record, and tags on some of its versions."""
    subject, *others = world.holdings
    versions = [
        Version(VersionName(item.dataset, VersionNumber(number, 0, 0)), "", item.source)
        for number, item in enumerate(world.holdings)
        if item.source in live
    ]
    return Knowledge(versions, Scans([Scan(record(subject, others, overlaps), lambda: overlaps.findings)]))


def crowd(copies: int, versions: int = 1) -> World:
    """One input many times in both splits of every version."""
    rows = [(split, INPUTS[0]) for split in SPLITS for _ in range(copies)]
    holdings = [
        Holding("a", f"sha256:{number:064x}", derived_members(rows), frozenset({"test"})) for number in range(versions)
    ]
    return World(tuple(holdings), Links())


def test_a_crowd_is_listed_by_partners_and_named_as_a_family() -> None:
    found = crowd(100).found(pair_cap=1024)
    assert found.capped_pairs == 1
    assert len(found.findings) < 4 * 200, "linear in the examples, not in their pairs"
    (cluster,) = found.clusters
    assert (cluster.inputs, cluster.size) == (1, 200)
    assert {(share.split, share.members) for share in cluster.shares} == {("train", 100), ("test", 100)}
    assert {finding.cluster for finding in found.findings} == {cluster.id}
    held = {side.key for finding in found.findings for side in (finding.a, finding.b) if side.held_out_in}
    assert len(held) == 100


def test_only_pairs_inside_a_family_name_it() -> None:
    """A family's member that is near an outsider too: that pair is listed in full and is no part of the family."""
    rows = derived_members([("train", INPUTS[0]), ("test", INPUTS[1]), ("test", INPUTS[2])])
    pool = Pool(Holding("a", "sha256:0", rows, frozenset({"test"})))
    first, second, third = (pool.index[item] for item in INPUTS[:3])
    expansion = Expansion(pool, NO_CAP)
    expansion.near([NearLink(first, second, Fraction(1), capped=True), NearLink(first, third, Fraction(9, 10))])
    found = expansion.overlaps()
    (cluster,) = found.clusters
    assert cluster.inputs == 2
    named = {finding.similarity: finding.cluster for finding in found.findings}
    assert named == {Fraction(1): cluster.id, Fraction(9, 10): None}


# --- rules one by one, as a person would check them -------------------------------------------------------------------


def world(*holdings: Holding, near: tuple[str, str] | None = None) -> list[Finding]:
    relation = Links({frozenset(near): Fraction(4, 5)} if near else {})
    return list(World(holdings, relation).found().findings)


def version(number: int, rows: dict[tuple[str, str], str], holdout: str = "test", dataset: str = "a") -> Holding:
    return Holding(dataset, f"sha256:{number:064x}", given_members(rows), frozenset(holdout.split()))


@pytest.mark.req("B39", "A28")
def test_a_revision_is_no_leak() -> None:
    old = version(1, {("test", "1"): INPUTS[0], ("train", "2"): INPUTS[2]})
    new = version(2, {("test", "1"): INPUTS[1], ("train", "2"): INPUTS[2]})
    assert world(new, old, near=(INPUTS[0], INPUTS[1])) == []


@pytest.mark.req("B40", "A28", "B51")
def test_a_key_in_another_split_is_a_leak_though_its_text_changed() -> None:
    old = version(1, {("test", "1"): INPUTS[0]})
    new = version(2, {("train", "1"): INPUTS[1]})
    (finding,) = world(new, old)
    assert (finding.kind, finding.severity, finding.holdout_contamination) == (Kind.MOVED, Severity.BLOCK, True)
    # The fix contaminates only the parent that still holds the example out (A29).
    assert (finding.a.open_in, finding.b.held_out_in) == ((new.source,), (old.source,))


@pytest.mark.req("A28")
def test_a_derived_key_never_moves() -> None:
    old = Holding("a", "sha256:1", derived_members([("test", INPUTS[0])]), frozenset({"test"}))
    new = Holding("a", "sha256:2", derived_members([("train", INPUTS[0])]), frozenset({"test"}))
    (finding,) = world(new, old)
    assert finding.kinds == (Kind.EXACT,)


@pytest.mark.req("A32")
@pytest.mark.parametrize(
    ("holdout_here", "holdout_there", "severity", "contaminates"),
    [
        ("test", "test", Severity.NOTE, False),
        ("", "", Severity.NOTE, False),
        ("test", "", Severity.BLOCK, True),
        ("", "test", Severity.BLOCK, True),
    ],
)
def test_across_datasets_only_one_held_out_side_is_a_leak(
    holdout_here: str, holdout_there: str, severity: Severity, contaminates: bool
) -> None:
    here = version(1, {("test", "1"): INPUTS[0]}, holdout_here)
    there = version(2, {("test", "1"): INPUTS[0]}, holdout_there, dataset="b")
    (finding,) = world(here, there)
    assert (finding.kind, finding.severity, finding.holdout_contamination) == (Kind.EXACT, severity, contaminates)


@pytest.mark.req("A51")
@pytest.mark.parametrize(("holdout", "contaminates"), [("", False), ("test", True), ("test train", False)])
def test_within_a_dataset_equal_inputs_of_two_splits_block(holdout: str, contaminates: bool) -> None:
    (finding,) = world(version(1, {("train", "1"): INPUTS[0], ("test", "2"): INPUTS[0]}, holdout))
    assert (finding.severity, finding.holdout_contamination) == (Severity.BLOCK, contaminates)


@pytest.mark.req("A51")
def test_repeats_inside_a_split_are_notes_of_the_scanned_version() -> None:
    rows = {("test", "1"): INPUTS[0], ("test", "2"): INPUTS[0]}
    (finding,) = world(version(1, rows))
    assert (finding.kind, finding.severity, finding.similarity) == (Kind.INTRA_SPLIT, Severity.NOTE, 1)
    assert world(version(2, {}), version(1, rows)) == []


@pytest.mark.req("B41")
def test_declaring_a_split_held_out_later_does_not_undo_that_it_was_open() -> None:
    """Another example of the split, equal or near: one side is open in the old version, one held out in the new."""
    old = version(1, {("test", "1"): INPUTS[0]}, holdout="")
    new = version(2, {("test", "2"): INPUTS[1]}, holdout="test")
    (finding,) = world(new, old, near=(INPUTS[0], INPUTS[1]))
    assert (finding.kind, finding.holdout_contamination) == (Kind.NEAR, True)


def test_a_key_given_once_counts_as_given_whichever_version_is_scanned() -> None:
    stem = INPUTS[0][7:23]
    derived = Holding("a", "sha256:1", derived_members([("train", INPUTS[0])]), frozenset({"test"}))
    named = version(2, {("train", stem): INPUTS[0], ("test", stem): INPUTS[1]})
    assert [item.id for item in world(named, derived)] == [item.id for item in world(derived, named)]
    assert [item.kind for item in world(derived, named)] == [Kind.MOVED]
