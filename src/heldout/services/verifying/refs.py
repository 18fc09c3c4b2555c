"""What verification says of references: versions moved, misnamed, unsigned or left behind by a rewritten branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heldout.domain.coverage import Version
from heldout.domain.names import split_tag
from heldout.domain.verification import Level, Problem
from heldout.errors import RepositoryError
from heldout.services.progress import Progress
from heldout.services.verifying.kept import lost
from heldout.services.verifying.signed import Signers
from heldout.services.workspace import Workspace, names_dataset
from heldout.storage.git import history
from heldout.storage.git.refs import Tag


def misnamed(version: Version) -> Iterator[Problem]:
    if version.made_as is not None:
        text = f"its tag's object was made as {version.made_as}: whoever made or signed it spoke of another version"
        yield Problem(Level.FAILED, str(version.name), text, "version-misnamed")


def signatures(workspace: Workspace, signers: Signers, is_new: Callable[[Version], bool]) -> Iterator[Problem]:
    """Every version that takes part has to be signed; what was frozen before the base is reported only."""
    tags = {tag.name: tag for tag in workspace.git.version_tags()}
    for version in workspace.knowledge().taking_part:
        problem = signers.problem(tags[str(version.name)], version, new=is_new(version))
        if problem is not None:
            yield problem


def on_remotes(workspace: Workspace, progress: Progress) -> Iterator[Problem]:
    """A version is one object everywhere; another one under the same name was moved, here or there."""
    here = {tag.name: tag for tag in workspace.git.version_tags()}
    versions = {str(version.name) for version in workspace.knowledge().versions}
    for remote in workspace.git.remotes():
        try:
            tags = {tag.name: tag for tag in workspace.git.ls_remote_tags(remote)}
        except RepositoryError as error:
            progress.note(f"tags of {remote} were not compared: {error.message}")
            continue
        for name in sorted(tags):
            if name in here and tags[name].oid != here[name].oid:
                # A tag that is moved to where the dataset is not, here or there, is no version any more.
                if name in versions or _is_version(workspace, tags[name]):
                    yield _moved(here[name], tags[name], remote)
            elif name not in here and _is_version(workspace, tags[name]):
                text = f"is on {remote} and not here: git fetch {remote} --tags"
                yield Problem(Level.UNKNOWN, name, text, "version-missing")
        for name in sorted(versions - tags.keys()):
            text = f"is not on {remote}: not pushed yet, or deleted there"
            yield Problem(Level.REPORTED, name, text, "version-not-on-remote")


def _moved(here: Tag, there: Tag, remote: str) -> Problem:
    """A checkout in CI may put a lightweight tag in the place of an annotated one (actions/checkout#882): it holds the
    same commit, and lacks who made it and any signature."""
    if not here.annotated and here.commit == there.commit:
        text = f"is a lightweight copy of the tag on {remote}: git fetch --force {remote} tag {here.name} brings it"
        return Problem(Level.REPORTED, here.name, text, "version-lightweight")
    text = f"is another version here than on the remote: here {here.oid[:10]}, on {remote} {there.oid[:10]}"
    return Problem(Level.FAILED, here.name, text, "version-moved")


def _is_version(workspace: Workspace, tag: Tag) -> bool:
    """Whether a remote's tag names a version of a dataset. Its commit may not be here: then HEAD's datasets tell."""
    parsed = split_tag(tag.name)
    if parsed is None or parsed[1] is None:
        return False
    commit = workspace.git.commit_of(tag.commit) or workspace.git.head()
    return commit is not None and names_dataset(workspace.catalog(commit), tag.name) is not None


def rewritten(workspace: Workspace) -> Iterator[Problem]:
    """Protected branches of remotes that were seen with records they have no more.

    Only a clone that fetched before and after the rewrite can tell, from its log of what it saw.
    """
    git = workspace.git
    for remote in git.remotes():
        for branch in workspace.settings.protected_branches:
            ref = f"refs/remotes/{remote}/{branch}"
            now = git.commit_of(ref)
            if now is None:
                continue
            for old in history.seen_at(git, ref):
                if not git.is_ancestor(old, now):
                    for item in lost(workspace, old, now):
                        text = f"{item.text()} when {remote}/{branch} was rewritten ({old[:10]} had it)"
                        yield Problem(Level.FAILED, item.path, text, "record-not-kept")


def left_behind(workspace: Workspace) -> Iterator[Problem]:
    """Versions whose commit no branch holds. Their records still count; that history was rewritten is worth knowing."""
    versions = workspace.knowledge().taking_part
    loose = history.in_no_branch(workspace.git, [version.commit for version in versions])
    for version in versions:
        if version.commit in loose:
            text = "its commit is in no branch here: history was rewritten, or the branch is gone"
            yield Problem(Level.REPORTED, str(version.name), text, "version-left-behind")
