"""The exact set-similarity join and shingles of any length, against brute force over Python sets."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.leak_oracle import chars, jaccard, words

from heldout.matching.gram_bands import band_candidates, estimated_pairs, salted_minima
from heldout.matching.grams import Grams, character_rows, flat_texts, grams, word_rows
from heldout.matching.ragged import offsets_of
from heldout.matching.set_join import MIXED, SetPairs, set_join, verified
from heldout.matching.shingles import ShingleSets

THRESHOLDS = [(3, 5), (4, 5), (1, 1), (1, 2), (1, 10), (7, 8), (2, 3), (999, 1000)]


def sets_of(values: list[set[int]]) -> ShingleSets:
    """Numbers become ranks: what a rank stands for is nothing to the join."""
    known = {value: rank for rank, value in enumerate(sorted(set().union(*values)))} if values else {}
    ranks = [sorted(known[value] for value in group) for group in values]
    flat = np.array([rank for group in ranks for rank in group], np.int64)
    sizes = np.array([len(group) for group in ranks], np.int64)
    return ShingleSets(np.arange(len(values)), flat, offsets_of(sizes), len(known))


def listed(pairs: SetPairs) -> dict[tuple[int, int], tuple[int, int]]:
    columns = (pairs.a.tolist(), pairs.b.tolist(), pairs.intersection.tolist(), pairs.union.tolist())
    found = [((a, b), (shared, union)) for a, b, shared, union in zip(*columns, strict=True)]
    assert [pair for pair, _ in found] == sorted({pair for pair, _ in found}), "sorted, each once"
    return dict(found)


def expected(values: list[set[int]], threshold: tuple[int, int], labels: list[int] | None = None) -> object:
    result = {}
    for a, b in itertools.combinations(range(len(values)), 2):
        one, other = values[a], values[b]
        apart = labels is None or labels[a] != labels[b] or labels[a] == MIXED
        if one and other and apart and Fraction(len(one & other), len(one | other)) >= Fraction(*threshold):
            result[a, b] = (len(one & other), len(one | other))
    return result


@pytest.mark.req("E40", "E47", "A22", "A21")
@given(
    values=st.lists(st.sets(st.integers(0, 14), max_size=9), max_size=14),
    threshold=st.sampled_from(THRESHOLDS),
    seed=st.integers(0, 3),
)
def test_the_join_finds_what_brute_force_finds(values: list[set[int]], threshold: tuple[int, int], seed: int) -> None:
    sets = sets_of(values)
    assert listed(set_join(sets, threshold)) == expected(values, threshold)
    labels = [random.Random(seed * 100 + place).choice([MIXED, 0, 1]) for place in range(len(values))]
    found = set_join(sets, threshold, np.array(labels, np.int64))
    assert listed(found) == expected(values, threshold, labels)


@pytest.mark.parametrize("threshold", [(0, 1), (-1, 2), (3, 2)])
def test_a_threshold_is_above_0_and_at_most_1(threshold: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="threshold"):
        set_join(sets_of([{1}, {1}]), threshold)


@pytest.mark.req("E40")
def test_the_join_in_many_blocks_is_the_join_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(7)
    values = [set(drawn.sample(range(60), drawn.randint(0, 25))) for _ in range(150)]
    values += [group | {99} for group in values[:40]]
    whole = listed(set_join(sets_of(values), (1, 2)))
    monkeypatch.setattr("heldout.matching.set_join._BLOCK", 7)
    assert listed(set_join(sets_of(values), (1, 2))) == whole == expected(values, (1, 2))
    assert len(whole) > 30


SCRIPTS = st.text(st.sampled_from("ab  cdéß漢字😀\u0301"), max_size=24)


def as_sets(found: Grams) -> list[frozenset[bytes]]:
    shapes = list(found.texts())
    ranks, offsets = found.sets.ranks.tolist(), found.sets.offsets.tolist()
    return [frozenset(shapes[rank] for rank in ranks[low:high]) for low, high in itertools.pairwise(offsets)]


@pytest.mark.req("E14", "E42", "E38", "A20")
@given(texts=st.lists(SCRIPTS, max_size=8), k=st.integers(1, 12))
def test_shingles_of_characters_and_of_words(texts: list[str], k: int) -> None:
    """Long texts, and texts shorter than k, which are one shingle."""
    by_chars = as_sets(grams(character_rows(flat_texts(texts)), k))
    assert by_chars == [frozenset(gram.encode() for gram in chars(text, k)) for text in texts]
    by_words = as_sets(grams(word_rows(texts), k))
    assert by_words == [frozenset(" ".join(gram).encode() for gram in words(text, k)) for text in texts]


def test_shingles_whose_numbers_would_not_fit_63_bits_are_exact() -> None:
    """40 digits to the base of a large alphabet: names are ranked on the way, and stay names."""
    drawn = random.Random(3)
    alphabet = [chr(0x4E00 + number) for number in range(5000)]
    texts = ["".join(drawn.choices(alphabet, k=90)) for _ in range(30)]
    texts += [text[:60] + drawn.choice(alphabet) + text[61:] for text in texts]
    found = grams(character_rows(flat_texts(texts)), 40)
    assert as_sets(found) == [frozenset(gram.encode() for gram in chars(text, 40)) for text in texts]


def sentences(seed: int, count: int) -> list[str]:
    drawn = random.Random(seed)
    vocabulary = ["".join(drawn.choices("abcdefghij", k=drawn.randint(2, 7))) for _ in range(80)]
    made = [" ".join(drawn.choices(vocabulary, k=drawn.randint(6, 14))) for _ in range(count)]
    edited = []
    for text in made:
        row = text.split()
        row[drawn.randrange(len(row))] = drawn.choice(vocabulary)
        edited.append(" ".join(row))
    return list(dict.fromkeys(made + edited))


@pytest.mark.req("A22", "E40")
def test_bands_find_no_other_pairs_and_miss_few() -> None:
    """42 bands of 3: a pair at .6 is missed with probability 4e-5, so none of these few hundred should be."""
    texts = sentences(11, 250)
    found = grams(character_rows(flat_texts(texts)), 5)
    every = listed(set_join(found.sets, (3, 5)))
    banded = listed(verified(found.sets, band_candidates(found, bands=42, rows=3), (3, 5)))
    assert banded == every
    assert len(every) > 100


@pytest.mark.req("E2", "A22")
def test_a_pair_found_by_bands_is_found_whatever_stands_beside_it() -> None:
    """Minima are of the characters themselves, so other texts change no candidate."""
    texts = sentences(5, 60)
    alone = grams(character_rows(flat_texts(texts[:2])), 5).hashes()
    among = grams(character_rows(flat_texts(texts)), 5)
    looks = dict(zip(among.texts(), among.hashes().tolist(), strict=True))
    pair = grams(character_rows(flat_texts(texts[:2])), 5)
    assert [looks[gram] for gram in pair.texts()] == alone.tolist()


@pytest.mark.req("E15")
def test_minima_are_those_of_salted_sha256() -> None:
    """By hand: the smallest of sha256("0:" + shingle) and so on, of which the first 8 bytes decide."""
    import hashlib

    texts = ["abcdefg", "", "xy"]
    found = grams(character_rows(flat_texts(texts)), 5)
    expected = [
        [
            min(
                int.from_bytes(hashlib.sha256(f"{salt}:{gram}".encode()).digest()[:8], "big") for gram in chars(text, 5)
            )
            for salt in range(4)
        ]
        for text in texts
        if text
    ]
    assert salted_minima(found, 4, lambda: None).tolist() == expected


@pytest.mark.req("E14", "E37", "E38")
def test_estimates_are_within_their_error_of_the_exact_similarity() -> None:
    """The standard error is sqrt(J(1-J)/n), at most 1/(2 sqrt n): none of some hundred pairs is five times that off."""
    texts = sentences(2, 120)
    found = grams(character_rows(flat_texts(texts)), 5)
    size = 128
    labels = np.full(len(texts), MIXED, np.int64)
    pairs = estimated_pairs(found, size, (3, 5), labels, lambda: None)
    errors = []
    for a, b, equal in zip(pairs.a.tolist(), pairs.b.tolist(), pairs.intersection.tolist(), strict=True):
        assert equal / size >= 0.6
        errors.append(abs(equal / size - float(jaccard(chars(texts[a], 5), chars(texts[b], 5)))))
    assert len(errors) > 40
    assert max(errors) < 5 / (2 * size**0.5)
    assert sum(errors) / len(errors) < 1 / size**0.5


@pytest.mark.req("E14")
def test_estimated_pairs_are_all_whose_share_of_equal_minima_is_enough() -> None:
    texts = [*sentences(4, 40), ""]
    found = grams(character_rows(flat_texts(texts)), 5)
    minima = salted_minima(found, 32, lambda: None)
    expected = {
        (a, b): int((minima[a] == minima[b]).sum())
        for a, b in itertools.combinations(range(len(minima)), 2)
        if 5 * int((minima[a] == minima[b]).sum()) >= 3 * 32
    }
    pairs = estimated_pairs(found, 32, (3, 5), np.full(len(texts), MIXED, np.int64), lambda: None)
    assert {pair: shared for pair, (shared, _) in listed(pairs).items()} == expected
    assert expected
