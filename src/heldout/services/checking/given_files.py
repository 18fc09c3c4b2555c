"""Files as a person names them on a command line, and the places they take in a dataset's folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from heldout.errors import UsageError
from heldout.services.sources import open_files
from heldout.storage.regular_files import Identity, is_folder, require_unchanged


@dataclass(frozen=True, slots=True)
class Given:
    """`place` is absolute, `shown` what messages call it, `target` its path in the dataset's folder."""

    place: Path
    shown: str
    split: str | None
    target: str


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """A DataSource: named files where they lie now, a dataset's other files in its folder.

    It remembers what each file was that was read to its end, so that the bytes that are copied and tracked afterwards
    can be held to be the ones that were read.
    """

    places: Mapping[str, tuple[Path, str]]
    folder: Path
    shown_folder: str
    read: dict[Path, tuple[str, Identity]] = field(default_factory=dict)

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        place, shown = self.places.get(path, (self.folder / path, f"{self.shown_folder}/{path}"))
        for file, name, stream, identity in open_files(place, shown):
            yield name, stream
            self.read[file] = (name, identity)

    def require_unchanged(self) -> None:
        """Raises DataError (slug changed-while-reading)."""
        for file, (name, identity) in self.read.items():
            require_unchanged(file, name, identity)


def split_argument(text: str) -> tuple[str, str | None]:
    """`FILE=SPLIT` as file and split; a file whose own name has a `=` in it is taken as it is."""
    path, equals, split = text.rpartition("=")
    return (text, None) if not equals or os.path.exists(text) else (path, split)


def locate(files: Iterable[tuple[str, str | None]], folder: Path) -> tuple[Given, ...]:
    """Files that exist, each with a place of its own in `folder`; those that lie in it stay where they are.

    Raises DataError (slugs no-such-file, not-a-file, unreadable-file) and UsageError (slug bad-value).
    """
    found: dict[str, Given] = {}
    for shown, split in files:
        given = _locate(shown, split, folder)
        if given.target in found:
            message = f"{found[given.target].shown} and {shown} would both become {given.target}"
            raise UsageError("bad-value", message, hint="give one of them another name")
        found[given.target] = given
    return tuple(found.values())


def _locate(shown: str, split: str | None, folder: Path) -> Given:
    if split is not None and not split.strip():
        raise UsageError("bad-value", f"the split of {shown} has no name", hint=f"{shown}=train")
    path = Path(shown)
    is_folder(path, shown)  # refuses what is neither
    # The last part is kept as it is: a file that DVC linked to its cache is a link.
    place = path.parent.resolve() / path.name if path.name not in ("", "..") else path.resolve()
    if place == folder or folder.is_relative_to(place):
        raise UsageError("bad-value", f"{shown} is the dataset's own folder", hint="name the data files in it")
    inside = place.is_relative_to(folder)
    return Given(place, shown, split, place.relative_to(folder).as_posix() if inside else place.name)
