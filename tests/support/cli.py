"""Runs `heldout` in a folder, in this process: fast enough for a table of wrong inputs."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.git import inside
from support.schemas import require_schema

from heldout.cli.app import invoke


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def heldout(folder: Path, *arguments: str) -> Ran:
    """No terminal: nothing is asked."""
    out, err = io.StringIO(), io.StringIO()
    with inside(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = invoke(arguments)
    require_schema(arguments, out.getvalue())
    return Ran(int(code), out.getvalue(), err.getvalue())


def snapshot(top: Path) -> dict[str, bytes]:
    """Every file below a folder but Git's and DVC's own, and what Git says of them."""
    files = (file for file in sorted(top.rglob("*")) if file.is_file())
    hidden = (".git", "cache", "tmp")
    return {
        file.relative_to(top).as_posix(): file.read_bytes()
        for file in files
        if not any(part in hidden for part in file.relative_to(top).parts)
    }
