"""What commands found, as items: what is not known, what people accepted, and what an answer says of itself."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction

import pytest
from lxml import etree

from heldout.domain.answer import Accepted, Answer, Contamination, Gap, GapKind
from heldout.domain.deciding.review import Decision, Review
from heldout.domain.finding import Containment, Finding, Kind, Severity, Side
from heldout.domain.kind import EXPOSURE, LOCK, PROMPT
from heldout.domain.reporting import Level, Location, Outcome, Report, Weight
from heldout.domain.verification import Check, Problem
from heldout.domain.verification import Level as Grade
from heldout.reports.adapters.gate import gate_report
from heldout.reports.adapters.verify import verify_report
from heldout.reports.adapters.words import SENTENCES, Named, alike_by, sentence
from heldout.reports.forms.junit import junit
from heldout.reports.forms.sarif import sarif

V1 = "sha256:" + "1" * 64
HELD = Side("s", "test", "h1", "sha256:" + "a" * 64, held_out_in=(V1,))
OPEN = Side("s", "train", "t1", "sha256:" + "b" * 64, open_in=(V1,))
NEAR = Finding(Kind.NEAR, Severity.BLOCK, HELD, OPEN, similarity=Fraction(9, 10))
HIT = Contamination(NEAR, HELD, OPEN)
REVIEW = Review(
    NEAR.id, Decision.ACCEPTED, "a greeting", "Ann <a@x>", "m", "near", reviewer="Bob <b@x>", expires=date(2031, 1, 2)
)
PLACE, DATA = Location("findings.jsonl", 7), Location("test.csv.dvc", 1)


def gate(answer: Answer) -> Report:
    return gate_report("s@v1.0.0", answer, (), (("HEAD", "c" * 40),), lambda finding: PLACE, DATA)


@pytest.mark.req("B48")
def test_what_nobody_knows_is_an_item_and_an_error() -> None:
    report = gate(Answer("s", V1, (), (Gap(GapKind.NOT_SCANNED, "it has no scan record"),)))
    (item,) = report.items
    assert report.outcome is Outcome.UNKNOWN
    assert (item.weight, item.level, item.location) == (Weight.UNKNOWN, Level.ERROR, DATA)
    assert item.message == "s@v1.0.0: it has no scan record"
    assert etree.fromstring("".join(junit(report)).encode()).get("errors") == "1"


@pytest.mark.req("B48")
def test_a_gap_beside_a_contamination_does_not_outshout_it() -> None:
    report = gate(Answer("s", V1, (HIT,), (Gap(GapKind.NOT_SCANNED, "x"),)))
    assert report.outcome is Outcome.FOUND
    assert [item.rule for item in report.worst(2)] == ["near", "not-scanned"]


def test_a_clean_answer_is_no_item() -> None:
    report = gate(Answer("s", V1, (), ()))
    assert (report.outcome, [*report.items], report.answer) == (Outcome.CLEAN, [], ("s@v1.0.0: clean",))


def test_what_people_accepted_is_listed_and_blocks_nothing() -> None:
    report = gate(Answer("s", V1, (), (), (Accepted(HIT, REVIEW),)))
    assert report.outcome is Outcome.CLEAN
    (result,) = json.loads("".join(sarif(report, "1")))["runs"][0]["results"]
    reason = "a greeting (Ann <a@x>, reviewed by Bob <b@x>, until 2031-01-02)"
    assert result["suppressions"] == [{"kind": "external", "status": "accepted", "justification": reason}]
    tree = etree.fromstring("".join(junit(report)).encode())
    (skipped,) = tree.iter("skipped")
    assert f"accepted: {reason}" in skipped.text


def test_problems_stay_the_same_though_a_commit_in_their_words_changes() -> None:
    def of(*texts: str) -> list[str]:
        problems = tuple(Problem(Grade.FAILED, "datasets/s", text, "record-not-kept") for text in texts)
        return [i.fingerprint for i in verify_report(Check(None, "h", 1, 0, problems), lambda place: DATA).items]

    first = of("changed since 1111111111", "removed since 1111111111")
    assert first == of("changed since 2222222222", "removed since 2222222222")
    assert len({*first}) == 2


def test_problems_come_gravest_first_and_unknown_is_not_failed() -> None:
    problems = tuple(Problem(level, "x", "text", "contaminated") for level in reversed(Grade))
    report = verify_report(Check(None, "h", 1, 0, problems), lambda place: DATA)
    assert [item.weight for item in report.items] == [Weight.BLOCK, Weight.UNKNOWN, Weight.NOTE]
    tree = etree.fromstring("".join(junit(report)).encode())
    (suite,) = tree.iter("testsuite")
    assert [suite.get(name) for name in ("failures", "errors", "skipped")] == ["1", "1", "1"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.EXACT, "held-out A has the same input as B"),
        (Kind.NEAR, "held-out A is nearly the same as B (0.90 alike)"),
        (Kind.CONTAINMENT, "B stands whole inside held-out A"),
        (Kind.INTRA_SPLIT, "held-out A repeats B (0.90 alike) in its split"),
        (Kind.SOURCE_CROSSES_SPLIT, "held-out A and B are an example and what it was made from, in two splits"),
        (Kind.GROUP_CROSSES_SPLIT, "held-out A and B are of one customer, in two splits"),
        (Kind.SEMANTIC, "held-out A and B seem to ask the same in other words"),
    ],
)
def test_each_kind_is_a_sentence(kind: Kind, said: str) -> None:
    finding = Finding(
        kind,
        Severity.BLOCK,
        HELD,
        OPEN,
        similarity=Fraction(9, 10),
        containment=Containment("b", "prefix", 0, True) if kind is Kind.CONTAINMENT else None,
        group="customer" if kind is Kind.GROUP_CROSSES_SPLIT else None,
    )
    assert sentence(finding, HELD, Named("A", held_out=True), Named("B")) == said


def test_every_kind_has_its_sentence() -> None:
    assert {*SENTENCES} == {*Kind}


def test_a_lock_a_log_and_a_prompt_are_no_examples() -> None:
    a = Named("A", held_out=True)
    for kind, other, said in (
        (Kind.LOCK_CHANGED, Side(LOCK, "edited", "h1", "x"), "held-out A was edited since the split was locked"),
        (
            Kind.EXPOSED,
            Side(EXPOSURE, "shared", "line 3", "x"),
            "held-out A was shown to something: shared, line 3 of the log",
        ),
        (Kind.PROMPT_EXCERPT, Side(PROMPT, "prompts", "p.md:4", "x"), "held-out A is quoted in p.md:4"),
    ):
        for finding in (Finding(kind, Severity.BLOCK, HELD, other), Finding(kind, Severity.BLOCK, other, HELD)):
            assert sentence(finding, HELD, a, Named("B")) == said
            assert sentence(finding, other, Named("B"), a) == said


@pytest.mark.parametrize(
    ("similarity", "said"),
    [
        (Fraction(999, 1000), "0.99 alike"),
        (Fraction(4, 5), "0.80 alike"),
        (Fraction(1), "1.00 alike"),
    ],
)
def test_only_what_is_equal_is_called_equal(similarity: Fraction, said: str) -> None:
    assert alike_by(similarity) == said
