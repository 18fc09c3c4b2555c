"""What holds for every form: the choice is whole, nothing is held that need not be, and names of files come through."""

from __future__ import annotations

import ast
import inspect
import json
from dataclasses import replace

import pytest
from lxml import etree
from support.forms import findings

from heldout.domain.answer import GapKind
from heldout.domain.kind import Kind
from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Report, Weight
from heldout.reports.adapters.rules import gap_rule, rule_of, rules
from heldout.reports.forms.drawing import drawn
from heldout.reports.forms.form import Form

DRAWN = [form for form in Form if form not in (Form.TEXT, Form.JSON)]


@pytest.mark.parametrize("form", DRAWN)
def test_every_form_is_drawn(form: Form) -> None:
    assert "".join(drawn(findings(1), form, "1.2.3")).endswith("\n")


@pytest.mark.parametrize("form", [Form.TEXT, Form.JSON])
def test_text_and_json_are_the_commands_own(form: Form) -> None:
    with pytest.raises(ValueError, match="drawn by each command"):
        drawn(findings(0), form, "1.2.3")


def test_the_choice_ends_where_a_new_form_would_be_forgotten() -> None:
    tree = ast.parse(inspect.getsource(drawn))
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert "assert_never" in calls


@pytest.mark.parametrize("form", DRAWN)
def test_the_same_report_gives_the_same_bytes(form: Form) -> None:
    assert "".join(drawn(findings(40), form, "1")) == "".join(drawn(findings(40), form, "1"))


@pytest.mark.parametrize("form", [Form.JSONL, Form.GITLAB])
def test_forms_without_a_limit_hold_one_item_at_a_time(form: Form) -> None:
    alive: list[int] = []

    def endless() -> object:
        number = 0
        while True:
            alive.append(number)
            yield Item(f"{number:016x}", "exact", Weight.BLOCK, Level.ERROR, "x", Location("f", 1))
            number += 1

    report = Report("findings", "", Outcome.FOUND, ("x",), 1, Items(endless), rules(["exact"]))  # type: ignore[arg-type]
    pieces = drawn(report, form, "1")
    next(pieces)
    next(pieces)
    assert len(alive) <= 2


@pytest.mark.parametrize("form", DRAWN)
def test_a_file_may_be_called_anything(form: Form) -> None:
    """Bytes that are no UTF-8, blanks, what URIs and workflow commands mean something by."""
    for name in ("caf\udce9.csv", "a b,c:d%41?#.csv", "naïve/é.jsonl"):
        (item,) = findings(1).items
        report = replace(findings(1), items=[replace(item, location=Location(name, 3))])
        text = "".join(drawn(report, form, "1")).encode("utf-8", "backslashreplace").decode()
        if form is Form.SARIF:
            (result,) = json.loads(text)["runs"][0]["results"]
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert uri.isascii()
            assert not set(uri) & set(" ?#:")
        elif form is Form.GITLAB:
            assert json.loads(text)[0]["location"]["lines"]["begin"] == 3
        elif form is Form.JUNIT:
            etree.fromstring(text.encode())
        elif form is Form.GITHUB:
            assert len(text.splitlines()) == 2


@pytest.mark.parametrize("name", [*Kind, *(gap_rule(kind) for kind in GapKind)])
def test_every_kind_and_gap_is_explained(name: str) -> None:
    rule = rule_of(name)
    assert rule.id == name
    assert rule.help != f"{rule.title}.", "nobody wrote what it means"
    assert len(rule.help) > 30


def test_a_slug_is_explained_by_the_page_of_errors() -> None:
    rule = rule_of("record-forged")
    assert rule.help.startswith("Found by `heldout verify`: a scan record is not what its data and method give")
    assert "What to do:" in rule.help
    assert "](" not in rule.help
