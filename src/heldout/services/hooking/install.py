"""Put Heldout's hooks into a repository beside those that are there, and take them out again without a trace.

An installed hook is one file in the folder that Git runs hooks from. The hook found there keeps its bytes and mode as
`NAME.heldout-chained` and goes on running. From git 2.54 on the file lies in a folder of our own, and Git's
configuration names it (`hook_configuration`). Hooks are not cloned, so installing is safe to repeat at any time.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Literal

from heldout.services.hooking import configuration as hook_configuration
from heldout.storage.git import Git

HOOKS = (
    "pre-commit",
    "pre-merge-commit",
    "post-commit",
    "post-merge",
    "post-rewrite",
    "reference-transaction",
    "pre-push",
)
TAG_HOOK = "reference-transaction"

_MARK = b"# heldout-hook "
_SOURCED = '. "${0%/*}/dispatch.sh"\n'
_CHAINED = ".heldout-chained"

State = Literal["installed", "outdated", "moved", "replaced", "not executable", "absent"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing done to a hook, for the user to read. `path` is absolute."""

    path: Path
    what: str


@dataclass(frozen=True, slots=True)
class HookState:
    """What stands where Git looks for one hook.

    outdated: ours, with another interpreter or of another version of Heldout. moved: another tool took the place and
    runs ours from `path`. replaced: another tool's hook stands there and ours is nowhere.
    """

    name: str
    state: State
    path: Path
    chained: tuple[Path, ...]


def by_configuration(git: Git) -> bool:
    """Whether hooks of this repository are installed through Git's configuration, or else as files."""
    return hook_configuration.runs_configured_hooks(hook_configuration.version_of(git))


def install(git: Git, python: str, tag_hook: bool = True, *, configured: bool | None = None) -> list[Change]:
    """Install or repair every hook; nothing is changed, and nothing reported, where all is well.

    `python` is the absolute path of an interpreter that can import heldout. `tag_hook=False` goes without the check
    at `git tag` (and removes it): pre-push looks at every version again. `configured` None: as `by_configuration`.
    """
    if _uses_the_shims(git):
        return []
    if configured is None:
        configured = by_configuration(git)
    changes: list[Change] = []
    folder = hook_configuration.folder(git) if configured else _folder(git)
    folder.mkdir(parents=True, exist_ok=True)
    for name in HOOKS:
        wanted = tag_hook or name != TAG_HOOK
        if configured and is_inside(git, _folder(git)):
            changes += _remove(_folder(git), name)
        if not (configured and wanted):
            changes += _remove_configured(git, name)
        if not wanted:
            changes += _remove(folder, name)
            continue
        written = list(_install_one(folder, name, installed_text(name, python)))
        if configured and hook_configuration.enable(git, name) and not written:
            written = [Change(folder / name, "updated")]
        changes += written
    return changes


def uninstall(git: Git) -> list[Change]:
    """Take our hooks out, however installed; what they stood in front of gets its name, bytes and mode back."""
    if _uses_the_shims(git):
        return []
    changes = [change for name in HOOKS for change in (*_remove_configured(git, name), *_remove(_folder(git), name))]
    for place in (hook_configuration.folder(git), hook_configuration.folder(git).parent):
        with suppress(OSError):  # absent, or not empty
            place.rmdir()
    return changes


def status(git: Git, python: str | None = None, *, configured: bool | None = None) -> list[HookState]:
    """Every hook as it stands. Without `python`, ours counts as installed whatever its interpreter."""
    if _uses_the_shims(git):
        return [HookState(name, "installed", _folder(git) / name, ()) for name in HOOKS]
    if configured is None:
        configured = by_configuration(git)
    if configured:
        return [_configured_state(git, name, python) for name in HOOKS]
    return [_state(_folder(git), name, python) for name in HOOKS]


def interpreter(state: HookState) -> str | None:
    """The Python that a hook of ours starts; None where the hook is not ours."""
    return _interpreter(state.path.read_bytes()) if _is_ours(state.path) else None


def installed_text(name: str, python: str) -> bytes:
    """The shim with the dispatcher put in and the interpreter baked in.

    A hook runs with whatever PATH a shell, an editor or a CI job has; only an absolute path finds our environment.
    """
    shim = (_shims() / name).read_text(encoding="utf-8")
    dispatcher = (_shims() / "dispatch.sh").read_text(encoding="utf-8")
    return shim.replace(_SOURCED, f"HELDOUT_PYTHON={shlex.quote(python)}\n{dispatcher}").encode("utf-8")


def _shims() -> Path:
    return Path(str(resources.files("heldout.hooks"))) / "shims"


