"""Near pairs of a list of texts, by Heldout and by what one would build on each library in its best way.

All find pairs of texts whose sets of 5-character shingles have a Jaccard index of 4/5 or more, and all but verascan and
noleak, which only estimate, verify each candidate on exact sets. Texts are normalised by Heldout's batch code for all,
so the others do not pay for a slower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.process import Found, Job, Side, compiled, texts_of

BANDS, ROWS = 16, 4
LIKELY = 0.6
"""An estimate below this is not verified: four standard deviations of an estimate by 64 values below 4/5."""

_BLOCK = 1 << 15
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def heldout(job: Job) -> Found:
    from heldout.matching.classes import Classes
    from heldout.matching.minhash import signatures
    from heldout.matching.near import NearParameters, near_pairs
    from heldout.matching.texts import normalise_batch

    compiled()
    given = job.read(texts_of)
    texts = normalise_batch(list(dict.fromkeys(given)))
    count = len(texts)
    classes = Classes(np.zeros(count, np.int32), np.arange(count + 1, dtype=np.int64))
    marks = signatures(texts, count=BANDS * ROWS, seed=1)
    pairs = near_pairs(texts, marks, NearParameters(), classes)
    return {"texts": len(given), "near pairs": len(pairs)}


def datasketch(job: Job) -> Found:
    from datasketch import MinHash, MinHashLSH
    from xxhash import xxh32_intdigest

    given = job.read(texts_of)
    texts = _distinct(given)
    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    signed = []
    with index.insertion_session() as session:
        for number, text in enumerate(texts):
            signature = MinHash(num_perm=BANDS * ROWS, seed=1, hashfunc=xxh32_intdigest)
            signature.update_batch([part.encode() for part in _shingles(text)])
            session.insert(number, signature, check_duplication=False)
            signed.append(signature)
    candidates = (
        (number, other)
        for number, mark in enumerate(signed)
        for other in index.query(mark)
        if other > number and mark.jaccard(signed[other]) >= LIKELY
    )
    return {"texts": len(given), "near pairs": _verified(texts.__getitem__, candidates)}


def rensa(job: Job) -> Found:
    """One flat buffer of hashed shingles, made with numpy; signatures and flags in Rust; pairs of the flagged rows by
    their bands, and by the estimate that their signatures give."""
    from rensa import RMinHash, RMinHashLSH

    from heldout.matching.texts import normalise_batch

    given = job.read(texts_of)
    texts = normalise_batch(list(dict.fromkeys(given)))
    hashes, rows = _hashed(texts.codepoints, texts.offsets)
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(hashes, rows, BANDS * ROWS, 42)
    index = RMinHashLSH(threshold=0.8, num_perm=BANDS * ROWS, num_bands=BANDS)
    flagged = np.flatnonzero(index.query_duplicate_flags_matrix_one_shot(matrix))
    again, bounds = _rows_of(hashes, rows, flagged)
    listed = RMinHash.digest_matrix_from_flat_token_hashes(again, bounds, BANDS * ROWS, 42).to_rows()
    digests = np.array(listed, np.uint32)
    a, b = _in_bands(digests)
    likely = (digests[a] == digests[b]).sum(axis=1) >= LIKELY * BANDS * ROWS
    candidates = zip(flagged[a[likely]].tolist(), flagged[b[likely]].tolist(), strict=True)
    return {"texts": len(given), "near pairs": _verified(texts.text, candidates)}


def gaoya(job: Job) -> Found:
    from gaoya.minhash import MinHashStringIndex

    given = job.read(texts_of)
    texts = _distinct(given)
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=LIKELY,
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="char",
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    found = index.par_bulk_query(texts)
    candidates = ((number, other) for number, others in enumerate(found) for other in others)
    return {"texts": len(given), "near pairs": _verified(texts.__getitem__, candidates)}


def verascan(job: Job) -> Found:
    import verascan as library

    given = job.read(texts_of)
    cut = int(len(given) * 0.95)
    report = library.check(given[:cut], given[cut:], methods=["exact", "fuzzy"], threshold=0.8, show_progress=False)
    return {"texts": len(given), "near pairs": report.total_matches}


def noleak(job: Job) -> Found:
    import noleak as library

    given = job.read(texts_of)
    cut = int(len(given) * 0.95)
    report = library.check(given[:cut], given[cut:], methods=["exact", "near"], near_threshold=0.8)
    return {"texts": len(given), "near pairs": report.near_hits}


SIDES: dict[str, Side] = {
    "heldout": heldout,
    "datasketch": datasketch,
    "rensa": rensa,
    "gaoya": gaoya,
    "verascan": verascan,
    "noleak": noleak,
}


# --- what sides share -----------------------------------------------------------------------------------------------


def _distinct(given: Sequence[str]) -> list[str]:
    """Distinct texts, normalised."""
    from heldout.matching.texts import normalise_batch

    normalised = normalise_batch(list(dict.fromkeys(given)))
    return [normalised.text(position) for position in range(len(normalised))]


def _shingles(text: str) -> set[str]:
    return {text[at : at + 5] for at in range(max(1, len(text) - 4))}


def _hashed(points: NDArray[np.generic], offsets: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """64-bit hashes of all shingles, and where those of each text begin. By blocks that stay in the cache."""
    hashes = np.zeros(points.size, np.uint64)
    for low in range(0, points.size, _BLOCK):
        part, block = points[low : low + _BLOCK + 4].astype(np.uint64), hashes[low : low + _BLOCK]
        for position in range(min(5, part.size)):
            one = part[position : position + block.size]
            block[: one.size] *= _FACTOR
            block[: one.size] += one
        block ^= block >> np.uint64(32)
        block *= _FACTOR
        block ^= block >> np.uint64(29)
    rows = np.zeros(offsets.size, np.uint64)
    np.cumsum(np.maximum(np.diff(offsets) - 4, 1), out=rows[1:])
    inside = np.ones(points.size, np.bool_)
    for back in range(1, 5):
        last = offsets[1:] - back
        inside[last[last > offsets[:-1]]] = False
    return hashes[inside], rows


def _rows_of(
    hashes: NDArray[np.uint64], rows: NDArray[np.uint64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    parts = [hashes[int(rows[row]) : int(rows[row + 1])] for row in wanted.tolist()]
    bounds = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum([part.size for part in parts], out=bounds[1:])
    return np.concatenate(parts), bounds


def _in_bands(digests: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of rows that agree in a band, each once."""
    pairs = []
    for band in range(BANDS):
        keys = np.ascontiguousarray(digests[:, band * ROWS : (band + 1) * ROWS]).view(np.uint64)
        order = np.lexsort(keys.T)
        opens = np.flatnonzero(np.append(True, (keys[order[1:]] != keys[order[:-1]]).any(axis=1)))
        sizes = np.diff(opens, append=order.size)
        for start, size in zip(opens[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
            members = np.sort(order[start : start + size])
            first, second = np.triu_indices(size, 1)
            pairs.append(members[first] << 32 | members[second])
    every = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, np.int64)
    return every >> 32, every & 0xFFFFFFFF


def _verified(text: Callable[[int], str], candidates: Iterable[tuple[int, int]]) -> int:
    """How many distinct candidates reach 4/5 on exact sets, each set made once."""
    pairs = {(min(pair), max(pair)) for pair in candidates if pair[0] != pair[1]}
    sets = {one: _shingles(text(one)) for pair in pairs for one in pair}
    near = 0
    for first, second in pairs:
        a, b = sets[first], sets[second]
        both = len(a & b)
        near += both * 5 >= (len(a) + len(b) - both) * 4
    return near
