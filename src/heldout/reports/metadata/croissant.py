"""Croissant 1.0 (MLCommons): JSON-LD with the data files, their rows and splits, and the leakage answer.

The answer is a known limitation of the data, which Croissant's vocabulary for responsible AI has a property for. A path
of a file is relative to the dataset's folder, where the document is meant to lie.
"""

from __future__ import annotations

import json
from typing import Any, Final

from heldout.domain.describing.description import Description, FieldFacts, FileFacts
from heldout.reports.metadata.words import leakage, splits, summary

CONFORMS_TO: Final = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
_FORMATS: Final = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/jsonlines",
    "parquet": "application/x-parquet",
    "txt": "text/plain",
    "manifest": "text/plain",
}
_PACKINGS: Final = {".gz": "application/gzip", ".zst": "application/zstd"}
_TYPES: Final = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "object": "sc:StructuredValue",
}
_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        name: f"cr:{name}"
        for name in (
            "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
            "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
            "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
            "transform",
        )
    },
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}  # fmt: skip


def croissant(about: Description) -> str:
    """The document, with a line end at its end."""
    document: dict[str, Any] = {
        "@context": dict(sorted(_CONTEXT.items())),
        "@type": "sc:Dataset",
        "name": about.name.replace("/", "-"),
        "description": f"{summary(about)}. Splits: {splits(about)}.",
        "conformsTo": list(CONFORMS_TO),
        **({"license": about.licence} if about.licence else {}),
        **({"version": about.version} if about.version else {}),
        **({"datePublished": about.date} if about.date else {}),
        "identifier": about.content,
        "isLiveDataset": False,
        "rai:dataLimitations": leakage(about),
        "distribution": [_file(file) for file in about.files],
        "recordSet": [_split_names(about), *(found for file in about.files if (found := _records(about, file)))],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _file(file: FileFacts) -> dict[str, Any]:
    packing = next((kind for suffix, kind in _PACKINGS.items() if file.path.endswith(suffix)), None)
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "description": f"Tracked by DVC, md5 {file.md5}",
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": packing or _FORMATS[file.format],
        "sha256": file.sha256,
    }


def _split_names(about: Description) -> dict[str, Any]:
    """Splits as Croissant has them: an enumeration with their names; which of them are held out is for people."""
    return {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "description": f"Splits: {splits(about)}",
        "dataType": "cr:Split",
        "key": {"@id": "splits/name"},
        "field": [
            {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": "splits/held_out", "name": "held_out", "dataType": "sc:Boolean"},
        ],
        "data": [{"splits/name": name, "splits/held_out": name in about.held_out} for name in about.by_split],
    }


def _records(about: Description, file: FileFacts) -> dict[str, Any] | None:
    """The rows of one file; None where a generic reader would not find them (plain text, packed or nested files)."""
    readable = file.format in ("csv", "tsv", "jsonl", "parquet", "json") and "{" not in (file.records or "")
    fields = [_field(file, field) for field in about.fields if field.path is not None] if readable else []
    if not fields:
        return None
    counts = ", ".join(f"{split} {count:,}" for split, count in file.by_split.items())
    return {
        "@type": "cr:RecordSet",
        "@id": f"examples/{file.path}",
        "name": f"examples/{file.path}",
        "description": f"Examples by split: {counts}",
        "field": fields,
    }


def _field(file: FileFacts, field: FieldFacts) -> dict[str, Any]:
    name = f"examples/{file.path}/{field.name}"
    kinds = field.kinds - {"list"}
    if kinds == {"integer", "number"}:
        kinds = frozenset({"number"})
    return {
        "@type": "cr:Field",
        "@id": name,
        "name": name,
        "dataType": _TYPES[next(iter(kinds))] if len(kinds) == 1 else "sc:StructuredValue" if kinds else "sc:Text",
        **({"repeated": True} if field.kinds == {"list"} else {}),
        "source": {"fileObject": {"@id": file.path}, "extract": _extract(file, field)[0], **_extract(file, field)[1]},
    }


def _extract(file: FileFacts, field: FieldFacts) -> tuple[dict[str, str], dict[str, Any]]:
    """A column of a table or of JSON Lines, whose nested values need a second step; a path in a JSON document."""
    assert field.path is not None
    if file.format == "json":
        rows = "".join(map(_step, (file.records or "").split("."))) if file.records else ""
        return {"jsonPath": f"${rows}[*]{''.join(map(_step, field.path))}"}, {}
    head, *rest = field.path
    more = {"transform": {"jsonPath": f"${''.join(map(_step, rest))}"}} if rest else {}
    return {"column": head}, more


def _step(part: str) -> str:
    return f"[{part}]" if part.isdigit() else f".{part}" if part.isidentifier() else f"['{part}']"
