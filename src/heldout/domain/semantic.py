"""Paraphrase candidates: pairs of texts that a model puts close together, for people to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heldout.domain.kind import Severity

DIGITS = 4
"""Of a cosine: what is said and sorted by. Further ones differ between machines, and mean nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A held-out text and one outside the holdout, each by (split, key) of its first example.

    `more` counts the further examples with the same two texts. A model's guess blocks nothing: `severity` is always
    review.
    """

    held: tuple[str, str]
    other: tuple[str, str]
    cosine: float
    texts: tuple[str, str]
    more: int = 0

    @property
    def severity(self) -> Severity:
        return Severity.REVIEW

    def order(self) -> tuple[object, ...]:
        return (-self.cosine, self.held, self.other)


def queue(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Closest first, then by keys: the order in which people go through them, and can go on another day."""
    return tuple(sorted(candidates, key=Candidate.order))


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """What a search found. `held` and `others` count distinct texts, `held_examples` the held-out examples.

    `cut` counts texts that were longer than the model reads, `same` pairs left out because the texts differ in case,
    punctuation and space only: scans find those exactly.
    """

    subject: str
    model: str
    model_digest: str
    holdout: tuple[str, ...]
    least: float
    top: int
    held_examples: int
    held: int
    others: int
    candidates: tuple[Candidate, ...]
    cut: int = 0
    same: int = 0
