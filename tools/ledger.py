"""The requirement ledger: which requirement is shown by which test.

    python -m tools.ledger            write docs/requirements.md
    python -m tools.ledger --check    fail when it is stale, or when a marker names what this release does not claim

The claims are in tools/requirements.tsv, the proof is `@pytest.mark.req("B35")` on a test. Both are read as text (the
tests through their syntax tree), so the ledger needs nothing installed and cannot be changed by what a test does. A
test that is skipped or expected to fail proves nothing and is not counted.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    "B": "Slices and leakage",
    "E": "Contamination report",
    "C": "Course split check",
    "O": "Slices guide",
    "D": "Dataset design",
    "A": "Settled questions",
}
INTRODUCTION = """\
# Requirements

<!-- Written by `make ledger` from the markers on tests. Edit tools/requirements.tsv or the tests, not this page. -->

What this release claims, and what shows it. **verified**: a test carries the requirement's id and runs in
`make test`. **implemented**: the code named is there and no test carries the id. **missing**: claimed for this release
and not there. What no release claims yet is listed at the end.
"""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One row of requirements.tsv. `modules` are paths of code that delivers it; `release` is empty for later ones."""

    id: str
    title: str
    release: str
    modules: tuple[str, ...]


@dataclass(slots=True)
class _Markers:
    """Ids found in one test file: `found` maps an id to the test names that carry it."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, ids: list[str], test: str) -> None:
        for one in ids:
            self.found.setdefault(one, []).append(test)


def requirements(text: str) -> list[Requirement]:
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [Requirement(row[0], row[1], row[2], tuple(row[3].split())) for row in rows]


def markers_in(source: str) -> dict[str, list[str]]:
    """Requirement ids in one test file, with the tests that carry them; module and class markers reach every test."""
    markers = _Markers()
    body = ast.parse(source).body
    _collect(body, _assigned_ids(body), "", markers)
    return markers.found


def _collect(body: list[ast.stmt], inherited: list[str], prefix: str, markers: _Markers) -> None:
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if _proves_nothing(node.decorator_list):
            continue
        ids = inherited + _ids(node.decorator_list)
        if isinstance(node, ast.ClassDef):
            if node.name.startswith("Test"):
                _collect(node.body, ids + _assigned_ids(node.body), f"{node.name}::", markers)
        elif node.name.startswith("test"):
            markers.add(list(dict.fromkeys(ids)), prefix + node.name)


def _assigned_ids(body: list[ast.stmt]) -> list[str]:
    """`pytestmark = pytest.mark.req("B35")`, alone or in a list."""
    return [
        one
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)
        for one in _ids([node.value])
    ]


def _mark_calls(nodes: list[ast.expr], names: set[str]) -> Iterator[ast.Attribute | ast.Call]:
    for root in nodes:
        for node in ast.walk(root):
            target = node.func if isinstance(node, ast.Call) else node
            if (
                isinstance(node, ast.Call | ast.Attribute)
                and isinstance(target, ast.Attribute)
                and target.attr in names
                and isinstance(target.value, ast.Attribute)
                and target.value.attr == "mark"
            ):
                yield node


def _ids(nodes: list[ast.expr]) -> list[str]:
    return [
        argument.value
        for call in _mark_calls(nodes, {"req"})
        if isinstance(call, ast.Call)
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _proves_nothing(decorators: list[ast.expr]) -> bool:
    """Whether the whole test is skipped or may fail; a single parameter set that is (`pytest.param`) does not count."""
    targets = [node.func if isinstance(node, ast.Call) else node for node in decorators]
    return any(True for _ in _mark_calls([*targets], {"skip", "skipif", "xfail"}))


def proofs(tests: Path) -> dict[str, dict[str, list[str]]]:
    """For each id, its tests by file (path relative to the repository)."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for one, names in markers_in(path.read_text(encoding="utf-8")).items():
            found.setdefault(one, {})[path.relative_to(tests.parent).as_posix()] = names
    return found


def problems(rows: list[Requirement], proven: Mapping[str, Mapping[str, list[str]]], root: Path) -> list[str]:
    """What makes the ledger dishonest: an id nobody knows, a proof of what is not claimed, code that is not there."""
    known = {row.id: row for row in rows}
    found = []
    for one, files in sorted(proven.items()):
        where = ", ".join(files)
        if one not in known:
            found.append(f"{where}: no requirement is called {one}")
        elif not known[one].release:
            found.append(
                f"{where}: {one} is not claimed; give it a release in tools/requirements.tsv or drop the marker"
            )
    found += [
        f"tools/requirements.tsv: {row.id} names {module}, which does not exist"
        for row in rows
        for module in row.modules
        if not (root / module).exists()
    ]
    return found


def state_of(row: Requirement, proven: Mapping[str, object]) -> str:
    if row.id in proven:
        return "verified"
    if row.modules:
        return "implemented"
    return "missing" if row.release else ""


def render(rows: list[Requirement], proven: Mapping[str, Mapping[str, list[str]]]) -> str:
    claimed = [row for row in rows if row.release]
    states = [state_of(row, proven) for row in claimed]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("verified", "implemented", "missing"))
    parts = [INTRODUCTION, f"{len(claimed)} of {len(rows)} are claimed: {counts}.\n"]
    for letter, source in SOURCES.items():
        section = [row for row in claimed if row.id.startswith(letter)]
        if section:
            table = [_table_line(row, proven) for row in section]
            parts.append(
                "\n".join([f"## {source}\n", "| id | what | state | shown by |", "|---|---|---|---|", *table, ""])
            )
    later = [f"- {row.id}: {row.title}" for row in rows if not row.release]
    parts.append("\n".join(["## Not yet claimed\n", *later, ""]))
    return "\n".join(parts)


def _table_line(row: Requirement, proven: Mapping[str, Mapping[str, list[str]]]) -> str:
    files = proven.get(row.id, {})
    shown = "<br>".join(f"[{path}](../{path}): {', '.join(names)}" for path, names in files.items())
    code = ", ".join(f"[{path}](../{path})" for path in row.modules)
    return f"| {row.id} | {row.title} | {state_of(row, proven)} | {shown or code} |"


def main(arguments: list[str]) -> int:
    page = ROOT / "docs" / "requirements.md"
    rows = requirements((ROOT / "tools" / "requirements.tsv").read_text(encoding="utf-8"))
    proven = proofs(ROOT / "tests")
    found = problems(rows, proven, ROOT)
    text = render(rows, proven)
    if "--check" not in arguments:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        found.append("docs/requirements.md is stale: run `make ledger`")
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
