"""What each rule means, in the words that reports carry to people who never saw Heldout.

The slugs of errors and of verify's problems are explained in docs/errors.md, which is in the package by a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from heldout.domain.answer import GapKind
from heldout.domain.kind import Kind
from heldout.domain.reporting import Rule

_DISJOINT = "Take the example out of the holdout, or the copy out of the other split, and freeze a new version."

_KINDS: dict[str, tuple[str, str]] = {
    Kind.EXACT: (
        "Two examples have the same input",
        f"Their canonical JSON has the same SHA-256. {_DISJOINT}",
    ),
    Kind.NEAR: (
        "Two examples have nearly the same input",
        "Their sets of character 5-grams, after normalisation, have a Jaccard similarity of 0.8 or "
        f"more. A model that saw one has all but seen the other. {_DISJOINT}",
    ),
    Kind.MOVED: (
        "One key stands in two splits",
        "Versions of one dataset, or two files, hold the example in different splits, so what was trained on one has "
        "seen it. Move it back, or take it out of the holdout.",
    ),
    Kind.CONTAINMENT: (
        "One input stands whole inside another one",
        "It blocks nothing by itself. Read both: a longer text that quotes a held-out question gives it away.",
    ),
    Kind.INTRA_SPLIT: (
        "One split holds nearly the same input twice",
        "No leak, but the split counts one question twice. Deduplicate it before its size is reported.",
    ),
    Kind.SOURCE_CROSSES_SPLIT: (
        "An example and the one it was made from are in two splits",
        "Keep an example and all that were made from it in one split.",
    ),
    Kind.EXPOSED: (
        "Somebody logged that a held-out example was shown to something",
        "Give it another split and freeze a new version; this version and the log stay as they are.",
    ),
    Kind.GROUP_CROSSES_SPLIT: (
        "Two examples of one group are in two splits",
        "The dataset declares groups (a customer, a session, a document); keep each in one split: "
        "`heldout split make --group` does.",
    ),
    "contaminated": (
        "Held-out examples are given away",
        "Their copies stand outside a holdout, in this version or in another frozen one, so what was trained there has "
        "seen them. `heldout findings NAME@vX.Y.Z --holdout-only` names them, `heldout findings show ID` shows both "
        "texts. Take them out of the holdout, commit, and freeze a new version.",
    ),
    "label_conflict": (
        "The same or nearly the same input has two different expected outputs",
        "One of them is wrong, or the input says too little. Read both; relabel one, or take it out. It is no leak.",
    ),
    "prompt_excerpt": (
        "A prompt quotes a held-out example",
        "Take the example out of the prompt, or out of the held-out cases.",
    ),
    "lock_changed": (
        "A held-out example is not as it was locked",
        "A score on it is no score on what was locked. Take the change back; or, where it is meant, lock anew: "
        "`heldout split lock`.",
    ),
    "semantic": (
        "Two examples seem to ask the same in other words",
        "A model of language says so, not a rule. Read both: it blocks nothing, and is for a person to decide.",
    ),
    "lock-not-checked": (
        "Nobody has looked whether it is as it was locked",
        "`heldout scan --all --commit` holds the data against its lock.",
    ),
}

_GAPS: dict[GapKind, tuple[str, str]] = {
    GapKind.NOT_SCANNED: ("Nobody scanned it", "`heldout scan --all --commit` scans what is missing."),
    GapKind.SCAN_INCOMPLETE: (
        "Its scan left examples out",
        "Rows were skipped, or inputs could not be had; mend them and scan again.",
    ),
    GapKind.NOT_COMPARED: (
        "It was not compared with a frozen version",
        "`heldout scan --all --commit` compares every version with every other one.",
    ),
    GapKind.PARTLY_COMPARED: (
        "It was compared with a frozen version only in part",
        "Freeze a mended version of the other dataset, then `heldout retire` the one that cannot be read.",
    ),
    GapKind.NO_HOLDOUT: (
        "It has no example in a holdout split",
        "Name the splits that hold out in dataset.yaml (`holdout:`); they are never guessed.",
    ),
    GapKind.REDECLARED: (
        "An earlier version left the same split open",
        "Nobody can tell who trained on it. If nobody did, `heldout retire` that version with a reason.",
    ),
    GapKind.NOT_FROZEN: ("It is no frozen version", "`heldout freeze NAME` makes one; only those can be clean."),
    GapKind.RETIRED: ("It was retired", "It takes part in no comparison any more; use another version."),
    GapKind.MISNAMED: (
        "Its tag was made as another version",
        "Whoever made or signed the tag's object spoke of another version; make the tag again.",
    ),
    GapKind.SHALLOW: ("This clone is shallow", "`git fetch --unshallow --tags` brings the versions and records."),
    GapKind.UNFETCHED: ("This clone may lack versions", "Fetch all tags and branches of the remote."),
    GapKind.CORPUS_NOT_SCANNED: (
        "A corpus that has to be scanned was not",
        "`heldout corpus scan PATH --name CORPUS --against VERSION --commit` scans it.",
    ),
    GapKind.EXPOSURE_NOT_CHECKED: (
        "Nobody has looked whether it holds out exposed examples",
        "`heldout exposures check NAME --commit` looks.",
    ),
    GapKind.UNREADABLE_RECORD: ("A record cannot be trusted", "Take the file from its commit in Git, or scan again."),
    GapKind.UNREADABLE_DATASET: ("A dataset cannot be read", "Mend its dataset.yaml; the message says where."),
}


def gap_rule(kind: GapKind) -> str:
    return kind.value.replace("_", "-")


def rules(ids: Iterable[str]) -> tuple[Rule, ...]:
    """Each once, in the order in which they come."""
    return tuple(rule_of(str(name)) for name in dict.fromkeys(ids))


def rule_of(name: str) -> Rule:
    """A kind, a gap, or a slug; of what nobody explained, at least its own words."""
    gaps = {gap_rule(kind): text for kind, text in _GAPS.items()}
    title, text = (
        _KINDS.get(name)
        or gaps.get(name)
        or _section(name)
        or _KINDS.get(name.replace("-", "_"))
        or (_words(name), _words(name) + ".")
    )
    return Rule(name, title, text)


def _section(slug: str) -> tuple[str, str] | None:
    """A slug's section: the title is what is told first, the help is all of it."""
    text = _sections().get(slug)
    return None if text is None else (_words(slug), text)


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").capitalize()


@lru_cache(maxsize=1)
def _sections() -> dict[str, str]:
    page = (files("heldout.reports.adapters") / "errors.md").read_text(encoding="utf-8")
    found = re.split(r"^### `([a-z0-9-]+)`$", page, flags=re.MULTILINE)
    return {slug: _unlinked(text.strip()) for slug, text in zip(found[1::2], found[2::2], strict=True)}


def _unlinked(text: str) -> str:
    """Links to other pages lead nowhere from a report."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
