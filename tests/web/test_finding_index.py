"""Filters over columns, held against the same filters written as plainly as can be."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.listing import FindingListing, FindingRow, Names
from heldout.services.browsing.finding_index import Decided, FindingIndex, Wanted, family

SOURCES = ("sha256:a", "sha256:b")
DECISIONS = ("open", "accepted", "reopened")

sides = st.builds(
    Side,
    dataset=st.sampled_from(["one", "two"]),
    split=st.sampled_from(["train", "test"]),
    key=st.sampled_from(["Key1", "key2", "ß3", "K4"]),
    input=st.sampled_from(["sha256:1", "sha256:2"]),
    held_out_in=st.sampled_from([(), SOURCES[:1], SOURCES]),
    open_in=st.sampled_from([(), SOURCES[1:]]),
)
findings = st.builds(
    Finding,
    kind=st.sampled_from([Kind.EXACT, Kind.NEAR, Kind.CONTAINMENT]),
    severity=st.sampled_from(list(Severity)),
    a=sides,
    b=sides,
    also=st.sampled_from([(), (Kind.CONTAINMENT,)]),
    similarity=st.sampled_from([None, Fraction(1), Fraction(9, 10)]),
    cluster=st.sampled_from([None, None, "c1"]),
)
some = lambda values: st.frozensets(st.sampled_from(values), max_size=2)  # noqa: E731
filters = st.builds(
    Wanted,
    source=st.sampled_from([None, None, *SOURCES, "sha256:none"]),
    kinds=some(["exact", "near", "containment", "nonsense"]),
    datasets=some(["one", "two", "three"]),
    splits=some(["train", "test"]),
    severities=some(["block", "note", "review"]),
    decisions=some(DECISIONS),
    holdout_only=st.booleans(),
    text=st.sampled_from(["", "", "key", "SS3", "train/k", "nothing"]),
)


def fits(wanted: Wanted, finding: Finding, decision: str, without: str = "") -> bool:
    """One row, one condition after the other; `without` leaves one out, as a facet does."""
    a, b = finding.a, finding.b
    text = wanted.text.casefold()
    checks = {
        "source": wanted.source is None or wanted.source in (*a.versions, *b.versions),
        "kind": not wanted.kinds or any(kind.value in wanted.kinds for kind in finding.kinds),
        "dataset": not wanted.datasets or a.dataset in wanted.datasets or b.dataset in wanted.datasets,
        "split": not wanted.splits or a.split in wanted.splits or b.split in wanted.splits,
        "severity": not wanted.severities or finding.severity.value in wanted.severities,
        "decision": not wanted.decisions or decision in wanted.decisions,
        "holdout": not wanted.holdout_only or finding.holdout_contamination,
        "text": any(text in label.casefold() for label in (a.label(), b.label(), finding.id)),
    }
    return all(passed for name, passed in checks.items() if name != without)


def index_of(found: list[Finding]) -> FindingIndex:
    rows = tuple(FindingRow(finding) for finding in found)
    return FindingIndex(FindingListing(None, None, rows, len(rows), True, Names()))


@pytest.mark.req("B47")
@given(st.lists(findings, max_size=14, unique_by=lambda item: item.id), filters, st.randoms(use_true_random=False))
def test_a_filter_lets_through_what_it_says(found: list[Finding], wanted: Wanted, random) -> None:  # type: ignore[no-untyped-def]
    index = index_of(found).warm()
    decisions = [random.choice(DECISIONS) for _ in found]
    decided = Decided.of(
        index, [(name, [place for place, given in enumerate(decisions) if given == name]) for name in DECISIONS[1:]]
    )
    selected = index.select(wanted, decided)
    expected = [place for place, finding in enumerate(found) if fits(wanted, finding, decisions[place])]
    assert sorted(selected.rows.tolist()) == expected
    assert selected.contaminations == sum(found[place].holdout_contamination for place in expected)
    assert selected.families == len({family(found[place]) for place in expected})
    for name, value in (("kind", "near"), ("severity", "block"), ("decision", "open"), ("dataset", "one")):
        left = [place for place, finding in enumerate(found) if fits(wanted, finding, decisions[place], name)]
        counted = sum(_has(name, value, found[place], decisions[place]) for place in left)
        assert selected.facets[name].get(value, 0) == counted


def _has(name: str, value: str, finding: Finding, decision: str) -> bool:
    if name == "kind":
        return value in [kind.value for kind in finding.kinds]
    if name == "dataset":
        return value in (finding.a.dataset, finding.b.dataset)
    return value == (finding.severity.value if name == "severity" else decision)


@given(st.lists(findings, max_size=14, unique_by=lambda item: item.id))
def test_families_stand_together_where_the_first_of_them_stands(found: list[Finding]) -> None:
    index = index_of(found)
    order = index.select(Wanted(), Decided.of(index, [])).rows.tolist()
    assert sorted(order) == list(range(len(found)))
    names = [family(found[place]) for place in order]
    firsts = list(dict.fromkeys(names))
    assert names == sorted(names, key=firsts.index)
    assert firsts == list(dict.fromkeys(family(finding) for finding in found))


def test_nothing_is_a_list_too() -> None:
    index = index_of([]).warm()
    assert index.select(Wanted(text="x", holdout_only=True), Decided.of(index, [])).rows.tolist() == []
