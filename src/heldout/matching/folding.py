"""Normalisation a character at a time, where that equals NFKC and lower case of the whole text.

NFKC of a text is that of its characters one after the other unless a character composes with one before it, and lower
case looks around only for the final sigma. Texts without such characters need no Python call of their own, only a table
that maps each character to its letter or to a space. The rest are folded whole.
"""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

SPACE = 32
WHOLE = np.uint32(0xFFFFFFFE)
"""A character whose text has to be folded whole."""

UNKNOWN = np.uint32(0xFFFFFFFF)
"""A character that the table has to learn first."""
_SIGMA = "Σ"

COMPOSING = (
    (0x300, 0x304), (0x306, 0x30C), (0x30F, 0x30F), (0x311, 0x311), (0x313, 0x314), (0x31B, 0x31B), (0x323, 0x328),
    (0x32D, 0x32E), (0x330, 0x331), (0x338, 0x338), (0x342, 0x342), (0x345, 0x345), (0x653, 0x655), (0x93C, 0x93C),
    (0x9BE, 0x9BE), (0x9D7, 0x9D7), (0xB3E, 0xB3E), (0xB56, 0xB57), (0xBBE, 0xBBE), (0xBD7, 0xBD7), (0xC56, 0xC56),
    (0xCC2, 0xCC2), (0xCD5, 0xCD6), (0xD3E, 0xD3E), (0xD57, 0xD57), (0xDCA, 0xDCA), (0xDCF, 0xDCF), (0xDDF, 0xDDF),
    (0x102E, 0x102E), (0x1100, 0x11FF), (0x1B35, 0x1B35), (0x3099, 0x309A), (0xA960, 0xA97F), (0xD7B0, 0xD7FF),
    (0x110BA, 0x110BA), (0x11127, 0x11127), (0x1133E, 0x1133E), (0x11357, 0x11357), (0x114B0, 0x114B0),
    (0x114BA, 0x114BA), (0x114BD, 0x114BD), (0x115AF, 0x115AF), (0x11930, 0x11930),
)  # fmt: skip
"""Characters of Unicode 14 that may compose with one before them, and all conjoining Hangul letters."""

_THEMSELVES = ((0x4E00, 0xA000), (0xAC00, 0xD7A4))  # ideographs and Hangul syllables, too many to ask about one by one


class Folding:
    """The table, filled for the characters that have been met.

    `letters` maps each code point that is a letter or number to itself and others to 0; `assigned` says which exist.
    """

    def __init__(self, letters: NDArray[np.uint32], assigned: NDArray[np.bool_]) -> None:
        self.letters = np.where(letters == 0, np.uint32(SPACE), letters)
        self.table = np.full(letters.size, UNKNOWN, np.uint32)
        self.table[~assigned] = WHOLE
        for low, high in _THEMSELVES:
            self.table[low:high] = np.where(assigned[low:high], self.letters[low:high], WHOLE)
        self._composing = frozenset(chr(code) for low, high in COMPOSING for code in range(low, high + 1))

    def learn(self, points: NDArray[np.uint32]) -> None:
        """Fill the table for these characters."""
        for code in np.unique(points[self.table[points] == UNKNOWN]).tolist():
            self.table[code] = self._mapped(chr(code))

    def _mapped(self, character: str) -> np.uint32:
        composed = unicodedata.normalize("NFKC", character)
        if not self._composing.isdisjoint(composed) or _SIGMA in composed:
            return WHOLE
        letters = [self.letters[ord(part)] for part in composed.lower()]
        if all(letter == SPACE for letter in letters):
            return np.uint32(SPACE)
        return np.uint32(letters[0]) if len(letters) == 1 else WHOLE
