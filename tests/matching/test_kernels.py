"""What the compiled kernels answer is what numpy answers, which in turn is what brute force and datasketch answer."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st
from support.data import prepared
from support.pools import Pool, brute_near, classes_of, one_class

from heldout.domain.text import normalise, text_of
from heldout.matching import kernels, near
from heldout.matching.classes import Classes
from heldout.matching.containment import Containments, containments
from heldout.matching.folding import COMPOSING, WHOLE
from heldout.matching.jaccard import reaches, verify
from heldout.matching.kernels import on_pairs, on_windows
from heldout.matching.minhash import signatures
from heldout.matching.near import NearPairs, NearParameters, near_pairs
from heldout.matching.shingles import shingle_hashes
from heldout.matching.sketch import Sketch, sketch, stacked
from heldout.matching.texts import NormalisedTexts, _folding, normalise_batch

pytestmark = pytest.mark.req("E40")


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    assert kernels.prepare(), "numba is a dependency: its absence has tests of its own"


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.setenv("HELDOUT_KERNELS", "on")
    return monkeypatch


def twice(function, *arguments, **options):  # type: ignore[no-untyped-def]
    """(by kernels, by numpy)."""
    results = []
    for setting in ("on", "off"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HELDOUT_KERNELS", setting)
            results.append(function(*arguments, **options))
    return results


def assert_same(left: object, right: object) -> None:
    assert type(left) is type(right)
    for name in getattr(type(left), "__slots__", ()):
        one, other = getattr(left, name), getattr(right, name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, name
            assert np.array_equal(one, other), name
        else:
            assert one == other, name


ALPHABETS = st.sampled_from(["ab ", "aé1 ", "日本語 ", "\U00020000\U00020001a ", "กา ดี", "a\u0301e\u0308 ", "ΑΣ σς"])
TEXTS = ALPHABETS.flatmap(lambda letters: st.lists(st.text(letters, max_size=14), min_size=1, max_size=14))
ANY = st.text(st.characters(exclude_categories=()), max_size=20)


@pytest.mark.req("B31", "A48")
@settings(max_examples=300)
@given(st.lists(ANY | st.text(st.characters(max_codepoint=0x500)) | st.sampled_from(["", "ΑΣ. ΑΣΑ", "İ", "ﷺ", "각"])))
def test_normalised_texts(texts: list[str]) -> None:
    compiled, numpy = twice(normalise_batch, texts)
    assert_same(compiled, numpy)
    assert [compiled.text(i) for i in range(len(texts))] == [normalise(text) for text in texts]


@pytest.mark.req("B31", "A48")
def test_every_character_folds_alone_as_it_does_in_company() -> None:
    """All planes with characters: each between letters, after a space and doubled."""
    for low in (*range(0, 0x32000, 0x8000), 0xE0000):
        assert_same(*twice(normalise_batch, [f"a{c}b {c}{c}" for c in map(chr, range(low, low + 0x8000))]))
    assert (_folding().table != WHOLE).sum() > 120_000
    assert _folding().table[ord("é")] == ord("é")


@pytest.mark.req("B31")
def test_the_composing_characters_are_those_of_unicode() -> None:
    """Derived again from the decompositions of this Python, for characters that Unicode 14 has."""
    listed = {code for low, high in COMPOSING for code in range(low, high + 1)}
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                assert ord(second) in listed or _folding().table[ord(second)] == WHOLE


@pytest.mark.req("B32", "B33")
@settings(max_examples=150)
@given(TEXTS)
def test_sketches(texts: list[str]) -> None:
    pool = twice(normalise_batch, texts)[0]
    compiled, numpy = twice(sketch, pool)
    assert_same(compiled, numpy)
    assert np.array_equal(compiled.signatures, twice(signatures, pool)[0])
    assert twice(sketch, pool, keep_signatures=False)[0].signatures.shape == (0, 64)


@pytest.mark.req("B33")
@pytest.mark.parametrize("name", ["banking77", "mgsm", "mbpp"])
def test_signatures_equal_datasketch(name: str, both: pytest.MonkeyPatch) -> None:
    texts = normalise_batch([text_of(row["input"]) for row in prepared(name)[::40]])
    values, offsets = shingle_hashes(texts)
    ours, blank = signatures(texts), MinHash(num_perm=64, seed=1, scheme="affine32", hashfunc=int)
    for index in range(len(texts)):
        theirs = blank.copy()
        theirs.update_batch(values[offsets[index] : offsets[index + 1]].tolist())
        assert np.array_equal(theirs.hashvalues, ours[index])


@pytest.mark.req("B34", "B35", "A21")
@settings(max_examples=200)
@given(TEXTS, st.sampled_from([(4, 5), (1, 2), (1, 1), (1, 10)]))
def test_verified_pairs(texts: list[str], threshold: tuple[int, int]) -> None:
    pool = normalise_batch(texts)
    present = np.flatnonzero(pool.lengths)
    i, j = np.triu_indices(present.size, 1)
    a, b = present[i], present[j]
    compiled, numpy = twice(verify, pool, a, b, threshold)
    assert_same(compiled, numpy)
    assert reaches(compiled.intersection, compiled.union, threshold).all()


@pytest.mark.req("B35", "A21")
def test_a_pair_at_the_threshold_itself_is_near(both: pytest.MonkeyPatch) -> None:
    """9 shingles against 8 of them and one more: 8/10 is 4/5; 7 shared of 9 is below."""
    base = "abcdefghijklm"
    texts = normalise_batch([base, base[:-1] + "z", base[:-2] + "zz", "日本語のテキストです。。。以上"])
    found = verify(texts, np.array([0, 0, 3]), np.array([1, 2, 3]), (4, 5))
    assert (found.places.tolist(), found.intersection.tolist(), found.union.tolist()) == ([0, 2], [8, 9], [10, 9])


def mixed(seed: int, size: int = 500) -> tuple[NormalisedTexts, Classes]:
    rng = random.Random(seed)
    letters = "abc 日é\U00020000" if seed % 2 else "abc  "
    sources = ["".join(rng.choice(letters) for _ in range(rng.randint(10, 60))) for _ in range(20)]
    texts = ["", "a", "abcd", "abcd"]
    while len(texts) < size:
        text = list(rng.choice(sources))
        for _ in range(rng.randint(0, 3)):
            text[rng.randrange(len(text))] = rng.choice(letters)
        texts.append("".join(text) + ("x" * rng.randint(0, 3) if rng.random() < 0.5 else ""))
    names = [{rng.choice("uvw"), rng.choice("uvwx")} for _ in texts]
    return normalise_batch(texts), classes_of(names)


@pytest.mark.req("B33", "B34")
@pytest.mark.parametrize("cap", [2, 9, 10_000])
@pytest.mark.parametrize("seed", range(4))
def test_near_pairs_and_families(seed: int, cap: int) -> None:
    texts, classes = mixed(seed)
    marks = signatures(texts)
    compiled, numpy = twice(near_pairs, texts, marks, NearParameters(bucket_cap=cap), classes)
    assert isinstance(compiled, NearPairs)
    assert_same(compiled, numpy)
    assert len(compiled) > 100
    assert bool(compiled.capped.any()) == (cap < 10_000)
    truth = brute_near(texts)
    columns = (compiled.a.tolist(), compiled.b.tolist(), compiled.intersection.tolist(), compiled.union.tolist())
    assert all(truth[a, b] == (shared, union) for a, b, shared, union in zip(*columns, strict=True))


@pytest.mark.req("A25")
@settings(max_examples=250)
@given(TEXTS, st.integers(1, 6), st.integers(1, 4))
def test_containments(texts: list[str], min_length: int, cap: int) -> None:
    pool = normalise_batch(texts)
    compiled, numpy = twice(containments, pool, min_length, one_class(len(texts)), cap)
    assert_same(compiled, numpy)


@pytest.mark.req("A25")
@pytest.mark.parametrize("few", [0, 10**6], ids=["sampled", "counted in full"])
@pytest.mark.parametrize("seed", range(3))
def test_containments_of_longer_texts(seed: int, few: int, both: pytest.MonkeyPatch) -> None:
    """Texts cut from texts, templates with a number, and repeats inside one text; small blocks and little room."""
    rng = random.Random(seed)
    words = ["transfer", "card", "balance", "please", "été", "the", "top up"][: 7 - seed % 2]
    texts = [" ".join(rng.choice(words) for _ in range(rng.randint(4, 60))) for _ in range(150)]
    texts += [text[rng.randint(0, 30) : rng.randint(50, 200)] for text in texts]
    texts += [f"the same long opening sentence of every prompt, number {number}" for number in range(300)]
    texts += [f"{text} and {text} and {text}" for text in texts[:60]]
    pool = normalise_batch(texts)
    wanted = np.array([rng.random() < 0.6 for _ in texts])
    both.setattr(on_windows, "_FEW_WINDOWS", few)
    both.setattr(on_windows, "_ROOM", 3)
    for shorts in (None, wanted):
        compiled, numpy = twice(containments, pool, 16, one_class(len(texts)), 40, shorts=shorts)
        assert isinstance(compiled, Containments)
        assert_same(compiled, numpy)
        assert len(compiled) > 100
        assert shorts is None or wanted[compiled.short].all()


@pytest.mark.req("B34")
def test_threads_and_room_change_nothing(both: pytest.MonkeyPatch) -> None:
    examples = [text_of(row["input"]) for row in prepared("banking77")[:6000]]
    results: list[tuple[NormalisedTexts, Sketch, NearPairs, Containments]] = []
    for count, pairs in ((1, 1 << 18), (2, 7), (5, 300)):
        kernels.set_threads(count)
        both.setattr(on_pairs, "_PAIRS", pairs)
        both.setattr(on_pairs, "_VERIFIED", pairs)
        texts = normalise_batch(examples)
        made, classes = sketch(texts), one_class(len(texts))
        near_ = near_pairs(texts, made.signatures, NearParameters(), classes)
        results.append((texts, made, near_, containments(texts, 16, classes, 1024)))
    kernels.set_threads(0)
    assert len(results[0][2]) > 100
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            assert_same(left, right)


@pytest.mark.req("B33", "B34")
def test_sketches_of_blocks_make_one_scan(both: pytest.MonkeyPatch) -> None:
    """Sketched block by block, joined from keys alone, verified on the texts of the candidates only."""
    from heldout.matching.bands import band_index

    texts = Pool({"banking77": prepared("banking77")}).texts
    whole = stacked([sketch(texts.part(low, min(low + 999, len(texts)))) for low in range(0, len(texts), 999)])
    assert_same(whole, sketch(texts))
    index = band_index(whole.keys, whole.present, cap=256)
    a, b = near.proposals(index, whole.bounds((4, 5)))
    rows = np.unique(np.concatenate([a, b]))
    kept = verify(texts.take(rows), np.searchsorted(rows, a), np.searchsorted(rows, b), (4, 5))
    expected = near_pairs(texts, whole.signatures, NearParameters(), one_class(len(texts)))
    ours = sorted(zip(a[kept.places].tolist(), b[kept.places].tolist(), kept.intersection.tolist(), strict=True))
    assert ours == list(zip(expected.a.tolist(), expected.b.tolist(), expected.intersection.tolist(), strict=True))


@pytest.mark.req("B34", "B35")
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("threshold", [(4, 5), (1, 2), (1, 1)])
def test_long_documents_are_held_against_larger_bitmaps(
    threshold: tuple[int, int], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that share most sentences, of lengths around powers of two, all pairs; nothing near is refused. Where
    they repeat themselves, most pairs are refused by the sizes of their sets alone."""
    rng = random.Random(3)
    sentences = ["".join(rng.choice("abcdefgh ") for _ in range(rng.randint(10, 40))) for _ in range(60)]
    chosen = [rng.sample(sentences, rng.choice((8, 9, 12, 40, 58))) for _ in range(40)]
    texts = normalise_batch([" ".join(sorted(part * rng.randint(1, times))) for part in chosen])
    a, b = np.triu_indices(len(texts), 1)
    monkeypatch.setattr(on_pairs, "_LONG", 64)
    compiled, numpy = twice(verify, texts, a, b, threshold)
    assert_same(compiled, numpy)
    state = kernels._STATE.loaded
    assert state is not None
    distinct = np.full(len(texts), -1, np.int64)
    admitted = on_pairs._admitted(state, texts, a, b, threshold, distinct)
    assert set(compiled.places.tolist()) <= set(admitted.tolist())
    counted = np.flatnonzero(distinct >= 0)
    assert [len({text[i : i + 5] for i in range(len(text) - 4)}) for text in map(texts.text, counted)] == distinct[
        counted
    ].tolist()
    if threshold != (1, 1):
        assert 0 < compiled.places.size <= admitted.size < a.size
        assert counted.size > 0
    if times > 1:
        assert admitted.size <= 2 * max(20, compiled.places.size), "a bound by positions admits several times as many"
