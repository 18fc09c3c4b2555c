"""Commands that have commands below them."""

from __future__ import annotations

from typing import Any

import typer.core


class ListByDefault(typer.core.TyperGroup):
    """`heldout findings SUBJECT` is `heldout findings list SUBJECT`, beside `heldout findings show ID`.

    A dataset that is called like one of the commands is reached by the long form. A group without `list` is plain.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {*self.commands, *ctx.help_option_names}
        if "list" in self.commands and (not args or args[0] not in known):
            args = ["list", *args]
        return super().parse_args(ctx, args)
