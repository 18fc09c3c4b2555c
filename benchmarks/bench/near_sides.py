"""Near pairs of a list of texts, by Heldout and by what one would build on each library in its best way.

All find pairs of texts whose sets of 5-character shingles have a Jaccard index of 4/5 or more, and all but verascan and
noleak, which only estimate, verify each candidate on exact sets. Texts are normalised by Heldout's batch code for all,
so the others do not pay for a slower one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.process import Found, Job, Side, texts_of

BANDS, ROWS = 16, 4


def heldout(job: Job) -> Found:
    from heldout.matching.classes import Classes
    from heldout.matching.kernels import prepare
    from heldout.matching.minhash import signatures
    from heldout.matching.near import NearParameters, near_pairs
    from heldout.matching.texts import normalise_batch

    prepare()
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
    candidates = ((number, other) for number, mark in enumerate(signed) for other in index.query(mark))
    return {"texts": len(given), "near pairs": _verified(texts, candidates)}


def rensa(job: Job) -> Found:
    """One flat buffer of hashed shingles, made with numpy; signatures and flags in Rust; pairs of the flagged rows by
    their bands."""
    from rensa import RMinHash, RMinHashLSH

    given = job.read(texts_of)
    texts, points, offsets = _flat(given)
    hashes, rows = _hashed(points, offsets)
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(hashes, rows, BANDS * ROWS, 42)
    index = RMinHashLSH(threshold=0.8, num_perm=BANDS * ROWS, num_bands=BANDS)
    flagged = np.flatnonzero(index.query_duplicate_flags_matrix_one_shot(matrix))
    again, lengths = _rows_of(hashes, rows, flagged)
    digests = RMinHash.digest_matrix_from_flat_token_hashes(again, lengths, BANDS * ROWS, 42).to_rows()
    candidates = ((int(flagged[a]), int(flagged[b])) for a, b in _in_bands(digests))
    return {"texts": len(given), "near pairs": _verified(texts, candidates)}


def gaoya(job: Job) -> Found:
    from gaoya.minhash import MinHashStringIndex

    given = job.read(texts_of)
    texts = _distinct(given)
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.7,  # of estimates: no true pair is lost, and the exact sets decide
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="char",
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    found = index.par_bulk_query(texts)
    candidates = ((number, other) for number, others in enumerate(found) for other in others)
    return {"texts": len(given), "near pairs": _verified(texts, candidates)}


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


def _flat(given: Sequence[str]) -> tuple[list[str], NDArray[np.uint32], NDArray[np.int64]]:
    """Distinct texts, normalised, and their code points one after the other."""
    texts = _distinct(given)
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    return texts, np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32), offsets


def _distinct(given: Sequence[str]) -> list[str]:
    """Distinct texts, normalised."""
    from heldout.matching.texts import normalise_batch

    normalised = normalise_batch(list(dict.fromkeys(given)))
    return [normalised.text(position) for position in range(len(normalised))]


def _shingles(text: str) -> set[str]:
    return {text[at : at + 5] for at in range(max(1, len(text) - 4))}


def _hashed(points: NDArray[np.uint32], offsets: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """64-bit hashes of all shingles, and where those of each text begin."""
    hashes = np.zeros(points.size, np.uint64)
    for position in range(5):
        part = points[position:].astype(np.uint64)
        hashes[: part.size] += part * np.uint64(0x9E3779B97F4A7C15 * (2 * position + 1) ** 5 % 2**64 | 1)
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    lengths = np.maximum(np.diff(offsets) - 4, 1)
    rows = np.zeros(offsets.size, np.uint64)
    np.cumsum(lengths, out=rows[1:])
    inside = np.ones(points.size, np.bool_)
    for back in range(1, 5):
        last = offsets[1:] - back
        inside[last[last >= offsets[:-1] + 1]] = False
    return hashes[inside], rows


def _rows_of(
    hashes: NDArray[np.uint64], rows: NDArray[np.uint64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    parts = [hashes[int(rows[row]) : int(rows[row + 1])] for row in wanted.tolist()]
    bounds = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum([part.size for part in parts], out=bounds[1:])
    return np.concatenate(parts), bounds


def _in_bands(digests: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    for band in range(BANDS):
        buckets: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for number, digest in enumerate(digests):
            buckets[tuple(digest[band * ROWS : (band + 1) * ROWS])].append(number)
        for bucket in buckets.values():
            pairs.update((a, b) for at, a in enumerate(bucket) for b in bucket[at + 1 :])
    return pairs


def _verified(texts: Sequence[str], candidates: Iterable[tuple[int, int]]) -> int:
    """How many distinct candidates reach 4/5 on exact sets, each set made once."""
    pairs = {(min(pair), max(pair)) for pair in candidates if pair[0] != pair[1]}
    sets = {one: _shingles(texts[one]) for pair in pairs for one in pair}
    near = 0
    for first, second in pairs:
        a, b = sets[first], sets[second]
        both = len(a & b)
        near += both * 5 >= (len(a) + len(b) - both) * 4
    return near
