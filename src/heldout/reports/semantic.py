"""Paraphrase candidates as a review queue: text and JSON. Texts of examples only where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.semantic import Candidate, Paraphrases
from heldout.reports.answers import plural
from heldout.reports.deciding.decision import review_json

SHOWN = 20


def paraphrase_lines(found: Paraphrases, limit: int | None, *, show_text: bool) -> Iterator[str]:
    touched = len({item.held for item in found.candidates})
    where = f"{touched:,} of {plural(found.held, 'held-out text')}"
    noun = "has a neighbour" if touched == 1 else "have neighbours"
    yield f"{found.subject}: {where} {noun} at a cosine of {found.least:g} or more"
    yield f"  for people to look at; a model's guess blocks nothing ({found.model}, {found.others:,} other texts)"
    shown = SHOWN if limit is None else limit
    for item in found.candidates[:shown]:
        more = f"  and {item.more} more with these texts" if item.more else ""
        yield f"  {item.cosine:.4f}  {_name(item.held)} ~ {_name(item.other)}{more}{_decision(item, found)}"
        if show_text:
            yield from (f"            {text}" for text in item.texts)
    if len(found.candidates) > shown:
        yield f"  and {len(found.candidates) - shown:,} more (--limit, or --json for all)"
    if found.same:
        yield f"  left out: {plural(found.same, 'pair')} with the same words, which heldout check and scan find"
    if found.cut:
        yield f"  read in part: {plural(found.cut, 'text')} longer than the model reads (256 tokens)"


def _decision(item: Candidate, found: Paraphrases) -> str:
    """Its id in a repository, and what people said of it."""
    if found.dataset is None:
        return ""
    name = item.finding(found.dataset).id
    review = found.accepted.get(name)
    return f"  [{name}]" + (f"  accepted: {review.reason} ({review.by})" if review else "")


def _name(place: tuple[str, str]) -> str:
    return "/".join(place)


def paraphrases_json(found: Paraphrases, limit: int | None, *, show_text: bool) -> dict[str, Any]:
    return {
        "format": "heldout/semantic@1",
        "subject": found.subject,
        "model": {"name": found.model, "digest": found.model_digest},
        "holdout": list(found.holdout),
        "min_cosine": found.least,
        "top": found.top,
        "held_out_examples": found.held_examples,
        "held_out_texts": found.held,
        "other_texts": found.others,
        "total": len(found.candidates),
        "accepted": len(found.accepted),
        "candidates": [_candidate(item, found, show_text=show_text) for item in found.candidates[:limit]],
        "same_words_left_out": found.same,
        "read_in_part": found.cut,
    }


def _candidate(item: Candidate, found: Paraphrases, *, show_text: bool) -> dict[str, Any]:
    name = None if found.dataset is None else item.finding(found.dataset).id
    review = found.accepted.get(name or "")
    sides = (("held", item.held, item.texts[0]), ("other", item.other, item.texts[1]))
    return {
        "id": name,
        "severity": item.severity.value,
        "cosine": item.cosine,
        **{
            side: {"split": place[0], "key": place[1], **({"text": text} if show_text else {})}
            for side, place, text in sides
        },
        "more": item.more,
        "review": None if review is None else review_json(review),
    }
