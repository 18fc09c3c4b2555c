"""Containment of 10,000 items in 100,000 documents, beside ahocorasick_rs: time, and whether the results are the same.

    python benchmarks/containment.py
    python benchmarks/containment.py --rows 20000 --items 2000

Items are sentences of the corpus' own making, each of 16 normalised characters or more; a hundredth of the documents
holds one of them at its start, its end or inside. All are normalised before the clock starts, for both. Heldout runs
`containments` on items and documents together and looks for the items, in each other too; only pairs of an item and a
document are compared. ahocorasick_rs builds an automaton of the items and looks for overlapping
matches in each document. Asserts nothing; says how many pairs either found alone.
"""

from __future__ import annotations

import hashlib
import random
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import corpus
from bench.process import Found, Job, compare, compiled, options_of, serve, texts_of
from bench.texts import Lengths, Sentences
from bench.timing import table


def main() -> None:
    if serve(SIDES, sys.argv[1:]):
        return
    parser = options_of(__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.corpus or Path(name)
        if options.corpus is None:
            corpus.write(folder, corpus.Plan(options.rows))
        jobs = {side: (side, Job(folder, options.rows, {"items": options.items})) for side in SIDES}
        found = compare(__file__, jobs, options.runs)
    first = found["heldout"]
    lines = [["", "wall s", "cpu s", "documents / cpu s", "times as fast", "MB", "pairs"]]
    for side, used in found.items():
        cells = [f"{used['wall']:.2f}", f"{used['cpu']:.2f}", f"{used['documents'] / used['cpu']:,.0f}"]
        lines.append([side, *cells, f"{used['cpu'] / first['cpu']:.1f}", f"{used['MB']:,.0f}", f"{used['pairs']:,}"])
    same = len({used["same"] for used in found.values()}) == 1
    print(f"{options.items:,} items, {options.rows:,} documents; medians of {options.runs} runs\n{table(lines)}")
    print("the same pairs" if same else "THE PAIRS ARE NOT THE SAME")


def given(job: Job) -> tuple[list[str], list[str]]:
    """Items and documents, normalised and distinct, none of them both."""
    from heldout.matching.texts import normalise_batch

    choose, sentences, wanted = random.Random(7), Sentences(), int(job.options["items"])
    drawn: dict[str, None] = {}
    while len(drawn) < 2 * wanted:
        drawn[sentences.row(choose, Lengths(40, 200))] = None
    raw = list(drawn)
    documents = texts_of(job)
    for at in choose.sample(range(len(documents)), len(documents) // 100):
        item, document = raw[choose.randrange(wanted)], documents[at]
        middle = len(document) // 2
        documents[at] = choose.choice(
            [f"{item} \n{document}", f"{document} {item}", f"{document[:middle]} ({item}) {document[middle:]}"]
        )
    normalised = normalise_batch(raw + documents)
    every = [normalised.text(position) for position in range(len(normalised))]
    items = [text for text in dict.fromkeys(every[: len(raw)]) if len(text) >= 16][:wanted]
    known = set(items)
    return items, [text for text in dict.fromkeys(every[len(raw) :]) if text not in known]


def heldout(job: Job) -> Found:
    import numpy as np

    from heldout.matching.classes import Classes
    from heldout.matching.containment import containments
    from heldout.matching.texts import NormalisedTexts

    compiled()

    def flat(job: Job) -> tuple[list[str], NormalisedTexts]:
        from heldout.matching.texts import normalise_batch

        items, documents = given(job)
        return items, normalise_batch([*items, *documents])

    items, texts = job.read(flat)
    count = len(texts)
    classes = Classes(np.zeros(count, np.int32), np.arange(count + 1, dtype=np.int64))
    found = containments(texts, 16, classes, count, shorts=np.arange(count) < len(items))
    kept = found.long >= len(items)
    pairs = zip(found.short[kept].tolist(), (found.long[kept] - len(items)).tolist(), strict=True)
    return _found(pairs, count - len(items))


def ahocorasick(job: Job) -> Found:
    from ahocorasick_rs import AhoCorasick

    items, documents = job.read(given)
    automaton = AhoCorasick(items)
    pairs = {
        (match[0], number)
        for number, document in enumerate(documents)
        for match in automaton.find_matches_as_indexes(document, overlapping=True)
    }
    return _found(pairs, len(documents))


def _found(pairs: Iterable[tuple[int, int]], documents: int) -> Found:
    ordered = sorted(pairs)
    same = hashlib.sha256(repr(ordered).encode()).hexdigest()
    return {"documents": documents, "pairs": len(ordered), "same": same}


SIDES = {"heldout": heldout, "ahocorasick_rs": ahocorasick}


if __name__ == "__main__":
    main()
