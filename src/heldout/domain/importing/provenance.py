"""What Heldout's loaders wrote into a harness's log about the examples of a run: `str(Provenance)`, read back."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(r"heldout (?P<dataset>[^\s]+) content=(?P<content>sha256:[0-9a-f]{64})(?: (?P<rest>.*))?")


def parse_provenance(line: str) -> Mapping[str, str]:
    """`dataset`, `content` and, where one was chosen, `split`; empty for a text that is none of ours."""
    match = _LINE.fullmatch(line)
    if match is None:
        return {}
    rest = dict(part.split("=", 1) for part in (match["rest"] or "").split(" ") if "=" in part)
    found = {"dataset": match["dataset"], "content": match["content"]}
    return {**found, "split": rest["split"]} if "split" in rest else found
