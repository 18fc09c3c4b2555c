from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray
from support.pools import brute_near, classes_of, one_class

from heldout.matching.bands import band_index, band_keys
from heldout.matching.families import families
from heldout.matching.jaccard import bounds, reaches
from heldout.matching.minhash import signatures
from heldout.matching.near import NearPairs, NearParameters, near_pairs
from heldout.matching.texts import NormalisedTexts, normalise_batch

SMALL_CAP = NearParameters(bucket_cap=3)
Pair = tuple[int, int]


def corpus(seed: int, *, size: int, seeds: int, alphabet: str = "abc ") -> list[str]:
    """Edited copies of a few strings, so that pairs of every similarity occur; short and empty ones among them."""
    rng = random.Random(seed)
    sources = ["".join(rng.choice(alphabet) for _ in range(rng.randint(20, 80))) for _ in range(seeds)]
    texts = ["", "a", "abc", "abcd", "abcd!", "ab"]
    while len(texts) < size:
        text = list(rng.choice(sources))
        for _ in range(rng.randint(0, 4)):
            text[rng.randrange(len(text))] = rng.choice(alphabet)
        texts.append("".join(text))
    return texts


def bucket_members(marks: NDArray[np.uint32]) -> list[list[int]]:
    """The texts of every band bucket, grouped by the rows themselves and not by a hash of them."""
    groups: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for text in range(marks.shape[0]):
        for band in range(16):
            groups[band, marks[text, band * 4 : band * 4 + 4].tobytes()].append(text)
    return [group for group in groups.values() if len(group) > 1]


def found_pairs(found: NearPairs) -> dict[Pair, Pair]:
    columns = (found.a.tolist(), found.b.tolist(), found.intersection.tolist(), found.union.tolist())
    pairs = {(a, b): (inter, union) for a, b, inter, union in zip(*columns, strict=True)}
    assert list(pairs) == sorted(pairs)
    assert len(pairs) == len(found)
    assert all(a < b for a, b in pairs)
    return pairs


def pool(seed: int, **options: int) -> tuple[NormalisedTexts, NDArray[np.uint32]]:
    texts = normalise_batch(corpus(seed, **options))
    return texts, signatures(texts)


@pytest.mark.req("B33", "B34", "B35", "A20", "A21")
@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force(seed: int) -> None:
    texts, marks = pool(seed, size=160, seeds=12)
    truth = brute_near(texts)
    assert len(truth) > 100
    banded = {(a, b) for group in bucket_members(marks) for a in group for b in group if a < b}
    candidates = {pair: sizes for pair, sizes in truth.items() if pair in banded}
    assert len(truth) - len(candidates) <= len(truth) * 0.01  # what banding may miss at the threshold itself
    found = near_pairs(texts, marks, NearParameters(bucket_cap=10_000), one_class(len(texts)))
    assert found_pairs(found) == candidates
    assert not found.capped.any()


@pytest.mark.req("B35", "A21")
def test_the_threshold_is_inclusive_in_integers() -> None:
    sizes = np.array([4, 12, 3, 799, 1, 0]), np.array([5, 15, 4, 1000, 1, 0])
    assert reaches(*sizes, (4, 5)).tolist() == [True, True, False, False, True, True]


@pytest.mark.req("A20")
def test_texts_that_say_nothing_are_near_nothing() -> None:
    texts = normalise_batch(["", "...", "!", "ab", "AB."])
    assert found_pairs(near_pairs(texts, signatures(texts), NearParameters(), one_class(5))) == {(3, 4): (1, 1)}
    nothing = normalise_batch([])
    assert len(near_pairs(nothing, signatures(nothing), NearParameters(), one_class(1))) == 0


@pytest.mark.req("B34")
def test_bounds_admit_every_near_pair() -> None:
    texts, _ = pool(3, size=200, seeds=10)
    rows = np.arange(len(texts))
    a, b = np.array(list(brute_near(texts))).T
    assert bounds(texts, rows, (4, 5)).admits(a, b).all()
    i, j = np.triu_indices(len(texts), 1)
    assert not bounds(texts, rows, (4, 5)).admits(i, j).all()


def family_of(groups: list[list[int]], cap: int) -> dict[int, int]:
    """The family of each text in a bucket above the cap, by depth-first search."""
    linked: dict[int, set[int]] = defaultdict(set)
    for group in groups:
        for text in group if len(group) > cap else ():
            linked[text].update(group)
    family: dict[int, int] = {}
    for root in sorted(linked):
        waiting = [root]
        while waiting:
            text = waiting.pop()
            if text not in family:
                family[text] = root
                waiting.extend(linked[text])
    return family


@pytest.mark.req("B34")
@pytest.mark.parametrize("seed", range(8))
def test_families_equal_brute_force(seed: int) -> None:
    """In a family: for each text and class the first near text of the class, found without bands or bounds."""
    texts, marks = pool(100 + seed, size=140, seeds=30)
    rng = random.Random(seed)
    names = [{rng.choice("uvw"), rng.choice("uvwx")} for _ in range(len(texts))]
    truth = brute_near(texts)
    groups = [[text for text in group if texts.lengths[text]] for group in bucket_members(marks)]
    family = family_of(groups, SMALL_CAP.bucket_cap)
    listed: set[Pair] = set()
    partners: dict[tuple[int, str], int] = {}
    banded = {(a, b) for group in groups for a in group for b in group if a < b}
    for pair in truth:
        if family.get(pair[0], -1) != family.get(pair[1], -2):
            listed |= {pair} & banded
            continue
        for x, y in (pair, pair[::-1]):
            for name in names[y]:
                partners[x, name] = min(partners.get((x, name), y), y)
    expected = {(min(x, y), max(x, y)) for (x, _), y in partners.items()}
    found = near_pairs(texts, marks, SMALL_CAP, classes_of(names))
    assert found.capped_buckets == sum(len(group) > SMALL_CAP.bucket_cap for group in groups) > 10
    pairs = found_pairs(found)
    assert listed
    assert expected
    assert set(pairs) == listed | expected
    assert all(pairs[pair] == truth[pair] for pair in pairs)
    capped = {pair for pair, mark in zip(pairs, found.capped.tolist(), strict=True) if mark}
    assert capped == expected


@pytest.mark.req("B34")
def test_every_text_of_a_family_learns_of_a_partner_in_each_class() -> None:
    """A template of 2,000 in three classes: at most one pair a text and class."""
    texts = normalise_batch(
        [f"please reset the password of the account that ends in {n:04d} today" for n in range(2000)]
    )
    names = [{"train"} if n % 10 else {"test", "v1 test"} for n in range(2000)]
    found = near_pairs(texts, signatures(texts), NearParameters(), classes_of(names))
    assert found.capped_buckets > 0
    assert len(found) <= 2000 * 3
    reached: dict[int, set[str]] = defaultdict(set)
    for a, b in found_pairs(found):
        reached[a] |= names[b]
        reached[b] |= names[a]
    assert all(reached[n] == {"train", "test", "v1 test"} for n in range(2000))


def test_separate_families_are_resolved_apart() -> None:
    texts = normalise_batch(
        [f"{'abcdefghij' * 5} {n:03d}" if n % 2 else f"{'0987654321' * 5} {n:03d}" for n in range(40)]
    )
    index = band_index(band_keys(signatures(texts), 16), np.arange(40), cap=5)
    assert [part.tolist() for part in families(index)] == [list(range(0, 40, 2)), list(range(1, 40, 2))]


def test_parameters_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="permutations"):
        NearParameters(bands=32)
    with pytest.raises(ValueError, match="shingle"):
        NearParameters(shingle=6)
