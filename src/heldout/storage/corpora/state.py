"""What is already known of a corpus while it is scanned: one small file a finished part, below `.heldout/corpus/`.

Numbers and digests only, never text. A file is written aside and renamed, and ends in a digest of itself: one that was
damaged, or is of other bytes, another index, method or way of reading, is no state of this scan, and its part is read
again. It is always safe to delete.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from heldout.domain.canonical import digest
from heldout.domain.corpora.corpus import Hit, HitKind, InputHits, Inside, PlacedHit
from heldout.domain.corpora.part import PartResult
from heldout.domain.example import JSON
from heldout.storage.atomic import write_file

FORMAT: Final = "heldout/corpus-state@1"
_FOLDER: Final = "corpus"


class CorpusState:
    """Finished parts of one scan. `key` holds everything that a part's result depends on but the part itself."""

    def __init__(self, cache: Path, key: Sequence[str]) -> None:
        """`cache` is the repository's .heldout folder."""
        self._cache = cache
        self.folder = cache / _FOLDER / digest(list(key)).removeprefix("sha256:")[:24]

    def find(self, part: Sequence[str | int], path: str) -> PartResult | None:
        """The result of a part, named by its file (path, place, size, mark) and bounds; None where unknown."""
        try:
            data = self._file(part).read_bytes()
            body, seal = data.rsplit(b"\n", 1)
            if hashlib.sha256(body).hexdigest().encode() != seal:
                return None
            return _parse(json.loads(body), path)
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def keep(self, part: Sequence[str | int], result: PartResult) -> None:
        """Raises OSError where it cannot be written."""
        ignore = self._cache / ".gitignore"
        if not ignore.exists():
            write_file(ignore, b"*\n")
        body = json.dumps(_render(result), separators=(",", ":")).encode()
        write_file(self._file(part), body + b"\n" + hashlib.sha256(body).hexdigest().encode())

    def _file(self, part: Sequence[str | int]) -> Path:
        return self.folder / (hashlib.sha256(json.dumps(list(part)).encode()).hexdigest()[:32] + ".json")


def _render(result: PartResult) -> dict[str, JSON]:
    return {
        "format": FORMAT,
        "sha256": result.sha256,
        "size": result.size,
        "newlines": result.newlines,
        "rows": result.rows,
        "no_text": result.no_text,
        "skipped": result.skipped,
        "hits": [
            [item, [hits.counts[kind] for kind in HitKind], [_hit(placed.hit) for placed in hits.first()]]
            for item, hits in sorted(result.hits.items())
        ],
    }


def _hit(hit: Hit) -> list[JSON]:
    inside = hit.inside
    where: list[JSON] | None = None
    if inside is not None:
        where = [inside.holdout_is_short, inside.position, inside.offset, inside.word_aligned]
    return [hit.kind.value, hit.row, hit.input, None if hit.similarity is None else list(hit.similarity), where]


def _parse(content: dict[str, Any], path: str) -> PartResult:
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    numbers = {name: content[name] for name in ("sha256", "size", "newlines", "rows", "no_text", "skipped")}
    result = PartResult(**numbers)
    for item, counts, listed in content["hits"]:
        known = Counter({kind: count for kind, count in zip(HitKind, counts, strict=True) if count})
        result.hits[item] = InputHits(known, [PlacedHit(path, _parse_hit(hit)) for hit in listed])
    return result


def _parse_hit(hit: list[Any]) -> Hit:
    kind, row, name, similarity, where = hit
    return Hit(HitKind(kind), row, name, similarity and (similarity[0], similarity[1]), where and Inside(*where))
