"""What the documents show is run, and what they name exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.console import ROOT, complaints, matches, steps_of

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

SAMPLE = """\
Text, and `inline $ code`.

<!-- setup
git init -q .
echo one > file
-->

```console
$ cat file
one
$ git status --short \\
      --untracked-files
?? file
$ cd .git && false
$ echo $?
1
$ basename "$PWD"
.git
```

```console skip="not here"
$ no-such-program
```

```console
$ printf '%s\\n' \\
>   a b
a
b
$ seq 1 9
1
...
9
$ echo took 3.2 s
took [...] s
```
"""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_show_what_happens(document: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    found = complaints(document.read_text(encoding="utf-8"), folder)
    assert not found, "\n\n".join(found)


def test_a_true_document_passes(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    assert complaints(SAMPLE, tmp_path / "scratch") == []


def test_steps_carry_their_lines() -> None:
    steps = [step for step in steps_of(SAMPLE) if step.shown]
    lines = SAMPLE.splitlines()
    assert [lines[step.line - 1].removeprefix("$ ") for step in steps] == [
        step.command.splitlines()[0] for step in steps
    ]
    assert len(steps) == 8


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ("$ false\n", "`false` exited 1"),
        ("$ echo a\nb\n", "the document shows:\nb"),
        ("$ echo a; echo b\na\n", "the document shows:\na"),
        ("$ false\n$ echo $?\n2\n", "`echo $?` printed:\n1"),
        ("$ heldout-misspelt\n", "not found"),
    ],
)
def test_an_untrue_document_is_found_out(block: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    found = complaints(f"```console\n{block}```\n", tmp_path / "scratch")
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a", "a\n", True),
        ("a", "a \n\n", True),
        ("a", "ab\n", False),
        ("a\n...", "a\n", True),
        ("...\nb", "a\na\nb\n", True),
        ("x [...] z", "x y\nz\n", False),
        ("(a.c)", "(abc)\n", False),
    ],
)
def test_wildcards(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same
