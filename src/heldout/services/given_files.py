"""Files as a person names them on a command line, and the places they take in a dataset's folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from heldout.errors import DataError, UsageError
from heldout.services.sources import PlainFiles


@dataclass(frozen=True, slots=True)
class Given:
    """`place` is absolute, `shown` what messages call it, `target` its path in the dataset's folder."""

    place: Path
    shown: str
    split: str | None
    target: str


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """A DataSource: named files where they lie now, a dataset's other files in its folder."""

    places: Mapping[str, tuple[Path, str]]
    folder: Path
    shown_folder: str

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        place, shown = self.places.get(path, (self.folder / path, f"{self.shown_folder}/{path}"))
        if not place.exists():
            raise DataError("no-such-file", "the file is not here", file=shown, hint="dvc pull brings tracked data")
        try:
            for name, stream in PlainFiles(place.parent).open(place.name):
                yield shown + name.removeprefix(place.name), stream
        except DataError as error:
            if error.file == place.name:
                error.file = shown
            raise


def split_argument(text: str) -> tuple[str, str | None]:
    """`FILE=SPLIT` as file and split; a file whose own name has a `=` in it is taken as it is."""
    path, equals, split = text.rpartition("=")
    return (text, None) if not equals or Path(text).exists() else (path, split)


def locate(files: Iterable[tuple[str, str | None]], folder: Path) -> tuple[Given, ...]:
    """Files that exist, each with a place of its own in `folder`; those that lie in it stay where they are.

    Raises DataError (slugs no-such-file, not-a-file) and UsageError (slug bad-value).
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
    if not path.exists():
        raise DataError("no-such-file", "there is no such file", file=shown, hint="check the path")
    if not (path.is_file() or path.is_dir()):
        raise DataError("not-a-file", "this is no regular file", file=shown)
    # The last part is kept as it is: a file that DVC linked to its cache is a link.
    place = path.parent.resolve() / path.name if path.name not in ("", "..") else path.resolve()
    if place == folder or folder.is_relative_to(place):
        raise UsageError("bad-value", f"{shown} is the dataset's own folder", hint="name the data files in it")
    inside = place.is_relative_to(folder)
    return Given(place, shown, split, place.relative_to(folder).as_posix() if inside else place.name)
