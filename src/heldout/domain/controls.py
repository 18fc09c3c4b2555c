"""Characters that steer what shows them: a terminal obeys them, and a line end lets a name begin a line of its own.

CI services obey lines too: `::error::` at the start of one is a command to GitHub's runner, and the older `##[error]`
is one wherever it stands.
"""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, and the overrides of direction that let text read as other text.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|#(?=#\\[)")
_BUT_COLOURS = re.compile("(?!\x1b\\[[0-9;]*m)(?:" + _STEERING.pattern + ")")


def escaped(text: str, *, colours: bool = False) -> str:
    """The text with each such character as JSON escapes it; `colours` keeps sequences that only set a colour."""
    if _harmless(text):
        return text
    return (_BUT_COLOURS if colours else _STEERING).sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def escaped_line(text: str, *, colours: bool = False) -> str:
    """The same for a line of output: tabs, and empty lines before and after it, stay."""
    if _harmless(text):
        return text
    inner = text.strip("\n")
    before, after = text[: len(text) - len(text.lstrip("\n"))], text[len(text.rstrip("\n")) :] if inner else ""
    return before + "\t".join(escaped(piece, colours=colours) for piece in inner.split("\t")) + after


def _harmless(text: str) -> bool:
    return text.isprintable() and "##[" not in text
