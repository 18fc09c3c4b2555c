"""The definition of a slice: conditions over an example, joined by all or any, and perhaps a sample of what matches.

A definition is a value. Its identity is its digest (decision A4), which neither the order of conditions and values nor
their spelling (1 or 1.0) can change; name, description and the required flag are no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from heldout.domain.canonical import digest
from heldout.domain.example import JSON
from heldout.domain.slicing.condition import Condition, Scalar, canonical_text, check_text, shown
from heldout.domain.slicing.reference import SliceReference
from heldout.domain.slicing.rules import MATCHES, MAX_CONDITIONS, DefinitionError, suggestion

__all__ = ["Condition", "Definition", "Sample", "Scalar", "check_count"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The `size` matching examples with the lowest sha256(seed + key); `stratify` names a metadata key to share by."""

    size: int
    seed: str = ""
    stratify: str | None = None

    def __post_init__(self) -> None:
        size: object = self.size
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise DefinitionError(
                f"a sample's size is a whole number from 1, found {shown(self.size)}", "sample", "size"
            )
        seed: object = self.seed
        if not isinstance(seed, str):
            hint = "Write it in quotes."
            raise DefinitionError(f"a sample's seed is a text, found {shown(self.seed)}", "sample", "seed", hint=hint)
        stratify: object = self.stratify
        if stratify is not None and (not isinstance(stratify, str) or not stratify):
            message = f"`stratify` names one metadata key, found {shown(self.stratify)}"
            raise DefinitionError(message, "sample", "stratify")
        for name in ("seed", "stratify"):
            check_text(getattr(self, name), "sample", name)

    def to_json(self) -> dict[str, JSON]:
        result: dict[str, JSON] = {"size": self.size, "seed": self.seed}
        return result if self.stratify is None else {**result, "stratify": self.stratify}


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """Which examples a slice holds; equal to another definition when the digests are equal.

    No condition at all, joined by `all`, means every example: with a sample that is a plain sample of the dataset.
    `referenced` is what conditions on `slice` mean, by the text of the reference: the digest covers the digest of each,
    and neither its name nor its number. A definition that was only read may lack them; then it can be shown, but has
    neither a digest nor an answer, unless all its references are pinned (`NAME@` and 64 digits), which is enough for
    the digest. Raises DefinitionError.
    """

    conditions: tuple[Condition, ...]
    match: str = "all"
    sample: Sample | None = None
    referenced: Mapping[str, Definition] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        if self.match not in MATCHES:
            hint = suggestion(str(self.match), MATCHES)
            raise DefinitionError(f"`match` is all or any, found {shown(self.match)}", "match", hint=hint)
        check_count(len(self.conditions))
        if not self.conditions and self.match == "any":
            raise DefinitionError("any of no conditions matches nothing: give at least one condition", "conditions")

    def to_json(self) -> dict[str, JSON]:
        """The normalised form with the conditions in the order they were written."""
        result: dict[str, JSON] = {"match": self.match, "conditions": [item.to_json() for item in self.conditions]}
        return result if self.sample is None else {**result, "sample": self.sample.to_json()}

    def canonical(self) -> dict[str, JSON]:
        """What the digest covers: `to_json` with references by digest and the conditions in the order of their
        canonical text, repeats kept. Raises DefinitionError for a reference that nobody has looked up."""
        return self._canonical(self._digest_of)

    @property
    def digest(self) -> str:
        """`sha256:` and 64 hex digits: the definition's identity (decisions A4, A5)."""
        return digest(self.canonical())

    def references(self) -> tuple[str, ...]:
        """Every slice that conditions ask about, as it is written, once."""
        return tuple(dict.fromkeys(text for item in self.conditions for text in item.slices()))

    def meaning(self, text: str) -> Definition:
        """The definition that a reference means. Raises DefinitionError where nobody has looked it up."""
        found = self.referenced.get(text)
        if found is None:
            raise DefinitionError(f"nobody has looked up what slice {text} means")
        return found

    def sampled_references(self) -> tuple[Definition, ...]:
        """Every sampled definition that this one refers to, directly or not, each after those it refers to itself."""
        found: dict[str, Definition] = {}
        for text in self.references():
            item = self.meaning(text)
            for inner in (*item.sampled_references(), *((item,) if item.sample else ())):
                found.setdefault(inner.digest, inner)
        return tuple(found.values())

    def pinned(self) -> Definition:
        """The same definition with every reference as `NAME@DIGEST`, so that it means the same without any file."""
        if not self.references():
            return self
        names = {text: f"{_name(text)}@{self._digest_of(text).removeprefix('sha256:')}" for text in self.references()}
        conditions = tuple(item.renamed(names) for item in self.conditions)
        return replace(
            self, conditions=conditions, referenced={names[text]: item for text, item in self.referenced.items()}
        )

    def _digest_of(self, text: str) -> str:
        if (found := self.referenced.get(text)) is not None:
            return found.digest
        reference = SliceReference.parse(text)
        if reference is None or reference.full_digest is None:
            raise DefinitionError(f"nobody has looked up what slice {text} means")
        return reference.full_digest

    def _canonical(self, resolve: Callable[[str], str]) -> dict[str, JSON]:
        return {
            **self.to_json(),
            "conditions": sorted((item.canonical(resolve) for item in self.conditions), key=canonical_text),
        }

    def _identity(self) -> str:
        return canonical_text(self._canonical(self._digest_or_text))

    def _digest_or_text(self, text: str) -> str:
        try:
            return self._digest_of(text)
        except DefinitionError:
            return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


def _name(text: str) -> str:
    reference = SliceReference.parse(text)
    assert reference is not None  # conditions are valid by construction
    return reference.name


def check_count(count: int) -> None:
    """Refuse too many conditions before any of them is looked at."""
    if count > MAX_CONDITIONS:
        message = f"a definition takes at most {MAX_CONDITIONS} conditions, found {count}"
        raise DefinitionError(message, position=MAX_CONDITIONS + 1)
