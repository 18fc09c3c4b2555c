"""Scan records on disk: nothing is lost, nothing else gets in, and equal records are equal bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from heldout.domain.canonical import digest_bytes
from heldout.domain.finding import (
    Cluster,
    ClusterShare,
    Containment,
    Finding,
    Kind,
    Severity,
    Side,
    Span,
    cluster_id,
)
from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.record import Capped, Compared, Examples, ScanRecord
from heldout.errors import TamperedError
from heldout.storage.finding_lines import parse_findings, render_findings
from heldout.storage.records import (
    check_place,
    load_findings,
    parse_record,
    render_record,
    sources_of,
)

SOURCES = tuple(f"sha256:{number:064x}" for number in (7, 1, 2, 12))
digests = st.integers(0, 20).map(lambda number: f"sha256:{number:064x}")
names = st.sampled_from(("a", "team/support", "1st", "no", "null", "true", "0", "y", "Ab-c_d"))
# Splits and keys are whatever people's data says: any text that JSON can carry.
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8) | st.sampled_from(
    ("test", "no", "1.0", "~", "a: b", "- x", "#", "\u2028", "\x85", "line\nbreak", '"', "\\", "\ufeff", "1e3")
)


@st.composite
def sides(draw: st.DrawFn) -> Side:
    held = draw(st.sets(st.sampled_from(SOURCES)))
    open_ = draw(st.sets(st.sampled_from(SOURCES))) - held
    return Side(draw(names), draw(words), draw(words), draw(digests), tuple(sorted(held)), tuple(sorted(open_)))


findings = st.builds(
    Finding,
    kind=st.sampled_from(Kind),
    severity=st.sampled_from(Severity),
    a=sides(),
    b=sides(),
    also=st.lists(st.sampled_from(Kind), unique=True, max_size=2).map(tuple),
    similarity=st.none() | st.fractions(0, 1, max_denominator=10**18 - 1),
    containment=st.none()
    | st.builds(
        Containment, st.sampled_from("ab"), st.sampled_from(("prefix", "interior")), st.integers(0, 9), st.booleans()
    ),
    span=st.none() | st.builds(Span, st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)),
    cluster=st.none() | st.just("0123456789abcdef"),
)
clusters = st.builds(
    lambda inputs, shares: Cluster(cluster_id(inputs), len(inputs), tuple(shares)),
    st.lists(digests, min_size=1, unique=True),
    st.lists(st.builds(ClusterShare, names, words, st.integers(1, 9)), max_size=3),
)


@st.composite
def records(draw: st.DrawFn) -> ScanRecord:
    counts = {name: draw(st.integers(0, 10**6)) for name in (*(kind.value for kind in Kind), "holdout_contamination")}
    by_split = draw(st.dictionaries(words, st.integers(1, 10**9), max_size=4))
    others = draw(st.lists(digests, unique=True, max_size=4))
    return ScanRecord(
        dataset=draw(names),
        source=draw(digests),
        content=draw(digests),
        method_id=DEFAULT_METHOD.id,
        method_digest=DEFAULT_METHOD.digest,
        method_parameters=DEFAULT_METHOD.parameters(),
        examples=Examples(
            total=sum(by_split.values()),
            scanned=3,
            no_text=draw(st.integers(0, 2)),
            no_text_named=tuple(draw(st.lists(words, max_size=2))),
            payload_missing=1,
            rows_skipped=draw(st.integers(0, 5)),
            by_split=by_split,
        ),
        holdout_splits=tuple(sorted(draw(st.sets(words, max_size=3)))),
        holdout_members=draw(st.integers(0, 99)),
        incomplete=tuple(draw(st.lists(words, max_size=2))),
        compared=tuple(Compared(draw(names), source, draw(st.booleans())) for source in sorted(others)),
        counts=counts,
        capped=Capped(*(draw(st.integers(0, 9)) for _ in range(3))),
        findings_digest=draw(digests),
        findings_lines=draw(st.integers(0, 99)),
    )


@settings(max_examples=100)
@given(records())
def test_a_record_reads_back_as_it_was_written(record: ScanRecord) -> None:
    data = render_record(record)
    assert parse_record(data, "scan.yaml") == record
    assert render_record(parse_record(data, "scan.yaml")) == data


@given(records())
def test_any_yaml_reader_reads_a_record_alike(record: ScanRecord) -> None:
    """ruamel.yaml as the judge: YAML 1.2, and 1.1 where `no` is a boolean and 1:20 a number."""
    data = render_record(record)
    new, old = YAML(typ="safe", pure=True), YAML(typ="safe", pure=True)
    old.version = (1, 1)  # type: ignore[assignment]
    wanted = {
        "dataset": record.dataset,
        "source": record.source,
        "content": record.content,
    }
    for reader in (new, old):
        content = reader.load(data.decode())
        assert content["subject"] == wanted
        assert content["holdout"]["splits"] == list(record.holdout_splits)
        assert content["examples"]["by_split"] == record.examples.by_split
        assert [item["source"] for item in content["compared"]] == [item.source for item in record.compared]


@pytest.mark.req("E2", "E34")
@given(records(), st.randoms(use_true_random=False))
def test_equal_records_are_equal_bytes(record: ScanRecord, random: object) -> None:
    compared = [*record.compared]
    random.shuffle(compared)  # type: ignore[attr-defined]
    splits = dict(reversed(record.examples.by_split.items()))
    turned = replace(record, compared=tuple(compared), examples=replace(record.examples, by_split=splits))
    assert render_record(turned) == render_record(record)
    assert b"\r" not in render_record(record)
    assert render_record(record).endswith(b"\n")


@settings(max_examples=100)
@given(st.lists(findings, max_size=4), st.lists(clusters, max_size=2))
def test_findings_read_back_as_they_were_written(found: list[Finding], families: list[Cluster]) -> None:
    data = render_findings(found, families, SOURCES)
    assert parse_findings(data, SOURCES) == (tuple(found), tuple(families))
    lines = data.decode().split("\n")
    assert len(lines) == len(found) + len(families) + 1
    for finding, line in zip(found, lines, strict=False):
        assert json.loads(line)["id"] == finding.id


@pytest.mark.req("E34", "E33")
def test_a_line_by_hand() -> None:
    a = Side("s", "test", "17", "sha256:aa", held_out_in=(SOURCES[0], SOURCES[2]))
    b = Side("s", "train", "4", "sha256:bb", open_in=(SOURCES[0],))
    finding = Finding(
        Kind.NEAR,
        Severity.BLOCK,
        a,
        b,
        also=(Kind.CONTAINMENT,),
        similarity=Fraction(67, 76),  # decision A19's pair, .8816
        containment=Containment("b", "prefix", 0, True),
        span=Span(0, 0, 60),
    )
    record = replace(EMPTY, compared=tuple(Compared("s", source) for source in SOURCES[1:]))
    assert render_findings([finding], [], sources_of(record)).decode() == (
        f'{{"id":"{finding.id}","kind":"near","also":["containment"],"severity":"block","holdout_contamination":true,'
        '"similarity":{"fraction":"67/76","rounded":0.8816},'
        '"a":{"dataset":"s","split":"test","key":"17","input":"sha256:aa","held_out_in":[0,2],"open_in":[]},'
        '"b":{"dataset":"s","split":"train","key":"4","input":"sha256:bb","held_out_in":[],"open_in":[0]},'
        '"containment":{"short":"b","position":"prefix","offset":0,"word_aligned":true},'
        '"span":{"a":0,"b":0,"length":60}}\n'
    )


EMPTY = ScanRecord(
    dataset="s",
    source=SOURCES[0],
    content="sha256:" + "c" * 64,
    method_id="m",
    method_digest="sha256:" + "d" * 64,
    method_parameters={"n": 1},
    examples=Examples(),
    holdout_splits=(),
    holdout_members=0,
    incomplete=(),
    compared=(),
    counts=dict.fromkeys((*(kind.value for kind in Kind), "holdout_contamination"), 0),
    capped=Capped(),
    findings_digest=digest_bytes(b""),
    findings_lines=0,
)


@pytest.mark.parametrize(
    "break_it",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"heldout/scan@1", b"heldout/scan@2"),
        lambda data: data.replace(b"subject:", b"object:"),
        lambda data: data.replace(b"capped:", b"capped: &anchor"),
        lambda data: data + b"format: twice\n",
        lambda data: data + b"\xff",
        lambda data: b"- a list\n",
        lambda data: data.replace(b"buckets:", b"baskets:"),
        lambda data: data.replace(b"exact: 0", b"exact: none"),
        lambda data: data.replace(b"  exact: 0\n", b""),
        lambda data: data.replace(b"incomplete: []", b"incomplete: 7"),
        lambda data: data.replace(b"members: 0", b"members: yes"),
    ],
)
def test_what_heldout_did_not_write_is_no_record(break_it: object) -> None:
    whole = render_record(EMPTY)
    assert parse_record(whole, "scan.yaml") == EMPTY
    data = break_it(whole)  # type: ignore[operator]
    assert data != whole
    with pytest.raises(TamperedError) as caught:
        parse_record(data, "datasets/s/scans/x/scan.yaml")
    assert caught.value.slug == "record-unreadable"


def test_a_record_has_to_lie_in_the_folder_it_names() -> None:
    check_place(EMPTY, f"datasets/s/scans/{EMPTY.id}/scan.yaml")
    for path in (f"datasets/t/scans/{EMPTY.id}/scan.yaml", "datasets/s/scans/0000000000000000/scan.yaml"):
        with pytest.raises(TamperedError) as caught:
            check_place(EMPTY, path)
        assert caught.value.slug == "record-misplaced"


def test_findings_are_those_that_the_record_names() -> None:
    data = render_findings([], [], [])
    assert load_findings(EMPTY, lambda: data) == ()
    for wrong in (None, b"{}\n", b"\n"):
        with pytest.raises(TamperedError) as caught:
            load_findings(EMPTY, lambda wrong=wrong: wrong)  # type: ignore[misc]
        assert caught.value.slug == "findings-changed"


def test_a_record_made_by_hand_over_no_findings_is_refused() -> None:
    """Bytes that fit their digest and are no findings all the same: a record made by hand."""
    for data in (b'{"kind":"near"}\n', b"[]\n", b"\xff\n", b'{"kind":"far"}\n', b"1\n"):
        forged = replace(EMPTY, findings_digest=digest_bytes(data))
        with pytest.raises(TamperedError) as caught:
            load_findings(forged, lambda data=data: data)  # type: ignore[misc]
        assert caught.value.slug == "findings-changed"
