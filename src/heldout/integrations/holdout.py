"""What all loaders share: examples that passed the gate, and a line that says which ones they are.

A number means something only beside what it was measured on. So everything that is handed out carries a `Provenance`,
and each loader puts it where its harness keeps such things: the log, the results, the frame's attributes.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass

from heldout.api import Require, Slice, Version, open_repository
from heldout.domain.example import JSON, Example
from heldout.errors import MissingDataError, UsageError

FORMAT = "heldout/provenance@1"
LOG = logging.getLogger("heldout")


@dataclass(frozen=True, slots=True)
class SliceUsed:
    """The slice that examples were taken from: `digest` is its identity, `number` None for an unrecorded definition.

    `unevaluable` counts the version's examples of which nobody can say here whether they belong to it.
    """

    name: str
    number: int | None
    digest: str
    unevaluable: int

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name}#{self.number}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which examples these are. `content` is the digest of the whole version's examples, however they are stored.

    `require` is what the caller asked the gate for and `verdict` what it said; they differ where somebody let a
    holdout past.
    """

    version: str
    commit: str | None
    source: str
    content: str
    verdict: str
    require: str | None
    split: str | None
    slice: SliceUsed | None
    examples: int

    def as_json(self) -> dict[str, JSON]:
        used = self.slice
        return {
            "format": FORMAT,
            "version": self.version,
            "commit": self.commit,
            "source": self.source,
            "content": self.content,
            "verdict": self.verdict,
            "require": self.require,
            "split": self.split,
            "slice": None
            if used is None
            else {"name": used.name, "number": used.number, "digest": used.digest, "unevaluable": used.unevaluable},
            "examples": self.examples,
        }

    def __str__(self) -> str:
        """One line without line ends, for places that take only a name: everything that identifies the examples."""
        parts = [f"heldout {self.version}", f"content={self.content}"]
        if self.split is not None:
            parts.append(f"split={self.split}")
        if self.slice is not None:
            parts += [f"slice={self.slice}", f"slice_digest={self.slice.digest}"]
        return " ".join([*parts, f"examples={self.examples}", f"verdict={self.verdict}"])


@dataclass(frozen=True, slots=True)
class Holdout:
    """Examples in memory, in the order of the files, and what they are."""

    examples: tuple[Example, ...]
    provenance: Provenance


def holdout(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    repo: str | os.PathLike[str] = ".",
) -> Holdout:
    """Everything that the loaders hand out comes from here.

    `version` is `support@v1.2.0`; a working copy or a commit is never clean and needs `require=None`. `slice` is
    `german-billing`, or with a number or digest. `require` is explained in `heldout.api.Require`.

    Raises HoldoutRefused, CoverageUnknown; UsageError: unknown-version, unknown-split, unknown-slice, and no-examples
    where nothing is left, since a run over nothing passes everywhere; MissingDataError: input-missing for an input that
    is kept where this person may not read it.
    """
    found = open_repository(repo)
    subject = found.subject(version)
    part = None if slice is None else subject.slice(slice)
    examples = tuple((subject if part is None else part).examples(split, require))
    _require_inputs(subject, examples)
    provenance = _provenance(subject, part, split, require, len(examples))
    if not examples:
        raise UsageError("no-examples", f"nothing to evaluate on: {provenance}", hint="heldout show " + version)
    _say(provenance)
    return Holdout(examples, provenance)


def _require_inputs(subject: Version, examples: tuple[Example, ...]) -> None:
    absent = [example for example in examples if not example.has_input]
    if absent:
        raise MissingDataError(
            "input-missing",
            f"{len(absent)} examples of {subject.name} have inputs that are kept outside and cannot be read here, "
            f"{absent[0].split}/{absent[0].key} for one",
            hint="ask who may read them; heldout signatures check compares without reading",
        )


def _provenance(subject: Version, part: Slice | None, split: str | None, require: Require, count: int) -> Provenance:
    used = None if part is None else SliceUsed(part.name, part.number, part.digest, part.counts().unevaluable)
    return Provenance(
        version=subject.name,
        commit=subject.commit,
        source=subject.source,
        content=subject.content(),
        verdict=subject.answer().verdict.value,
        require=require,
        split=split,
        slice=used,
        examples=count,
    )


def _say(provenance: Provenance) -> None:
    """What somebody put up with is said in every run, not only in the code that asked for it."""
    if provenance.verdict != "clean":
        LOG.warning(
            "%s is %s, and was let past by require=%r", provenance.version, provenance.verdict, provenance.require
        )
    if provenance.slice is not None and provenance.slice.unevaluable:
        LOG.warning(
            "%d examples of %s cannot be checked for slice %s here and are left out",
            provenance.slice.unevaluable,
            provenance.version,
            provenance.slice,
        )
