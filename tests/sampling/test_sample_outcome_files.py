"""Outcomes out of files: the same ids as in frames, prohibited actions kept, and options that would have no say."""

from __future__ import annotations

import json

import pytest
from sampling.conftest import ENRICHED, Files

LABEL = ("label", "draw.json", "--by", "ana", "--rubric", "refunds@3")


@pytest.mark.req("D28")
@pytest.mark.parametrize(
    ("name", "rows", "code"),
    [
        ("outcomes.jsonl", '{{"id": "{0}", "label": 0, "prohibited": true}}\n', 1),
        ("outcomes.csv", "{0},0,true\n", 1),
        ("outcomes.csv", "{0},0,\n", 0),
        ("outcomes.jsonl", '{{"id": "{0}", "label": 0, "prohibited": null}}\n', 0),
    ],
)
def test_a_prohibited_action_is_not_lost_on_the_way_from_a_file(framed: Files, name: str, rows: str, code: int) -> None:
    """Twelve cases of twelve without a failure: nothing but the action can stop it."""
    framed.design("--kind", "stratified", "--draw", "routine=12", "--draw", "risk=4")
    framed.draw()
    every = [*framed.selected("routine"), *framed.selected("risk")]
    head = "id,label,prohibited\n" if name.endswith(".csv") else ""
    framed.write(name, head + "".join(rows.format(unit) for unit in every))
    framed.make(*LABEL, "--from", name, "-o", "labels.jsonl")
    ran = framed.estimate()
    assert ran.code == code, ran.err
    assert ("prohibited actions among those drawn: 16" in ran.out) == bool(code)
    framed.write(name, head + "".join(rows.format(unit) for unit in every).replace("true", "perhaps"))
    if code and name.endswith(".csv"):
        refused = framed.run(*LABEL, "--from", name, "-o", "again.jsonl")
        assert (refused.code, "expected true or false at 'prohibited'" in refused.err) == (2, True)


def test_numbers_are_ids_in_outcomes_as_they_are_in_frames(framed: Files) -> None:
    framed.write("numbers.jsonl", "".join(f'{{"id": {n}, "label": {n % 2}}}\n' for n in range(1, 9)))
    framed.make("frame", "numbers.jsonl", "--id", "id", "--population", "population.yaml", "-o", "n.jsonl")
    about = ("--failure", "f", "--maturity", "m", "--seed", "s")
    framed.make("design", "n.jsonl", "--kind", "stratified", "--size", "8", *about, "-o", "n.yaml")
    framed.make("draw", "n.jsonl", "n.yaml", "-o", "draw.json")
    made = framed.make(*LABEL, "--from", "numbers.jsonl", "-o", "labels.jsonl")
    assert made.out.startswith("labels.jsonl: 8 drawn units, 0 of them to be labelled")
    ran = framed.make("estimate", "n.jsonl", "n.yaml", "draw.json", "labels.jsonl", "--json")
    assert '"label": 1' in ran.out
    assert (
        "truth, which only a study knows: all 4"
        in framed.make("qualify", "n.jsonl", "n.yaml", "--truth", "numbers.jsonl").out
    )


def test_a_file_in_which_no_row_has_an_id_is_refused(labelled: Files) -> None:
    ran = labelled.run(*LABEL, "--from", "outcomes.jsonl", "--id", "case", "-o", "again.jsonl")
    assert (ran.code, "no row has an id at 'case' [missing-key]" in ran.err) == (2, True)
    assert "again.jsonl" not in labelled.names()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("frame", "cases.jsonl", "--id", "id", "--population", "population.yaml", "--split", "a"),
            "--split has no say beside --id",
        ),
        (
            ("frame", "cases.jsonl", "--id", "id", "--population", "population.yaml", "--slice", "a"),
            "--slice has no say beside --id",
        ),
        (
            ("qualify", "frame.jsonl", "design.yaml", "--failures", "risk=1", "--truth", "outcomes.jsonl"),
            "--failures has no say beside --truth",
        ),
    ],
)
def test_an_option_without_a_say_is_refused(labelled: Files, arguments: tuple[str, ...], said: str) -> None:
    ran = labelled.run(*arguments, "-o", "more.jsonl")
    assert (ran.code, said in ran.err) == (2, True)
    assert "more.jsonl" not in labelled.names()


def test_more_units_than_there_are_cannot_be_asked_for(framed: Files) -> None:
    about = ("--failure", "f", "--maturity", "m", "--seed", "s", "-o", "d.yaml")
    for asked, said in ((("--size", "17"), "17 of 16 units"), (("--size", "13", "--draw", "risk=4"), "13 of 12 units")):
        ran = framed.run("design", "frame.jsonl", "--kind", "stratified", *asked, *about)
        assert (ran.code, said in ran.err, "[wrong-quota]" in ran.err) == (2, True, True)
    framed.make("design", "frame.jsonl", "--kind", "stratified", "--size", "16", *about)


def test_a_threshold_is_refused_with_an_example_of_its_own(framed: Files) -> None:
    about = ("--failure", "f", "--maturity", "m", "--seed", "s", "-o", "d.yaml")
    ran = framed.run("design", "frame.jsonl", *ENRICHED, *about, "--threshold", "release=35")
    assert (ran.code, "try: --threshold release=0.05" in ran.err) == (2, True)


@pytest.mark.req("D30")
def test_a_replay_prints_whatever_was_forged(labelled: Files) -> None:
    """A number, an object or nothing where something else was: its JSON has them as they are."""
    assert labelled.estimate("-o", "study.json").code == 3
    for part, forged in (("prohibited", 7), ("prohibited", {"a": 1}), ("raw", None), ("decisions", "clear")):
        study = json.loads(labelled.read("study.json"))
        study["result"][part] = forged
        labelled.write("forged.json", json.dumps(study))
        ran = labelled.run("replay", "forged.json", "--json")
        assert (ran.code, ran.json["differences"][0]["stored"]) == (1, forged), ran.err
