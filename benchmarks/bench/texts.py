"""Rows made of real sentences: as many as are asked for, of a length that is asked for, and the same every time.

Sentences come from the vendored public sets (or any folder of JSON Lines with an `input`). A row is sentences of one
language, drawn at random, so rows look like questions and answers of those sets, and two of them share a sentence now
and then but are near each other by plan only (`bench.planted`).
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parents[2] / "tests" / "data"
OTHER_LANGUAGES = 0.08
"""The share of rows that are not English."""

_END = re.compile(r"(?<=[.!?\u3002\uff1f\uff01\u0964])\s*(?=\S)")
_SHORTEST, _LONGEST = 12, 150  # characters of a sentence


@dataclass(frozen=True)
class Lengths:
    """Characters of a row, from `low` to `high`."""

    low: int = 300
    high: int = 1000


USUAL = Lengths()
SHORT = Lengths(30, 120)
LONG = Lengths(16_000, 18_000)


class Sentences:
    """Sentences by language, English first."""

    def __init__(self, folder: Path = DATA) -> None:
        pools: dict[str, dict[str, None]] = {"en": {}}
        for language, text in _inputs(folder):
            pool = pools.setdefault(language, {})
            for sentence in _END.split(text):
                if _SHORTEST <= len(sentence) <= _LONGEST:
                    pool[" ".join(sentence.split())] = None
        self.pools = [list(pool) for pool in pools.values() if len(pool) >= 100]
        self.short = [[item for item in pool if 16 <= len(item) <= 60] or pool for pool in self.pools]

    def row(self, choose: random.Random, lengths: Lengths) -> str:
        return " ".join(self.draw(choose, lengths))

    def draw(self, choose: random.Random, lengths: Lengths) -> list[str]:
        """Sentences whose row has a length between the limits."""
        pools = self.short if lengths.high < 2 * _LONGEST else self.pools
        pool, uniform = pools[0], choose.random
        if uniform() < OTHER_LANGUAGES and len(pools) > 1:
            pool = pools[1 + int(uniform() * (len(pools) - 1))]
        limit = lengths.high - (_LONGEST if pools is self.pools else 60)
        least = lengths.low + int(uniform() * max(1, limit - lengths.low))
        drawn: list[str] = []
        length, count = -1, len(pool)
        while length < least:
            sentence = pool[int(uniform() * count)]
            drawn.append(sentence)
            length += len(sentence) + 1
        return drawn


def _inputs(folder: Path) -> Iterator[tuple[str, str]]:
    """(language, text) of every row of every JSON Lines file, the prepared sets where there are such."""
    prepared = folder / "prepared"
    place = prepared if prepared.is_dir() else folder
    found = sorted(path for path in place.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz")))
    for path in found:
        data = path.read_bytes()
        for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines():
            row = json.loads(line)
            if isinstance(row.get("input"), str):
                metadata = row.get("metadata")
                yield metadata.get("lang", "en") if isinstance(metadata, dict) else "en", row["input"]
