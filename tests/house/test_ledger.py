"""The ledger says what is shown and no more (B53)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.console import ROOT

from tools.ledger import Requirement, markers_in, problems, render, requirements, state_of

pytestmark = pytest.mark.req("B53")

TESTS = """
import pytest
pytestmark = [pytest.mark.req("B1"), pytest.mark.slow]

@pytest.mark.req("B2", "B3")
def test_two(): ...

@pytest.mark.skip(reason="later")
@pytest.mark.req("B4")
def test_skipped(): ...

@pytest.mark.xfail
@pytest.mark.req("B4")
def test_failing(): ...

def helper():
    return pytest.mark.req("B5")

class TestGroup:
    pytestmark = pytest.mark.req("B6")

    @pytest.mark.req("B2")
    def test_inner(self): ...

@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.req("B7")), pytest.param(2, marks=pytest.mark.xfail)])
def test_parameters(x): ...
"""


def rows(*claims: tuple[str, str, tuple[str, ...]]) -> list[Requirement]:
    return [Requirement(one, f"title of {one}", release, modules) for one, release, modules in claims]


def test_markers_are_read_where_pytest_reads_them() -> None:
    assert markers_in(TESTS) == {
        "B1": ["test_two", "TestGroup::test_inner", "test_parameters"],
        "B2": ["test_two", "TestGroup::test_inner"],
        "B3": ["test_two"],
        "B6": ["TestGroup::test_inner"],
        "B7": ["test_parameters"],
    }


def test_a_skipped_or_failing_test_verifies_nothing() -> None:
    assert "B4" not in markers_in(TESTS)


def test_states_are_honest() -> None:
    proven = {"B1": {"tests/test_a.py": ["test_one"]}}
    claimed = rows(("B1", "1", ("src",)), ("B2", "1", ("src",)), ("B3", "1", ()), ("B4", "", ()))
    assert [state_of(row, proven) for row in claimed] == ["verified", "implemented", "missing", ""]
    page = render(claimed, proven)
    assert "3 of 4 are claimed: 1 verified, 1 implemented, 1 missing." in page
    assert "| B1 | title of B1 | verified | [tests/test_a.py](../tests/test_a.py): test_one |" in page
    assert "- B4: title of B4" in page


@pytest.mark.parametrize(
    ("claim", "marker", "complaint"),
    [
        (("B1", "1", ()), "B99", "no requirement is called B99"),
        (("B1", "", ()), "B1", "B1 is not claimed"),
        (("B1", "1", ("src/nothing.py",)), "B1", "src/nothing.py, which does not exist"),
    ],
)
def test_what_is_dishonest_is_refused(
    claim: tuple[str, str, tuple[str, ...]], marker: str, complaint: str, tmp_path: Path
) -> None:
    found = problems(rows(claim), {marker: {"tests/test_a.py": ["test_one"]}}, tmp_path)
    assert len(found) == 1
    assert complaint in found[0]


def test_every_requirement_of_the_five_sources_has_one_row() -> None:
    listed = [row.id for row in requirements((ROOT / "tools" / "requirements.tsv").read_text(encoding="utf-8"))]
    sizes = {"B": 53, "E": 53, "C": 23, "O": 36, "D": 63, "A": 52}
    assert listed == [f"{letter}{number}" for letter, size in sizes.items() for number in range(1, size + 1)]
