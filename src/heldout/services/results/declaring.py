"""Suites and policies as files, options beside them, and files that reports are kept in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from heldout.domain.results.comparison import Policy
from heldout.domain.results.declared import SliceFault, parse_declared
from heldout.domain.results.suite import Suite
from heldout.errors import UsageError
from heldout.storage.new_files import new_files
from heldout.storage.regular_files import opened
from heldout.storage.results.policy_file import parse_policy
from heldout.storage.results.suite_file import parse_suite


def declare(
    path: Path | None,
    slices: Sequence[str],
    *,
    base: Suite | None = None,
    missing_as_slice: bool = False,
    against: str | None = None,
) -> Suite:
    """A suite's file, with what a policy and the command line add to it; a file's settings win over a policy's.

    Raises ConfigError for the file, UsageError (unknown-slice-kind, bad-slice-bounds) for an option.
    """
    suite = base or Suite()
    if path is not None:
        found = parse_suite(_read(path), str(path))
        suite = replace(found, slices=(*found.slices, *suite.slices), dataset=found.dataset or suite.dataset)
    try:
        more = [parse_declared(text) for text in slices]
    except SliceFault as fault:
        raise UsageError(fault.slug, str(fault), hint="--slice metadata.lang") from None
    declared = tuple(dict.fromkeys((*suite.slices, *more)))
    return replace(
        suite,
        slices=declared,
        missing_as_slice=suite.missing_as_slice or missing_as_slice,
        against=against or suite.against,
    )


def read_policy(path: Path) -> tuple[Policy, Suite]:
    return parse_policy(_read(path), str(path))


def _read(path: Path) -> bytes:
    with opened(path, str(path)) as (stream, _):
        return stream.read()


def keep(files: Mapping[Path, bytes]) -> None:
    """All of them, or none; nothing is overwritten. Raises UsageError (slug output-exists)."""
    with new_files(list(files)) as streams:
        for stream, data in zip(streams, files.values(), strict=True):
            stream.write(data)
