"""What one part of a corpus came to: numbers and digests, small however large the part is."""

from __future__ import annotations

from dataclasses import dataclass, field

from heldout.domain.corpora.corpus import InputHits


@dataclass(slots=True)
class PartResult:
    """`sha256` and `size` are of the part's bytes, `newlines` the line ends in them; rows of `hits` count from the
    part's first line. `hits` are by number of the held-out input."""

    sha256: str = ""
    size: int = 0
    newlines: int = 0
    rows: int = 0
    no_text: int = 0
    skipped: int = 0
    hits: dict[int, InputHits] = field(default_factory=dict)
