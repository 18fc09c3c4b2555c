"""What `load` says beside the examples: on the screen, and as JSON (`heldout/load@1`) where they go to a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.domain.answer import Answer, Verdict
from heldout.domain.slicing.views import Chosen
from heldout.reports.answers import plural, reason


def allowed_line(subject: str, answer: Answer, allowed: Verdict) -> str:
    """Said whenever somebody was let past the gate."""
    return f"{subject} is {allowed.value} ({reason(answer)}); loaded because --allow {allowed.value} was given"


def load_lines(subject: str, by_split: Mapping[str, int], file: str) -> list[str]:
    splits = ", ".join(f"{split} {count:,}" for split, count in by_split.items())
    return [f"{subject}: {plural(sum(by_split.values()), 'example')} written to {file} ({splits})"]


def load_json(
    subject: str,
    answer: Answer,
    allowed: Verdict | None,
    by_split: Mapping[str, int],
    file: str,
    chosen: Chosen | None = None,
) -> dict[str, Any]:
    return {
        "format": "heldout/load@1",
        "subject": subject,
        "source": answer.source,
        "verdict": answer.verdict.value,
        "allowed": None if allowed is None else allowed.value,
        "file": file,
        "examples": sum(by_split.values()),
        "by_split": dict(by_split),
        **({} if chosen is None else {"slice": _slice(chosen)}),
    }


def _slice(chosen: Chosen) -> dict[str, Any]:
    return {"name": chosen.item.name, "number": chosen.number, "digest": chosen.digest}
