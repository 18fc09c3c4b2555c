"""Which files of a project are prompts, and what a held-out excerpt in one means (`prompts` in heldout.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class PromptPolicy:
    """`files` are paths and patterns from the repository's top, read as Git's glob pathspecs: `*` and `?` stay in one
    folder, `**/` is any number of folders, and a folder means all below it. `block` refuses the commit."""

    files: tuple[str, ...] = ()
    block: bool = False

    def matches(self, path: str) -> bool:
        return any(
            _pattern(file).fullmatch(path) is not None or path.startswith(f"{file.rstrip('/')}/") for file in self.files
        )


NO_PROMPTS = PromptPolicy()


@dataclass(frozen=True, slots=True)
class PromptExcerpt:
    """Eight consecutive words of a held-out example stand in a prompt file. `line` is None where the file is JSON."""

    dataset: str
    split: str
    key: str
    prompt: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """What was found, by dataset, file and line; and the datasets whose held-out examples are not on this machine."""

    excerpts: tuple[PromptExcerpt, ...] = ()
    not_here: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.excerpts or self.not_here)


def pattern_problem(pattern: str) -> str | None:
    """Why a text is no such pattern, or None. What shells and Git read in different ways is refused."""
    if not pattern or pattern.startswith(("/", ":", "./")) or ".." in pattern.split("/"):
        return "expected a path from the repository's top, like prompts/**/*.md"
    if found := re.search(r"[\[\]{}\\,\"'#:\s]|[\x00-\x1f]", pattern):
        return f"{found[0]!r} cannot stand in a pattern; ? stands for any one character"
    if "**" in pattern and any("**" in part and part != "**" for part in pattern.split("/")):
        return "** stands for whole folders: prompts/**/*.md"
    return None


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = glob.split("/")
    text = ""
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            text += ".*" if last else "(?:[^/]+/)*"
        else:
            text += re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + ("" if last else "/")
    return re.compile(text, re.DOTALL)
