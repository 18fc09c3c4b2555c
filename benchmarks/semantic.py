"""Precision and recall of paraphrase candidates on the documented list of pairs, and the time of a whole search.

Run by `make test-semantic`'s environment or any other that has `heldout[semantic]`: `python benchmarks/semantic.py`.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from pathlib import Path

from heldout.services.checking.files import CheckRequest
from heldout.services.semantic import Options, in_files
from heldout.storage.embedding import Embedder, load_embedder

DATA = Path(__file__).parents[1] / "tests" / "data"
THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)


def cosines(embedder: Embedder) -> list[tuple[str, float]]:
    """(label, cosine) of every pair of the list."""
    lines = (DATA / "semantic" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    texts = [pair[side]["text"] for pair in pairs for side in ("a", "b")]
    vectors = embedder.embed(texts).vectors
    return [(pair["label"], float(vectors[2 * n] @ vectors[2 * n + 1])) for n, pair in enumerate(pairs)]


def measured(found: list[tuple[str, float]], least: float) -> tuple[float, float, int]:
    """Precision and recall over paraphrases and unrelated pairs, and how many of the same topic are found too."""
    hits = [label for label, cosine in found if cosine >= least]
    true, false = hits.count("paraphrase"), hits.count("unrelated")
    total = sum(label == "paraphrase" for label, _ in found)
    return true / (true + false) if true + false else 1.0, true / total, hits.count("same topic")


def search(embedder: Embedder, rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for split in ("train", "test"):
            lines = gzip.decompress((DATA / "banking77" / f"{split}.csv.gz").read_bytes()).decode().splitlines(True)
            place = Path(folder, f"{split}.csv")
            place.write_text("".join(lines[: rows + 1]), encoding="utf-8")
            files.append(str(place))
        start = time.perf_counter()
        found = in_files(CheckRequest(tuple(files), ("test",), text_field="text"), embedder, Options())
        seconds = time.perf_counter() - start
    texts = found.held + found.others
    print(
        f"banking77: {found.held} held-out texts against {found.others}: {seconds:.1f} s, {texts / seconds:.0f} texts/s"
    )
    print(f"  {len(found.candidates)} pairs at {found.least} or more")


def main() -> None:
    embedder = load_embedder()
    print(f"model {embedder.name} ({embedder.digest.removeprefix('sha256:')[:12]})")
    found = cosines(embedder)
    print("30 paraphrases, 30 unrelated pairs, 15 of one topic that ask something else")
    print("min-cosine  precision  recall  same topic found")
    for least in THRESHOLDS:
        precision, recall, topic = measured(found, least)
        print(f"{least:10.1f}  {precision:9.2f}  {recall:6.2f}  {topic:10d} of 15")
    search(embedder, int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)


if __name__ == "__main__":
    main()
