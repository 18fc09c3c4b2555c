"""The split check: the rules between a case file's development and held-out cases, its lock, and prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from heldout.domain.splitting.case import DEVELOPMENT, HELD_OUT, Case, CaseSet
from heldout.domain.splitting.case_near import near_pairs
from heldout.domain.splitting.case_words import windows, words_of
from heldout.domain.splitting.lock import Lock, case_changes


class Decision(StrEnum):
    """What a finding asks for; of a whole check the gravest of its findings, `PASS` without any."""

    BLOCK = "block"
    REVIEW = "review"
    PASS = "pass"


class Rule(StrEnum):
    DUPLICATE = "duplicate input"
    NEAR = "near duplicate"
    SOURCE = "source crosses split"
    EXCERPT = "held-out excerpt in prompt"
    LOCK = "frozen split changed"

    @property
    def decision(self) -> Decision:
        return Decision.REVIEW if self in (Rule.NEAR, Rule.EXCERPT) else Decision.BLOCK


@dataclass(frozen=True, slots=True)
class SplitFinding:
    """`details` are (name, value) in the order in which they are shown; `similarity` is exact, where there is one."""

    rule: Rule
    details: tuple[tuple[str, str], ...]
    similarity: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file as the texts that stand in it; an excerpt never reaches from one text into the next. `whole` says
    that the one text is the file as it is, so that its lines are the file's."""

    name: str
    texts: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class SplitCheck:
    """What was checked, and what came of it."""

    cases: CaseSet
    findings: tuple[SplitFinding, ...]

    @property
    def decision(self) -> Decision:
        asked = {finding.rule.decision for finding in self.findings}
        return next((grave for grave in (Decision.BLOCK, Decision.REVIEW) if grave in asked), Decision.PASS)


def check_split(cases: CaseSet, lock: Lock | None = None, prompts: Sequence[Prompt] = ()) -> SplitCheck:
    """All findings: pairs in the order of development and then held-out cases, sources, excerpts, the lock."""
    found = [*_pairs(cases), *_sources(cases), *_excerpts(cases, prompts)]
    if lock is not None:
        found += [
            SplitFinding(Rule.LOCK, (("case", name), ("reason", change.value)))
            for name, change in case_changes(lock, cases)
        ]
    return SplitCheck(cases, tuple(found))


def _pairs(cases: CaseSet) -> Iterator[SplitFinding]:
    development, held_out = cases.of_split(DEVELOPMENT), cases.of_split(HELD_OUT)
    left = [words_of(case.issue) for case in development]
    right = [words_of(case.issue) for case in held_out]
    near = near_pairs([*map(frozenset, left)], [*map(frozenset, right)])
    for (first, second), share in sorted(near.items()):  # equal texts share all of their words
        details = (("development", development[first].id), ("held_out", held_out[second].id))
        if left[first] == right[second]:
            yield SplitFinding(Rule.DUPLICATE, details)
        else:
            yield SplitFinding(Rule.NEAR, details, share)


def _sources(cases: CaseSet) -> Iterator[SplitFinding]:
    split = {case.id: case.split for case in cases.cases}
    for case in cases.cases:
        if case.source_id is not None and split[case.source_id] != case.split:
            yield SplitFinding(Rule.SOURCE, (("case", case.id), ("source", case.source_id)))


def _excerpts(cases: CaseSet, prompts: Sequence[Prompt]) -> Iterator[SplitFinding]:
    shown: dict[str, str] = {}
    for prompt in prompts:
        for text in prompt.texts:
            for window in windows(words_of(text)):
                shown.setdefault(window, prompt.name)
    for case in cases.of_split(HELD_OUT):
        if (excerpt := _first(case, shown)) is not None:
            named = (("prompt", shown[excerpt]),) if len(prompts) > 1 else ()
            yield SplitFinding(Rule.EXCERPT, (("case", case.id), ("excerpt", excerpt), *named))


def _first(case: Case, shown: dict[str, str]) -> str | None:
    return next((window for window in windows(words_of(case.issue)) if window in shown), None)
