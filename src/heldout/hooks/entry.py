"""From one Git hook to one use case, and from its outcome to messages and an exit status.

Git is waiting for us, so only what the hook at hand needs is imported: no DVC, no GitPython, and no parser of command
lines, for our shims alone call this.
A defect of ours never costs anyone a commit: it is reported in a line, logged, and Git goes on. Pushing a version is
the exception, because a push cannot be taken back.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.domain.controls import escaped_line
from heldout.errors import ExitCode, HeldoutError
from heldout.storage.git import Git, RefUpdate, parse_push

if TYPE_CHECKING:
    from heldout.domain.outcomes import HookOutcome

_BLOCKED = 1
_BEFORE_COMMIT = ("pre-commit", "pre-merge-commit")
_AFTER_COMMIT = ("post-commit", "post-merge", "post-rewrite")
_USAGE = f"{'|'.join((*_BEFORE_COMMIT, *_AFTER_COMMIT))} | tag OID NAME ... | pre-push REMOTE [URL]"


def main(arguments: Sequence[str]) -> int:
    """The exit status of a hook. Git takes every status but 0 as a refusal, where the hook can refuse at all."""
    hook, *values = arguments or [""]
    if not _is_call(hook, values):
        _say(f"usage: python -m heldout.hooks {_USAGE}; Git's hooks run this, not people")
        return ExitCode.NO_VERDICT
    updates = parse_push(_read_stdin()) if hook == "pre-push" else []
    try:
        lines, refused = _run(hook, values, updates)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except HeldoutError as error:
        return _report(error, hook)
    except OSError as error:
        return _no_room(error, updates)
    except Exception as error:
        return _defect(error, hook, updates)
    for line in lines:
        _say(line)
    return _BLOCKED if refused else 0


def _is_call(hook: str, values: Sequence[str]) -> bool:
    if hook == "tag":
        return bool(values) and len(values) % 2 == 0
    if hook == "pre-push":
        return 1 <= len(values) <= 2
    return hook in (*_BEFORE_COMMIT, *_AFTER_COMMIT) and not values


def _run(hook: str, values: Sequence[str], updates: list[RefUpdate]) -> tuple[list[str], bool]:
    """Lines for the person, and whether Git is refused."""
    git = Git.discover(Path.cwd())
    if hook == "pre-push":
        from heldout.reports.hooks import push_lines
        from heldout.services.hooking import push_guard

        verdict = push_guard.check(git, updates)
        return push_lines(verdict), verdict.refused
    outcome = _outcome(git, hook, values)
    if not (outcome.scans or outcome.notes or outcome.prompts):
        return [], outcome.refused
    from heldout.reports.hooks import hook_lines

    return hook_lines(outcome), outcome.refused


def _outcome(git: Git, hook: str, values: Sequence[str]) -> HookOutcome:
    if hook == "tag":
        from heldout.services.hooking import tag_guard

        return tag_guard.check(git, list(zip(values[::2], values[1::2], strict=True)))
    from heldout.services.hooking import ensure

    return ensure.before_commit(git) if hook in _BEFORE_COMMIT else ensure.after_commit(git)


def _read_stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _report(error: HeldoutError, hook: str) -> int:
    """What the user can mend. After a commit nothing can be refused, so it is only said."""
    _say(f"heldout: {error} [{error.slug}]")
    if error.hint:
        _say(f"heldout: {error.hint}")
    return 0 if hook in _AFTER_COMMIT else _BLOCKED


def _no_room(error: OSError, updates: Sequence[RefUpdate]) -> int:
    """A full disk, a read-only file system: no defect of ours, and Git itself will say what it cannot do."""
    where = f" ({error.filename})" if error.filename else ""
    _say(f"heldout: this was not checked: {error.strerror or type(error).__name__}{where}")
    return _BLOCKED if any(update.is_version_tag for update in updates) else 0


def _defect(error: Exception, hook: str, updates: Sequence[RefUpdate]) -> int:
    """One line, without the error's own message: that could quote an example."""
    from heldout.storage.defect_log import kind_of

    log = _log(error, hook)
    where = f"; details in {log}" if log else ""
    _say(f"heldout: this is a defect of Heldout, in the {hook} hook ({kind_of(error)}){where}")
    if any(update.is_version_tag for update in updates):
        _say("heldout: the push holds dataset versions that could not be checked; without checks: git push --no-verify")
        return _BLOCKED
    return 0


def _log(error: Exception, hook: str) -> Path | None:
    """In .heldout/log; None where even that cannot be written."""
    from heldout.storage.defect_log import ignored_folder, write_defect

    try:
        folder = ignored_folder(Git.discover(Path.cwd()))
    except (OSError, HeldoutError):
        return None
    return write_defect(error, f"hook: {hook}", [folder / "log"]) if folder else None


def _say(line: str) -> None:
    """To standard error: standard output of a hook belongs to Git's own protocol in some commands."""
    shown = "\n".join(map(escaped_line, line.split("\n")))
    sys.stderr.write(shown.encode("utf-8", "replace").decode("utf-8") + "\n")
