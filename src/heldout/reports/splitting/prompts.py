"""Held-out examples in prompt files, for people: named by split and key, never quoted."""

from __future__ import annotations

from collections.abc import Sequence

from heldout.domain.splitting.prompt_policy import PromptExcerpt

SHOWN = 5


def excerpt_lines(found: Sequence[PromptExcerpt], not_here: Sequence[str]) -> list[str]:
    """The first few, how many more, and what to do."""
    lines = [excerpt_line(item) for item in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"and {len(found) - SHOWN} more held-out examples in prompts")
    if found:
        lines.append("next: take them out of the prompts, or use examples of a split that is not held out")
    lines += [f"{name}: its held-out examples are not here, so prompts were not looked through" for name in not_here]
    return lines


def excerpt_line(found: PromptExcerpt) -> str:
    place = found.prompt if found.line is None else f"{found.prompt}:{found.line}"
    held = f"{found.dataset}:{found.split}/{found.key}"
    return f"{place}: an excerpt of the held-out example {held} [prompt_excerpt {found.finding.id}]"
