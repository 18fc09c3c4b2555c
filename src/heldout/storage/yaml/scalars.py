"""What a plain YAML scalar means here (decision A49), shared by the two parsers and the writer.

Only what JSON knows converts: true, false, null, and numbers written as JSON writes them. Dates, `no`, `012`, `0x1f`,
`1_000` and `.5` stay the text the user wrote.
"""

from __future__ import annotations

import json
import re
from typing import Final

from heldout.domain.example import JSON
from heldout.storage.exact_numbers import exact_float

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, JSON]] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Words that a YAML 1.1 reader would turn into a boolean: quoted when written, so that every reader agrees.
_AMBIGUOUS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+()-]+)*")
# JSON strings are YAML strings but for the characters that YAML does not print or takes for a line break.
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def plain_value(text: str) -> JSON:
    """The value of an unquoted scalar. Raises ValueError for a number that cannot be kept."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return exact_float(text)
    return text


def string_text(text: str) -> str:
    """A string as the writer puts it: plain where no reader could take it for anything else, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _AMBIGUOUS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
