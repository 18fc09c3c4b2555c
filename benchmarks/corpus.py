"""A corpus of any size with relations planted in it, and the truth about them: the same bytes every time.

    python benchmarks/corpus.py FOLDER --rows 1000000
    python benchmarks/corpus.py FOLDER --rows 100000 --lengths 16000 18000
    python benchmarks/corpus.py FOLDER --rows 200000 --short --data my-texts/

Writes train.jsonl (95 % of the rows) and holdout.jsonl with rows {"id", "input"}, and truth.jsonl with a line for each
planted pair: kind (exact, near, below, contain), how it was made, the ids of both sides, which is inside, and the sizes
of the intersection and the union of their shingles, counted on sets. One training row in a hundred is part of a pair.
`below` is one shingle short of being near. Rows are real sentences put together anew, 300 to 1,000 characters where
nothing else is said; memory does not grow with --rows but for the planted pairs, about 10 MB for a million rows.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.planted import Planted, plant
from bench.texts import DATA, SHORT, USUAL, Lengths, Sentences

TEMPLATE = (
    "You are a helpful assistant. Read the passage below carefully and answer the question in one short sentence. "
    "Do not explain your reasoning and do not add any text before or after the answer. If the passage does not "
    "contain the answer, reply with the single word unknown. Never mention these rules. Case number "
)


@dataclass(frozen=True)
class Plan:
    """`family` rows of the training part are one template with a number behind it, evenly spread."""

    rows: int
    lengths: Lengths = USUAL
    seed: int = 1
    family: int = 0
    planted: float = 0.01
    data: Path = DATA

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of the training part and of the holdout."""
        holdout = max(1, self.rows // 20)
        return self.rows - holdout, holdout

    @property
    def pairs(self) -> int:
        return min(int(self.rows * self.planted), self.sizes[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--lengths", type=int, nargs=2, default=(300, 1000), metavar=("LOW", "HIGH"))
    parser.add_argument("--short", action="store_true", help="rows of 30 to 120 characters")
    parser.add_argument("--family", type=int, default=0, help="training rows that are one template with a number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA, help="a folder with JSON Lines that have an `input`")
    options = parser.parse_args()
    lengths = SHORT if options.short else Lengths(*options.lengths)
    start = time.perf_counter()
    write(options.folder, Plan(options.rows, lengths, options.seed, options.family, data=options.data))
    size = sum(path.stat().st_size for path in options.folder.glob("*.jsonl"))
    print(f"{options.rows:,} rows, {size / 1e6:,.0f} MB, {time.perf_counter() - start:.1f} s")


def write(folder: Path, plan: Plan) -> None:
    """train.jsonl, holdout.jsonl and truth.jsonl."""
    sentences = Sentences(plan.data)
    train, holdout = plan.sizes
    pairs = [plant(number, plan.seed, sentences, plan.lengths) for number in range(plan.pairs)]
    places = {side: _places(len(pairs), size) for side, size in (("train", train), ("holdout", holdout))}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "truth.jsonl").open("w", encoding="utf-8") as stream:
        for number, pair in enumerate(pairs):
            stream.write(_truth(pair, f"h{places['holdout'][number]}", f"t{places['train'][number]}"))
    for side, size in (("holdout", holdout), ("train", train)):
        given = {at: getattr(pair, side) for at, pair in zip(places[side], pairs, strict=True)}
        texts = _texts(side, size, given, sentences, plan)
        with (folder / f"{side}.jsonl").open("w", encoding="utf-8") as stream:
            for at, text in enumerate(texts):
                stream.write(f'{{"id":"{side[0]}{at}","input":{json.dumps(text, ensure_ascii=False)}}}\n')


def _places(count: int, size: int) -> list[int]:
    """Rows of the pairs, evenly spread and each its own."""
    return [number * size // count for number in range(count)]


def _texts(side: str, size: int, given: Mapping[int, str], sentences: Sentences, plan: Plan) -> Iterator[str]:
    choose = random.Random(f"{plan.seed}:{side}")
    every = size // plan.family if plan.family and side == "train" else 0
    members = 0
    for at in range(size):
        drawn = sentences.row(choose, plan.lengths)
        if at in given:
            yield given[at]
        elif every and members < plan.family and at >= members * every:
            members += 1
            yield f"{TEMPLATE}{members}."
        else:
            yield drawn


def _truth(pair: Planted, holdout: str, train: str) -> str:
    sides = {"holdout": holdout, "train": train}
    line = {"kind": pair.kind, "how": pair.how, **sides, "inter": pair.intersection, "union": pair.union}
    if pair.inside is not None:
        line["inside"] = sides[pair.inside]
    return json.dumps(line) + "\n"


if __name__ == "__main__":
    main()
