"""The split check, a test for each of its requirements; expected values are published ones or worked out by hand."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli import Ran, heldout

from heldout.domain.splitting.assign import held_out_groups, stratified_groups
from heldout.domain.splitting.case import Case, CaseSet
from heldout.domain.splitting.case_near import near_pairs
from heldout.domain.splitting.case_words import NEAR, similarity, windows, words_of
from heldout.domain.splitting.check import check_split
from heldout.domain.splitting.lock import Lock, case_changes
from heldout.matching.shuffling import permutations

SAVE = "App crashes when I click save"
SAVE_BUTTON = "App crashes when I click the save button"


def row(name: str, issue: str, split: str = "development", **more: Any) -> dict[str, Any]:
    return {"id": name, "issue": issue, "expected": {"label": "bug"}, "split": split, **more}


def write(folder: Path, rows: Iterable[dict[str, Any]], file: str = "cases.json", **more: Any) -> str:
    document = {"name": "triage", "version": 3, "cases": list(rows), **more}
    (folder / file).write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
    return file


def check(folder: Path, rows: Iterable[dict[str, Any]], *options: str) -> Ran:
    return heldout(folder, "split", "check", write(folder, rows), "--json", *options)


def details(ran: Ran, rule: str) -> list[dict[str, Any]]:
    return [finding["details"] for finding in ran.json["findings"] if finding["rule"] == rule]


def refused(folder: Path, rows: Iterable[dict[str, Any]], **more: Any) -> dict[str, Any]:
    ran = heldout(folder, "split", "check", write(folder, rows, **more), "--json")
    assert ran.code == 2
    return dict(ran.json)


@pytest.mark.req("C1")
def test_c1_a_case_has_these_fields(tmp_path: Path) -> None:
    full = row("a-1", "x", must_mention=["y"], source_id=None, expected={"label": "docs", "priority": "p2"})
    assert check(tmp_path, [full]).code == 0
    assert check(tmp_path, [row("b", "x", expected={"label": "question", "priority": None})]).code == 0


@pytest.mark.req("C1")
@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"id": "A"}, "cases[1].id", "an id is lower-case"),
        ({"id": "a\n"}, "cases[1].id", "an id is lower-case"),
        ({"id": ""}, "cases[1].id", "an id is lower-case"),
        ({"id": 7}, "cases[1].id", "expected string, found integer"),
        ({"expected": {"label": "chore"}}, "cases[1].expected.label", "expected one of bug, feature, docs or question"),
        ({"expected": {"label": "bug", "priority": "p3"}}, "cases[1].expected.priority", "p0, p1, p2 or null"),
        ({"expected": {}}, "cases[1].expected.label", "missing"),
        ({"must_mention": [1]}, "cases[1].must_mention[0]", "expected string, found integer"),
        ({"must_mention": "x"}, "cases[1].must_mention", "expected array, found string"),
        ({"split": "test"}, "cases[1].split", "expected one of development or held_out"),
        ({"source_id": 3}, "cases[1].source_id", "expected string or null, found integer"),
    ],
)
def test_c1_what_does_not_fit_is_refused(tmp_path: Path, change: dict[str, Any], field: str, reason: str) -> None:
    told = refused(tmp_path, [row("a", "fine"), {**row("b", "fine too"), **change}])
    assert told["error"] == "bad-case"
    assert told["location"]["field"] == field
    assert reason in told["message"]
    line = (tmp_path / "cases.json").read_text(encoding="utf-8").splitlines()[told["location"]["line"] - 1]
    names = field.removeprefix("cases[1].").replace("[0]", "").split(".")
    assert any(f'"{name}"' in line for name in names) or "[0]" in field


@pytest.mark.req("C2")
@pytest.mark.parametrize(
    ("rows", "more", "field"),
    [
        ([row("a", "x", note="y")], {}, "cases[0].note"),
        ([row("a", "x", expected={"label": "bug", "why": ""})], {}, "cases[0].expected.why"),
        ([row("a", "x")], {"owner": "me"}, "owner"),
    ],
)
def test_c2_unknown_fields_are_refused(tmp_path: Path, rows: list[dict[str, Any]], more: Any, field: str) -> None:
    told = refused(tmp_path, rows, **more)
    assert (told["location"]["field"], "unknown field" in told["message"]) == (field, True)


@pytest.mark.req("C3")
@pytest.mark.parametrize("issue", ["", "?!", "   ", "___", "😀"])
def test_c3_an_issue_without_letters_or_digits(tmp_path: Path, issue: str) -> None:
    told = refused(tmp_path, [row("a", issue)])
    assert "issue must contain letters or digits" in told["message"]


@pytest.mark.req("C3")
@pytest.mark.parametrize("issue", ["7", "é", "問"])
def test_c3_one_letter_or_digit_is_enough(tmp_path: Path, issue: str) -> None:
    assert check(tmp_path, [row("a", issue)]).code == 0


@pytest.mark.req("C4")
@pytest.mark.parametrize(
    ("more", "field"),
    [({"name": None}, "name"), ({"version": "1"}, "version"), ({"version": True}, "version"), ({"cases": []}, "cases")],
)
def test_c4_a_dataset_has_a_name_a_version_and_cases(tmp_path: Path, more: dict[str, Any], field: str) -> None:
    assert refused(tmp_path, [row("a", "x")], **more)["location"]["field"] == field


@pytest.mark.req("C4", "C19")
def test_c4_yaml_says_the_same_as_json(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(
        "name: triage\nversion: 3\ncases:\n"
        f"- id: a\n  issue: {SAVE}\n  expected: {{label: bug}}\n  split: development\n"
        f"- id: b\n  issue: {SAVE_BUTTON}\n  expected: {{label: bug}}\n  split: held_out\n",
        encoding="utf-8",
    )
    ran = heldout(tmp_path, "split", "check", "cases.yaml", "--json")
    assert ran.out == check(tmp_path, [row("a", SAVE), row("b", SAVE_BUTTON, "held_out")]).out


@pytest.mark.req("C5")
def test_c5_a_repeated_id(tmp_path: Path) -> None:
    told = refused(tmp_path, [row("a", "x"), row("b", "y"), row("a", "z", "held_out")])
    assert "duplicate case ID" in told["message"]
    assert told["location"]["field"] == "cases[2].id"


@pytest.mark.req("C6")
@pytest.mark.parametrize("source", ["gone", "b", "c"])
def test_c6_a_source_is_an_original(tmp_path: Path, source: str) -> None:
    """Missing, derived itself, and itself."""
    told = refused(tmp_path, [row("a", "x"), row("b", "y", source_id="a"), row("c", "z", source_id=source)])
    assert "source_id must name an original case" in told["message"]
    assert told["location"]["field"] == "cases[2].source_id"


@pytest.mark.req("C7", "C9", "C22")
def test_c7_c9_a_lock_holds_every_held_out_case(tmp_path: Path) -> None:
    rows = [row("a", "x"), row("b", "y", "held_out"), row("c", "z", "held_out")]
    assert heldout(tmp_path, "split", "lock", write(tmp_path, rows), "-o", "l.json").code == 0
    lock = json.loads((tmp_path / "l.json").read_text(encoding="utf-8"))
    assert list(lock) == ["schema_version", "dataset_name", "held_out"]
    assert (lock["schema_version"], lock["dataset_name"]) == (1, "triage")
    assert lock["held_out"] == {case["id"]: Case.of(case).digest for case in rows[1:]}
    assert check(tmp_path, rows, "--lock", "l.json").json["findings"] == []


@pytest.mark.req("C7")
@pytest.mark.parametrize(
    "lock",
    [
        {"schema_version": 2, "dataset_name": "triage", "held_out": {}},
        {"schema_version": 1, "dataset_name": "triage", "held_out": {}, "made_by": "me"},
        {"schema_version": 1, "held_out": {}},
        {"schema_version": 1, "dataset_name": "triage", "held_out": {"a": "sha256:" + "0" * 64}},
        {"schema_version": 1, "dataset_name": "triage", "held_out": {"a": "0" * 63}},
        {"schema_version": 1, "dataset_name": "triage", "held_out": []},
        [],
    ],
)
def test_c7_what_is_no_lock_is_refused(tmp_path: Path, lock: Any) -> None:
    (tmp_path / "l.json").write_text(json.dumps(lock), encoding="utf-8")
    ran = check(tmp_path, [row("a", "x")], "--lock", "l.json")
    assert (ran.code, ran.json["error"]) == (2, "bad-lock")


@pytest.mark.req("C8")
def test_c8_the_published_digest() -> None:
    case = Case.of({"id": "t-1", "issue": "App crashes on save", "expected": {"label": "bug"}, "split": "held_out"})
    assert case.canonical() == (
        '{"expected":{"label":"bug","priority":null},"id":"t-1","issue":"App crashes on save","must_mention":[],'
        '"source_id":null,"split":"held_out"}'
    )
    assert case.digest == "3bb69fcb2d89f529c6ba26fa89f2e10aaeadda9583946b066b8cb163106d886c"


@pytest.mark.req("C8", "A2")
def test_c8_it_is_pythons_json_and_not_the_other_form() -> None:
    """Characters outside the Basic Multilingual Plane stay as they are, and nothing is normalised."""
    case = Case("a", "Café 😀 \u2028", "bug", "held_out", "p0", ("é",))
    text = (
        '{"expected":{"label":"bug","priority":"p0"},"id":"a","issue":"Café 😀 \u2028","must_mention":["é"],'
        '"source_id":null,"split":"held_out"}'
    )
    assert case.digest == hashlib.sha256(text.encode("utf-8")).hexdigest()


@pytest.mark.req("C10")
def test_c10_a_lock_of_another_dataset(tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text('{"schema_version": 1, "dataset_name": "other", "held_out": {}}', encoding="utf-8")
    ran = check(tmp_path, [row("a", "x")], "--lock", "l.json")
    assert (ran.code, ran.json["error"]) == (2, "other-lock")
    assert "lock belongs to another dataset" in ran.json["message"]


@pytest.mark.req("C11", "A24")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("E-mail_address, ÄRGER!", "e mail address ärger"),
        ("x² broken", "x² broken"),
        ("  3.14\t東京 ", "3 14 東京"),
        ("don't", "don t"),
        ("a\N{COMBINING ACUTE ACCENT}b", "a b"),
        ("a\U0001e4d0b", "a b"),  # a letter since Unicode 15: it separates on every Python
    ],
)
def test_c11_words(text: str, words: str) -> None:
    assert " ".join(words_of(text)) == words


@pytest.mark.req("C12", "C17")
def test_c12_equal_normalised_texts_block(tmp_path: Path) -> None:
    rows = [row("a", "Save_as: it CRASHES"), row("b", "save as it crashes!", "held_out")]
    ran = check(tmp_path, rows)
    assert ran.json["findings"] == [
        {"rule": "duplicate input", "decision": "block", "details": {"development": "a", "held_out": "b"}}
    ]
    assert ran.code == 1


@pytest.mark.req("C13", "A21")
@pytest.mark.parametrize(
    ("first", "second", "rounded"),
    [
        (SAVE, SAVE_BUTTON, 0.75),
        ("Export to CSV fails with timeout", "CSV export fails with a timeout error", 0.625),
        ("a b c", "a b c d e", 0.6),
        ("crash crash crash", "crash", 1.0),
    ],
)
def test_c13_the_published_near_duplicates(tmp_path: Path, first: str, second: str, rounded: float) -> None:
    ran = check(tmp_path, [row("a", first), row("b", second, "held_out")])
    assert details(ran, "near duplicate") == [{"development": "a", "held_out": "b", "similarity": rounded}]
    assert (ran.code, ran.json["decision"]) == (0, "review")


@pytest.mark.req("C13", "A21")
def test_c13_below_the_threshold(tmp_path: Path) -> None:
    """1/3 as published; and 59/99, the largest fraction below 3/5 with that many words."""
    assert round(float(similarity(words_of("x² broken"), words_of("x2 broken"))), 4) == 0.3333
    shared = [f"w{number}" for number in range(59)]
    rest = [f"v{number}" for number in range(40)]
    assert similarity(shared, shared + rest) == Fraction(59, 99)
    rows = [row("a", " ".join(shared)), row("b", " ".join(shared + rest), "held_out")]
    assert check(tmp_path, rows).json["findings"] == []
    assert similarity([], ["a"]) == similarity([], []) == 0


@pytest.mark.req("C13")
def test_c13_four_decimals(tmp_path: Path) -> None:
    shared = [f"w{number}" for number in range(7)]
    rows = [row("a", " ".join(shared)), row("b", " ".join([*shared, "x", "y"]), "held_out")]
    assert details(check(tmp_path, rows), "near duplicate")[0]["similarity"] == 0.7778  # 7/9


@pytest.mark.req("C13")
@given(st.lists(st.frozensets(st.sampled_from("abcdefgh")), max_size=12), st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_c13_no_pair_is_missed(sets: list[frozenset[str]], cut: int) -> None:
    left, right = sets[:cut], sets[cut:]
    every = {(i, j): similarity(a, b) for i, a in enumerate(left) for j, b in enumerate(right)}
    assert near_pairs(left, right) == {place: share for place, share in every.items() if share >= NEAR}


@pytest.mark.req("C14")
def test_c14_a_source_on_the_other_side(tmp_path: Path) -> None:
    rows = [
        row("a", "one alpha"),
        row("b", "two beta", "held_out", source_id="a"),
        row("c", "three gamma", source_id="a"),
        row("d", "four delta", "held_out"),
        row("e", "five epsilon", source_id="d"),
    ]
    ran = check(tmp_path, rows)
    assert details(ran, "source crosses split") == [{"case": "b", "source": "a"}, {"case": "e", "source": "d"}]
    assert (ran.code, ran.json["decision"]) == (1, "block")


EIGHT = "one two three four five six seven eight"


@pytest.mark.req("C15")
@pytest.mark.parametrize(
    ("issue", "prompt", "excerpt"),
    [
        (EIGHT, f"Example: {EIGHT.upper()}!", EIGHT),
        (f"{EIGHT} nine", "x ONE, two; three-four_five six seven eight nine y", EIGHT),
        (f"zero {EIGHT} nine", f"{EIGHT} nine", EIGHT),
        ("one two three four five six seven", "one two three four five six seven", None),
        (EIGHT, "one two three four five six seven, and eight", None),
        (EIGHT, "0one two three four five six seven eight", None),
    ],
)
def test_c15_eight_consecutive_words(tmp_path: Path, issue: str, prompt: str, excerpt: str | None) -> None:
    (tmp_path / "p.md").write_text(prompt, encoding="utf-8")
    rows = [row("a", issue, "held_out"), row("b", issue + " x y z 1 2 3 4 5 6")]  # development cases may be in prompts
    ran = check(tmp_path, rows, "--prompt", "p.md")
    expected = [] if excerpt is None else [{"case": "a", "excerpt": excerpt}]
    assert details(ran, "held-out excerpt in prompt") == expected
    assert (ran.code, ran.json["decision"]) == (0, "review" if expected else "pass")


@pytest.mark.req("C15")
def test_c15_one_finding_a_case_and_chats_are_read(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    parts = [{"type": "text", "text": "one two three\nfour"}, {"type": "text", "text": "five six seven eight"}]
    chat = {"messages": [{"role": "system", "content": "one two three four"}, {"role": "user", "content": parts}]}
    split_up = {"messages": [{"role": "a", "content": "alpha b c d e f"}, {"role": "b", "content": "g h i j"}]}
    (tmp_path / "p" / "chat.json").write_text(json.dumps(chat), encoding="utf-8")
    (tmp_path / "p" / "chats.jsonl").write_text(json.dumps(split_up) + "\n" + json.dumps(chat) + "\n", encoding="utf-8")
    rows = [row("a", f"{EIGHT} {EIGHT}", "held_out"), row("b", "alpha b c d e f g h", "held_out")]
    found = details(check(tmp_path, rows, "--prompt", "p/*"), "held-out excerpt in prompt")
    assert found == [{"case": "a", "excerpt": EIGHT, "prompt": "p/chat.json"}]


@pytest.mark.req("C15")
def test_c15_a_pattern_without_a_file(tmp_path: Path) -> None:
    ran = check(tmp_path, [row("a", "x")], "--prompt", "none/*.md")
    assert (ran.code, ran.json["error"]) == (2, "no-prompt")


@pytest.mark.req("C16")
def test_c16_what_became_of_locked_cases() -> None:
    def of(*cases: Case) -> CaseSet:
        return CaseSet("triage", 1, cases)

    a, b, c, d = (Case(name, f"issue {name}", "bug", "held_out") for name in "abcd")
    lock = Lock.of(of(a, b, c))
    moved = Case("b", "edited too", "bug", "development")
    edited = Case("c", "issue c", "bug", "held_out", must_mention=("x",))
    assert [*case_changes(lock, of(d, edited, moved))] == [
        ("a", "removed"),
        ("b", "moved"),
        ("c", "edited"),
        ("d", "added"),
    ]
    assert [*case_changes(lock, of(c, b, a))] == []


@pytest.mark.req("C16", "C20", "C21")
def test_c16_a_changed_lock_blocks(tmp_path: Path) -> None:
    heldout(tmp_path, "split", "lock", write(tmp_path, [row("a", "x", "held_out")]), "-o", "l.json")
    ran = check(tmp_path, [row("a", "x!", "held_out")], "--lock", "l.json")
    assert ran.json["findings"] == [
        {"rule": "frozen split changed", "decision": "block", "details": {"case": "a", "reason": "edited"}}
    ]
    assert ran.code == 1


@pytest.mark.req("C17")
def test_c17_equal_cases_of_one_side_are_no_finding(tmp_path: Path) -> None:
    rows = [row("a", "x"), row("b", "x"), row("c", "y", "held_out"), row("d", "y", "held_out")]
    assert check(tmp_path, rows).json["findings"] == []


@pytest.mark.req("C18", "C19", "C20")
def test_c18_c19_the_whole_report_in_its_order(tmp_path: Path) -> None:
    locked = [row("h1", SAVE, "held_out"), row("h0", EIGHT, "held_out"), row("gone", "was here", "held_out")]
    heldout(tmp_path, "split", "lock", write(tmp_path, locked, "old.json"), "-o", "l.json")
    (tmp_path / "p.md").write_text(f"- {EIGHT}\n", encoding="utf-8")
    rows = [
        row("h1", SAVE, "held_out"),
        row("d2", SAVE_BUTTON),
        row("h0", EIGHT, "held_out"),
        row("d1", SAVE + "!"),
        row("h2", "quite another thing", "held_out", source_id="d1"),
    ]
    ran = check(tmp_path, rows, "--lock", "l.json", "--prompt", "p.md")
    report = {
        "dataset": "triage",
        "version": 3,
        "cases": {"development": 2, "held_out": 3},
        "decision": "block",
        "findings": [
            {
                "rule": "near duplicate",
                "decision": "review",
                "details": {"development": "d2", "held_out": "h1", "similarity": 0.75},
            },
            {"rule": "duplicate input", "decision": "block", "details": {"development": "d1", "held_out": "h1"}},
            {"rule": "source crosses split", "decision": "block", "details": {"case": "h2", "source": "d1"}},
            {"rule": "held-out excerpt in prompt", "decision": "review", "details": {"case": "h0", "excerpt": EIGHT}},
            {"rule": "frozen split changed", "decision": "block", "details": {"case": "gone", "reason": "removed"}},
            {"rule": "frozen split changed", "decision": "block", "details": {"case": "h2", "reason": "added"}},
        ],
    }
    assert ran.out == json.dumps(report, indent=2) + "\n"


@pytest.mark.req("C20", "C21", "A42")
@pytest.mark.parametrize(
    ("second", "decision", "code", "strict"),
    [("quite another", "pass", 0, 0), (SAVE_BUTTON, "review", 0, 1), (SAVE, "block", 1, 1)],
)
def test_c20_c21_decisions_and_exit_codes(tmp_path: Path, second: str, decision: str, code: int, strict: int) -> None:
    rows = [row("a", SAVE), row("b", second, "held_out")]
    ran = check(tmp_path, rows)
    assert (ran.json["decision"], ran.code) == (decision, code)
    assert check(tmp_path, rows, "--strict").code == strict


@pytest.mark.req("C22")
def test_c22_the_command(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text(EIGHT, encoding="utf-8")
    cases = write(tmp_path, [row("a", SAVE), row("b", f"{EIGHT} nine", "held_out")])
    heldout(tmp_path, "split", "lock", cases, "-o", "l.json")
    ran = heldout(tmp_path, "split", "check", cases, "--lock", "l.json", "--prompt", "p.md")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "triage version 3: 1 development cases, 1 held out",
        f'review: held-out excerpt in prompt: b: "{EIGHT}"',
        "decision: review",
        "next, held-out excerpt in prompt: take the example out of the prompt, or out of the held-out cases",
    ]


@pytest.mark.req("C23")
@pytest.mark.parametrize(
    ("size", "held_out"),
    [
        (3, ["c2"]),
        (4, ["c1", "c2"]),
        (6, ["c3", "c5"]),
        (7, ["c0", "c2", "c5"]),
        (9, ["c0", "c2", "c7"]),
    ],
)
def test_c23_the_published_groups_of_seed_7(tmp_path: Path, size: int, held_out: list[str]) -> None:
    rows = [{key: value for key, value in row(f"c{i}", f"issue {i}").items() if key != "split"} for i in range(size)]
    derived = [row(f"c{i}-copy", f"copy {i}", source_id=f"c{i}") for i in range(size)]
    random.Random(size).shuffle(rows)
    ran = heldout(tmp_path, "split", "assign", write(tmp_path, rows + derived), "--json", "-o", "out.yaml")
    assert sorted(ran.json["cases"]["held_out"]) == sorted([*held_out, *(f"{name}-copy" for name in held_out)])
    again = heldout(tmp_path, "split", "check", "out.yaml", "--json")
    assert again.json["cases"] == {"development": 2 * (size - len(held_out)), "held_out": 2 * len(held_out)}
    assert details(again, "source crosses split") == []


@pytest.mark.req("C23")
def test_c23_as_scikit_learn_splits() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    for seed in (0, 7, 42, 2**32 - 1):
        for size in (2, 5, 12, 30):
            groups = [f"g{number % size}" for number in range(3 * size)]
            oracle = selection.GroupShuffleSplit(n_splits=1, test_size=1 / 3, random_state=seed)
            _, test = next(oracle.split(groups, groups=groups))
            expected = frozenset(groups[place] for place in test)
            assert held_out_groups(groups, Fraction(1, 3), permutations(seed)) == expected


@pytest.mark.req("C23")
def test_c23_strata_keep_their_share() -> None:
    strata = {f"g{number}": "bug" if number < 12 else "docs" if number < 18 else "rare" for number in range(20)}
    chosen = stratified_groups(strata, Fraction(1, 3), permutations(7))
    assert chosen == stratified_groups(dict(reversed(strata.items())), Fraction(1, 3), permutations(7))
    sizes = [sum(strata[group] == stratum for group in chosen) for stratum in ("bug", "docs", "rare")]
    assert sizes == [4, 2, 1]  # 12/3, 6/3, and of ceil(20/3) = 7 the one that is left


@pytest.mark.req("C23")
def test_c23_stratified_by_a_field(tmp_path: Path) -> None:
    labels = ["bug"] * 6 + ["docs"] * 3
    rows = [row(f"c{i}", f"issue {i}", expected={"label": label}) for i, label in enumerate(labels)]
    cases = write(tmp_path, rows)
    ran = heldout(tmp_path, "split", "assign", cases, "--stratify", "expected.label", "--json")
    held = [labels[int(name[1:])] for name in ran.json["cases"]["held_out"]]
    assert sorted(held) == ["bug", "bug", "docs"]
    wrong = heldout(tmp_path, "split", "assign", cases, "--stratify", "colour", "--json")
    assert (wrong.code, wrong.json["error"]) == (2, "bad-value")
    for share in ("0", "1", "4/3", "x", "1/0", "1e-999999"):
        assert heldout(tmp_path, "split", "assign", cases, "--share", share).code == 2
    assert heldout(tmp_path, "split", "assign", cases, "--share", "99/100", "--json").json["error"] == "one-split"


@pytest.mark.req("C15")
@given(st.lists(st.sampled_from("ab"), max_size=20), st.lists(st.sampled_from("ab"), max_size=20))
@settings(max_examples=100, deadline=None)
def test_c15_against_a_plain_search(case: list[str], prompt: list[str]) -> None:
    from heldout.domain.splitting.check import Prompt

    cases = CaseSet("x", 1, (Case("a", " ".join(case), "bug", "held_out"),))
    found = check_split(cases, None, [Prompt("p", (" ".join(prompt),))]).findings
    text = f" {' '.join(prompt)} "
    expected = [" ".join(case[i : i + 8]) for i in range(len(case) - 7) if f" {' '.join(case[i : i + 8])} " in text]
    assert [dict(finding.details)["excerpt"] for finding in found] == expected[:1]
    assert len([*windows(case)]) == max(len(case) - 7, 0)
