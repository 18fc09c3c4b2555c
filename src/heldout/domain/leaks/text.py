"""EvalLeak's canonical text: three steps that can each be switched off, so that a match shows what it rests on.

It is another normaliser than `heldout.domain.text` on purpose: here ASCII punctuation is deleted ("e-mail" becomes
"email"), other symbols and combining marks stay, and nothing is decomposed unless that is asked for.
"""

from __future__ import annotations

import hashlib
import string
import unicodedata
from dataclasses import dataclass

from heldout.domain.text import drop_unassigned

_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps are applied. `nfkc` is no step of EvalLeak's and off by default."""

    whitespace: bool = True
    case: bool = True
    punctuation: bool = True
    nfkc: bool = False

    def names(self) -> tuple[str, ...]:
        """The active steps in the order in which reports list them."""
        active = {
            "nfkc": self.nfkc,
            "whitespace": self.whitespace,
            "case": self.case,
            "punctuation": self.punctuation,
        }
        return tuple(name for name, on in active.items() if on)

    def apply(self, text: str) -> str:
        r"""The canonical text. Line endings (\r\n, \r) are always one \n: they are the file's, not the text's.

        The whitespace step makes each run of whitespace one space and trims; it comes last, so that what the
        punctuation step leaves between two spaces is collapsed as well.
        """
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self.nfkc and not text.isascii():
            text = _by_known_characters(text, "nfkc")
        if self.case:
            text = text.lower() if text.isascii() else _by_known_characters(text, "lower")
        if self.punctuation:
            text = text.translate(_PUNCTUATION)
        return " ".join(text.split()) if self.whitespace else text


ALL_STEPS = Steps()


def digest_of(text: str) -> str:
    """sha256 of a canonical text's UTF-8 bytes, which is what makes two records equal."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def _by_known_characters(text: str, step: str) -> str:
    """Characters that came after Unicode 14 stay as they are: each Python has other tables for those (A48)."""
    change = str.lower if step == "lower" else _nfkc
    if len(drop_unassigned(text)) == len(text):
        return change(text)
    parts: list[str] = []
    known = ""
    for character in text:
        if drop_unassigned(character):
            known += character
        else:
            parts += (change(known), character)
            known = ""
    return "".join((*parts, change(known)))


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
