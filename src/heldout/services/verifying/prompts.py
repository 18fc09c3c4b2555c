"""Prompts, in a verification: held-out examples that HEAD's prompt files show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from heldout.domain.verification import Level, Problem
from heldout.errors import HeldoutError
from heldout.services.progress import Progress
from heldout.services.splitting.prompts import check_prompts
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT, DatasetState


def prompts(
    workspace: Workspace, head: str, states: Collection[DatasetState], progress: Progress, *, fetch: bool
) -> Iterator[Problem]:
    """An excerpt is reported, or failed where policy blocks it; where data cannot be had, that is unknown."""
    policy = workspace.settings.prompts
    if not policy.files:
        return
    if fetch:
        _fetch(workspace, head, states, progress)
    found = check_prompts(workspace, workspace.tree(head), states, policy)
    for item in found.excerpts:
        place = item.prompt if item.line is None else f"{item.prompt}:{item.line}"
        text = f"an excerpt of the held-out example {item.dataset}:{item.split}/{item.key}"
        yield Problem(Level.FAILED if policy.block else Level.REPORTED, place, text, "prompt-excerpt")
    for item, review in found.accepted:
        text = f"an excerpt of {item.dataset}:{item.split}/{item.key}; accepted: {review.reason} ({review.by})"
        yield Problem(Level.REPORTED, item.prompt, text, "prompt-excerpt")
    for name in found.not_here:
        text = "its held-out examples are not here, so prompts were not looked through"
        level = Level.UNKNOWN if policy.block and fetch else Level.REPORTED
        yield Problem(level, f"{ROOT}/{name}", text, "prompts-not-checked")


def _fetch(workspace: Workspace, head: str, states: Iterable[DatasetState], progress: Progress) -> None:
    """What cannot be fetched is said when it is missed."""
    for state in states:
        with suppress(HeldoutError):
            workspace.store.fetch(state.outputs, rev=head, report=progress.note)
