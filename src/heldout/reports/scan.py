"""A scan record in a few lines: what was compared, what was found, what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.domain.coverage import Version
from heldout.domain.outcomes import ScanDone
from heldout.domain.record import ScanRecord

_KINDS: Mapping[str, str] = {
    "exact": "exact",
    "near": "near",
    "moved": "moved",
    "containment": "containment",
    "intra_split": "inside a split",
}


def scan_lines(scan: ScanDone) -> list[str]:
    """The first line is the verdict of this scan; the rest says what it rests on."""
    record = scan.record
    others = len(record.compared)
    compared = "itself" if not others else f"itself and {others} other version{'s' * (others != 1)}"
    scope = f"{record.dataset}: {record.examples.total:,} examples compared with {compared}"
    found = ", ".join(f"{record.counts[name]:,} {text}" for name, text in _KINDS.items() if record.counts.get(name))
    lines = [f"{scope}: {found or 'nothing overlaps'}"]
    if record.contaminations:
        lines.append(f"{record.dataset}: {contamination_sentence(scan)}")
    if not record.holdout_members:
        lines.append(f"{record.dataset}: no example is in a holdout split, so the gate answers unknown")
    if record.examples.no_text:
        named = ", ".join(record.examples.no_text_named)
        lines.append(
            f"{record.dataset}: {record.examples.no_text:,} inputs hold no letter or digit, so only exact copies "
            f"of them can be found: {named}"
        )
    lines += [f"{record.dataset}: incomplete: {reason}" for reason in record.incomplete]
    lines += [f"{record.dataset}: not compared with {version.name}: {reason}" for version, reason in scan.left_out]
    return lines


def contamination_sentence(scan: ScanDone) -> str:
    findings = scan.record.contaminations
    noun = "finding contaminates" if findings == 1 else "findings contaminate"
    if scan.given_away:
        held = "held-out example is" if scan.given_away == 1 else "held-out examples are"
        return f"{scan.given_away:,} {held} given away ({findings:,} {noun} a holdout)"
    own = "none of its held-out examples is given away; " if scan.record.holdout_members else ""
    return f"{own}{findings:,} {noun} the holdouts of other versions"


def record_json(record: ScanRecord) -> dict[str, Any]:
    """A record as the commands' JSON shows it; scan.yaml is the committed form (docs/formats.md)."""
    return {
        "id": record.id,
        "dataset": record.dataset,
        "source": record.source,
        "content": record.content,
        "method": {"id": record.method_id, "digest": record.method_digest},
        "examples": {
            "total": record.examples.total,
            "scanned": record.examples.scanned,
            "no_text": record.examples.no_text,
            "no_text_named": list(record.examples.no_text_named),
            "payload_missing": record.examples.payload_missing,
            "rows_skipped": record.examples.rows_skipped,
            "by_split": dict(record.examples.by_split),
        },
        "holdout": {"splits": list(record.holdout_splits), "members": record.holdout_members},
        "incomplete": list(record.incomplete),
        "compared": [
            {"dataset": item.dataset, "source": item.source, "complete": item.complete} for item in record.compared
        ],
        "counts": dict(record.counts),
    }


def sweep_lines(
    scans: Sequence[ScanDone], failed: Sequence[tuple[Version, str]], recorded: str | None, advisory: bool
) -> list[str]:
    lines = [line for scan in scans for line in scan_lines(scan)]
    lines += [f"{version.name}: still unknown: {reason}" for version, reason in failed]
    if not scans and not failed:
        return ["every frozen version has been compared with every other"]
    if advisory:
        lines.append("this was the working copy: nothing was recorded, and it counts for no version")
    elif recorded == "working copy":
        lines.append("records written below datasets/; next: git add datasets && git commit")
    elif recorded:
        lines.append(f"records committed as {recorded[:10]}")
    return lines


def sweep_json(
    scans: Sequence[ScanDone], failed: Sequence[tuple[Version, str]], recorded: str | None, advisory: bool
) -> dict[str, Any]:
    return {
        "format": "heldout/scan-report@1",
        "advisory": advisory,
        "recorded": recorded,
        "scans": [
            {
                **record_json(scan.record),
                "left_out": [{"version": str(version.name), "reason": reason} for version, reason in scan.left_out],
            }
            for scan in scans
        ],
        "failed": [{"version": str(version.name), "reason": reason} for version, reason in failed],
    }
