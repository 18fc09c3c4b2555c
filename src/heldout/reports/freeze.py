"""What freezing did."""

from __future__ import annotations

from typing import Any

from heldout.domain.answer import Answer, Verdict
from heldout.domain.coverage import Version
from heldout.domain.outcomes import ScanDone
from heldout.reports.gate import contamination_lines, gap_texts, next_steps
from heldout.reports.scan import record_json, scan_lines


def freeze_lines(version: Version, reason: str, scan: ScanDone | None, answer: Answer) -> list[str]:
    lines = scan_lines(scan) if scan else []
    lines.append(f"{version.name} frozen at {version.commit[:10]} ({reason}): {answer.verdict}")
    if answer.contaminated:
        lines += contamination_lines(answer.findings)
        lines.append("  it will not be pushed while it is contaminated")
    lines += [f"  {text}" for text in gap_texts(answer.gaps)]
    if answer.verdict is Verdict.CLEAN:
        return [*lines, f"  next: dvc push, and git push origin HEAD {version.name}"]
    return [*lines, *(f"  next: {step}" for step in next_steps(str(version.name), answer))]


def freeze_json(version: Version, reason: str, scan: ScanDone | None, answer: Answer) -> dict[str, Any]:
    return {
        "format": "heldout/freeze@1",
        "version": str(version.name),
        "commit": version.commit,
        "source": version.source,
        "reason": reason,
        "verdict": answer.verdict.value,
        "contaminated": answer.contaminated,
        "complete": answer.complete,
        "scan": record_json(scan.record) if scan else None,
    }
