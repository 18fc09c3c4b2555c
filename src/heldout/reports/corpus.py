"""Scans of corpora, as text and as JSON (`heldout/corpus-scan@1`, `heldout/corpora@1`, `heldout/corpus@1`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from heldout.domain.corpora.corpus import CorpusFinding, CorpusRecord, HitKind, PlacedHit
from heldout.domain.coverage import Version
from heldout.reports.answers import columns, plural, short

SHOWN = 5
"""Findings listed before the text form says how many more there are."""


def scan_lines(
    record: CorpusRecord,
    findings: Sequence[CorpusFinding],
    left_out: Sequence[tuple[Version, str]],
    *,
    resumed: int,
    reason: str | None,
    recorded: str | None,
) -> list[str]:
    lines = [_verdict(record)]
    if record.reading.text_field and reason:
        lines.append(f"  text: {record.reading.text_field} ({reason})")
    if resumed:
        verb = "was" if resumed == 1 else "were"
        lines.append(f"  {plural(resumed, 'part')} of it {verb} read by an earlier run")
    lines += _found(record)
    lines += finding_lines(findings, SHOWN, f"heldout corpus show {record.corpus}")
    lines += [f"  incomplete: {reason}" for reason in record.incomplete]
    lines += [f"  not scanned against {version.name}: {why}" for version, why in left_out]
    lines += _partly(record)
    if recorded == "working copy":
        lines.append(f"  recorded in {record.folder()}/: commit it")
    elif recorded:
        lines.append(f"  recorded in commit {recorded[:10]}")
    else:
        lines.append("  not recorded")
    return lines


def _verdict(record: CorpusRecord) -> str:
    members = sum(item.members for item in record.against)
    versions = plural(len(record.against), "version")
    scope = f"{record.corpus}: {plural(record.rows, 'row')} in {plural(record.shards, 'file')}"
    return f"{scope} against {plural(members, 'held-out example')} of {versions}: {_word(record)}"


def _word(record: CorpusRecord) -> str:
    if record.contaminated:
        verb = "is" if record.contaminated == 1 else "are"
        return f"{plural(record.contaminated, 'held-out example')} {verb} given away"
    return "nothing is given away" if record.complete else "not all of it could be read"


def _found(record: CorpusRecord) -> list[str]:
    """What was found, by kind: examples first, for the rows say little where one text stands in a thousand of them."""
    parts = [
        f"{plural(record.counts[kind.value], 'example')} {_VERBS[kind]} ({plural(record.hits[kind.value], 'row')})"
        for kind in HitKind
        if record.counts[kind.value] or record.hits[kind.value]
    ]
    return [f"  {', '.join(parts)}"] if parts else []


_VERBS = {
    HitKind.EXACT: "exactly there",
    HitKind.NEAR: "nearly there",
    HitKind.CONTAINMENT: "only inside a text, or the reverse",
}


def finding_lines(findings: Sequence[CorpusFinding], limit: int | None, more: str) -> list[str]:
    """The first of them; `more` is the command that lists the others."""
    shown = findings if limit is None else findings[:limit]
    lines = columns(
        ("  " + finding.kind.value, finding.held.dataset, finding.held.label(), _where(finding)) for finding in shown
    )
    if len(findings) > len(shown):
        lines.append(f"    and {len(findings) - len(shown):,} more ({more})")
    return lines


def _where(finding: CorpusFinding) -> str:
    total = sum(finding.counts.values())
    first = finding.hits[0]
    more = f" and {total - 1:,} more" if total > 1 else ""
    return f"{first.shard}:{first.hit.row}{_how(first)}{more}"


def _how(placed: PlacedHit) -> str:
    if placed.hit.similarity is not None:
        shared, union = placed.hit.similarity
        return f" ({shared / union:.2f})"
    if placed.hit.inside is not None:
        side = "the example is inside the row" if placed.hit.inside.holdout_is_short else "the row is inside it"
        return f" ({side}{'' if placed.hit.inside.word_aligned else ', not at word edges'})"
    return ""


def _partly(record: CorpusRecord) -> Iterable[str]:
    for item in record.against:
        if not item.complete:
            yield f"  {item.dataset} {short(item.source)}: not every held-out example of it could be read"


def record_json(record: CorpusRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "corpus": record.corpus,
        "manifest": record.manifest,
        "shards": record.shards,
        "bytes": record.size,
        "reading": record.reading.meaning(),
        "method": {"id": record.method_id, "digest": record.method_digest},
        "rows": {"read": record.rows, "no_text": record.no_text, "skipped": record.skipped},
        "complete": record.complete,
        "incomplete": list(record.incomplete),
        "against": [
            {
                "dataset": item.dataset,
                "source": item.source,
                "holdout": list(item.holdout),
                "members": item.members,
                "complete": item.complete,
            }
            for item in record.against
        ],
        "counts": dict(record.counts),
        "hits": dict(record.hits),
    }


def finding_json(finding: CorpusFinding) -> dict[str, Any]:
    held = finding.held
    return {
        "id": finding.id,
        "kind": finding.kind.value,
        "holdout_contamination": finding.contaminates,
        "held": {
            "dataset": held.dataset,
            "split": held.split,
            "key": held.key,
            "input": held.input,
            "versions": list(held.versions),
        },
        "hits": {kind.value: finding.counts.get(kind, 0) for kind in HitKind},
        "rows": [_hit_json(placed) for placed in finding.hits],
    }


def _hit_json(placed: PlacedHit) -> dict[str, Any]:
    hit = placed.hit
    inside = hit.inside
    return {
        "shard": placed.shard,
        "row": hit.row,
        "input": hit.input,
        "kind": hit.kind.value,
        "similarity": None if hit.similarity is None else f"{hit.similarity[0]}/{hit.similarity[1]}",
        "containment": None
        if inside is None
        else {
            "short": "held" if inside.holdout_is_short else "row",
            "position": inside.position,
            "offset": inside.offset,
            "word_aligned": inside.word_aligned,
        },
    }


def scan_json(
    record: CorpusRecord,
    findings: Sequence[CorpusFinding],
    left_out: Sequence[tuple[Version, str]],
    *,
    resumed: int,
    recorded: str | None,
) -> dict[str, Any]:
    return {
        "format": "heldout/corpus-scan@1",
        **record_json(record),
        "findings": [finding_json(finding) for finding in findings],
        "left_out": [{"version": str(version.name), "reason": why} for version, why in left_out],
        "resumed_parts": resumed,
        "recorded": recorded,
    }


Row = tuple[CorpusRecord, bool, tuple[str, ...]]
"""A record, whether HEAD has it, and the versions of this clone that it was made against."""


def list_lines(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return ["no corpus has been scanned: heldout corpus scan 'data/*.jsonl.zst' --against all-holdouts"]
    table = [
        (
            record.corpus,
            record.id,
            plural(record.rows, "row"),
            _word(record),
            ", ".join(names) or "versions that are not here",
            "" if committed else "not committed",
        )
        for record, committed, names in rows
    ]
    return columns(table, indent="")


def list_json(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "format": "heldout/corpora@1",
        "scans": [
            {**record_json(record), "versions": list(names), "committed": committed}
            for record, committed, names in rows
        ],
    }


def show_lines(shown: Sequence[tuple[Row, Sequence[CorpusFinding]]], limit: int | None) -> list[str]:
    lines: list[str] = []
    for (record, committed, names), findings in shown:
        lines.append(_verdict(record))
        lines.append(
            f"  record {record.id}{'' if committed else ' (not committed)'}, against {', '.join(names) or '?'}"
        )
        lines.append(f"  manifest {short(record.manifest)}, {record.size:,} bytes")
        lines += _found(record)
        lines += finding_lines(findings, limit, f"heldout corpus show {record.corpus} --limit {len(findings)}")
        lines += [f"  incomplete: {reason}" for reason in record.incomplete]
    return lines


def show_json(shown: Sequence[tuple[Row, Sequence[CorpusFinding]]], limit: int | None) -> dict[str, Any]:
    return {
        "format": "heldout/corpus@1",
        "scans": [
            {
                **record_json(record),
                "versions": list(names),
                "committed": committed,
                "findings": [finding_json(finding) for finding in findings[:limit]],
            }
            for (record, committed, names), findings in shown
        ],
    }