def is_inside(git: Git, folder: Path) -> bool:
    """Whether hooks there run for this repository only; core.hooksPath may lead anywhere."""
    return folder.is_relative_to(git.common_dir) or folder.is_relative_to(git.top)


def _uses_the_shims(git: Git) -> bool:
    """core.hooksPath may name the folder of shims itself, which is not ours to write to."""
    return _folder(git).resolve() == _shims().resolve()


def _folder(git: Git) -> Path:
    """Honours core.hooksPath; linked worktrees share the hooks of the main one."""
    return git.path("hooks")


def _is_ours(file: Path) -> bool:
    """Never a link: one that leads to a hook of ours (post-merge -> post-commit) was made by someone else."""
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as stream:
        return _MARK in stream.read(256)


def _chained(folder: Path, name: str) -> list[Path]:
    """Hooks displaced by ours, the oldest first: NAME.heldout-chained, NAME.heldout-chained-2, ..."""
    return sorted(folder.glob(f"{name}{_CHAINED}*"), key=lambda file: (len(file.name), file.name))


def _moved(folder: Path, name: str) -> Path | None:
    """Our hook under a name that a hook manager gave it (`pre-commit.legacy`)."""
    return next((file for file in sorted(folder.glob(f"{name}.*")) if _is_ours(file)), None)


def _install_one(folder: Path, name: str, text: bytes) -> Iterator[Change]:
    place = folder / name
    if os.path.lexists(place) and not _is_ours(place):
        moved = _moved(folder, name)
        if moved is not None:
            # The tool that moved us runs us; chaining to it in turn would run both for ever.
            yield from _write(moved, text, "updated where another tool keeps it")
            return
        kept = _free_name(folder, name)
        place.rename(kept)
        yield Change(kept, "kept the hook that was here; it goes on running")
    yield from _write(place, text, "updated" if place.exists() else "installed")


def _free_name(folder: Path, name: str) -> Path:
    first = folder / f"{name}{_CHAINED}"
    taken = len(_chained(folder, name))
    while taken and os.path.lexists(folder / f"{first.name}-{taken + 1}"):
        taken += 1
    return folder / f"{first.name}-{taken + 1}" if taken else first


def _write(place: Path, text: bytes, what: str) -> Iterator[Change]:
    if place.is_file() and place.read_bytes() == text and os.access(place, os.X_OK):
        return
    aside = place.with_name(f".{place.name}.heldout-{os.getpid()}")
    aside.write_bytes(text)
    aside.chmod(0o755)
    aside.replace(place)
    yield Change(place, what)


def _remove(folder: Path, name: str) -> Iterator[Change]:
    place = folder / name
    ours = place if _is_ours(place) else _moved(folder, name)
    kept = _chained(folder, name)
    if ours is not None:
        ours.unlink()
        yield Change(ours, "removed")
    if kept and not os.path.lexists(ours or place):
        kept[-1].rename(ours or place)
        yield Change(ours or place, "restored the hook that was here before")
    for leftover in kept[:-1]:
        yield Change(leftover, "left here: it had been replaced by a later hook")


def _remove_configured(git: Git, name: str) -> Iterator[Change]:
    script = hook_configuration.folder(git) / name
    removed = hook_configuration.disable(git, name)
    if script.exists():
        script.unlink()
        removed = True
    if removed:
        yield Change(script, "removed")


def _configured_state(git: Git, name: str, python: str | None) -> HookState:
    found = _state(hook_configuration.folder(git), name, python)
    if found.state == "installed" and not hook_configuration.is_set(git, name):
        return replace(found, state="absent")
    return found


def _state(folder: Path, name: str, python: str | None) -> HookState:
    place = folder / name
    kept = tuple(_chained(folder, name))
    if _is_ours(place):
        current = _is_current(place, name, python)
        state: State = "outdated" if not current else "installed" if os.access(place, os.X_OK) else "not executable"
        return HookState(name, state, place, kept)
    moved = _moved(folder, name)
    if moved is not None:
        return HookState(name, "moved" if os.path.lexists(place) else "absent", moved, kept)
    return HookState(name, "replaced" if os.path.lexists(place) else "absent", place, kept)


def _is_current(file: Path, name: str, python: str | None) -> bool:
    text = file.read_bytes()
    if python is None:
        python = _interpreter(text)
    return python is not None and text == installed_text(name, python)


def _interpreter(text: bytes) -> str | None:
    for line in text.decode("utf-8", "replace").split("\n"):
        if line.startswith("HELDOUT_PYTHON="):
            return next(iter(shlex.split(line.removeprefix("HELDOUT_PYTHON="))), None)
    return None
