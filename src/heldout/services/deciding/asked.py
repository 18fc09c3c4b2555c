"""Findings that are in no record, for a decision: label conflicts, excerpts in prompts, paraphrase candidates."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.kind import Kind
from heldout.domain.listing import FindingListing, FindingRow, Names
from heldout.domain.splitting.prompt_policy import method as prompt_method
from heldout.errors import HeldoutError, UsageError
from heldout.services.findings import choose, list_findings
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Workspace, readable_state

ASKED = frozenset({Kind.LABEL_CONFLICT, Kind.PROMPT_EXCERPT, Kind.SEMANTIC})


def find_row(workspace: Workspace, prefix: str, subject: str | None, progress: Progress = SILENT) -> FindingRow:
    """The one finding whose id starts with `prefix`, out of records or, failing that, out of data and prompts. A model
    is asked only where a subject is named, for that takes long.

    Raises UsageError: unknown-finding, ambiguous-finding.
    """
    listing = list_findings(workspace, subject)
    try:
        return choose(listing, prefix)
    except UsageError as error:
        if error.slug != "unknown-finding":
            raise
        found = {row.finding.id: row for row in _asked(workspace, subject, progress)}
        try:
            return choose(FindingListing(None, None, tuple(found.values()), len(found), True, Names()), prefix)
        except UsageError as other:
            raise (error if other.slug == "unknown-finding" else other) from None


def _asked(workspace: Workspace, subject: str | None, progress: Progress) -> Iterator[FindingRow]:
    yield from _excerpts(workspace)
    yield from _conflicts(workspace, subject, progress)
    if subject is not None:
        yield from _paraphrases(workspace, subject, progress)


def _excerpts(workspace: Workspace) -> Iterator[FindingRow]:
    """Of HEAD, and of what is staged: a commit that was refused for an excerpt is in no tree yet."""
    from heldout.services.splitting.prompts import check_prompts
    from heldout.storage.settings_file import read_settings

    trees = [workspace.git.head(), None if workspace.git.bare else workspace.git.index_tree()]
    for oid in dict.fromkeys(oid for oid in trees if oid is not None):
        tree, catalog = workspace.tree(oid), workspace.catalog(oid)
        policy = read_settings(tree).prompts
        if policy.files:
            states = [state for name in catalog.names if (state := readable_state(catalog, name)) is not None]
            check = check_prompts(workspace, tree, states, policy)
            for item in (*check.excerpts, *(item for item, _ in check.accepted)):
                exposing = (catalog.state(item.dataset).source,) if policy.block else ()
                yield FindingRow(item.finding, exposing, prompt_method())


def _conflicts(workspace: Workspace, subject: str | None, progress: Progress) -> Iterator[FindingRow]:
    """Of the subject, or of every dataset of the working copy; those without expected outputs have none."""
    from heldout.services.splitting.conflicts import conflicts_in_dataset

    for name in [subject] if subject else workspace.working_copy.names:
        try:
            found = conflicts_in_dataset(workspace, name, progress).found
        except HeldoutError:
            continue
        yield from (FindingRow(item.finding, (), item.method) for item in found)


def _paraphrases(workspace: Workspace, subject: str, progress: Progress) -> Iterator[FindingRow]:
    """By the model that ships, at the default threshold and below it. Nothing where the extra is not installed."""
    from heldout.services.semantic import Options, in_subject
    from heldout.storage.embedding import load_embedder

    try:
        found = in_subject(workspace, subject, load_embedder(None), Options(least=-1.0), progress)
    except HeldoutError:
        return
    yield from (FindingRow(item.finding(found.dataset or ""), (), found.method) for item in found.candidates)
