"""Decisions on disk: `datasets/<name>/reviews/<finding id>.yaml` or `cluster-<id>.yaml` (`heldout/review@1`).

One decision a file, so that two branches that decide on two findings never conflict, and two that decide on one do.
People may write these files by hand; scans never do.
"""

from __future__ import annotations

import posixpath
import re
from datetime import date
from typing import Final

from heldout.domain.deciding.review import Decision, Review, SideName
from heldout.domain.example import JSON
from heldout.domain.finding import Kind, Side, finding_id
from heldout.storage.catalog import ROOT
from heldout.storage.yaml.files import dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section

FORMAT: Final = "heldout/review@1"
_NAME = re.compile(r"(cluster-)?[0-9a-f]{16}\.yaml")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def review_path(dataset: str, review: Review) -> str:
    return f"{ROOT}/{dataset}/reviews/{'cluster-' if review.is_cluster else ''}{review.id}.yaml"


def is_review(path: str) -> bool:
    """Whether a path is that of a decision; retirements lie beside them and are none."""
    return "/reviews/" in path and _NAME.fullmatch(posixpath.basename(path)) is not None


def render_review(review: Review) -> bytes:
    content: dict[str, JSON] = {"format": FORMAT}
    content["cluster" if review.is_cluster else "finding"] = review.id
    content |= {"decision": review.decision.value, "reason": review.reason, "by": review.by}
    if review.reviewer is not None:
        content["reviewer"] = review.reviewer
    if review.expires is not None:
        content["expires"] = review.expires.isoformat()
    content["method"] = review.method
    if review.kind is not None:
        content["kind"] = review.kind
        content["sides"] = [
            {"dataset": dataset, "split": split, "key": key, "input": digest}
            for dataset, split, key, digest in review.sides
        ]
    return dump_yaml(content)


def parse_review(data: bytes, path: str) -> Review:
    """Raises ConfigError with file, line and field: people write these files too."""
    located = load_yaml_located(data, path)
    section = Section(located, located.value)
    if section.needed_text("format") != FORMAT:
        section.fail("unknown-format", f"this Heldout reads {FORMAT!r}", "format")
    cluster = section.text("cluster")
    review = Review(
        id=cluster or section.needed_text("finding"),
        decision=Decision(section.choice("decision", [item.value for item in Decision]) or _missing(section)),
        reason=section.needed_text("reason").strip() or _blank(section),
        by=section.needed_text("by"),
        method=_digest(section, "method"),
        kind=None if cluster else section.choice("kind", [item.value for item in Kind]) or _no_kind(section),
        sides=() if cluster else _sides(section),
        reviewer=section.text("reviewer"),
        expires=_day(section),
    )
    section.done()
    _check_place(section, review, path)
    return review


def _check_place(section: Section, review: Review, path: str) -> None:
    """A decision under another finding's name would be read as one about that."""
    hint = "heldout review accept ID --reason '...' writes this file"
    what = "cluster" if review.is_cluster else "finding"
    if review.kind is not None:
        one, other = (Side(*side) for side in review.sides)
        if finding_id(review.kind, one, other) != review.id:
            section.fail("review-misplaced", "the id does not follow from kind and sides", what, hint=hint)
        datasets = {side[0] for side in review.sides}
        if not any(review_path(name, review) == path for name in datasets):
            section.fail("review-misplaced", "the file's place does not fit the finding", what, hint=hint)
    elif posixpath.basename(path) != f"cluster-{review.id}.yaml":
        section.fail("review-misplaced", "the file's name does not fit the cluster", what, hint=hint)


def _sides(section: Section) -> tuple[SideName, ...]:
    found = section.sections("sides")
    if len(found) != 2:
        section.fail("bad-value", f"expected two sides, found {len(found)}", "sides")
    sides = []
    for side in found:
        names = (
            side.needed_text("dataset"),
            side.needed_text("split"),
            side.needed_text("key"),
            _digest(side, "input"),
        )
        side.done()
        sides.append(names)
    return tuple(sorted(sides))


def _digest(section: Section, key: str) -> str:
    value = section.needed_text(key)
    if not _DIGEST.fullmatch(value):
        section.fail("bad-value", 'expected "sha256:" and 64 hex digits', key)
    return value


def _day(section: Section) -> date | None:
    value = section.text("expires")
    try:
        return None if value is None else date.fromisoformat(value)
    except ValueError:
        section.fail("bad-value", f"expected a day like 2027-01-31, found {value!r}", "expires")


def _missing(section: Section) -> str:
    return section.needed_text("decision")


def _no_kind(section: Section) -> str:
    return section.needed_text("kind")


def _blank(section: Section) -> str:
    section.fail("bad-value", "a reason is needed: others will read it in every answer", "reason")
