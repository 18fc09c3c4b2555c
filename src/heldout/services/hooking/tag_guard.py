"""The check when a version tag is made: it only looks, for the record already sits in the commit."""

from __future__ import annotations

from collections.abc import Iterable

from heldout.domain.coverage import Version
from heldout.domain.names import VersionName, split_tag
from heldout.domain.outcomes import HookOutcome
from heldout.errors import HeldoutError
from heldout.services.knowledge import knowledge_of
from heldout.services.workspace import Workspace
from heldout.storage.git.history import tag_object
from heldout.storage.git.repository import Git


def check(git: Git, tags: Iterable[tuple[str, str]]) -> HookOutcome:
    """(object id, tag name) pairs that `git tag` is about to create; a tag of no dataset of ours passes unseen."""
    workspace = Workspace(git)
    refused: list[str] = []
    notes: list[str] = []
    for oid, name in tags:
        problem, warnings = _check_one(workspace, oid, name.removeprefix("refs/tags/"))
        notes += warnings
        if problem:
            refused.append(problem)
    return HookOutcome(notes=(*refused, *notes), refused=bool(refused))


def _check_one(workspace: Workspace, oid: str, tag: str) -> tuple[str | None, list[str]]:
    commit = workspace.git.commit_of(oid)
    parsed = split_tag(tag)
    if commit is None or parsed is None or not workspace.catalog(commit).has(parsed[0]):
        return None, []
    name, number = parsed
    made = tag_object(workspace.git, tag, oid)
    if made is not None and made.misnamed:
        fix = f"git tag -a {tag} {commit[:10]}"
        return (
            f"{tag}: this is the object of the tag {made.says}, which speaks of another version; {fix} makes its own",
            [],
        )
    if number is None:
        wanted = f"{name}@v<MAJOR>.<MINOR>.<PATCH>"
        return f"{tag} is no version of the dataset {name}: use {wanted}, or heldout freeze {name}", []
    try:
        source = workspace.catalog(commit).state(name).source
    except HeldoutError as error:
        return f"{tag}: the dataset in that commit cannot be read: {error}", []
    version = Version(VersionName(name, number), commit, source)
    recorded = knowledge_of(workspace.git, (), [workspace.tree(commit)], workspace.settings)
    own = recorded.scans_of(source)
    if not own:
        return f"{tag}: {commit[:10]} has no scan record of this content; heldout freeze {name} makes one and tags", []
    if not recorded.complete_scans_of(source):
        reasons = "; ".join(sorted({reason for scan in own for reason in scan.record.incomplete}))
        return f"{tag}: the scan of this content is incomplete: {reasons}", []
    return None, _warnings(workspace, version)


def _warnings(workspace: Workspace, version: Version) -> list[str]:
    """A contaminated or not yet compared version may be frozen; it is not pushed."""
    answer = workspace.knowledge().answer(version.dataset, version.source)
    warnings = []
    if answer.contaminated:
        shown = "exposures {}" if answer.only_exposed else "findings {} --holdout-only"
        warnings.append(
            f"{version.name} freezes a contaminated holdout ({answer.wrong}); "
            f"its push will be refused. See heldout {shown.format(version.name)}"
        )
    others = [gap.other for gap in answer.gaps if gap.other and gap.other != version.name]
    if others:
        names = ", ".join(str(other) for other in others[:3]) + (" and more" if len(others) > 3 else "")
        warnings.append(f"{version.name} has not been compared with {names}; heldout scan --all, then commit")
    return warnings
