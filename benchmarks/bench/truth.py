"""`heldout check` on a corpus with planted pairs: what it found, missed and invented, and what it took."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.checking import check_files
from bench.planted import normalise, shingles
from bench.timing import table

Pair = tuple[str, str]
"""Ids of the two rows: holdout and train where they are of two splits, else in order."""


def whole(folder: Path, memory: str | None = None) -> str:
    used = check_files(folder, *(["--memory", memory] if memory else []))
    answer = used.answer
    size = sum((folder / f"{name}.jsonl").stat().st_size for name in ("train", "holdout"))
    limit = _normalising(folder)
    rows = sum(answer["splits"].values())
    lines = [
        ["rows", f"{rows:,}"],
        ["seconds", f"{used.wall:,.1f}"],
        ["processor seconds", f"{used.cpu:,.1f}"],
        ["rows / processor second", f"{rows / used.cpu:,.0f}"],
        ["peak MB", f"{used.memory:,.0f}"],
        ["bytes of the files a second", f"{size / used.wall / 1e6:,.1f} MB"],
        ["normalising alone", f"{limit / 1e6:,.1f} MB a second"],
        ["share of that limit", f"{size / used.wall / limit:.3f}"],
    ]
    return f"heldout check{f' --memory {memory}' if memory else ''}\n{table(lines)}\n{_judged(folder, answer)}"


def _normalising(folder: Path) -> float:
    """Bytes of the files a second, for normalisation and nothing else, with as many threads as a scan takes."""
    script = (
        "import json,sys,time\n"
        "from heldout.matching.kernels import prepare\n"
        "from heldout.matching.texts import normalise_batch\n"
        "prepare(); texts=[]; size=0\n"
        "for line in open(sys.argv[1], encoding='utf-8'):\n"
        "    if len(texts) == 100_000: break\n"
        "    texts.append(json.loads(line)['input']); size += len(line.encode())\n"
        "best = 1e9\n"
        "for _ in range(3):\n"
        "    start = time.perf_counter(); normalise_batch(texts); best = min(best, time.perf_counter() - start)\n"
        "print(size / best)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder / "train.jsonl")], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def _judged(folder: Path, answer: Mapping[str, Any]) -> str:
    found = {kind: dict(_findings(answer, kind)) for kind in ("exact", "near", "containment")}
    planted = [json.loads(line) for line in (folder / "truth.jsonl").open(encoding="utf-8")]
    counts: Counter[str] = Counter()
    lines = []
    for row in planted:
        kind = {"contain": "containment", "below": "near"}.get(row["kind"], row["kind"])
        pair, expected = (row["holdout"], row["train"]), row["kind"] != "below"
        hit = pair in found[kind]
        right = hit and (kind != "near" or found[kind][pair] == Fraction(row["inter"], row["union"]))
        counts[row["kind"]] += 1
        counts[f"{row['kind']} as planned"] += right if expected else not hit
        if right is not expected:
            j = row["inter"] / row["union"]
            chance = (1 - j**4) ** 16
            lines.append(f"  {row['how']} {pair}: J {j:.4f}, which 16 bands of 4 miss with a chance of {chance:.1e}")
    summary = ", ".join(f"{counts[f'{k} as planned']:,} of {counts[k]:,} {k}" for k in ("exact", "near", "contain"))
    wrong = _invented(folder, found)
    told = sum(map(len, found.values()))
    return "\n".join(
        [
            f"recall: {summary}; {counts['below as planned']:,} of {counts['below']:,} just below 4/5 not reported",
            *(lines or ["  nothing missed"]),
            f"precision: {told - len(wrong):,} of {told:,} findings hold when computed again",
            *(f"  {item}" for item in wrong[:20]),
        ]
    )


def _findings(answer: Mapping[str, Any], kind: str) -> Iterator[tuple[Pair, Fraction]]:
    for finding in answer["findings"]:
        if kind in (finding["kind"], *finding["also"]):
            ids = sorted(f"{finding[side]['split'][0]}{finding[side]['line'] - 1}" for side in "ab")
            similarity = finding.get("similarity") or {"fraction": "1/1"}
            yield (ids[0], ids[1]), Fraction(similarity["fraction"])


def _invented(folder: Path, found: Mapping[str, Mapping[Pair, Fraction]]) -> list[str]:
    wanted = {one for pairs in found.values() for pair in pairs for one in pair}
    texts = dict(_texts(folder, wanted))
    wrong = []
    for kind, pairs in found.items():
        for (first, second), similarity in pairs.items():
            a, b = texts[first], texts[second]
            if kind == "exact":
                right = a == b
            elif kind == "near":
                one, two = shingles(normalise(a)), shingles(normalise(b))
                right = similarity == Fraction(len(one & two), len(one | two)) and similarity >= Fraction(4, 5)
            else:
                short, long = sorted((normalise(a), normalise(b)), key=len)
                right = short in long and len(short) >= 16 and short != long
            if not right:
                wrong.append(f"{kind} {first} {second} {similarity}")
    return wrong


def _texts(folder: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    for name in ("train", "holdout"):
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as stream:
            for number, line in enumerate(stream):
                if f"{name[0]}{number}" in wanted:
                    yield f"{name[0]}{number}", json.loads(line)["input"]
