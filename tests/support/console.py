"""Runs the `console` blocks of a document, so that what it shows is what happens.

```console
$ heldout gate support@v1.0.0
contaminated
...
$ echo $?
1
```

The blocks of one document are one shell session in one scratch folder. A command must exit 0 unless the next one asks
for `$?`. Lines below a command are what it prints (both streams), compared unless there are none: a line `...` stands
for any lines, `[...]` inside a line for any text. A `$` line that ends in a backslash, or is followed by `> ` lines,
goes on. An HTML comment that starts with the word setup is shell that runs and is not shown:

<!-- setup
git init -q .
-->

A block that cannot run here says why: ```console skip="installs from a package index". `$REPOSITORY` is this
repository's folder.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PIECE = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->$|^```console(?P<options>[^\n]*)\n(?P<block>.*?)^```$", re.MULTILINE | re.DOTALL
)
_TIMEOUT_SECONDS = 180


@dataclass(frozen=True, slots=True)
class Step:
    """One command. `expected` is None where the document shows no output."""

    command: str
    line: int
    expected: str | None
    shown: bool = True


def steps_of(document: str) -> list[Step]:
    """The commands of a document in their order, setup included."""
    steps: list[Step] = []
    for piece in _PIECE.finditer(document):
        line = document.count("\n", 0, piece.start()) + 2
        if piece["setup"] is not None:
            steps.append(Step(piece["setup"], line, None, shown=False))
        elif "skip=" not in piece["options"]:
            steps.extend(_steps_of_block(piece["block"], line))
    return steps


def _steps_of_block(block: str, first_line: int) -> list[Step]:
    steps: list[Step] = []
    command: list[str] = []
    output: list[str] = []
    start = first_line

    def finish() -> None:
        if command:
            text = "\n".join(output).rstrip()
            steps.append(Step("\n".join(command), start, text or None))

    for number, line in enumerate(block.splitlines(), first_line):
        if line.startswith("$ "):
            finish()
            command, output, start = [line[2:]], [], number
        elif not command:
            raise ValueError(f"line {number}: a console block starts with a command: $ ...")
        elif not output and command[-1].endswith("\\"):
            command.append(line.removeprefix("> "))
        elif not output and (line == ">" or line.startswith("> ")):
            command.append(line[2:])
        else:
            output.append(line)
    finish()
    return steps


def complaints(document: str, folder: Path) -> list[str]:
    """Runs a document in an empty folder; one text for each command that did something else than shown."""
    steps = steps_of(document)
    if not steps:
        return []
    results = folder.parent / f"{folder.name}-results"
    results.mkdir()
    script = "_status() { return $1; }\nstatus=0\n" + "".join(_script(step, n, results) for n, step in enumerate(steps))
    subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "REPOSITORY": str(ROOT)},
        stdin=subprocess.DEVNULL,
        timeout=_TIMEOUT_SECONDS,
        check=True,
    )
    found = []
    for number, step in enumerate(steps):
        output = (results / f"{number}.out").read_text(encoding="utf-8")
        status = int((results / f"{number}.status").read_text(encoding="utf-8"))
        following = steps[number + 1].command if number + 1 < len(steps) else ""
        if status != 0 and following != "echo $?":
            found.append(f"line {step.line}: `{step.command}` exited {status} and printed:\n{output}")
        elif step.expected is not None and not matches(step.expected, output):
            found.append(f"line {step.line}: `{step.command}` printed:\n{output}\nthe document shows:\n{step.expected}")
    return found


def _script(step: Step, number: int, results: Path) -> str:
    """One step in the session's own shell, so that `cd`, variables and `$?` carry on to the next."""
    out, status = (shlex.quote(str(results / f"{number}.{kind}")) for kind in ("out", "status"))
    return f"_status $status\n{{\n{step.command}\n}} >{out} 2>&1\nstatus=$?\necho $status >{status}\n"


def matches(expected: str, actual: str) -> bool:
    """Whether output is what a document shows, with its wildcards."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("[...]")) + r"[ \t]*\n"
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None
