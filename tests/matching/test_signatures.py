from __future__ import annotations

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st
from support.data import prepared
from support.pools import shingles

from heldout.domain.text import text_of
from heldout.matching import minhash
from heldout.matching import shingles as shingle_module
from heldout.matching.jaccard import intersections
from heldout.matching.minhash import EMPTY, permutations, signatures
from heldout.matching.shingles import shingle_hashes, shingle_sets
from heldout.matching.texts import normalise_batch

EDGES = [
    "",
    "!!!",
    "a",
    "ab c",
    "abcd",
    "abcde",
    "x" * 5000,
    "日本",
    "日本語のテキスト",
    "\U0001f1e6\U00020000\U00020001",
]


def reference_hashes(text: str) -> list[int]:
    """The shingle hash in plain integers, from its definition."""
    mask32, mask64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

    def mix(value: int) -> int:
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            value = (value ^ value >> 33) * factor & mask64
        return value ^ value >> 33

    if 0 < len(text) < 5:
        state = 0
        for char in text:
            state = mix(state ^ ord(char) ^ 1 << 62)
        return [mix(state) >> 32]
    primes = (0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)
    result = []
    for i in range(len(text) - 4):
        codes = [ord(char) for char in text[i : i + 5]]
        first = codes[0] * 0x9E3779B1 & mask32 ^ codes[0] >> 3
        result.append((first + sum(code * prime for code, prime in zip(codes[1:], primes, strict=True))) & mask32)
    return result


@pytest.mark.req("B32", "A20")
def test_shingle_hashes_follow_their_definition() -> None:
    texts = normalise_batch([*EDGES, "hello world, ünïcode"])
    values, offsets = shingle_hashes(texts)
    for index in range(len(texts)):
        assert values[offsets[index] : offsets[index + 1]].tolist() == reference_hashes(texts.text(index))


@pytest.mark.req("B33")
@pytest.mark.parametrize("name", ["banking77", "mgsm", "mbpp", "edges"])
def test_signatures_equal_datasketch_bit_for_bit(name: str) -> None:
    rows = EDGES if name == "edges" else [text_of(row["input"]) for row in prepared(name)[:: {"mbpp": 2}.get(name, 20)]]
    texts = normalise_batch(rows)
    values, offsets = shingle_hashes(texts)
    ours = signatures(texts)
    blank = MinHash(num_perm=64, seed=1, scheme="affine32", hashfunc=int)
    assert np.array_equal(blank.permutations, permutations(64, 1))
    for index in range(len(texts)):
        theirs = blank.copy()
        hashes = values[offsets[index] : offsets[index + 1]]
        if hashes.size:
            theirs.update_batch(hashes.tolist())
        assert np.array_equal(theirs.hashvalues, ours[index])
    assert ours.dtype == np.uint32


@pytest.mark.req("B33", "A20")
def test_a_text_without_shingles_has_the_empty_signature() -> None:
    assert (signatures(normalise_batch(["", "?!"])) == EMPTY).all()
    assert signatures(normalise_batch([])).shape == (0, 64)


def test_a_signature_does_not_depend_on_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = normalise_batch([*EDGES, "one more", *EDGES])
    together = signatures(texts)
    monkeypatch.setattr(minhash, "_BLOCK", 7)
    assert np.array_equal(together, signatures(texts))
    alone = np.concatenate([signatures(texts.part(index, index + 1)) for index in range(len(texts))])
    assert np.array_equal(together, alone)


@pytest.mark.req("B32", "B34", "A20")
@settings(max_examples=150)
@given(st.lists(st.text("aAb0 é日\U00020000", max_size=12), min_size=2, max_size=8))
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "ranked"])
def test_exact_sets_equal_sets_of_strings(packed: bool, texts: list[str]) -> None:
    """Both ways to name a shingle; the second is for alphabets of more than 6,208 characters."""
    pool = normalise_batch(texts)
    names = shingle_module._shingle_names
    with pytest.MonkeyPatch.context() as patch:
        if not packed:
            patch.setattr(shingle_module, "_shingle_names", lambda codes, base: names(codes, 1 << 17))
        sets = shingle_sets(pool, np.arange(len(pool)))
    expected = [shingles(pool.text(index)) for index in range(len(pool))]
    assert sets.sizes.tolist() == [len(item) for item in expected]
    a, b = np.triu_indices(len(pool), 1)
    shared = [len(expected[i] & expected[j]) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    assert intersections(sets, a, b).tolist() == shared


@pytest.mark.req("B32")
def test_exact_sets_hold_for_large_alphabets() -> None:
    letters = [chr(0x4E00 + index) for index in range(7000)]
    pool = normalise_batch(["".join(letters), "".join(letters[3:]), "".join(letters[:10]), "ab"])
    sets = shingle_sets(pool, np.arange(4))
    assert sets.sizes.tolist() == [6996, 6993, 6, 1]
    assert intersections(sets, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])).tolist() == [6993, 6, 3, 0]
