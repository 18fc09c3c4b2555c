"""The option `--memory`, the same for every command that scans."""

from __future__ import annotations

from typing import Annotated

import typer

Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="What the scan may take, as 1GiB; default half of the machine's. No result depends on it.",
    ),
]


def asked_bytes(text: str | None) -> int | None:
    """The option in bytes. Raises UsageError (slug bad-size)."""
    from heldout.services.matching.memory_limit import asked_limit

    return None if text is None else asked_limit(text).size
