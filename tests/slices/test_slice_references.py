"""Slices that refer to slices: what is meant never changes, the digest covers it, and unknown stays unknown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from slices.building import examples, oracle
from slices.conftest import OUTSIDE, PLAIN
from support.cli import heldout
from support.story import Team

import heldout as package
from heldout.domain.example import Example
from heldout.domain.slicing.definition import Condition, Definition, Sample
from heldout.domain.slicing.evaluation import Truth, compile_definition, count, draw_samples
from heldout.domain.slicing.language import parse_condition, render_condition
from heldout.domain.slicing.rules import DefinitionError
from heldout.domain.slicing.shape import read_definition

GERMAN = Definition((Condition("metadata", "language", "eq", "de"),))
LONG = Definition((Condition("field", "input", "contains", "a"),))


def refers(operator: str, *texts: str, meaning: dict[str, Definition] | None = None, **more: Any) -> Definition:
    known = {"german#1": GERMAN, "long#1": LONG} if meaning is None else meaning
    condition = (
        Condition("slice", None, operator, values=texts)
        if operator in ("in", "not_in")
        else Condition("slice", None, operator, texts[0])
    )
    return Definition((condition, *more.pop("also", ())), referenced={text: known[text] for text in texts}, **more)


def sha(value: Any) -> str:
    return "sha256:" + hashlib.sha256(rfc8785.dumps(value)).hexdigest()


@pytest.mark.req("A4", "A5")
def test_the_digest_has_the_other_digest_in_the_place_of_the_reference() -> None:
    def canonical(value: Any, operator: str = "eq", name: str = "value") -> Any:
        return {"match": "all", "conditions": [{"subject": "slice", "operator": operator, name: value}]}

    assert refers("eq", "german#1").digest == sha(canonical(GERMAN.digest))
    wanted = sha(canonical(sorted([GERMAN.digest, LONG.digest]), "in", "values"))
    assert refers("in", "long#1", "german#1").digest == refers("in", "german#1", "long#1").digest == wanted
    twice = refers("in", "a#1", "b#7", meaning={"a#1": GERMAN, "b#7": GERMAN})
    assert twice.digest == sha(canonical([GERMAN.digest], "in", "values"))


@pytest.mark.req("A4", "A5")
def test_neither_name_nor_number_is_covered_and_a_pinned_reference_needs_no_file() -> None:
    first = refers("eq", "german#1")
    other = refers("eq", "deutsch#9", meaning={"deutsch#9": GERMAN})
    assert first.digest == other.digest
    assert first == other
    assert first != refers("eq", "german#1", meaning={"german#1": LONG})
    pinned = first.pinned()
    assert pinned.to_json()["conditions"] == [
        {"subject": "slice", "operator": "eq", "value": f"german@{GERMAN.digest[7:]}"}
    ]
    assert read_definition(json.loads(json.dumps(pinned.to_json()))).digest == first.digest
    with pytest.raises(DefinitionError):
        _ = read_definition(first.to_json()).digest


@pytest.mark.req("B11")
@pytest.mark.parametrize("text", ["german", "german#0", "german@12", "german#x", "", "a b#1", "#1", "@abcd"])
def test_a_reference_says_which_definition(text: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        Condition("slice", None, "eq", text)
    assert "NAME#NUMBER" in refused.value.message


@pytest.mark.req("B11")
def test_a_slice_takes_no_key_and_four_operators() -> None:
    for wrong in (("slice", "k", "eq", "a#1"), ("slice", None, "contains", "a#1"), ("slice", None, "eq", 1)):
        with pytest.raises(DefinitionError):
            Condition(*wrong)  # type: ignore[arg-type]
    condition = parse_condition("slice not_in [german#2, long@abcd]")
    assert parse_condition(render_condition(condition)) == condition


def kleene(operator: str, answers: Iterable[Truth]) -> Truth:
    """As Kleene has it, with unknown between no and yes: or is the highest, not turns the order round."""
    order: list[Truth] = [False, None, True]
    highest = max(map(order.index, answers))
    return order[2 - highest] if operator in ("neq", "not_in") else order[highest]


@pytest.mark.req("A13")
@given(st.sampled_from(["eq", "neq", "in", "not_in"]), examples(), st.sampled_from(["all", "any"]))
def test_unknown_is_handed_on_as_kleene_has_it(operator: str, example: Example, match: str) -> None:
    texts = ("german#1", "long#1") if operator.endswith("in") else ("long#1",)
    beside = Condition("metadata", "a", "exists")
    found = compile_definition(refers(operator, *texts, match=match, also=(beside,)))(example)
    known = {"german#1": GERMAN, "long#1": LONG}
    own = kleene(operator, [oracle(known[text].conditions[0], example) for text in texts])
    order: list[Truth] = [False, None, True]
    both = [order.index(own), order.index(oracle(beside, example))]
    assert found is order[min(both) if match == "all" else max(both)]


SAMPLED = Definition((Condition("metadata", "n", "lt", 9),), sample=Sample(3, "s"))


def numbered(total: int = 12, outside: Iterable[int] = ()) -> list[Example]:
    return [
        Example(
            *("test", None if n in outside else "a"),
            key=f"k{n}",
            metadata={"n": n},
            payload="sha256:" + "0" * 64 if n in outside else None,
            has_input=n not in outside,
        )
        for n in range(total)
    ]


@pytest.mark.req("B12", "B14")
def test_who_was_drawn_is_in() -> None:
    rows = numbered()
    drawn = {f"k{n}" for n in sorted(range(9), key=lambda n: hashlib.sha256(f"sk{n}".encode()).hexdigest())[:3]}
    for operator, size in (("eq", 3), ("neq", 9)):
        definition = refers(operator, "s#1", meaning={"s#1": SAMPLED})
        check = compile_definition(definition, draw_samples([definition], lambda: rows))
        found = {str(row.key) for row in rows if check(row)}
        assert len(found) == size
        assert found == (drawn if operator == "eq" else {str(row.key) for row in rows} - drawn)


@pytest.mark.req("A13", "B12")
def test_nobody_can_say_who_is_in_a_partial_sample() -> None:
    partly = Definition((Condition("metadata", "n", "lt", 9), Condition("field", "input", "eq", "a")), sample=Sample(3))
    definition = refers("eq", "s#1", meaning={"s#1": partly})
    whole, blind = numbered(), numbered(outside={2, 11})
    assert count(definition, whole, draw_samples([definition], lambda: whole)).matched == 3
    found = count(definition, blind, draw_samples([definition], lambda: blind))
    assert (found.matched, found.unmatched, found.unevaluable) == (0, 3, 9)


@pytest.mark.req("B12")
def test_a_sample_of_a_sample_is_drawn_from_it() -> None:
    inner = {"s#1": SAMPLED}
    middle = refers("eq", "s#1", meaning=inner, sample=Sample(2, "t"))
    outer = refers("eq", "m#1", meaning={"m#1": middle})
    rows = numbered()
    samples = draw_samples([outer], lambda: rows)
    first, second = samples[SAMPLED.digest].members, samples[middle.digest].members
    assert (len(first), len(second)) == (3, 2)
    assert second < first
    assert count(outer, rows, samples).matched == 2


# ---- with real Git


def run(team: Team, *arguments: str, code: int = 0) -> Any:
    done = heldout(team.path, *arguments, "--json")
    assert done.code == code, f"{arguments}: {done}"
    return json.loads(done.out)


def new(team: Team, name: str, *where: str, more: tuple[str, ...] = (), dataset: str = "plain", code: int = 0) -> Any:
    words = [word for text in where for word in ("--where", text)]
    return run(team, "slice", "new", dataset, name, *words, *more, code=code)


def edit(team: Team, name: str, before: str, after: str) -> None:
    """In the definition that people write, not in the history."""
    path = team.path / f"datasets/plain/slices/{name}.yaml"
    head, history, rest = path.read_text().partition("history:")
    assert before in head
    path.write_text(head.replace(before, after) + history + rest)


def broken(team: Team) -> list[str]:
    """What verification finds wrong; that nobody could scan `outside` whole is another matter."""
    done = heldout(team.path, "verify", "--json")
    found = [item["slug"] for item in done.json["problems"] if item["level"] == "failed"]
    assert done.code == (1 if found else 3)
    return found


def german(item: dict[str, Any]) -> bool:
    return bool(item["metadata"]["language"] == "de")


@pytest.mark.req("B15", "B18", "A5")
def test_what_was_recorded_keeps_its_meaning_when_the_other_slice_is_edited(sliced: Team) -> None:
    new(sliced, "german", "metadata.language eq de")
    made = new(sliced, "german-billing", "slice eq german#1", "tag eq billing")
    assert made["number"] == 1
    wanted = sum(german(item) and "billing" in item["tags"] for item in PLAIN)

    def matched(reference: str = "german-billing") -> int:
        found = run(sliced, "slice", "count", "plain", reference)
        return int(found["datasets"][0]["slices"][0]["counts"][0]["matched"])

    assert matched() == wanted
    sliced.git("add", "datasets")
    sliced.save("Name slices")
    edit(sliced, "german", "value: de", "value: en")
    sliced.git("add", "datasets")
    assert "recorded as number 2 of slice german" in sliced.save("German is English now")
    assert matched() == wanted
    assert run(sliced, "slice", "show", "plain/german-billing")["digest"] == made["digest"]
    shown = heldout(sliced.path, "slice", "show", "plain/german-billing#1").out
    (line,) = (text.strip() for text in shown.splitlines() if "slice eq german@" in text)
    assert len(line.partition("@")[2]) == 12
    assert run(sliced, "slice", "preview", "plain", "--where", line)["matched"] == sum(map(german, PLAIN))
    edit(sliced, "german-billing", "german#1", "german#2")
    assert run(sliced, "slice", "save", "plain", "german-billing")["slices"][0]["added"][0]["number"] == 2
    english = sum(item["metadata"]["language"] == "en" and "billing" in item["tags"] for item in PLAIN)
    assert (matched(), matched("german-billing#1")) == (english, wanted)
    members = run(sliced, "slice", "members", "plain/german-billing#1")["members"]
    assert [item["key"] for item in members] == [i["key"] for i in PLAIN if german(i) and "billing" in i["tags"]]
    sliced.git("add", "datasets")
    sliced.save("Refer to the other")
    assert broken(sliced) == []


@pytest.mark.req("B15")
def test_slices_that_refer_to_each_other_are_recorded_in_order_or_refused(sliced: Team) -> None:
    def written(name: str, other: str) -> None:
        sliced.write(
            f"datasets/plain/slices/{name}.yaml",
            f"format: heldout/slice@1\nname: {name}\ndefinition:\n  conditions:\n"
            f"  - {{subject: slice, operator: eq, value: {other}}}\n",
        )

    new(sliced, "german", "metadata.language eq de")
    written("a", "b#1")
    written("b", "c#1")
    written("c", "german#1")
    sliced.git("add", "datasets")
    said = sliced.save("Three at once")
    assert [line for line in ("slice a", "slice b", "slice c") if line in said] == ["slice a", "slice b", "slice c"]
    assert broken(sliced) == []
    for first, second in (("x", "y"), ("y", "x")):
        written(first, f"{second}#1")
    assert run(sliced, "slice", "save", "plain", code=2)["error"] == "slice-cycle"
    sliced.git("add", "datasets")
    refused = sliced.run("commit", "-q", "-m", "A circle")
    assert refused.returncode == 1
    assert "slice-cycle" in refused.stderr
    written("y", "nothing#1")
    assert run(sliced, "slice", "save", "plain", code=2)["error"] == "unknown-slice-reference"
    written("x", "x#1")
    (sliced.path / "datasets/plain/slices/y.yaml").unlink()
    assert run(sliced, "slice", "save", "plain", code=2)["error"] == "slice-cycle"
    written("x", "a#2")
    found = run(sliced, "slice", "list", "plain", code=2)
    assert (found["error"], found["location"]["file"]) == ("unknown-slice-reference", "datasets/plain/slices/x.yaml")


@pytest.mark.req("B15")
def test_a_slice_may_refer_to_what_it_was_before(sliced: Team) -> None:
    new(sliced, "german", "metadata.language eq de")
    edit(sliced, "german", "subject: metadata", "subject: slice")
    edit(sliced, "german", "    key: language\n", "")
    edit(sliced, "german", "value: de", "value: german#1")
    assert run(sliced, "slice", "save", "plain", "german")["slices"][0]["added"][0]["number"] == 2
    same = run(sliced, "slice", "diff", "plain/german#1", "plain/german#2")
    assert (same["entered"], same["left"], same["stayed"]) == ([], [], sum(map(german, PLAIN)))


@pytest.mark.req("B15")
def test_a_reference_whose_slice_was_removed_fails_verification_and_a_renamed_one_is_found(sliced: Team) -> None:
    new(sliced, "german", "metadata.language eq de")
    new(sliced, "rest", "slice neq german#1")
    folder = sliced.path / "datasets/plain/slices"
    whole = (folder / "german.yaml").read_text()
    (folder / "deutsch.yaml").write_text(whole.replace("name: german", "name: deutsch"))
    (folder / "german.yaml").unlink()
    shown = run(sliced, "slice", "members", "plain/rest#1")
    assert shown["matched"] == len(PLAIN) - sum(map(german, PLAIN))
    (folder / "deutsch.yaml").unlink()
    assert run(sliced, "slice", "members", "plain/rest#1", code=2)["error"] == "unknown-slice-reference"
    sliced.git("add", "datasets")
    sliced.git("commit", "-q", "--no-verify", "-m", "Lose it")
    assert [slug for slug in broken(sliced) if slug == "unknown-slice-reference"]


@pytest.mark.req("A13", "A14", "B21")
def test_every_view_adds_up_with_a_reference_to_what_cannot_be_checked(sliced: Team) -> None:
    new(sliced, "late", "input.turns gte 110", dataset="outside")
    new(sliced, "both", "slice eq late#1", "metadata.language eq de", dataset="outside")
    new(sliced, "few", "input.turns gte 110", more=("--sample", "3"), dataset="outside")
    new(sliced, "some", "slice eq few#1", dataset="outside")
    blind = [item for item in OUTSIDE if "input" not in item]
    rows = run(sliced, "slice", "count", "outside")["datasets"][0]["slices"]
    found = {row["name"]: row["counts"][0] for row in rows}
    assert found["both"]["unevaluable"] == sum(map(german, blind))
    surely_not = [item for item in OUTSIDE if "input" in item and item["input"]["turns"] < 110]
    assert found["some"]["unmatched"] == len(surely_not)
    assert found["some"]["unevaluable"] == len(OUTSIDE) - len(surely_not)
    for name, view in product(("both", "some"), ("members", "count")):
        numbers = found[name] if view == "count" else run(sliced, "slice", "members", f"outside/{name}")
        assert numbers["matched"] + numbers["unmatched"] + numbers["unevaluable"] == numbers["total"] == 40
    assert run(sliced, "slice", "suggest", "outside", "--support", "5")["total"] == 40


@pytest.mark.req("B23")
def test_previews_and_python_look_references_up(sliced: Team) -> None:
    made = new(sliced, "german", "metadata.language eq de")
    for text in ("german#1", f"german@{made['digest'][7:15]}", f"german@{made['digest']}"):
        found = run(sliced, "slice", "preview", "plain", "--where", f"slice neq {text}")
        assert found["matched"] == len(PLAIN) - sum(map(german, PLAIN))
    wrong = run(sliced, "slice", "preview", "plain", "--where", "slice eq german#2", code=2)
    assert (wrong["error"], "1 to 1" in wrong["hint"]) == ("unknown-slice-reference", True)
    wrong = run(sliced, "slice", "preview", "plain", "--where", "slice eq gherman#1", code=2)
    assert "german" in wrong["hint"]
    subject = package.open(sliced.path).subject("plain")
    definition = Definition((Condition("slice", None, "eq", "german#1"),))
    assert subject.count(definition).matched == sum(map(german, PLAIN))
