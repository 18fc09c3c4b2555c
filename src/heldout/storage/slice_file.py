"""A slice's file (`format: heldout/slice@1`): `datasets/<dataset>/slices/<slice>.yaml`.

People edit name, description, required and `definition`; only Heldout appends to `history`.
"""

from __future__ import annotations

from typing import Final

from heldout.domain.slices import Recorded, Slice

FORMAT: Final = "heldout/slice@1"


def slice_path(dataset: str, name: str) -> str:
    """Where the slice's file is, from the repository's top."""
    raise NotImplementedError


def slice_of_path(path: str) -> tuple[str, str] | None:
    """(dataset, slice) of a path that is a slice's file; None for any other."""
    raise NotImplementedError


def parse_slice(data: bytes, path: str) -> Slice:
    """What a slice's file says, its history checked: numbers 1..n in order, every digest its definition's.

    `path` is what messages call the file, and its stem has to be the slice's name. Raises ConfigError with file, line
    and field.
    """
    raise NotImplementedError


def append_history(data: bytes, path: str, entry: Recorded) -> bytes:
    """The file with one more entry of history; every byte that people wrote stays."""
    raise NotImplementedError


def render_slice(item: Slice) -> bytes:
    """A new file that parses back to `item`."""
    raise NotImplementedError


def resolve_conflict(data: bytes, path: str) -> bytes:
    """A file whose history two branches continued, with both continuations: ours first, theirs under the next numbers.

    For a file with conflict markers in its history only, or with one number twice. Raises ConfigError (merge-conflict)
    when the markers reach what people edit: they have to choose first.
    """
    raise NotImplementedError
