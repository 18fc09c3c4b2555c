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
        asked = args or not ctx.resilient_parsing  # else a shell asks what may follow the group's name
        if "list" in self.commands and asked and (not args or args[0] not in known):
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Commands below, and what `list` takes."""
        found: list[Any] = super().shell_complete(ctx, incomplete)
        listing = self.commands.get("list")
        if listing is None:
            return found
        with listing.make_context("list", [], parent=ctx, resilient_parsing=True) as inner:
            for parameter in listing.params:
                if parameter.param_type_name == "argument":
                    found += parameter.shell_complete(inner, incomplete)
        return found
