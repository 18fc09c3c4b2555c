"""What a dataset or version is, as text and as JSON (`heldout/show@1`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.dataset import DatasetSpec, JoinedField, Lookup
from heldout.domain.kind import Kind
from heldout.domain.listing import Shown, TrackedFile
from heldout.domain.record import ScanRecord
from heldout.reports.answers import columns, plural, reason, short
from heldout.reports.scan import record_json

_PARTS = (
    "key",
    "input",
    "expected",
    "split",
    "tags",
    "source_kind",
    "review_status",
    "synthetic",
    "source_id",
    "payload",
)


def show_lines(shown: Shown) -> list[str]:
    lines = [f"{shown.subject}: {_place(shown)}"]
    if shown.spec.description:
        lines.append(f"  {shown.spec.description}")
    lines += columns(_cells(shown))
    if shown.record is None:
        lines.append(f"  next: heldout scan {shown.subject}")
    elif shown.version is None:
        lines.append(f"  next: heldout freeze {shown.spec.name}")
    else:
        lines.append(f"  next: heldout gate {shown.subject}")
    return lines


def _place(shown: Shown) -> str:
    if shown.commit is None:
        return "the working copy"
    if shown.version is None:
        return f"commit {shown.commit[:10]}"
    kind = "an annotated" if shown.version.annotated else "a lightweight"
    return f"{kind} tag of commit {shown.commit[:10]}"


def _cells(shown: Shown) -> Iterator[tuple[str, str]]:
    if shown.spec.role:
        yield "role", shown.spec.role
    yield "holdout", _holdout(shown.spec)
    yield from zip(_labels("files"), (_file_line(item) for item in shown.files), strict=False)
    yield from zip(_labels("fields"), _field_lines(shown.spec), strict=False)
    if shown.record is None:
        yield "examples", "not known: no record of this content; Heldout reads no data for this"
    else:
        yield from _record_cells(shown, shown.record)
    yield "source", short(shown.source)
    if shown.retirement:
        yield "retired", f"{shown.retirement.reason} ({shown.retirement.by})"
    yield "answer", ": ".join(part for part in (shown.answer.verdict.value, reason(shown.answer)) if part)


def _labels(first: str) -> Iterator[str]:
    """A list's label stands before its first item only."""
    yield first
    while True:
        yield ""


def _record_cells(shown: Shown, record: ScanRecord) -> Iterator[tuple[str, str]]:
    splits = (
        f"{split} {count:,}{' (holdout)' if split in record.holdout_splits else ''}"
        for split, count in sorted(record.examples.by_split.items())
    )
    yield "examples", f"{record.examples.total:,}: {', '.join(splits)}"
    if record.examples.no_text:
        yield "", f"{record.examples.no_text:,} without a letter or digit, compared exactly only"
    same = f" (the same examples as {', '.join(map(str, shown.twins))})" if shown.twins else ""
    yield "content", short(record.content) + same
    yield "method", f"{record.method_id} ({short(record.method_digest)})"
    found = [f"{record.counts.get(kind.value, 0):,} {kind.value}" for kind in Kind if record.counts.get(kind.value)]
    others = f" and {plural(len(record.compared), 'other version')}" if record.compared else ""
    yield "scanned", f"against itself{others}: {', '.join(found) or 'nothing overlaps'}"
    yield from zip(_labels("incomplete"), record.incomplete, strict=False)


def _holdout(spec: DatasetSpec) -> str:
    if spec.holdout is None:
        return "not declared (splits called holdout, held_out or sealed would count)"
    return ", ".join(spec.holdout) or "none"


def _file_line(item: TrackedFile) -> str:
    size = "" if item.size is None else f"  {item.size:,} bytes"
    return f"{item.path}{'/' * item.is_dir}  md5 {item.md5}{size}"


def _field_lines(spec: DatasetSpec) -> list[str]:
    lines = []
    for part in _PARTS:
        value = getattr(spec.fields, part)
        if isinstance(value, JoinedField):
            lines.append(f"{part} = {value.path} joined by {value.join!r}")
        elif value is not None:
            lines.append(f"{part} = {value}")
    for key, target in spec.fields.metadata.items():
        place = f"{target.field} looked up in {target.path}" if isinstance(target, Lookup) else target
        lines.append(f"metadata.{key} = {place}")
    return lines or ["the rows' own names"]


def show_json(shown: Shown) -> dict[str, Any]:
    meaning = shown.spec.meaning()
    return {
        "format": "heldout/show@1",
        "subject": str(shown.subject),
        "dataset": shown.spec.name,
        "commit": shown.commit,
        "version": None if shown.version is None else str(shown.version.name),
        "annotated": None if shown.version is None else shown.version.annotated,
        "description": shown.spec.description,
        "role": shown.spec.role,
        "holdout": None if shown.spec.holdout is None else list(shown.spec.holdout),
        "data": meaning["data"],
        "fields": meaning["fields"],
        "files": [
            {"path": item.path, "md5": item.md5, "size": item.size, "is_dir": item.is_dir} for item in shown.files
        ],
        "source": shown.source,
        "record": None if shown.record is None else record_json(shown.record),
        "same_examples_as": [str(name) for name in shown.twins],
        "verdict": shown.answer.verdict.value,
        "reason": reason(shown.answer),
        "gaps": [{"kind": gap.kind.value, "text": gap.text} for gap in shown.answer.gaps],
        "retired": None if shown.retirement is None else {"reason": shown.retirement.reason, "by": shown.retirement.by},
    }
