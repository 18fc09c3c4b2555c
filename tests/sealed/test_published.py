"""Published signatures: what they are, what they find, and what they keep."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.sealing.estimate import estimate, least
from heldout.matching.holdout_index import HoldoutIndex
from heldout.matching.minhash import permutations, signatures
from heldout.matching.parameters import MINHASH_LSH_V1
from heldout.matching.published import PublishedIndex, distinct_shingles, publish
from heldout.matching.shingles import shingle_hashes
from heldout.matching.texts import normalise_batch

DATA = Path(__file__).parents[1] / "data"
THRESHOLD = DEFAULT_METHOD.threshold


def mixed(value: int) -> int:
    """MurmurHash3's finaliser, by its published constants."""
    value ^= value >> 16
    value = value * 0x85EBCA6B & 0xFFFFFFFF
    value ^= value >> 13
    value = value * 0xC2B2AE35 & 0xFFFFFFFF
    return value ^ value >> 16


def unmixed(value: int) -> int:
    """Its inverse: what makes a whole minimum readable."""
    value ^= value >> 16
    value = value * pow(0xC2B2AE35, -1, 1 << 32) & 0xFFFFFFFF
    value ^= value >> 13 ^ value >> 26
    value = value * pow(0x85EBCA6B, -1, 1 << 32) & 0xFFFFFFFF
    return value ^ value >> 16


@pytest.fixture(scope="module")
def banking() -> list[str]:
    with gzip.open(DATA / "prepared/banking77.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return sorted({row["input"] for row in rows})[::2]


@pytest.mark.req("A33")
def test_two_bits_of_each_value_are_published_after_a_mix() -> None:
    texts = normalise_batch(["How do I reset my password?", "abc", "नमस्ते दुनिया", ""])
    whole, marks = signatures(texts), publish(texts, MINHASH_LSH_V1)
    for row in range(len(texts)):
        for k in range(64):
            bits = mixed(int(whole[row, k])) >> 30
            assert int(marks[row, 0]) >> k & 1 == bits & 1
            assert int(marks[row, 1]) >> k & 1 == bits >> 1


@pytest.mark.req("A33")
def test_probing_is_the_comparison_of_every_pair(banking: list[str]) -> None:
    held, foreign = normalise_batch(banking[:300]), normalise_batch([*banking[200:500], "", "!"])
    marks, shingles = publish(held, MINHASH_LSH_V1), distinct_shingles(held)
    index = PublishedIndex.build(marks, shingles, MINHASH_LSH_V1, 40)
    found = index.probe(foreign)
    ours = publish(foreign, MINHASH_LSH_V1)
    wanted = []
    for row in range(300):
        for item in range(300):
            apart = (int(ours[row, 0]) ^ int(marks[item, 0])) | (int(ours[row, 1]) ^ int(marks[item, 1]))
            if (matches := 64 - apart.bit_count()) >= 40:
                wanted.append((row, item, matches))
    got = list(zip(found.row.tolist(), found.item.tolist(), found.matches.tolist(), strict=True))
    assert got == wanted
    texts = [held.text(number) for number in range(300)]
    assert shingles.tolist() == [len({t[at : at + 5] for at in range(max(1, len(t) - 4))}) for t in texts]


@pytest.mark.req("A33")
def test_estimates_of_real_near_pairs_hold_the_true_similarity(banking: list[str]) -> None:
    """Every near pair of half of banking77 is one of a row and a published one here; the interval may miss 1 in 20."""
    texts = normalise_batch(banking)
    hits = HoldoutIndex.build(texts, MINHASH_LSH_V1, 10**6).probe(texts)
    true = {
        (int(a), int(b)): (int(i), int(u))
        for a, b, i, u in zip(hits.row, hits.item, hits.intersection, hits.union, strict=True)
        if a < b
    }
    assert len(true) > 50
    sizes = distinct_shingles(texts)
    index = PublishedIndex.build(publish(texts, MINHASH_LSH_V1), sizes, MINHASH_LSH_V1, 0)
    chosen = np.array(sorted({a for a, _ in true}), np.int64)
    found = index.probe(texts.take(chosen))
    told = {
        (int(chosen[row]), int(item)): estimate(int(matches), int(ours), int(sizes[item]))
        for row, item, matches, ours in zip(found.row, found.item, found.matches, found.shingles, strict=True)
    }
    held = sum(told[pair].low * u <= i <= told[pair].high * u for pair, (i, u) in true.items())
    reported = sum(told[pair].reaches(THRESHOLD) for pair in true)
    assert held >= 0.9 * len(true)
    assert reported >= 0.95 * len(true)
    # And what is told beyond them is near the threshold, not anything.
    more = [pair for pair, item in told.items() if item.reaches(THRESHOLD) and pair[0] < pair[1] and pair not in true]
    assert len(more) < 3 * len(true)


@pytest.mark.req("A33")
def test_whole_values_could_be_read_and_published_ones_cannot(banking: list[str]) -> None:
    """Why two bits: each whole minimum gives back the hash of one shingle, and that is nearly one shingle."""
    texts = normalise_batch(banking[:1])
    a, b = permutations(64, 1)
    hashes = {mixed(int(value)) for value in shingle_hashes(texts)[0]}
    read = {
        (int(value) - int(b[k])) * pow(int(a[k]), -1, 1 << 32) & 0xFFFFFFFF
        for k, value in enumerate(signatures(texts)[0])
    }
    assert read <= hashes
    assert len(read) > len(hashes) / 3  # a third of the text and more, by arithmetic alone
    assert all(mixed(unmixed(value)) == value for value in read)
    # A published pair of bits fits a quarter of all shingles, whatever the text is.
    others = shingle_hashes(normalise_batch(banking[1:400]))[0]
    mark = publish(texts, MINHASH_LSH_V1)[0]
    for k in range(64):
        bits = (int(mark[0]) >> k & 1) | (int(mark[1]) >> k & 1) << 1
        values = [(int(a[k]) * mixed(int(h)) + int(b[k])) & 0xFFFFFFFF for h in others[:2000]]
        assert 0.2 < sum(mixed(value) >> 30 == bits for value in values) / len(values) < 0.3


@pytest.mark.req("A20")
def test_a_text_that_says_nothing_is_near_nothing() -> None:
    texts = normalise_batch(["", "!!", "abc"])
    index = PublishedIndex.build(
        publish(texts, MINHASH_LSH_V1), distinct_shingles(texts), MINHASH_LSH_V1, least(THRESHOLD)
    )
    found = index.probe(texts)
    assert (found.row.tolist(), found.item.tolist()) == ([2], [2])
