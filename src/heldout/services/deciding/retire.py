"""Ways out of a contaminated or unusable version: take back one that was never pushed, or retire one that was (A47)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heldout.domain.coverage import Retirement, Version
from heldout.domain.names import Subject, VersionName
from heldout.errors import RepositoryError, UsageError
from heldout.services.workspace import Workspace
from heldout.storage.people.retirements import render_retirement, retirement_path


@dataclass(frozen=True, slots=True)
class Retired:
    retirement: Retirement
    commit: str


def parse_version(text: str) -> VersionName:
    """Raises UsageError (slug not-a-version)."""
    name = Subject.parse(text).version
    if name is None:
        raise UsageError("not-a-version", f"{text!r} is no version", hint="a version is NAME@v1.2.0")
    return name


def retire(
    workspace: Workspace, name: VersionName, reason: str, reviewer: str | None, note: Callable[[str], None]
) -> Retired:
    """Commit that a version takes part no more. Needs no data; every answer lists it from now on."""
    version = workspace.version(name)
    need_reason(reason)
    if workspace.knowledge().is_retired(version):
        raise UsageError("already-retired", f"{name} is retired already")
    if reviewer is not None and not reviewer.strip():
        raise UsageError("bad-value", "--reviewer names nobody", hint="leave it out, or --reviewer 'Name <address>'")
    retirement = Retirement(name, version.source, reason.strip(), author(workspace), reviewer)
    files = {retirement_path(name): render_retirement(retirement)}
    message = f"heldout: retire {name}\n\n{reason.strip()}\n"
    commit = workspace.git.commit_files(files, message, workspace.git.head(), note)
    workspace.forget()
    return Retired(retirement, commit)


def unfreeze(workspace: Workspace, name: VersionName, reason: str, note: Callable[[str], None]) -> Version:
    """Delete the tag of a version that no remote has. Returns what was deleted, so that it can be tagged again."""
    version = workspace.version(name)
    need_reason(reason)
    for remote in workspace.git.remotes():
        try:
            tags = workspace.git.ls_remote_tags(remote)
        except RepositoryError as error:
            raise RepositoryError(
                "remote-unreachable",
                f"cannot tell whether {name} is on the remote {remote!r}: {error.message}",
                hint=f"when the remote answers again; or heldout retire {name} --reason '...'",
            ) from error
        if any(tag.name == str(name) for tag in tags):
            raise UsageError(
                "already-pushed",
                f"{name} is on the remote {remote!r}, where others may have results on it",
                hint=f"heldout retire {name} --reason '...'",
            )
    workspace.git.delete_tag(str(name))
    workspace.forget()
    note(f"to take this back: git tag -a {name} {version.commit}")
    return version


def author(workspace: Workspace) -> str:
    """Who Git says is doing this: `Name <address>`."""
    ident = workspace.git.line("var", "GIT_COMMITTER_IDENT")
    if ident is None:
        raise RepositoryError(
            "no-identity", "Git does not know who you are", hint="git config user.name and git config user.email"
        )
    return ident.rpartition(">")[0] + ">"


def need_reason(reason: str) -> None:
    if not reason.strip():
        raise UsageError("reason-missing", "a reason is needed: others will read it in every answer", hint="--reason")
    if any("\ud800" <= character <= "\udfff" for character in reason):  # how Python hands over bytes of an argument
        raise UsageError("bad-encoding", "the reason is not UTF-8", hint="--reason, typed in a terminal that is UTF-8")
