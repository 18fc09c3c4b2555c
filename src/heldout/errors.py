"""One tree of errors, each with an address in the documentation.

An error is something Heldout could not do: unreadable data, a wrong setting, a repository in the wrong state. What
Heldout *found* (leakage, a block, missing coverage) is a result, not an error, and never travels as an exception, with
one exception: the Python API raises `HoldoutRefused` where a caller asked for clean data only.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a process says to its caller. `UNKNOWN` is never success: not everything was compared."""

    CLEAN = 0
    FOUND = 1
    NO_VERDICT = 2
    UNKNOWN = 3
    DEFECT = 70
    INTERRUPTED = 130


class HeldoutError(Exception):
    """Base of every expected error.

    `slug` is stable and documented in docs/errors.md; scripts may match on it, never on the message. `hint` is one
    thing to do next. `exit_code` is what the command line ends with.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.NO_VERDICT

    def __init__(self, slug: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.hint = hint

    def location(self) -> dict[str, str | int]:
        """Where in the user's files the cause is; empty where there is no such place."""
        return {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Errors travel between processes, and Exception would call their constructors without the keywords."""
        return _restored, (type(self), self.args, dict(self.__dict__))


def _restored(kind: type[HeldoutError], args: tuple[object, ...], state: dict[str, object]) -> HeldoutError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UsageError(HeldoutError):
    """The command was called in a way that cannot work: an unknown name, two options that exclude each other."""


class _Located(HeldoutError):
    """Shared by errors that point into a file: `FILE:LINE: MESSAGE` reads like a compiler's and editors can jump."""

    def __init__(
        self,
        slug: str,
        message: str,
        *,
        file: str,
        line: int | None = None,
        row: int | None = None,
        offset: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(slug, message, hint=hint)
        self.file = file
        self.line = line
        self.row = row
        self.offset = offset
        self.field = field

    def location(self) -> dict[str, str | int]:
        parts = {"file": self.file, "line": self.line, "row": self.row, "offset": self.offset, "field": self.field}
        return {name: value for name, value in parts.items() if value is not None}

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        details = [
            f"{label} {value}"
            for label, value in (("row", self.row), ("byte", self.offset), ("field", self.field))
            if value is not None
        ]
        where = f"{place} ({', '.join(details)})" if details else place
        return f"{where}: {self.message}"


class DataError(_Located):
    """A data file, or one row of it, cannot be read exactly.

    `line` counts from 1 and is the line where the row starts; `row` counts records from 1 (formats without lines);
    `offset` is a byte offset from 0 into the decompressed file.
    """


class ConfigError(_Located):
    """A file that people edit (dataset.yaml, heldout.yaml, a slice) breaks its format."""


class RepositoryError(HeldoutError):
    """Git or DVC is not in a state in which the command can work, or refused what was asked of it."""


class MissingDataError(RepositoryError):
    """Data named by a pointer is neither in the DVC cache nor could be fetched."""


class TamperedError(RepositoryError):
    """Bytes do not match the digest they are known by. Never repaired silently."""


class HoldoutRefused(HeldoutError):
    """Clean data was asked for and the answer is contaminated: raised by the Python API and by loaders."""

    exit_code = ExitCode.FOUND


class SliceNotReported(HeldoutError):
    """A result leaves a required slice out, measured it by another definition, or hides that it failed."""

    exit_code = ExitCode.FOUND


class CoverageUnknown(HoldoutRefused):
    """Clean data was asked for and nobody can say yet: not everything was scanned."""

    exit_code = ExitCode.UNKNOWN
