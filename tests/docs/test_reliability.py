"""docs/reliability.md names tests; each is there, and runs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
PAGE = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
CASES = sorted(set(NAMED.findall(PAGE)))
TROUBLE = (
    *(f"dvc#{number}" for number in (7967, 9075, 4073, 10752, 9641, 10498, 1599, 4658, 3318, 5083, 5456)),
    *(f"pre-commit#{number}" for number in (2107, 3050, 2577, 3627)),
    *("git-branchless#1543", "git-branchless#1334", "git-pkgs#209", "checkout#338", "checkout#882"),
    *("dulwich#1791", "gto#377"),
)


@cache
def functions_in(file: str) -> dict[str, ast.FunctionDef]:
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("file", "name"), CASES, ids=[f"{file}::{name}" for file, name in CASES])
def test_a_named_test_is_there_and_runs(file: str, name: str) -> None:
    decorators = [ast.unparse(item) for item in functions_in(file)[name].decorator_list]
    assert not any(word in item for item in decorators for word in ("mark.skip(", "xfail"))


def test_every_promise_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("|---")]
    headings = ("shown by",)
    bare = [row for row in rows if not NAMED.search(row) and not any(word in row for word in headings)]
    assert bare == []


def test_every_case_is_answered_or_said_to_be_open() -> None:
    missing = [case for case in TROUBLE if case not in PAGE]
    assert missing == []
    unknown = PAGE.partition("Not looked into:")[2]
    for repository, number in (case.split("#") for case in TROUBLE):
        linked = re.search(rf"\[{repository}#{number}\]\(https://github.com/[\w./-]+/{number}\)", PAGE)
        assert linked or f"{repository}#{number}" in unknown
