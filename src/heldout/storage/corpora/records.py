"""Scan records of corpora on disk (`heldout/corpus-scan@1`): scan.yaml, findings.jsonl and the list of shards."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from heldout.domain.canonical import digest_bytes
from heldout.domain.corpora.corpus import (
    LISTED,
    Against,
    CorpusFinding,
    CorpusReading,
    CorpusRecord,
    HeldOut,
    Hit,
    HitKind,
    Inside,
    PlacedHit,
    ShardRead,
)
from heldout.domain.example import JSON
from heldout.errors import TamperedError
from heldout.storage.yaml.files import dump_yaml, load_yaml

ROOT: Final = "corpora"
FORMAT: Final = "heldout/corpus-scan@1"
RECORD_FILE: Final = "scan.yaml"
FINDINGS_FILE: Final = "findings.jsonl"
SHARDS_FILE: Final = "shards.jsonl"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def render_record(record: CorpusRecord) -> bytes:
    return dump_yaml(
        {
            "format": FORMAT,
            "corpus": {
                "name": record.corpus,
                "manifest": record.manifest,
                "shards": record.shards,
                "bytes": record.size,
                "shards_digest": record.manifest_file,
            },
            "reading": record.reading.meaning(),
            "method": {
                "id": record.method_id,
                "digest": record.method_digest,
                "parameters": dict(record.method_parameters),
            },
            "rows": {"read": record.rows, "no_text": record.no_text, "skipped": record.skipped},
            "incomplete": list(record.incomplete),
            "against": [
                {
                    "dataset": item.dataset,
                    "source": item.source,
                    "holdout": list(item.holdout),
                    "members": item.members,
                    "complete": item.complete,
                }
                for item in sorted(record.against, key=lambda item: item.source)
            ],
            "counts": dict(record.counts),
            "hits": dict(record.hits),
            "findings": {
                "digest": record.findings_digest,
                "lines": record.findings_lines,
                "rows_listed": LISTED,
            },
        }
    )


def parse_record(data: bytes, name: str) -> CorpusRecord:
    """Raises TamperedError (slug record-unreadable): only Heldout writes records."""
    try:
        return _record(load_yaml(data, name))
    except Exception as error:
        raise TamperedError(
            "record-unreadable",
            f"{name} is not a scan record of a corpus: {error}",
            hint="take the file from its commit in Git",
        ) from error


def _record(content: Any) -> CorpusRecord:
    if content["format"] != FORMAT:
        raise ValueError(f"format is {content['format']!r}, expected {FORMAT!r}")
    corpus, method, findings, rows = (content[key] for key in ("corpus", "method", "findings", "rows"))
    kinds = [kind.value for kind in HitKind]
    if findings["rows_listed"] != LISTED:
        raise ValueError(f"it lists {findings['rows_listed']!r} rows an example, not {LISTED}")
    return CorpusRecord(
        corpus=_text(corpus["name"]),
        manifest=_digest(corpus["manifest"]),
        shards=_number(corpus["shards"]),
        size=_number(corpus["bytes"]),
        reading=_reading(content["reading"]),
        method_id=_text(method["id"]),
        method_digest=_digest(method["digest"]),
        method_parameters=dict(method["parameters"]),
        rows=_number(rows["read"]),
        no_text=_number(rows["no_text"]),
        skipped=_number(rows["skipped"]),
        incomplete=tuple(map(_text, content["incomplete"])),
        against=tuple(_against(item) for item in content["against"]),
        counts={name: _number(content["counts"][name]) for name in (*kinds, "contaminated")},
        hits={name: _number(content["hits"][name]) for name in kinds},
        findings_digest=_digest(findings["digest"]),
        findings_lines=_number(findings["lines"]),
        manifest_file=_digest(corpus["shards_digest"]),
    )


def _reading(content: dict[str, Any]) -> CorpusReading:
    optional = {name: content[name] for name in ("text_field", "format", "records")}
    for value in optional.values():
        if value is not None:
            _text(value)
    if content["on_bad_row"] not in ("refuse", "skip"):
        raise ValueError(f"on_bad_row is {content['on_bad_row']!r}")
    return CorpusReading(
        **optional,
        columns=tuple(map(_text, content["columns"])),
        encoding=_text(content["encoding"]),
        skip_bad_rows=content["on_bad_row"] == "skip",
    )


def _against(item: dict[str, Any]) -> Against:
    if type(item["complete"]) is not bool:
        raise ValueError(f"expected true or false, found {item['complete']!r}")
    holdout = tuple(map(_text, item["holdout"]))
    return Against(_text(item["dataset"]), _digest(item["source"]), holdout, _number(item["members"]), item["complete"])


def render_shards(shards: Iterable[ShardRead]) -> bytes:
    lines: list[dict[str, JSON]] = [
        {
            "path": shard.path,
            "size": shard.size,
            "sha256": shard.sha256,
            "rows": shard.rows,
            "no_text": shard.no_text,
            "skipped": shard.skipped,
        }
        for shard in sorted(shards, key=lambda item: item.path)
    ]
    return _lines(lines)


def parse_shards(data: bytes) -> tuple[ShardRead, ...]:
    """Raises ValueError, LookupError or TypeError for what `render_shards` could not have written."""
    return tuple(ShardRead(**json.loads(line)) for line in io.BytesIO(data))


def render_findings(findings: Iterable[CorpusFinding], sources: Sequence[str]) -> bytes:
    """One JSON object a line. `sources` numbers the versions, from 1 as in records of versions."""
    number = {source: position for position, source in enumerate(sources, 1)}
    return _lines([_finding_line(finding, number) for finding in findings])


def _finding_line(finding: CorpusFinding, number: Mapping[str, int]) -> dict[str, JSON]:
    held = finding.held
    return {
        "id": finding.id,
        "kind": finding.kind.value,
        "severity": "block" if finding.contaminates else "review",
        "holdout_contamination": finding.contaminates,
        "held": {
            "dataset": held.dataset,
            "split": held.split,
            "key": held.key,
            "input": held.input,
            "held_out_in": [*sorted(number[source] for source in held.versions)],
        },
        "hits": {kind.value: finding.counts.get(kind, 0) for kind in HitKind},
        "rows": [_hit_line(placed) for placed in finding.hits],
    }


def _hit_line(placed: PlacedHit) -> dict[str, JSON]:
    hit = placed.hit
    line: dict[str, JSON] = {"shard": placed.shard, "row": hit.row, "input": hit.input, "kind": hit.kind.value}
    if hit.similarity is not None:
        shared, union = hit.similarity
        line["similarity"] = {"fraction": f"{shared}/{union}", "rounded": round(shared / union, 4)}
    if (inside := hit.inside) is not None:
        line["containment"] = {
            "short": "held" if inside.holdout_is_short else "row",
            "position": inside.position,
            "offset": inside.offset,
            "word_aligned": inside.word_aligned,
        }
    return line


def parse_findings(data: bytes, corpus: str, sources: Sequence[str]) -> tuple[CorpusFinding, ...]:
    """Raises ValueError for what `render_findings` could not have written, as far as reading needs to know."""
    try:
        return tuple(_parse_finding(json.loads(line), corpus, sources) for line in io.BytesIO(data))
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(repr(error)) from error


def _parse_finding(line: dict[str, Any], corpus: str, sources: Sequence[str]) -> CorpusFinding:
    held = line["held"]
    numbers = [_number(number) for number in held["held_out_in"]]
    if not numbers or min(numbers) < 1:
        raise ValueError(f"held_out_in is {numbers}")
    versions = tuple(sorted(sources[number - 1] for number in numbers))
    counts = {kind: _number(line["hits"][kind.value]) for kind in HitKind}
    if not any(counts.values()):
        raise ValueError("a finding without a row")
    dataset, split, key, item = (_text(held[name]) for name in ("dataset", "split", "key", "input"))
    hits = tuple(_parse_hit(row) for row in line["rows"])
    return CorpusFinding(corpus, HeldOut(dataset, split, key, item, versions), counts, hits)


def _parse_hit(row: dict[str, Any]) -> PlacedHit:
    similarity = None
    if "similarity" in row:
        shared, _, union = row["similarity"]["fraction"].partition("/")
        similarity = int(shared), int(union)
    inside = None
    if "containment" in row:
        found = row["containment"]
        inside = Inside(found["short"] == "held", found["position"], found["offset"], found["word_aligned"])
    return PlacedHit(
        _text(row["shard"]), Hit(HitKind(row["kind"]), _number(row["row"]), row["input"], similarity, inside)
    )


def load_findings(record: CorpusRecord, data: bytes | None) -> tuple[CorpusFinding, ...]:
    """Raises TamperedError (slug findings-changed) for bytes that are not those that the record names."""
    path = f"{record.folder()}/{FINDINGS_FILE}"
    hint = "take the file from its commit in Git, or scan the corpus again"
    if data is None or digest_bytes(data) != record.findings_digest:
        state = "missing" if data is None else "not the file that the record names"
        raise TamperedError("findings-changed", f"{path} is {state}", hint=hint)
    try:
        return parse_findings(data, record.corpus, record.sources())
    except ValueError as error:
        raise TamperedError("findings-changed", f"{path} holds no findings: {error}", hint=hint) from error


def check_place(record: CorpusRecord, path: str) -> None:
    """Refuse a record whose folder is not its id: what it names is not what it was made from."""
    if path != f"{record.folder()}/{RECORD_FILE}":
        raise TamperedError(
            "record-misplaced",
            f"{path} holds the record {record.id} of the corpus {record.corpus}: its contents do not fit its place",
            hint="take the file from its commit in Git",
        )


def _lines(lines: Sequence[Mapping[str, JSON]]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines).encode()


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"expected a whole number, found {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {value!r}")
    return value


def _digest(value: Any) -> str:
    if not _DIGEST.fullmatch(_text(value)):
        raise ValueError(f"expected a digest, found {value!r}")
    return str(value)
