"""Every command, one small module each; the order here is the order of `heldout --help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heldout.cli.commands.gate import gate

COMMANDS: dict[str, Callable[..., Any]] = {
    "gate": gate,
}

GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {}
