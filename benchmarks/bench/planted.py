"""Pairs of rows with a relation that is known because it was made: exact, near at a known similarity, contained.

Intersections and unions are counted here on Python sets of 5-character shingles, over a normalisation of four lines: an
answer to hold Heldout to must not come from Heldout.
"""

from __future__ import annotations

import random
import re
import unicodedata
from dataclasses import dataclass, replace

from bench.texts import Lengths, Sentences

HOW = (
    *("exact", "exact", "exact", "same_norm"),
    *("scattered",) * 9,
    *("four_fifths", "four_fifths", "just_below", "just_below"),
    *("prefix", "suffix", "interior", "inside_word"),
)
"""What is planted, in turn."""

_NO_LETTER = re.compile(r"[\W_]+")
_TRIES = 40


@dataclass(frozen=True)
class Planted:
    """A row of the holdout and one of the training rows. `kind` is exact, near, below (near, but for one shingle) or
    contain, where the row named by `inside` is a part of the other."""

    kind: str
    how: str
    holdout: str
    train: str
    intersection: int
    union: int
    inside: str | None = None


def normalise(text: str) -> str:
    return _NO_LETTER.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


def shingles(text: str) -> set[str]:
    """Of a normalised text."""
    return {text[at : at + 5] for at in range(max(1, len(text) - 4))} if text else set()


def plant(number: int, seed: int, sentences: Sentences, lengths: Lengths) -> Planted:
    """The relation with this number: the same for the same seed, sentences and lengths, whatever else is planted."""
    choose = random.Random(f"{seed}:{number}")
    how = HOW[number % len(HOW)]
    for _ in range(_TRIES):
        made = _made(how, choose, sentences, lengths)
        if made is not None:
            return made
    raise RuntimeError(f"no {how} pair of {lengths} could be made")


def _made(how: str, choose: random.Random, sentences: Sentences, lengths: Lengths) -> Planted | None:
    drawn = sentences.draw(choose, Lengths(lengths.low, max(lengths.low + 50, lengths.high * 5 // 6)))
    text = " ".join(drawn)
    if how == "exact":
        return _measured("exact", how, text, text)
    if how == "same_norm":
        return _measured("near", how, text, text.upper().replace(" ", "-"))
    if how == "scattered":
        return _scattered(text, choose)
    if how in ("four_fifths", "just_below"):
        return _at_the_end(how, normalise(text), choose)
    return _contained(how, drawn, choose)


def _measured(kind: str, how: str, holdout: str, train: str, inside: str | None = None) -> Planted:
    a, b = shingles(normalise(holdout)), shingles(normalise(train))
    both = len(a & b)
    return Planted(kind, how, holdout, train, both, len(a) + len(b) - both, inside)


def _scattered(text: str, choose: random.Random) -> Planted | None:
    """Words here and there are others (in a short text letters), as many as a similarity between .80 and 1 allows."""
    target = choose.uniform(0.8, 1.0)
    parts = text.split(" ") if len(text) >= 200 else list(text)
    places = choose.sample(range(len(parts)), len(parts))
    others = [_word(choose, choose.randint(2, 9) if len(parts[at]) > 1 else 1) for at in places]

    def edited(count: int) -> Planted:
        changed = dict(zip(places[:count], others, strict=False))
        joint = " " if len(text) >= 200 else ""
        return _measured("near", "scattered", text, joint.join(changed.get(at, part) for at, part in enumerate(parts)))

    few, many = 0, len(parts)
    while many - few > 1:
        middle = (few + many) // 2
        tried = edited(middle)
        few, many = (middle, many) if tried.intersection >= target * tried.union else (few, middle)
    made = edited(few)
    return made if made.holdout != made.train else None


def _at_the_end(how: str, text: str, choose: random.Random) -> Planted | None:
    """The end is cut off until the intersection divides by 4, and letters are added until the union is 5/4 of it.

    Every letter makes one new shingle, so that 4/5 is met exactly; one more is just below.
    """
    every = shingles(text)
    kept = text[: len(text) - choose.randrange(1, 2 + len(text) // 40)].rstrip()
    while len(shingles(kept)) % 4 and len(kept) > 10:
        kept = kept[:-1].rstrip()
    added = (5 * len(shingles(kept)) // 4) - len(every)
    if added < 1:
        return None
    added += how == "just_below"
    made = _measured("near", how, text, kept + _word(choose, added))
    reached = 5 * made.intersection - 4 * made.union
    if how == "four_fifths":
        return made if reached == 0 else None
    return replace(made, kind="below") if -4 <= reached < 0 else None


def _contained(how: str, drawn: list[str], choose: random.Random) -> Planted | None:
    """A few sentences of one row are all of the other; in a quarter of the cases it is the training row that is inside.

    `inside_word` begins in the middle of a word of the longer one.
    """
    count = max(1, len(drawn) // 3)
    first = {"prefix": 0, "suffix": len(drawn) - count}.get(how, 1)
    if len(drawn) < 2:
        return None
    item = " ".join(drawn[first : first + count])
    whole = list(drawn)
    if how == "inside_word":
        whole[first] = "re" + whole[first]
        if not whole[first][2].isalnum():
            return None
    long = " ".join(whole)
    short, outer = normalise(item), normalise(long)
    if len(short) < 16 or len(short) == len(outer) or short not in outer:
        return None
    if choose.random() < 0.25:
        return _measured("contain", how, long, item, "train")
    return _measured("contain", how, item, long, "holdout")


def _word(choose: random.Random, length: int) -> str:
    return "".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=length))
