"""Signatures of version tags, checked against the people that the protected branch allows to sign."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from heldout.domain.coverage import Version
from heldout.domain.verification import Level, Problem
from heldout.errors import UsageError
from heldout.services.workspace import Workspace
from heldout.storage.git.history import tag_signature
from heldout.storage.git.refs import Tag

SETTING = "gpg.ssh.allowedSignersFile"
DEFAULT_FILE = ".allowed_signers"


class Signers:
    """Who may sign versions: Git's allowed signers file of SSH keys.

    A file inside the repository is read from `commit`, the state that was agreed on before: a pull request cannot allow
    its own author. One outside it, named by Git's setting, is this machine's and taken as it is.
    """

    def __init__(self, workspace: Workspace, commit: str, file: str | None = None) -> None:
        """`file` is a path in the repository. Raises UsageError (slug no-allowed-signers)."""
        self._workspace = workspace
        self._content = self._read(commit, file)

    def problem(self, tag: Tag, version: Version, *, new: bool) -> Problem | None:
        """What is wrong with the tag's signature; None where an allowed signer made it. An older one is reported."""
        reason = self._reason(tag)
        if reason is None:
            return None
        return Problem(Level.FAILED if new else Level.REPORTED, str(version.name), reason, "not-signed")

    def _reason(self, tag: Tag) -> str | None:
        if not tag.annotated:
            return "is a lightweight tag, which nobody can sign"
        signature = tag_signature(self._workspace.git, tag.oid)
        if signature is None:
            return "is not signed"
        if signature != "ssh":
            return f"is signed by {signature}; allowed signers are SSH keys"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "allowed_signers")
            file.write_bytes(self._content)
            setting = ("-c", f"{SETTING}={file}")
            if self._workspace.git.succeeds(*setting, "verify-tag", tag.oid):
                return None
        return "is signed by nobody who is allowed to"

    def _read(self, commit: str, file: str | None) -> bytes:
        path = file or self._configured()
        if isinstance(path, Path):
            try:
                return path.read_bytes()
            except OSError as error:
                raise _missing(f"{path} cannot be read: {error.strerror}") from error
        content = self._workspace.tree(commit).read(path)
        if content is None:
            raise _missing(f"{commit[:10]}, the state agreed on, has no {path}")
        return content

    def _configured(self) -> str | Path:
        git = self._workspace.git
        setting = git.line("config", "--type=path", "--get", SETTING)
        if not setting:
            return DEFAULT_FILE
        place = Path(os.path.normpath(git.top / setting))
        return place.relative_to(git.top).as_posix() if not git.bare and place.is_relative_to(git.top) else place


def agreed_state(workspace: Workspace, base: str | None, remotes: Sequence[str]) -> str:
    """The commit whose allowed signers count: the base given, else the remote's protected or default branch.

    Raises UsageError (slug no-allowed-signers) where there is neither: HEAD may be the very change to be checked.
    """
    from heldout.services.knowledge import agreed_commits

    git = workspace.git
    if base is not None:
        return git.require_commit(base)
    known = agreed_commits(git, workspace.settings, remotes)
    if git.bare:  # a server: its own branches, before the push that is being looked at
        own = (git.commit_of(f"refs/heads/{branch}") for branch in workspace.settings.protected_branches)
        known += [commit for commit in own if commit]
    if not known:
        raise _missing("no protected branch of a remote is known here", hint="heldout verify --base COMMIT says which")
    return known[0]


def _missing(what: str, hint: str | None = None) -> UsageError:
    return UsageError(
        "no-allowed-signers",
        f"nobody is known to be allowed to sign: {what}",
        hint=hint or f"commit {DEFAULT_FILE} (see git help config, {SETTING}), or name it with --allowed-signers",
    )
