"""Texts with every relation that a scan finds, families above the cap among them, and what the local engine says."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from heldout.domain.canonical import digest
from heldout.domain.method import Method
from heldout.matching.classes import Classes
from heldout.matching.containment import Containments, containments
from heldout.matching.minhash import signatures
from heldout.matching.near import NearPairs, near_pairs
from heldout.matching.ragged import offsets_of
from heldout.matching.texts import normalise_batch
from heldout.services.matching.near_method import near_parameters

_ALPHABET = "abcdefghijklmnopqrstuvwxyzéß漢字𝒳٣"
METHOD = Method(bucket_cap=40, containment_cap=25)


def relatives(seed: int) -> list[str]:
    """About 900 texts; two of the families share a third of their texts' words, and one text says nothing."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_ALPHABET, k=chance.randint(3, 9))) for _ in range(1500)]

    def text(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    texts = ["", "!!! …", "ab", "Ab"]
    for number in range(250):
        base = text(chance.randint(5, 60))
        texts.append(base)
        if number % 4 == 0:
            texts.append(base.replace("a", "b", 1) + "!")
        if number % 6 == 0:
            texts += [f"{text(5)} {base} {text(3)}", f"{text(2)} {base}"]
        if number % 9 == 0:
            texts.append(f"{base} {text(2)}")
    shared = text(12)
    for size in (150, 90):
        template = f"{shared} {text(24)}"
        texts += [f"{template} number {number}" for number in range(size)]
    boilerplate = text(6)
    texts += [boilerplate, *(f"{text(4)} {boilerplate} {text(4)}" for _ in range(60))]
    return texts


@dataclass(frozen=True, slots=True)
class LocalPool:
    """Distinct inputs in the order of their digests, in random classes, and their pairs by the local engine."""

    digests: list[str]
    texts: list[str]
    classes: list[list[str]]
    near: NearPairs
    inside: Containments


def local_pool(seed: int) -> LocalPool:
    chance = random.Random(seed)
    by_digest = dict(sorted((digest(text), text) for text in relatives(seed)))
    texts = list(by_digest.values())
    names = ["held out", "open", "validation"]
    held = [sorted(chance.sample(range(3), chance.choice((1, 1, 2)))) for _ in texts]
    flat = np.array([number for row in held for number in row], np.int32)
    classes = Classes(flat, offsets_of(np.array([len(row) for row in held])))
    normalised = normalise_batch(texts)
    near = near_pairs(normalised, signatures(normalised), near_parameters(METHOD), classes)
    inside = containments(normalised, METHOD.containment_min_length, classes, METHOD.containment_cap)
    return LocalPool(list(by_digest), texts, [[names[number] for number in row] for row in held], near, inside)
