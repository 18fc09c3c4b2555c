"""Every command, one small module each; the order here is the order of `heldout --help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heldout.cli.commands.add import add
from heldout.cli.commands.check import check
from heldout.cli.commands.demo import demo
from heldout.cli.commands.doctor import doctor
from heldout.cli.commands.freeze import freeze
from heldout.cli.commands.gate import gate
from heldout.cli.commands.init import init
from heldout.cli.commands.retire import retire, unfreeze
from heldout.cli.commands.scan import scan
from heldout.cli.commands.status import status
from heldout.cli.commands.verify import verify

COMMANDS: dict[str, Callable[..., Any]] = {
    "demo": demo,
    "check": check,
    "init": init,
    "add": add,
    "status": status,
    "doctor": doctor,
    "scan": scan,
    "gate": gate,
    "freeze": freeze,
    "unfreeze": unfreeze,
    "retire": retire,
    "verify": verify,
}

GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {}
