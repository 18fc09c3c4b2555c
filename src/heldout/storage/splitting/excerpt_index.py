"""Which excerpts the held-out examples of a version have, as hashes in a file: a commit that touches a prompt reads no
data. A hit may be chance (one in 2**64 for each two excerpts) and is looked up in the data."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from heldout.storage.atomic import write_file

FOLDER: Final = ".heldout/cache/excerpts-2"
"""Safe to delete. No text is in there; what excerpts a holdout has can be tested by guessing three to eight words."""
_WIDTH: Final = 8


def excerpt_hash(excerpt: str) -> bytes:
    return blake2b(excerpt.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest()


@dataclass(frozen=True, slots=True)
class ExcerptIndex:
    """Distinct hashes, sorted and put behind each other."""

    data: bytes

    @classmethod
    def of(cls, excerpts: Iterable[str]) -> ExcerptIndex:
        return cls(b"".join(sorted({excerpt_hash(excerpt) for excerpt in excerpts})))

    def __contains__(self, excerpt: str) -> bool:
        wanted = excerpt_hash(excerpt)
        at = bisect_left(range(len(self.data) // _WIDTH), wanted, key=self._at)
        return self._at(at) == wanted

    def _at(self, place: int) -> bytes:
        return self.data[place * _WIDTH : (place + 1) * _WIDTH]


def kept_index(top: Path, source: str) -> ExcerptIndex | None:
    """The index of a version by its source digest, where one was kept whole."""
    try:
        data = _place(top, source).read_bytes()
    except OSError:
        return None
    body, end = data[:-_WIDTH], data[-_WIDTH:]
    return ExcerptIndex(body) if len(data) >= _WIDTH and blake2b(body, digest_size=_WIDTH).digest() == end else None


def keep_index(top: Path, source: str, index: ExcerptIndex) -> None:
    """A full disk or a read-only one costs the next commit some time, and nothing else."""
    try:
        write_file(_place(top, source), index.data + blake2b(index.data, digest_size=_WIDTH).digest())
    except OSError:
        return


def _place(top: Path, source: str) -> Path:
    return top / FOLDER / source.removeprefix("sha256:")
