"""What EvalLeak's detectors find, against brute force over every pair of records and calculations by hand."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.leak_oracle import Answer, Row, brute_force, canonical, chars, words

from heldout.domain.leaks.leak import Bands, LeakKind, LeakRecord, LeakSettings, Shingles, bands_for, plain
from heldout.domain.leaks.leaks import Leaks
from heldout.domain.leaks.picture import picture_of
from heldout.domain.leaks.rollup import by_similarity, sources_of
from heldout.domain.leaks.text import Steps, digest_of
from heldout.services.leaks.matching import find_leaks
from heldout.services.leaks.read import LeakInput
from heldout.services.progress import SILENT

STEPS = ("whitespace", "case", "punctuation")
MIXED_TEXT = st.text(st.sampled_from("aAbB  \t\r\n\u00a0.,'-_éÉßİΣς漢\u0301"), max_size=30)


def leaks_of(rows: list[Row], settings: LeakSettings, sources: list[str | None] | None = None) -> Leaks:
    records = [
        LeakRecord(split, name, "f", line, source)
        for line, ((split, name, _), source) in enumerate(zip(rows, sources or [None] * len(rows), strict=True), 1)
    ]
    return find_leaks(LeakInput(records, [text for _, _, text in rows]), settings, SILENT)


def answer_of(leaks: Leaks) -> Answer:
    answer = Answer()
    for kind in LeakKind:
        for finding in leaks.findings(kind):
            a, b = ((side.split, side.id) for side in (finding.a, finding.b))
            if kind is LeakKind.CONTAINMENT:
                assert (a, b) not in answer.contained
                answer.contained[a, b] = str(finding.position)
            elif kind is LeakKind.NEAR:
                assert frozenset((a, b)) not in answer.near
                answer.near[frozenset((a, b))] = finding.similarity or Fraction(0)
            else:
                found = answer.exact if kind is LeakKind.EXACT else answer.intra
                assert frozenset((a, b)) not in found
                found.add(frozenset((a, b)))
    return answer


# --- normalisation --------------------------------------------------------------------------------------------------


@pytest.mark.req("E20", "E21", "E46", "E38")
@given(text=MIXED_TEXT, active=st.sets(st.sampled_from(STEPS)))
def test_each_step_does_its_own_part_and_no_other(text: str, active: set[str]) -> None:
    steps = Steps(**{name: name in active for name in STEPS})
    assert steps.apply(text) == canonical(text, frozenset(active))
    assert steps.names() == tuple(name for name in STEPS if name in active)


@pytest.mark.req("E20", "A24")
@pytest.mark.parametrize(
    ("text", "steps", "expected"),
    [
        ("An e-mail,  sent -- TWICE!", Steps(), "an email sent twice"),
        ("An e-mail,  sent -- TWICE!", Steps(punctuation=False), "an e-mail, sent -- twice!"),
        ("An e-mail,  sent -- TWICE!", Steps(case=False), "An email sent TWICE"),
        ("An e-mail,  sent -- TWICE!", Steps(whitespace=False), "an email  sent  twice"),
        ("An e-mail,  sent -- TWICE!", Steps(False, False, False), "An e-mail,  sent -- TWICE!"),
        ("« Où ? »", Steps(), "« où »"),  # only ASCII punctuation goes
        ("x² ﬁne", Steps(), "x² ﬁne"),
        ("x² ﬁne", Steps(nfkc=True), "x2 fine"),
        ("a\r\nb\rc", Steps(whitespace=False), "a\nb\nc"),  # line endings are the file's
        ("!?...", Steps(), ""),
    ],
)
def test_steps_by_hand(text: str, steps: Steps, expected: str) -> None:
    assert steps.apply(text) == expected


@pytest.mark.req("A48", "E2")
@pytest.mark.parametrize("nfkc", [False, True])
def test_characters_that_only_some_pythons_know_stay_as_they_are(nfkc: bool) -> None:
    """U+A7CB (Unicode 16) is a capital letter on newer Pythons only; what stands around it is changed as ever."""
    assert Steps(nfkc=nfkc).apply("ΑΣ\ua7cbÀ B") == "ας\ua7cbà b"


# --- detectors ------------------------------------------------------------------------------------------------------

WORDS = ("ein", "kleines", "haus", "am", "see", "Haus,", "ist", "rot")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=7).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from(("a", "b", "c")), TEXTS), max_size=14).map(
    lambda rows: [(split, str(number), text) for number, (split, text) in enumerate(rows)]
)


@pytest.mark.req("E1", "E13", "E14", "E16", "E17", "E18", "E19", "E31", "E42", "A25")
@given(
    rows=ROWS,
    k=st.integers(1, 6),
    threshold=st.sampled_from([Fraction(3, 5), Fraction(4, 5), Fraction(1), Fraction(1, 4)]),
    min_length=st.sampled_from([1, 4, 16]),
    by_words=st.booleans(),
    case=st.booleans(),
)
def test_every_finding_rate_and_total_is_that_of_brute_force(
    rows: list[Row], k: int, threshold: Fraction, min_length: int, by_words: bool, case: bool
) -> None:
    shape = Shingles.WORDS if by_words else Shingles.CHARS
    settings = LeakSettings(Steps(case=case), shape, k, threshold=threshold, min_length=min_length, exact_join=True)
    leaks = leaks_of(rows, settings)
    steps = frozenset(STEPS if case else ("whitespace", "punctuation"))
    function = words if by_words else chars
    expected = brute_force(rows, k=k, threshold=threshold, min_length=min_length, shingles=function, steps=steps)  # type: ignore[arg-type]
    found = answer_of(leaks)
    assert found == expected
    assert {(rate.source, rate.target): (rate.records, rate.of) for rate in leaks.rates()} == expected.rates(rows)
    assert leaks.contaminated() == expected.total()
    sizes = (expected.exact, expected.near, expected.contained, expected.intra)
    assert [leaks.count(kind) for kind in LeakKind] == [len(found) for found in sizes]
    assert leaks.found is any(sizes)


@pytest.mark.req("E13", "E33")
def test_equal_texts_have_the_whole_sha256_of_the_canonical_text() -> None:
    leaks = leaks_of([("b", "1", "Ein  Haus!"), ("a", "2", "ein haus")], LeakSettings())
    (finding,) = leaks.findings(LeakKind.EXACT)
    assert finding.digest == "sha256:" + hashlib.sha256(b"ein haus").hexdigest() == digest_of("ein haus")
    assert (finding.a.split, finding.b.split) == ("a", "b")


@pytest.mark.req("E18", "E14")
def test_equal_texts_are_neither_near_nor_contained() -> None:
    text = "a sentence that is long enough to be contained"
    leaks = leaks_of([("a", "1", text), ("b", "1", f"{text}!"), ("b", "2", f"{text} and more")], LeakSettings())
    assert [finding.identity for finding in leaks.findings(LeakKind.EXACT)] == ["a/1 == b/1"]
    assert [finding.identity for finding in leaks.findings(LeakKind.NEAR)] == ["a/1 ~ b/2"]
    assert [finding.identity for finding in leaks.findings(LeakKind.CONTAINMENT)] == ["a/1 inside b/2"]


@pytest.mark.req("E17", "E16", "E38")
@pytest.mark.parametrize(
    ("short", "long", "position"),
    [
        ("exactly sixteen.", "exactly sixteen and more", None),  # 15 characters without the full stop
        ("exactly sixteen c", "exactly sixteen characters", "prefix"),
        ("ly sixteen chars", "exactly sixteen chars", "suffix"),
        ("tly sixteen char", "exactly sixteen chars", "interior"),
        ("ababababababababa", "ababababababababab abababababababababa", "prefix"),  # everywhere: prefix comes first
    ],
)
def test_containment_from_sixteen_characters_on(short: str, long: str, position: str | None) -> None:
    leaks = leaks_of([("a", "1", short), ("b", "1", long)], LeakSettings())
    assert [finding.position for finding in leaks.findings(LeakKind.CONTAINMENT)] == ([position] if position else [])


@pytest.mark.req("E47")
def test_at_threshold_1_equal_sets_are_what_overlaps() -> None:
    """ "abcabcabc" and "abcabcabcabc" have the same three 5-grams; equal texts are found as equal."""
    rows = [("a", "1", "abcabcabc"), ("b", "1", "abcabcabcabc"), ("b", "2", "ABC abc abc"), ("a", "2", "abc abc abc")]
    leaks = leaks_of(rows, LeakSettings(threshold=Fraction(1)))
    assert [(f.identity, f.similarity) for f in leaks.findings(LeakKind.NEAR)] == [("a/1 ~ b/1", Fraction(1))]
    assert [f.identity for f in leaks.findings(LeakKind.EXACT)] == ["a/2 == b/2"]


@pytest.mark.req("E48", "E53", "E37")
def test_a_paraphrase_is_not_found() -> None:
    rows = [("a", "1", "How many apples does Tom have left?"), ("b", "1", "What number of apples remains with Tom?")]
    assert not leaks_of(rows, LeakSettings()).found


@pytest.mark.req("A49", "A20")
def test_texts_that_normalise_to_nothing_equal_each_other_and_are_counted() -> None:
    leaks = leaks_of([("a", "1", "!!!"), ("b", "1", "?"), ("b", "2", "word")], LeakSettings())
    assert [finding.identity for finding in leaks.findings(LeakKind.EXACT)] == ["a/1 == b/1"]
    assert (leaks.no_text, leaks.count(LeakKind.NEAR), leaks.count(LeakKind.CONTAINMENT)) == (2, 0, 0)


@pytest.mark.req("E34")
def test_findings_are_in_the_order_of_names_with_numbers_as_numbers() -> None:
    rows = [("b", "x", "t"), *(("a", f"r{number}", "t") for number in (10, 9, 100, 1)), ("a", "r09", "t")]
    leaks = leaks_of(rows, LeakSettings())
    order = ["a/r1", "a/r09", "a/r9", "a/r10", "a/r100"]
    assert [finding.a.name for finding in leaks.findings(LeakKind.EXACT)] == order
    assert [finding.identity for finding in leaks.findings(LeakKind.INTRA_SPLIT)][:4] == [
        f"a/r1 == {name}" for name in order[1:]
    ]
    shuffled = leaks_of(rows[::-1], LeakSettings())
    assert list(map(str, shuffled.findings(LeakKind.EXACT))) != []
    assert [f.identity for f in shuffled.findings(LeakKind.EXACT)] == [
        f.identity for f in leaks.findings(LeakKind.EXACT)
    ]


# --- bands and numbers ----------------------------------------------------------------------------------------------


@pytest.mark.req("A22")
@pytest.mark.parametrize(
    ("bands", "similarity", "probability"),
    [((16, 4), 0.6, 0.891482), ((16, 4), 0.7, 0.987638), ((16, 4), 0.8, 0.999782), ((32, 2), 0.6, 0.999999)],
)
def test_probabilities_that_are_published(bands: tuple[int, int], similarity: float, probability: float) -> None:
    assert Bands(*bands).probability(similarity) == pytest.approx(probability, abs=1e-6)


@pytest.mark.req("A22", "E12")
@pytest.mark.parametrize("num_perm", [16, 64, 128, 256])
@pytest.mark.parametrize("threshold", ["0.3", "0.6", "0.8", "1"])
def test_bands_keep_their_recall_at_the_threshold_or_there_are_none(num_perm: int, threshold: str) -> None:
    bands = bands_for(num_perm, Fraction(threshold))
    if bands is None:  # not even single minima would do
        assert (1 - float(threshold)) ** num_perm > 0.0001
    else:
        missed = (1 - float(threshold) ** bands.rows) ** bands.bands
        assert missed <= 0.0001
        assert bands.bands * bands.rows <= num_perm
        assert bands.bands == num_perm // bands.rows


@pytest.mark.req("A22")
def test_few_minima_and_a_low_threshold_take_the_exact_join() -> None:
    assert LeakSettings(num_perm=128, threshold=Fraction(1, 20)).bands is None
    assert "exact join" in LeakSettings(num_perm=8, threshold=Fraction(1, 5)).near_rule
    assert LeakSettings().bands == Bands(42, 3)


@pytest.mark.parametrize(("value", "text"), [("0.6", "0.60"), ("0.875", "0.875"), ("1", "1.00"), ("0.05", "0.05")])
def test_thresholds_are_shown_as_they_were_given(value: str, text: str) -> None:
    assert plain(Fraction(value)) == text


# --- roll-ups -------------------------------------------------------------------------------------------------------


@pytest.mark.req("E51")
@given(rows=ROWS, seed=st.integers(0, 5))
def test_overlaps_by_source_are_those_of_brute_force(rows: list[Row], seed: int) -> None:
    sources = [(None, "web", "book")[(number + seed) * 7 % 3] for number in range(len(rows))]
    settings = LeakSettings(exact_join=True, min_length=4)
    leaks = leaks_of(rows, settings, sources)
    answer = brute_force(rows, min_length=4)
    pairs = {*answer.exact, *answer.near, *(frozenset(pair) for pair in answer.contained)}
    home = {(row[0], row[1]): source or "(missing)" for row, source in zip(rows, sources, strict=True)}
    expected = {}
    for split, source in {(side[0], home[side]) for pair in pairs for side in pair}:
        own = {side for side, name in home.items() if side[0] == split and name == source}
        touching = {pair for pair in pairs if pair & own}
        expected[split, source] = (len(touching), len({side for pair in pairs for side in pair & own}), len(own))
    assert {(one.split, one.source): (one.pairs, one.records, one.of) for one in sources_of(leaks)} == expected


@pytest.mark.req("E50")
def test_overlap_pairs_are_training_record_first_and_most_alike_first() -> None:
    """Shingles of one character, by hand: abcd and abcde share 4 of 5, abcd and abcdef 4 of 6."""
    rows = [("train", "1", "abcd"), ("test", "1", "abcdef"), ("test", "2", "abcde"), ("test", "3", "ABCD")]
    leaks = leaks_of(rows, LeakSettings(k=1))
    assert [(f.identity, f.similarity, f.shared) for f in by_similarity(leaks, "train")] == [
        ("train/1 == test/3", Fraction(1), 4),
        ("train/1 ~ test/2", Fraction(4, 5), 4),
        ("train/1 ~ test/1", Fraction(2, 3), 4),
    ]


@pytest.mark.req("E39")
@given(rows=ROWS)
def test_every_number_of_the_picture_is_one_of_the_report(rows: list[Row]) -> None:
    leaks = leaks_of(rows, LeakSettings(exact_join=True, min_length=4))
    picture = picture_of(leaks)
    findings = [finding for kind in LeakKind for finding in leaks.findings(kind)]
    for lane in picture.lanes:
        for kind, count in lane.pairs:
            assert count == sum(f.kind is kind and {f.a.split, f.b.split} == {lane.a, lane.b} for f in findings)
    across = [finding for finding in findings if finding.a.split != finding.b.split]
    assert sum(count for lane in picture.lanes for _, count in lane.pairs) == len(across)
    assert sum(inside for _, _, inside in picture.splits) == len(findings) - len(across)
