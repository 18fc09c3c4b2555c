"""Where tests find real data, and its answers, without knowing which files are compressed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def data_path(name: str) -> Path:
    """The vendored file, such as `banking77/train.csv`; the path ends in .gz where it is stored compressed."""
    plain = DATA / name
    packed = plain.with_name(plain.name + ".gz")
    for path in (plain, packed):
        if path.exists():
            return path
    raise FileNotFoundError(f"no test data {name}; tests/data/README.md lists what there is")


def original(name: str, tmp_path: Path) -> Path:
    """A decompressed copy in `tmp_path` under the original's own file name, so that a test may change it."""
    source = data_path(name)
    target = tmp_path / Path(name).name
    data = source.read_bytes()
    target.write_bytes(gzip.decompress(data) if source.name == target.name + ".gz" else data)
    return target


def prepared(name: str) -> list[dict[str, Any]]:
    """The examples of a set, `banking77` for instance, as {id, split, input, metadata}."""
    return _lines(DATA / "prepared" / f"{name}.jsonl.gz")


def truth(name: str) -> list[dict[str, Any]]:
    """Every pair of a set, or of two sets (`gsm8k+mgsm`), that two exact algorithms agree on."""
    return _lines(DATA / "truth" / f"{name}.jsonl.gz")


def _lines(path: Path) -> list[dict[str, Any]]:
    # Not splitlines(): gsm8k holds U+2028 inside strings.
    with gzip.open(path, "rb") as stream:
        return [json.loads(line) for line in stream]
