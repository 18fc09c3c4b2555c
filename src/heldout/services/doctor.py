"""Look at everything Heldout depends on, and say for each thing that is wrong what mends it. Changes nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from heldout.domain.standing import Check, CheckState
from heldout.errors import HeldoutError
from heldout.services.doctor_data import data_checks
from heldout.services.hooking import configuration as hook_configuration
from heldout.services.hooking.install import TAG_HOOK, HookState, by_configuration, interpreter
from heldout.services.hooking.install import status as hook_status
from heldout.services.init import remotes_without_tags
from heldout.services.project_files import cache_is_ignored, missing_attributes
from heldout.services.workspace import Workspace
from heldout.storage.git import Git

MINIMUM_GIT = (2, 39)
LISTING_SECONDS = 10.0
INIT = "heldout init"

Checks = Iterator[Check]


def examine(start: Path) -> list[Check]:
    """Every check in order; outside of a repository only the first ones can be made."""
    try:
        workspace = Workspace.open(start)
    except HeldoutError as error:
        return [_problem("repository", str(error), error.hint)]
    parts: tuple[Callable[[Workspace], Checks], ...] = (
        _repository,
        _git,
        _dvc,
        _hooks,
        _files,
        _remotes,
        data_checks,
    )
    return [check for part in parts for check in _guarded(part, workspace)]


def _guarded(part: Callable[[Workspace], Checks], workspace: Workspace) -> Checks:
    """One thing that is broken must not hide the rest."""
    try:
        yield from part(workspace)
    except HeldoutError as error:
        yield _problem(part.__name__.strip("_").replace("_checks", ""), str(error), error.hint)


def _good(name: str, text: str) -> Check:
    return Check(name, CheckState.GOOD, text)


def _problem(name: str, text: str, fix: str | None) -> Check:
    return Check(name, CheckState.PROBLEM, text, fix)


def _advice(name: str, text: str, fix: str | None = None) -> Check:
    return Check(name, CheckState.ADVICE, text, fix)


def _repository(workspace: Workspace) -> Checks:
    git = workspace.git
    yield _good("repository", str(git.top) + (" (bare)" if git.bare else ""))
    if git.is_shallow():
        fix = "git fetch --unshallow --tags"
        yield _problem("history", "this clone is shallow, so every gate answers unknown", fix)


def _git(workspace: Workspace) -> Checks:
    said = workspace.git.line("--version") or ""
    found = re.search(r"(\d+)\.(\d+)(?:\.\d+)*", said)
    wanted = ".".join(map(str, MINIMUM_GIT))
    if found and (int(found[1]), int(found[2])) >= MINIMUM_GIT:
        yield _good("git", found[0])
    else:
        yield _problem("git", f"{said or 'its version is unknown'}; the hooks need {wanted}", f"install git {wanted}+")


def _dvc(workspace: Workspace) -> Checks:
    if not workspace.store.is_initialised:
        yield _problem("dvc", "this repository has no .dvc folder", INIT)
        return
    workspace.store.probe()
    yield _good("dvc", "set up, and it works here")
    remote = workspace.store.default_remote()
    if remote:
        yield _good("dvc remote", f"{remote[0]}: {remote[1]}")
    else:
        text = "none is configured, so the data is on this machine only"
        yield _advice("dvc remote", text, "dvc remote add --default NAME URL, then dvc push")


def _hooks(workspace: Workspace) -> Checks:
    git = workspace.git
    if git.bare:
        return
    configured = by_configuration(git)
    folder = hook_configuration.folder(git) if configured else git.path("hooks")
    where = f"in {folder}" + (" (core.hooksPath)" if not configured and git.config_get("core.hooksPath") else "")
    states = hook_status(git)
    bad = [state for state in states if state.state not in ("installed", "moved")]
    if len(bad) == 1 and bad[0].name == TAG_HOOK and bad[0].state == "absent":
        yield _advice(f"hook {TAG_HOOK}", "absent: git tag checks nothing, a push does", INIT)
        bad = []
    for what in dict.fromkeys(state.state for state in bad):
        names = ", ".join(state.name for state in bad if state.state == what)
        yield _problem("hooks", f"{what} {where}: {names}", INIT)
    gone = _missing_interpreters(states)
    for python in gone:
        yield _problem("hooks", f"they start {python}, which is not there any more", INIT)
    if not bad and not gone:
        kept = sum(len(state.chained) for state in states)
        also = f", {kept} of your own behind them" if kept else ""
        yield _good("hooks", f"installed {where}{also}")


def _missing_interpreters(states: list[HookState]) -> list[str]:
    found = dict.fromkeys(interpreter(state) for state in states if state.state != "absent" and state.path.exists())
    return [python for python in found if python and python != sys.executable and not Path(python).is_file()]


def _files(workspace: Workspace) -> Checks:
    git = workspace.git
    if git.bare:
        return
    lines = missing_attributes(git)
    if lines:
        yield _problem(".gitattributes", f"Git may convert line ends of scan records: no {'; '.join(lines)}", INIT)
    else:
        yield _good(".gitattributes", "scan records keep their bytes")
    if cache_is_ignored(git):
        yield _good(".gitignore", "the local cache .heldout/ is left out")
    else:
        yield _problem(".gitignore", "the local cache .heldout/ would be committed", INIT)


def _remotes(workspace: Workspace) -> Checks:
    git = workspace.git
    remotes = git.remotes()
    if not remotes:
        yield _advice("git remote", "none is configured: versions of others are not known here")
    lacking = remotes_without_tags(workspace)
    if lacking:
        fix = f"git config remote.{lacking[0]}.tagOpt --tags (or heldout init --yes)"
        yield _advice("version tags", f"a fetch from {', '.join(lacking)} does not bring every tag", fix)
    for remote in remotes:
        yield _listed_tags(git, remote)


def _listed_tags(git: Git, remote: str) -> Check:
    """Compares names only; nothing is fetched."""
    try:
        there = {tag.name for tag in git.ls_remote_tags(remote, timeout=LISTING_SECONDS) if "@" in tag.name}
    except HeldoutError as error:
        return _advice(f"tags of {remote}", f"could not be listed ({error.message.splitlines()[0]})")
    unknown = sorted(there - {tag.name for tag in git.version_tags()})
    if not unknown:
        return _good(f"tags of {remote}", "all version tags are known here")
    shown = ", ".join(unknown[:3]) + (" ..." if len(unknown) > 3 else "")
    return _problem(f"tags of {remote}", f"{len(unknown)} are not known here: {shown}", f"git fetch {remote} --tags")
