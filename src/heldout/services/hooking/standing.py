"""How the hooks of a repository stand, in values that a report can show; and taking them out."""

from __future__ import annotations

from pathlib import Path

from heldout.domain.standing import HookStanding
from heldout.services.hooking import install as hook_install
from heldout.storage.git import Git


def standing(git: Git) -> list[HookStanding]:
    """A hook is good when it is in place and its interpreter is there. The tag hook may have been left out."""
    return [_standing(git, state) for state in hook_install.status(git)]


def _standing(git: Git, state: hook_install.HookState) -> HookStanding:
    python = hook_install.interpreter(state) if state.path.is_file() else None
    gone = python is not None and not Path(python).is_file()
    said = "without its interpreter" if gone else state.state
    optional = state.name == hook_install.TAG_HOOK and state.state == "absent"
    return HookStanding(
        state.name,
        said,
        shown(git, state.path),
        tuple(shown(git, path) for path in state.chained),
        good=optional or (not gone and state.state in ("installed", "moved")),
    )


def take_out(git: Git) -> list[tuple[str, str]]:
    """(path, what was done there)."""
    return [(shown(git, change.path), change.what) for change in hook_install.uninstall(git)]


def shown(git: Git, path: Path) -> str:
    """As a person in the top folder names it."""
    return path.relative_to(git.top).as_posix() if path.is_relative_to(git.top) else str(path)
