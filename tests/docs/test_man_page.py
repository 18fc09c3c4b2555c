"""The man page is made from the commands, has nothing that formatters complain of, and travels with the package."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.console import ROOT

from heldout.cli.commands import COMMANDS, GROUPS
from tools.man_page import alias, page

FOLDER = ROOT / "docs" / "man"
PAGE = FOLDER / "heldout.1"


def test_it_is_as_the_commands_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make man"
    assert (FOLDER / "git-heldout.1").read_text(encoding="utf-8") == alias()


def formatted() -> str:
    done = subprocess.run(["mandoc", "-Tascii", str(PAGE)], capture_output=True, text=True, check=True)
    return re.sub(".\x08", "", done.stdout)


def test_every_command_has_its_section() -> None:
    text = formatted()
    missing = [name for name in COMMANDS if f"\n     heldout {name}" not in text]
    missing += [f"{g} {n}" for g, (_, below) in GROUPS.items() for n in below if f"\n     heldout {g} {n}" not in text]
    assert missing == []
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "FILES", "EXIT STATUS", "SEE ALSO"):
        assert f"\n{section}\n" in text


def test_mandoc_has_no_complaint() -> None:
    """References to pages of other packages are not looked up: what is installed here says nothing."""
    done = subprocess.run(["mandoc", "-Tlint", "-Wall", str(PAGE)], capture_output=True, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert said == []


def test_man_shows_it_for_git_heldout(tmp_path: Path) -> None:
    """As `git heldout --help` asks for it, from the place that the package puts it in."""
    folder = tmp_path / "share/man/man1"
    folder.mkdir(parents=True)
    for name in ("heldout.1", "git-heldout.1"):
        (folder / name).write_bytes((FOLDER / name).read_bytes())
    done = subprocess.run(
        ["mandoc", "-Tascii", "man1/git-heldout.1"],
        cwd=tmp_path / "share/man",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "keep held-out data held out" in done.stdout
