"""JUnit's XML: valid by the schema of Jenkins' plugin, and counted right."""

from __future__ import annotations

import pytest
from lxml import etree
from support.data import data_path
from support.forms import findings

from heldout.domain.reporting import Outcome, Report
from heldout.reports.forms.junit import junit

SCHEMA = etree.XMLSchema(etree.parse(str(data_path("forms/junit-10.xsd"))))


@pytest.fixture(scope="module")
def tree(report: Report) -> etree._Element:
    return etree.fromstring("".join(junit(report)).encode())


def test_it_is_valid(tree: etree._Element) -> None:
    SCHEMA.assertValid(tree)


def test_the_schema_is_one_that_refuses() -> None:
    assert not SCHEMA.validate(etree.fromstring("<testsuites><testsuite/></testsuites>"))


def test_counts_are_those_of_the_cases(tree: etree._Element, report: Report) -> None:
    (suite,) = tree.iter("testsuite")
    assert int(suite.get("tests")) == len([*suite.iter("testcase")]) == max(1, report.total)
    for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(attribute)) == len([*suite.iter(element)])
    errors = sum(item.level.value == "error" for item in report.items)
    assert int(suite.get("failures")) == errors


def test_all_clean_is_one_test_that_passed() -> None:
    tree = etree.fromstring("".join(junit(findings(0))).encode())
    (case,) = tree.iter("testcase")
    assert len(case) == 0


@pytest.mark.parametrize(("outcome", "element"), [(Outcome.UNKNOWN, "error"), (Outcome.FOUND, "failure")])
def test_an_answer_without_items_is_no_pass_unless_it_is_clean(outcome: Outcome, element: str) -> None:
    alone = Report("gate", "x@v1.0.0", outcome, ("nobody knows",), 0, (), ())
    tree = etree.fromstring("".join(junit(alone)).encode())
    SCHEMA.assertValid(tree)
    (case,) = tree.iter("testcase")
    assert [child.tag for child in case] == [element]
