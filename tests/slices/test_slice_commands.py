"""`heldout slice ...` as a person runs it: every number beside one that is counted here by a single expression."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from slices.conftest import OUTSIDE, PLAIN, write
from support.cli import heldout
from support.story import Team

GERMAN = ("--where", "metadata.language eq de")
BILLING = ("--where", "tag contains billing")


def run(team: Team, *arguments: str, code: int = 0) -> Any:
    done = heldout(team.path, *arguments, "--json")
    assert done.code == code, f"{arguments}: {done}"
    return json.loads(done.out)


def german(rows: list[dict[str, Any]]) -> int:
    return sum(item["metadata"]["language"] == "de" for item in rows)


@pytest.mark.req("B1", "B15", "B16", "B24")
def test_a_new_slice_is_a_file_with_its_first_definition_recorded(sliced: Team) -> None:
    made = run(sliced, "slice", "new", "plain", "german-billing", *GERMAN, *BILLING, "--required")
    assert (made["number"], made["required"]) == (1, True)
    again = run(sliced, "slice", "show", f"plain/german-billing@{made['digest'][7:15]}")
    assert again["digest"] == made["digest"]
    assert again["conditions"] == ["metadata.language eq de", "tag contains billing"]
    listed = run(sliced, "slice", "list", "plain", "--no-counts")["datasets"][0]["slices"]
    assert [(item["name"], item["number"], item["required"]) for item in listed] == [("german-billing", 1, True)]
    assert run(sliced, "slice", "new", "plain", "German-billing", *GERMAN, code=2)["error"] == "slice-exists"


@pytest.mark.req("B18", "B19", "B21")
def test_a_count_shows_the_working_copy_beside_the_latest_version(sliced: Team) -> None:
    run(sliced, "slice", "new", "plain", "german", *GERMAN)
    write(sliced, "plain", PLAIN[:20])
    counts = run(sliced, "slice", "count", "plain")["datasets"][0]["slices"][0]["counts"]
    here = {"subject": "plain", "matched": german(PLAIN[:20]), "unevaluable": 0, "total": 20}
    frozen = {"subject": "plain@v1.0.0", "matched": german(PLAIN), "unevaluable": 0, "total": 40}
    assert [{name: item[name] for name in here} for item in counts] == [here, frozen]
    assert "count" not in (sliced.path / "datasets/plain/slices/german.yaml").read_text()


@pytest.mark.req("B20", "B21", "B22", "A13", "A14")
@pytest.mark.parametrize(
    ("name", "match", "conditions", "unevaluable"),
    [
        ("alone", "all", ["field.input.turns gte 110"], lambda item: "input" not in item),
        (
            "both",
            "all",
            ["field.input.turns gte 110", "metadata.language eq de"],
            lambda item: "input" not in item and item["metadata"]["language"] == "de",
        ),
        (
            "either",
            "any",
            ["field.input.turns gte 110", "metadata.language eq de"],
            lambda item: "input" not in item and item["metadata"]["language"] != "de",
        ),
        ("answered", "all", ["expected.label eq true"], lambda item: False),
    ],
)
def test_with_three_payloads_of_ten_outside_every_view_adds_up(
    shared: Team, name: str, match: str, conditions: list[str], unevaluable: Any
) -> None:
    where = [word for text in conditions for word in ("--where", text)] + (["--any"] if match == "any" else [])
    run(shared, "slice", "new", "outside", name, *where, "--sample", "5", "--seed", "s")
    wanted = sum(map(unevaluable, OUTSIDE))
    column = run(shared, "slice", "count", "outside", name)["datasets"][0]["slices"][0]["counts"]
    views = [
        *column,
        run(shared, "slice", "preview", "outside", *where, "--sample", "5", "--seed", "s"),
        run(shared, "slice", "members", f"outside/{name}"),
        run(shared, "slice", "diff", f"outside/{name}", f"outside/{name}")["counts"]["before"],
    ]
    for view in views:
        assert view["total"] == 40
        assert view["unevaluable"] == wanted
        assert view["matched"] + view["unmatched"] + view["unevaluable"] == 40
        assert view["sample"]["partial"] is (wanted > 0)
    text = heldout(shared.path, "slice", "count", "outside", name).out
    assert ("unevaluable" in text) is (wanted > 0)


@pytest.mark.req("B23")
def test_a_preview_saves_nothing_and_shows_text_only_when_asked(sliced: Team) -> None:
    before = sliced.status()
    quiet = heldout(sliced.path, "slice", "preview", "plain", *GERMAN).out
    assert f"{german(PLAIN)} of 40" in quiet
    assert PLAIN[0]["input"]["text"] not in quiet
    assert PLAIN[0]["input"]["text"] in heldout(sliced.path, "slice", "preview", "plain", *GERMAN, "--show-text").out
    assert sliced.status() == before


@pytest.mark.req("B23")
def test_a_preview_reads_a_file_or_standard_input(sliced: Team) -> None:
    text = "match: any\nconditions:\n- {subject: metadata, key: language, operator: eq, value: de}\n"
    sliced.write("draft.yaml", text)
    assert run(sliced, "slice", "preview", "plain", "--file", "draft.yaml")["matched"] == german(PLAIN)
    run(sliced, "slice", "new", "plain", "german", *GERMAN)
    saved = "datasets/plain/slices/german.yaml"
    assert run(sliced, "slice", "preview", "plain", "--file", saved)["matched"] == german(PLAIN)
    sliced.write("draft.yaml", text.replace("operator: eq", "operator: like"))
    wrong = run(sliced, "slice", "preview", "plain", "--file", "draft.yaml", code=2)
    assert (wrong["error"], wrong["location"]["line"]) == ("bad-condition", 3)
    assert "condition 1" in wrong["message"]


@pytest.mark.req("B11")
def test_a_condition_that_cannot_be_read_is_refused_with_its_character(shared: Team) -> None:
    done = heldout(shared.path, "slice", "preview", "plain", "--where", "split eq a", "--where", "metadata.a lke b")
    assert done.code == 2
    assert "condition 2" in done.err
    lines = done.err.splitlines()
    caret = next(index for index, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret - 1][lines[caret].index("^") :].startswith("lke")


@pytest.mark.req("B12", "B14")
def test_members_are_named_by_split_and_key(sliced: Team) -> None:
    run(sliced, "slice", "new", "plain", "german", *GERMAN)
    lines = heldout(sliced.path, "slice", "members", "plain/german").out.splitlines()
    wanted = [f"{item['split']}\t{item['key']}" for item in PLAIN if item["metadata"]["language"] == "de"]
    assert lines == wanted


def test_a_difference_says_who_enters_and_who_leaves(sliced: Team) -> None:
    run(sliced, "slice", "new", "plain", "some", *GERMAN)
    path = sliced.path / "datasets/plain/slices/some.yaml"
    head, history, rest = path.read_text().partition("history:")
    path.write_text(head.replace("value: de", "value: en") + history + rest)
    found = run(sliced, "slice", "diff", "plain/some#1")
    keys = {language: [i["key"] for i in PLAIN if i["metadata"]["language"] == language] for language in ("de", "en")}
    assert [item["key"] for item in found["entered"]] == keys["en"]
    assert [item["key"] for item in found["left"]] == keys["de"]
    assert found["stayed"] == 0


@pytest.mark.req("O3")
def test_suggestions_have_support_and_say_what_no_slice_covers(sliced: Team) -> None:
    run(sliced, "slice", "new", "plain", "german", *GERMAN)
    found = run(sliced, "slice", "suggest", "plain", "--support", "13")
    covered = {item["where"]: (item["examples"], item["covered"]) for item in found["suggestions"]}
    both = sum(item["metadata"]["language"] == "de" and bool(item["tags"]) for item in PLAIN)
    assert covered["metadata.language eq de"] == (german(PLAIN), german(PLAIN))
    assert covered["metadata.language eq en"][1] == 0
    assert covered["tag eq billing"] == (20, both)
    assert found["rare"] == {"metadata.turns": 40}
    assert "--support N" in heldout(sliced.path, "slice", "suggest", "plain", "--support", "41").out


@pytest.mark.req("B26", "B24")
def test_required_slices_have_number_and_digest(sliced: Team) -> None:
    made = run(sliced, "slice", "new", "plain", "german", *GERMAN, "--required")
    run(sliced, "slice", "new", "plain", "other", *BILLING)
    found = run(sliced, "required-slices", "plain")
    assert found["slices"] == [{"name": "german", "number": 1, "digest": made["digest"]}]
    path = sliced.path / "datasets/plain/slices/german.yaml"
    head, history, rest = path.read_text().partition("history:")
    path.write_text(head.replace("value: de", "value: en") + history + rest)
    assert run(sliced, "required-slices", "plain", code=2)["error"] == "slice-not-recorded"


@pytest.mark.req("B25", "B27")
def test_a_result_that_leaves_a_required_slice_out_is_refused(sliced: Team, tmp_path: Path) -> None:
    made = run(sliced, "slice", "new", "plain", "german", *GERMAN, "--required")
    result = tmp_path / "result.json"
    for slices, code, error in (
        ([], 1, "slice-not-reported"),
        ([{"name": "german", "number": 1, "digest": "sha256:" + "0" * 64}], 1, "slice-of-other-definition"),
        ([{"name": "german", "number": 1, "digest": made["digest"]}], 0, None),
    ):
        result.write_text(json.dumps({"slices": slices}))
        assert run(sliced, "required-slices", "plain", "--check", str(result), code=code).get("error") == error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("slice", "show", "plain/none"), "unknown-slice"),
        (("slice", "show", "plain"), "bad-slice-reference"),
        (("slice", "new", "plain", "a b", *GERMAN), "bad-slice-name"),
        (("slice", "new", "plain", "empty"), "bad-definition"),
        (("slice", "new", "plain", "seeded", *GERMAN, "--seed", "s"), "bad-definition"),
        (("slice", "new", "plain@v1.0.0", "late", *GERMAN), "not-a-working-copy"),
        (("slice", "count", "plain", "x#0"), "bad-slice-reference"),
        (("slice", "list", "nothing"), "unknown-dataset"),
    ],
)
def test_what_cannot_work_is_refused(shared: Team, arguments: tuple[str, ...], error: str) -> None:
    assert run(shared, *arguments, code=2)["error"] == error
