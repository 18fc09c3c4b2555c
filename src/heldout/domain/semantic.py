"""Paraphrase candidates: pairs of texts that a model puts close together, for people to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from heldout.domain.canonical import digest
from heldout.domain.deciding.review import Review, Reviews
from heldout.domain.finding import Finding, Side
from heldout.domain.kind import Kind, Severity

DIGITS = 4
"""Of a cosine: what is said and sorted by. Further ones differ between machines, and mean nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A held-out text and one outside the holdout, each by (split, key) of its first example.

    `more` counts the further examples with the same two texts. A model's guess blocks nothing: `severity` is always
    review. `inputs` are the digests of the two inputs.
    """

    held: tuple[str, str]
    other: tuple[str, str]
    cosine: float
    texts: tuple[str, str]
    more: int = 0
    inputs: tuple[str, str] = ("", "")

    def finding(self, dataset: str) -> Finding:
        """What a decision is about: these two inputs, in one dataset."""
        held, other = (
            Side(dataset, *place, text) for place, text in zip((self.held, self.other), self.inputs, strict=True)
        )
        return Finding(Kind.SEMANTIC, self.severity, held, other)

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
    punctuation and space only: scans find those exactly. `dataset` is set for a repository's dataset: then candidates
    have ids, and `accepted` are people's decisions by id.
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
    dataset: str | None = None
    accepted: Mapping[str, Review] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """What a decision is bound to beside the inputs: another model asks anew."""
        return digest({"id": Kind.SEMANTIC.value, "model": self.model_digest})

    def decided(self, dataset: str, reviews: Reviews) -> Paraphrases:
        """Of a dataset, accepted ones last."""
        said = {}
        for item in self.candidates if reviews else ():
            finding = item.finding(dataset)
            review = reviews.acceptance(finding, self.method, contaminates=False)
            if review is not None:
                said[finding.id] = review
        order = sorted(self.candidates, key=lambda item: item.finding(dataset).id in said) if said else self.candidates
        return replace(self, dataset=dataset, accepted=said, candidates=tuple(order))
