"""Small corpora and holdouts, and what a scan of them has to find: worked out pair by pair with Python's own sets."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from heldout.domain.canonical import digest
from heldout.domain.corpora.corpus import Against, CorpusReading, HeldOut
from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.text import normalise
from heldout.services.corpora.holdouts import Holdouts
from heldout.services.corpora.scan import CorpusScan, scan_corpus
from heldout.services.progress import SILENT
from heldout.storage.corpora.files import find_files
from heldout.storage.corpora.state import CorpusState

SOURCE = "sha256:" + "1" * 64
_WORDS = (
    *("card", "bank", "transfer", "pending", "refund", "why", "is", "my", "the", "not", "working", "account"),
    *("top", "up", "fee", "charged", "when", "will", "it"),
)


def sentences(seed: int, count: int) -> list[str]:
    stream = random.Random(seed)
    return [" ".join(stream.choices(_WORDS, k=stream.randint(6, 14))) + f" {seed} {n}" for n in range(count)]


def varied(seed: int, texts: Sequence[str], count: int) -> list[str]:
    """Texts that copy, change, hold or shorten some of `texts`, among others that have nothing to do with them."""
    stream = random.Random(seed)
    fresh = iter(sentences(seed + 1000, count))
    made = []
    for _ in range(count):
        text, other = stream.choice(texts), next(fresh)
        middle = stream.randrange(len(text))
        kinds = (
            text,
            text.upper() + "!",
            text[:middle] + stream.choice("xyz") + text[middle:],
            f"{other} {text} {other}",
            text[: stream.randint(10, len(text))],
            other,
            other,
            "...",
        )
        made.append(stream.choice(kinds))
    return made


def holdouts(texts: Iterable[str], complete: bool = True) -> Holdouts:
    """One version that holds these out, a key a text."""
    by_input = {digest(text): text for text in texts}
    inputs = tuple(sorted(by_input))
    members = tuple((HeldOut("support", "test", item[7:23], item, (SOURCE,)),) for item in inputs)
    against = (Against("support", SOURCE, ("test",), len(inputs), complete),)
    return Holdouts(inputs, tuple(by_input[item] for item in inputs), members, against)


def scanned(
    files: Sequence[str],
    held: Holdouts,
    reading: CorpusReading | None = None,
    *,
    state: Path | None = None,
    jobs: int | None = 1,
) -> CorpusScan:
    reading = reading or CorpusReading("text")
    kept = CorpusState(state, ("test",)) if state else None
    found = find_files(files)
    return scan_corpus("crawl", found, reading, held, DEFAULT_METHOD, SILENT, state=kept, jobs=jobs)


Expected = Mapping[str, tuple[Counter[str], list[tuple[str, int, str]]]]
"""By held-out input digest: rows by kind, and every (shard, row, kind)."""


def expected(shards: Mapping[str, Sequence[str]], held: Holdouts) -> Expected:
    """Every pair, by the definition in docs/leakage.md: equal, 5-gram Jaccard of 4/5 or more, or one in the other."""
    found: defaultdict[str, tuple[Counter[str], list[tuple[str, int, str]]]] = defaultdict(lambda: (Counter(), []))
    texts = [(item, normalise(text)) for item, text in zip(held.inputs, held.texts, strict=True)]
    for shard, rows in shards.items():
        for number, row in enumerate(rows, 1):
            name, mine = digest(row), normalise(row)
            for item, theirs in texts:
                kind = "exact" if name == item else _kind(mine, theirs)
                if kind:
                    found[item][0][kind] += 1
                    found[item][1].append((shard, number, kind))
    return found


def _kind(a: str, b: str) -> str | None:
    if not a or not b:
        return None
    left, right = _grams(a), _grams(b)
    if 5 * len(left & right) >= 4 * len(left | right):
        return "near"
    short, long = sorted((a, b), key=len)
    return "containment" if len(short) >= 16 and len(short) < len(long) and short in long else None


def _grams(text: str) -> set[str]:
    return {text} if len(text) < 5 else {text[place : place + 5] for place in range(len(text) - 4)}


def found_in(scan: CorpusScan) -> dict[str, tuple[Counter[str], list[tuple[str, int, str]]]]:
    """What a scan found, in the shape of `expected`."""
    return {
        finding.held.input: (
            Counter({kind.value: count for kind, count in finding.counts.items() if count}),
            [(placed.shard, placed.hit.row, placed.hit.kind.value) for placed in finding.hits],
        )
        for finding in scan.findings
    }


def jsonl(rows: Iterable[str]) -> bytes:
    return b"".join(json.dumps({"text": row}).encode() + b"\n" for row in rows)
