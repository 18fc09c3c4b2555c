"""`heldout split check` and `heldout split lock`: a case file, its lock and prompts."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

from heldout.domain.splitting.case import CaseSet
from heldout.domain.splitting.check import Decision, Prompt, SplitCheck, check_split
from heldout.domain.splitting.lock import Lock
from heldout.errors import ConfigError, ExitCode, UsageError
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.regular_files import opened
from heldout.storage.splitting.case_files import read_case_file, read_lock, render_lock
from heldout.storage.splitting.prompt_files import parse_prompt


def check_cases(cases: str, lock: str | None = None, prompts: Sequence[str] = ()) -> SplitCheck:
    """Raises ConfigError (slug other-lock) for the lock of another dataset, UsageError (slug no-prompt) for a pattern
    that no file matches, and the errors of files."""
    found = read_case_file(cases).cases
    return check_split(found, None if lock is None else _own_lock(found, lock), [*_prompts(prompts)])


def lock_cases(cases: str, target: str) -> Lock:
    """Write the lock of every held-out case. Raises UsageError (slug output-exists): an older lock that goes is
    somebody's decision."""
    require_absent([Path(target)])
    made = Lock.of(read_case_file(cases).cases)
    write_new(Path(target), render_lock(made))
    return made


def exit_code_of(check: SplitCheck, *, strict: bool) -> ExitCode:
    """Only what blocks is a reason to stop, unless somebody asks that reviews are too."""
    stops = (Decision.BLOCK, Decision.REVIEW) if strict else (Decision.BLOCK,)
    return ExitCode.FOUND if check.decision in stops else ExitCode.CLEAN


def _own_lock(cases: CaseSet, path: str) -> Lock:
    lock = read_lock(path)
    if lock.dataset_name != cases.name:
        message = f"lock belongs to another dataset: it locks {lock.dataset_name!r}, the cases are of {cases.name!r}"
        raise ConfigError("other-lock", message, file=path, field="dataset_name", hint="give the lock of these cases")
    return lock


def _prompts(names: Iterable[str]) -> Iterable[Prompt]:
    for path in dict.fromkeys(path for name in names for path in _matching(name)):
        with opened(Path(path), path) as (stream, _):
            yield parse_prompt(stream.read(), path)


def _matching(name: str) -> Iterable[str]:
    if Path(name).exists() or not glob.has_magic(name):
        return [name]
    found = sorted(path for path in glob.glob(name, recursive=True) if Path(path).is_file())
    if not found:
        raise UsageError("no-prompt", f"no file matches {name}", hint="quote the pattern, and check the folder")
    return found
