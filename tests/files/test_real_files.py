"""Every vendored file of public sets, read right or refused; the standard library is the other reader."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from support.data import DATA

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.readers import read_rows

SETS = ("banking77", "gsm8k", "humaneval", "mbpp", "mgsm", "snips2017", "clinc150")
ALL = sorted(
    path
    for name in (*SETS, "awkward/csv-spectrum", "awkward/frictionless", "awkward/blns", "awkward/nan", "awkward/bom")
    for path in (DATA / name).rglob("*")
    if path.is_file() and not path.name.startswith(("LICENSE", "README")) and path.parent.name != "json"
)

REFUSED = {
    # file: slug, line; the settings that read it instead are in SETTINGS, if any do
    "capital-invalid.csv": ("bad-header", 1),  # a column without a name
    "duplicate-column.csv": ("bad-header", 1),
    "duplicate-headers.csv": ("bad-header", 1),
    "invalid.csv": ("bad-header", 1),
    "latin1.csv": ("bad-encoding", 3),
    "table-infer-iso-8859-7.csv": ("bad-encoding", 2),
    "implicit-zip.csv": ("bad-encoding", 2),
    "Luis_metrics.json": ("not-finite", 53),
    "Wit_metrics.json": ("not-finite", 194),
    "domains.json": ("no-rows", 1),  # an object to look values up in
    "table-with-accents.csv": ("bad-encoding", 1),
    "train_PlayMusic_full.json.gz": ("bad-encoding", 9091),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "train_PlayMusic_full.json.gz": {"encoding": "latin-1"},
    "latin1.csv": {"encoding": "latin-1"},
    "table-with-accents.csv": {"encoding": "cp1252", "delimiter": ";"},
    "table-infer-iso-8859-7.csv": {"encoding": "iso-8859-7"},
}


def settings(path: Path) -> dict[str, Any]:
    if "snips2017" in path.parts:
        return {"records": path.parent.name}
    if "mgsm" in path.parts:
        return {"header": False, "columns": ("question", "answer")}
    if "nan" in path.parts:
        return {"records": "intents.{split}"}
    if path.name.startswith("data_full"):
        return {"records": "{split}"}
    return {}


def read(path: Path, **changes: Any) -> list[Any]:
    data = path.read_bytes()
    return [row.value for row in read_rows(io.BytesIO(data), DataFile(path.name, **changes), path.name)]


def expected(path: Path, encoding: str = "utf-8", delimiter: str = ",", **_: Any) -> list[Any]:
    """The rows by the standard library, which holds the whole file and forgives much."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode(encoding).removeprefix("\ufeff")
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    if kind == "tsv":
        return [dict(zip(("question", "answer"), line.split("\t"), strict=True)) for line in text.split("\n") if line]
    if kind == "jsonl":
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if kind == "txt":
        return [line for line in text.split("\n") if line]
    document = json.loads(text)
    if "snips2017" in path.parts:
        return list(document[path.parent.name])
    return [row for rows in document.values() for row in rows] if path.name.startswith("data_full") else list(document)


@pytest.mark.req("A50")
@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_is_read_like_the_standard_library_or_refused(path: Path) -> None:
    if path.name in REFUSED:
        with pytest.raises(DataError) as caught:
            read(path, **settings(path))
        assert (caught.value.slug, caught.value.line) == REFUSED[path.name]
        if path.name not in SETTINGS:
            return
    changes = {**settings(path), **SETTINGS.get(path.name, {})}
    assert repr(read(path, **changes)) == repr(expected(path, **changes))
