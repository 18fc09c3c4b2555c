"""Set a repository up for Heldout, or repair it: every step is safe to repeat and says what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.standing import Step, StepState
from heldout.errors import RepositoryError
from heldout.services.hooking import configuration as hook_configuration
from heldout.services.hooking import install as hook_install
from heldout.services.project_files import (
    ATTRIBUTES_FILE,
    IGNORE_FILE,
    IGNORE_LINE,
    append_lines,
    cache_is_ignored,
    missing_attributes,
)
from heldout.services.workspace import Workspace

Consent = Callable[[str], bool]
"""Asks a person a question that only they can answer; False where nobody is there to ask."""


@dataclass(frozen=True, slots=True)
class Initialised:
    """`uncommitted` are files that were written here and that the team needs; `has_datasets` decides what is next."""

    top: Path
    steps: tuple[Step, ...]
    uncommitted: tuple[str, ...]
    has_datasets: bool


def initialise(workspace: Workspace, python: str, consent: Consent, *, tag_hook: bool = True) -> Initialised:
    """Raises RepositoryError (slug no-working-copy) in a bare repository."""
    git = workspace.git
    if git.bare:
        raise RepositoryError(
            "no-working-copy", "a bare repository has no datasets to set up", hint="run heldout init in a clone of it"
        )
    steps = [
        *_dvc(workspace),
        *hook_steps(workspace, python, consent, tag_hook=tag_hook),
        *_attributes(workspace),
        *_ignored(workspace),
        *_tags(workspace, consent),
    ]
    mine = [name for name in (ATTRIBUTES_FILE, IGNORE_FILE) if (git.top / name).exists()]
    changed = git.run("status", "--porcelain", "-z", "--", *mine, ".dvc/config").split(b"\0") if mine else []
    names = tuple(sorted(row[3:].decode("utf-8", "replace") for row in changed if row))
    return Initialised(git.top, tuple(steps), names, bool(workspace.working_copy.names))


def _dvc(workspace: Workspace) -> Iterator[Step]:
    if workspace.store.is_initialised:
        yield Step(StepState.ALREADY, "DVC is set up")
        return
    staged = workspace.store.init()
    yield Step(StepState.DONE, f"set up DVC (dvc init), which staged {', '.join(staged)}")


def hook_steps(workspace: Workspace, python: str, consent: Consent, *, tag_hook: bool) -> Iterator[Step]:
    """Install or repair the hooks, in a folder outside of the repository only by consent."""
    git = workspace.git
    configured = hook_install.by_configuration(git)
    folder = hook_configuration.folder(git) if configured else git.path("hooks")
    if not hook_install.is_inside(git, folder) and not consent(
        f"core.hooksPath is {folder}: hooks there run for every repository that uses it. Install Heldout's there?"
    ):
        text = f"no hooks: core.hooksPath is {folder}, outside of this repository (heldout init --yes installs there)"
        yield Step(StepState.LEFT, text)
        return
    shown = _shown(folder, git.top)
    changes = hook_install.install(git, python, tag_hook)
    for change in changes:
        if change.path.name not in hook_install.HOOKS:
            yield Step(StepState.DONE, f"hook {change.path.name} in {shown}: {change.what}")
    written = [change for change in changes if change.path.name in hook_install.HOOKS]
    if written:
        done = ", ".join(dict.fromkeys(change.what for change in written))
        yield Step(StepState.DONE, f"hooks in {shown} {done}: {', '.join(change.path.name for change in written)}")
    elif not changes:
        yield Step(StepState.ALREADY, f"hooks in {shown} are installed")
    if not tag_hook:
        yield Step(StepState.LEFT, "no check at git tag (--no-tag-hook); a push checks every version all the same")


def _attributes(workspace: Workspace) -> Iterator[Step]:
    lines = missing_attributes(workspace.git)
    if not lines:
        yield Step(StepState.ALREADY, f"{ATTRIBUTES_FILE} keeps the bytes of scan records")
        return
    append_lines(workspace.git.top, ATTRIBUTES_FILE, lines)
    yield Step(StepState.DONE, f"added to {ATTRIBUTES_FILE}: {'; '.join(lines)} (no line-end conversion of records)")


def _ignored(workspace: Workspace) -> Iterator[Step]:
    if cache_is_ignored(workspace.git):
        yield Step(StepState.ALREADY, f"{IGNORE_FILE} leaves out .heldout/")
        return
    append_lines(workspace.git.top, IGNORE_FILE, [IGNORE_LINE])
    yield Step(StepState.DONE, f"added to {IGNORE_FILE}: {IGNORE_LINE} (a local cache)")


def remotes_without_tags(workspace: Workspace) -> list[str]:
    """Remotes whose fetch brings only the tags it happens to meet; a gate has to know every version."""
    git = workspace.git
    return [name for name in git.remotes() if git.config_get(f"remote.{name}.tagOpt") != "--tags"]


def _tags(workspace: Workspace, consent: Consent) -> Iterator[Step]:
    git = workspace.git
    if not git.remotes():
        return
    lacking = remotes_without_tags(workspace)
    if not lacking:
        yield Step(StepState.ALREADY, "every fetch brings all version tags")
        return
    shown = ", ".join(lacking)
    if not consent(f"Fetch all tags from {shown} from now on (remote.*.tagOpt)? Versions are tags."):
        text = f"fetches from {shown} may miss version tags (heldout init --yes sets remote.*.tagOpt=--tags)"
        yield Step(StepState.LEFT, text)
        return
    for name in lacking:
        git.config_set(f"remote.{name}.tagOpt", "--tags")
    yield Step(StepState.DONE, f"every fetch from {shown} brings all tags now (remote.*.tagOpt=--tags)")


def _shown(folder: Path, top: Path) -> str:
    return folder.relative_to(top).as_posix() if folder.is_relative_to(top) else str(folder)
