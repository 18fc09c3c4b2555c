"""Prompts, in a verification: held-out examples that HEAD's prompt files show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heldout.domain.verification import Level, Problem
from heldout.services.prompt_check import check_prompts
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT, DatasetState


def prompts(workspace: Workspace, head: str, states: Iterable[DatasetState]) -> Iterator[Problem]:
    """An excerpt is reported, or failed where policy blocks it; where data is not here, that is unknown."""
    policy = workspace.settings.prompts
    if not policy.files:
        return
    found = check_prompts(workspace, workspace.tree(head), states, policy)
    for item in found.excerpts:
        place = item.prompt if item.line is None else f"{item.prompt}:{item.line}"
        text = f"an excerpt of the held-out example {item.dataset}:{item.split}/{item.key}"
        yield Problem(Level.FAILED if policy.block else Level.REPORTED, place, text, "prompt-excerpt")
    for name in found.not_here:
        text = "its held-out examples are not here, so prompts were not looked through"
        yield Problem(Level.UNKNOWN if policy.block else Level.REPORTED, f"{ROOT}/{name}", text, "prompts-not-checked")
