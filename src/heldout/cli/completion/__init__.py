"""Completion of a line in bash, zsh and fish: a script for each, and one program that says what could come next.

A script calls `heldout` with the words up to the cursor, and `_HELDOUT_COMPLETE` set to the shell's name.
"""

from __future__ import annotations

from typing import Final

VARIABLE: Final = "_HELDOUT_COMPLETE"
