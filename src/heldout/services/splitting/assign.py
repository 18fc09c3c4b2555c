"""`heldout split assign`: hold a share of a case file's source groups out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from heldout.domain.example import JSON
from heldout.domain.splitting.assign import held_out_groups, stratified_groups
from heldout.domain.splitting.case import Case
from heldout.errors import UsageError
from heldout.matching.shuffling import permutations
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.splitting.case_files import is_json, read_case_file


@dataclass(frozen=True, slots=True)
class Assignment:
    """Cases by their new split, in the order of the file; `groups` of all, `held_out_groups` of those held out."""

    name: str
    development: tuple[Case, ...]
    held_out: tuple[Case, ...]
    groups: int
    held_out_groups: int
    seed: int
    share: Fraction


def assign_cases(
    cases: str, share: Fraction, seed: int, stratify: str | None = None, target: str | None = None
) -> Assignment:
    """Write the case file with its new splits to `target`, if any. Raises UsageError: bad-value, one-split,
    output-exists."""
    if target is not None:
        require_absent([Path(target)])
    file = read_case_file(cases, need_splits=False)
    found = file.cases.cases
    draw = permutations(seed)
    if stratify is None:
        chosen = held_out_groups([case.group for case in found], share, draw)
    else:
        chosen = stratified_groups(_strata(found, stratify), share, draw)
    groups = {case.group for case in found}
    if len(chosen) == len(groups):
        message = f"a share of {share} of {len(groups)} groups holds everything out"
        raise UsageError("one-split", message, hint="more groups, or a smaller --share")
    if target is not None:
        write_new(Path(target), file.with_splits(chosen, as_json=is_json(target)))
    return Assignment(
        name=file.cases.name,
        development=tuple(case for case in found if case.group not in chosen),
        held_out=tuple(case for case in found if case.group in chosen),
        groups=len(groups),
        held_out_groups=len(chosen),
        seed=seed,
        share=share,
    )


def _strata(cases: tuple[Case, ...], field: str) -> dict[str, str]:
    """The value of a field (`expected.label`, `must_mention`) of each group's original case."""
    return {case.id: _value(case, field) for case in cases if case.source_id is None}


def _value(case: Case, field: str) -> str:
    value: JSON | Mapping[str, JSON] = case.content()
    for part in field.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise UsageError("bad-value", f"--stratify {field}: cases have no such field", hint="expected.label")
        value = value[part]
    return str(value)
