"""Writes docs/man/heldout.1 from the commands themselves, in mdoc(7): `python -m tools.man_page`, `--check` to compare.

The page names no day and no version, so that it changes when a command does and at no other time.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from heldout.cli.app import application

# Lines of the page stay short, as mandoc(1) asks for; what escapes add is little.
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "man"
HEAD = """\
.\\" Written by tools/man_page.py from the commands themselves; change those.
.Dd $Mdocdate$
.Dt HELDOUT 1
.Os
.Sh NAME
.Nm heldout ,
.Nm git\\-heldout
.Nd keep held\\-out data held out
.Sh SYNOPSIS
.Nm
.Op Fl \\-version
.Op Fl h | \\-help
.Op Ar command Op Ar argument ...
.Nm git
.Cm heldout
.Op Ar command Op Ar argument ...
.Sh DESCRIPTION
Versions, leakage scans and gates for datasets that are kept in
.Xr git 1
and DVC.
A version of a dataset is a Git tag,
.Ar NAME Ns @v Ns Ar X . Ns Ar Y . Ns Ar Z ;
a subject is a dataset's name (its working copy), such a version, or
.Ar NAME Ns @ Ns Ar COMMIT .
.Pp
Without a command it shows where every dataset stands, and the one next step.
What a command found goes to standard output, everything about it to standard
error.
"""
TAIL = """\
.Sh ENVIRONMENT
.Bl -tag -width NO_COLOR
.It Ev NO_COLOR
Set to anything: no colour, on a terminal either.
.It Ev PAGER
Is never started.
.El
.Sh FILES
.Bl -tag -width datasets/NAME/dataset.yaml
.It Pa datasets/NAME/dataset.yaml
What the dataset is: its files, splits, fields and holdout.
.It Pa datasets/NAME/scans/
Committed records of scans, which gates read.
.It Pa datasets/NAME/reviews/
Decisions of people about findings.
.It Pa datasets/NAME/slices/
Definitions of slices.
.It Pa .heldout/
Caches of this clone; may be removed at any time.
.El
.Sh EXIT STATUS
.Bl -tag -width 130
.It 0
Clean, or done.
.It 1
Findings, a contamination, or something blocked.
.It 2
No verdict: usage, configuration, or input that cannot be read.
.It 3
Unknown: not everything has been compared, which is not clean.
.It 70
A defect of the program; it names a file that says more.
.It 130
Interrupted.
.El
.Sh SEE ALSO
.Xr git 1 ,
.Xr git\\-tag 1
"""


def page() -> str:
    program: Any = typer.main.get_command(application())
    lines = [HEAD.rstrip("\n"), "The options of the program itself are:", *_options(program), ".Sh COMMANDS"]
    for name, command in program.commands.items():
        inner = getattr(command, "commands", None)
        if inner is None:
            lines += _command(name, command)
            continue
        lines += [f".Ss {_text(name)}", *_prose(command.help or "")]
        for below, found in inner.items():
            lines += _command(f"{name} {below}", found)
    return "\n".join([*lines, TAIL])


def alias() -> str:
    """`git heldout --help` asks man for a page of that name."""
    return ".so man1/heldout.1\n"


def _command(name: str, command: Any) -> Iterator[str]:
    text, _, example = (command.help or "").partition("Example:")
    yield f".Ss {_text(name)}"
    yield f".Nm heldout Cm {_text(name)}"
    options = [item for item in command.params if item.param_type_name == "option" and not item.hidden]
    if options:
        yield ".Op Ar option ..."
    for item in command.params:
        if item.param_type_name == "argument":
            yield f".Ar {_text(_argument(item))}" if item.required else f".Op Ar {_text(_argument(item))}"
    yield ".Pp"
    yield from _prose(text)
    arguments = [item for item in command.params if item.param_type_name == "argument" and item.help]
    if arguments or options:
        yield ".Bl -tag -width Ds"
        for item in arguments:
            yield f".It Ar {_text(_argument(item))}"
            yield from _prose(item.help)
        yield from _items(command, options)
        yield ".El"
    if example.strip():
        yield ".Pp"
        yield "Example:"
        yield f".Dl {_text(' '.join(example.split()))}"


def _options(command: Any) -> Iterator[str]:
    yield ".Bl -tag -width Ds"
    yield from _items(command, [item for item in command.params if item.param_type_name == "option"])
    yield ".El"


def _items(command: Any, options: list[Any]) -> Iterator[str]:
    with command.make_context("heldout", [], resilient_parsing=True) as context:
        records = [(item, item.get_help_record(context)) for item in options]
    for item, record in records:
        if record is None:
            continue
        names = [*item.opts, *item.secondary_opts]
        value = record[0].split(names[-1], 1)[-1].strip() if not item.is_flag else ""
        shown = " , ".join(f"Fl {_text(name[1:])}" for name in names)
        yield f".It {shown}" + (f" Ar {_text(value.strip('<>[]'))}" if value else "")
        yield from _prose(record[1].replace("  ", " "))


def _argument(item: Any) -> str:
    return str(item.metavar or item.name.upper()).strip("[]{}") or item.name.upper()


def _prose(text: str) -> Iterator[str]:
    """A sentence a line, as mdoc wants it; an empty line is a new paragraph."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if not paragraph.strip():
            continue
        if number:
            yield ".Pp"
        for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z`])", " ".join(paragraph.split())):
            yield from map(_text, textwrap.wrap(sentence, 72, break_long_words=False, break_on_hyphens=False))


def _text(text: str) -> str:
    """Nothing of it is taken for a macro or an escape; characters beyond ASCII by their numbers."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    escaped = "".join(char if ord(char) < 128 else f"\\[u{ord(char):04X}]" for char in escaped)
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    stale = []
    for name, text in {"heldout.1": page(), "git-heldout.1": alias()}.items():
        file = FOLDER / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                FOLDER.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
    if check and stale:
        sys.stderr.write(f"not as the commands are: {', '.join(stale)}; make man\n")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
