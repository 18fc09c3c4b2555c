"""Which files of a project are prompts, and what a held-out excerpt in one means (`prompts` in heldout.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from heldout.domain.canonical import digest
from heldout.domain.kind import PROMPT, Kind, Severity

if TYPE_CHECKING:
    from heldout.domain.deciding.review import Review, Reviews
    from heldout.domain.finding import Finding


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
    """Words of a held-out example stand in a prompt file (`prompt_words`). `line` is None where the file is JSON;
    `input` is the digest of the example's input."""

    dataset: str
    split: str
    key: str
    prompt: str
    line: int | None = None
    input: str = ""

    @property
    def finding(self) -> Finding:
        """In the shape of a finding between examples: a decision is about this example in this file. The side of the
        file has no digest of its words, which those words would be guessed by."""
        from heldout.domain.finding import Finding, Side  # settings are read by hooks that find nothing

        held = Side(self.dataset, self.split, self.key, self.input)
        return Finding(
            Kind.PROMPT_EXCERPT, Severity.REVIEW, held, Side(PROMPT, "file", self.prompt, digest(self.prompt))
        )


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """What was found, by dataset, file and line; and the datasets whose held-out examples are not on this machine."""

    excerpts: tuple[PromptExcerpt, ...] = ()
    not_here: tuple[str, ...] = ()
    accepted: tuple[tuple[PromptExcerpt, Review], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.excerpts or self.not_here or self.accepted)

    def decided(self, reviews: Reviews, *, block: bool) -> PromptCheck:
        """The same with what people accepted apart. Where policy blocks, somebody else has to agree."""
        said = [(item, reviews.acceptance(item.finding, method(), contaminates=block)) for item in self.excerpts]
        left = tuple(item for item, review in said if review is None)
        return replace(self, excerpts=left, accepted=tuple((item, review) for item, review in said if review))


def method() -> str:
    """What stands where a decision names the method that found an excerpt."""
    from heldout.domain.splitting.case_words import EXCERPT  # settings are read by hooks that match nothing
    from heldout.domain.splitting.prompt_words import WHOLE

    return digest({"id": "prompt_excerpt", "words": EXCERPT, "whole": WHOLE})


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
