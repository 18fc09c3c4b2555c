"""What breaks a sample is refused: exit 2, the slug, the file, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sampling.conftest import AT, ENRICHED, Files

Break = Callable[[Files], None]


def drawn(change: Callable[[Any], Any]) -> Break:
    """The draw is changed, and labels are bound to what it has become."""

    def broken(files: Files) -> None:
        files.edit_json("draw.json", change)

    return broken


def labels(change: Callable[[str], str]) -> Break:
    return lambda files: files.edit("labels.jsonl", change)


def lines(change: Callable[[list[str]], list[str]]) -> Break:
    return labels(lambda text: "".join(change(text.splitlines(True))))


def first(value: dict[str, Any], **parts: object) -> None:
    value["selected"][-1].update(parts)


CASES: list[tuple[str, str, Break]] = [
    ("a selected case without a line", "label-missing", lines(lambda rows: rows[:-1])),
    (
        "a selected case without a label",
        "label-missing",
        labels(lambda text: text.replace('"label": 0', '"label": null', 1)),
    ),
    ("a case labelled twice", "repeated-unit", lines(lambda rows: [*rows, rows[-1]])),
    ("a label that is none", "bad-value", labels(lambda text: text.replace('"label": 0', '"label": 2', 1))),
    (
        "a label for a case outside the frame",
        "unit-not-in-frame",
        lines(lambda rows: [*rows, '{"id": "x", "label": 0}\n']),
    ),
    (
        "labels of another draw",
        "other-draw",
        labels(lambda text: text.replace('"draw": "sha256:', '"draw": "sha256:0', 1)),
    ),
    ("a case drawn twice", "repeated-unit", drawn(lambda value: value["selected"].append(value["selected"][0]))),
    ("a drawn case outside the frame", "unit-not-in-frame", drawn(lambda value: first(value, id="x9"))),
    ("a drawn case in another stratum", "unit-not-in-frame", drawn(lambda value: first(value, stratum="risk"))),
    ("one case too few", "wrong-quota", drawn(lambda value: value["selected"].pop())),
    ("another probability", "wrong-probability", drawn(lambda value: first(value, probability="1/2"))),
    ("a probability of zero", "no-probability", drawn(lambda value: first(value, probability="0"))),
    ("no probability", "no-probability", drawn(lambda value: value["selected"][-1].pop("probability"))),
    ("a draw from another frame", "other-frame", drawn(lambda value: value.update(frame="sha256:" + "0" * 64))),
    ("a draw by another design", "other-design", drawn(lambda value: value.update(design="sha256:" + "0" * 64))),
    ("another procedure", "other-selection", drawn(lambda value: value.update(procedure="by hand"))),
    ("a time that is none", "bad-value", drawn(lambda value: value.update(selected_at="yesterday"))),
    (
        "a threshold moved after the draw",
        "other-design",
        lambda files: files.edit("design.yaml", lambda text: text.replace("strict: 0.2", "strict: 0.6")),
    ),
    (
        "a stratum that draws nothing",
        "no-probability",
        lambda files: files.edit("design.yaml", lambda text: text.replace("draw: 4", "draw: 0")),
    ),
    (
        "more drawn than there are",
        "wrong-quota",
        lambda files: files.edit("design.yaml", lambda text: text.replace("draw: 4", "draw: 40")),
    ),
    (
        "another size of a stratum",
        "wrong-quota",
        lambda files: files.edit("design.yaml", lambda text: text.replace("units: 12", "units: 13")),
    ),
    (
        "a frame that grew",
        "other-frame",
        lambda files: files.edit("frame.jsonl", lambda text: text + '{"id": "late", "stratum": "routine"}\n'),
    ),
    (
        "a unit twice in the frame",
        "repeated-unit",
        lambda files: files.edit("frame.jsonl", lambda text: text + '{"id": "k0", "stratum": "routine"}\n'),
    ),
]


@pytest.mark.req("D27")
@pytest.mark.parametrize(("slug", "breaks"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_broken_sample(labelled: Files, slug: str, breaks: Break) -> None:
    breaks(labelled)
    ran = labelled.estimate("-o", "study.json")
    assert ran.code == 2
    assert f"[{slug}]" in ran.err
    assert ran.out == ""
    assert "study.json" not in labelled.names()
    told = labelled.estimate("--json").json
    assert (told["format"], told["error"], told["exit_code"]) == ("heldout/error@1", slug, 2)
    assert told["location"]["file"] in ("labels.jsonl", "draw.json", "design.yaml", "frame.jsonl")


@pytest.mark.req("D26", "D27", "D32")
def test_a_case_that_was_not_drawn_stays_out(labelled: Files) -> None:
    unit = next(f"r{n:02}" for n in range(12) if f"r{n:02}" not in labelled.selected("routine"))
    labelled.edit("labels.jsonl", lambda text: text + f'{{"id": "{unit}", "label": 1}}\n')
    ran = labelled.estimate()
    assert ran.code == 2
    assert f"labels.jsonl:10: {unit!r} was not drawn [unit-not-drawn]" in ran.err


@pytest.mark.req("D32")
def test_somebody_who_swaps_a_case_is_found_out(labelled: Files) -> None:
    unit = next(f"r{n:02}" for n in range(12) if f"r{n:02}" not in labelled.selected("routine"))
    labelled.edit_json("draw.json", lambda value: first(value, id=unit))
    ran = labelled.estimate()
    assert ran.code == 2
    assert "[other-selection]" in ran.err


@pytest.mark.req("D27")
def test_a_stratum_that_the_design_forgot(framed: Files) -> None:
    framed.design(*ENRICHED)
    framed.edit("design.yaml", lambda text: text.replace("  routine:\n    units: 12\n    draw: 4\n", ""))
    ran = framed.run("draw", "frame.jsonl", "design.yaml", "--at", AT, "-o", "draw.json")
    assert ran.code == 2
    assert "12 units have no probability [no-probability]" in ran.err


@pytest.mark.req("D54")
def test_nothing_is_overwritten(labelled: Files) -> None:
    labelled.estimate("-o", "study.json")
    before = {name: labelled.read(name) for name in labelled.names()}
    every = {
        "frame": ("cases.jsonl", "--id", "id", "--population", "population.yaml", "-o", "frame.jsonl"),
        "design": (
            *("frame.jsonl", *ENRICHED, "--failure", "f", "--maturity", "m", "--seed", "s", "-o", "design.yaml"),
        ),
        "draw": ("frame.jsonl", "design.yaml", "-o", "draw.json"),
        "label": ("draw.json", "--by", "bo", "--rubric", "r", "-o", "labels.jsonl"),
        "estimate": ("frame.jsonl", "design.yaml", "draw.json", "labels.jsonl", "-o", "study.json"),
        "qualify": (
            "frame.jsonl",
            "design.yaml",
            "--failures",
            "risk=3",
            "--failures",
            "routine=1",
            "-o",
            "study.json",
        ),
        "replay": ("study.json", "-o", "study.json"),
    }
    for command, arguments in every.items():
        ran = labelled.run(command, *arguments)
        assert (command, ran.code) == (command, 2)
        assert "[output-exists]" in ran.err
    assert {name: labelled.read(name) for name in labelled.names()} == before


@pytest.mark.req("D30")
def test_a_replay_trusts_nothing_that_came_out(labelled: Files) -> None:
    labelled.estimate("-o", "study.json")
    assert labelled.make("replay", "study.json").out.endswith("every entry is the same\n")

    def forged(change: Callable[[Any], Any]) -> dict[str, tuple[object, object]]:
        value = json.loads(labelled.read("study.json"))
        change(value)
        labelled.write("forged.json", json.dumps(value))
        ran = labelled.run("replay", "forged.json", "--json")
        assert ran.code == 1
        return {each["path"]: (each["stored"], each["computed"]) for each in ran.json["differences"]}

    def passes(value: Any) -> None:
        value["result"]["decisions"][1]["interval"] = "clear"
        value["passed"] = True

    assert forged(passes) == {
        "result.decisions[1].interval": ("clear", "hold"),
        "passed": (True, "nothing"),
    }
    assert list(forged(lambda value: value["result"].update(weighted="1/8"))) == ["result.weighted"]
    assert list(forged(lambda value: value["statements"].pop())) == ["statements"]


@pytest.mark.req("D30")
def test_a_replay_refuses_inputs_that_do_not_fit(labelled: Files) -> None:
    labelled.estimate("-o", "study.json")
    stored = json.loads(labelled.read("study.json"))
    stored["labels"]["labels"].pop()
    labelled.write("fewer.json", json.dumps(stored))
    assert "[label-missing]" in labelled.run("replay", "fewer.json").err
    stored["design"]["thresholds"]["release"] = "0.9"
    labelled.write("moved.json", json.dumps(stored))
    assert "[other-design]" in labelled.run("replay", "moved.json").err
    assert "[unknown-format]" in labelled.run("replay", "draw.json").err


@pytest.mark.req("D30")
def test_a_qualification_is_replayed_too(labelled: Files) -> None:
    truth = ("--failures", "routine=1", "--failures", "risk=3")
    labelled.make("qualify", "frame.jsonl", "design.yaml", *truth, "-o", "q.json")
    labelled.make("replay", "q.json", "-o", "again.json")
    assert labelled.read("again.json") == labelled.read("q.json")
    labelled.edit("q.json", lambda text: text.replace('"least_coverage": "98/99"', '"least_coverage": "1"'))
    ran = labelled.run("replay", "q.json")
    assert ran.code == 1
    assert "result.everywhere.least_coverage: stored 1, computed 98/99" in ran.out
