"""The same findings for programs (E41): `heldout/leak-report@1`, with whole digests and exact fractions."""

from __future__ import annotations

from typing import Any

from heldout.domain.leaks.leak import LeakFinding, LeakKind, LeakRate, LeakRecord, LeakSettings, plain
from heldout.domain.leaks.leaks import Leaks
from heldout.domain.leaks.rollup import SourceOverlap
from heldout.reports.leaks.advice import ACTIONS
from heldout.reports.leaks.report import percent, thousandths


def leak_json(leaks: Leaks, sources: tuple[SourceOverlap, ...] = ()) -> dict[str, Any]:
    return {
        "format": "heldout/leak-report@1",
        **settings_json(leaks),
        "splits": dict(sorted(leaks.splits.items())),
        "counts": {kind.value: leaks.count(kind) for kind in leaks.kinds},
        "findings": [finding_json(finding) for kind in leaks.kinds for finding in leaks.findings(kind)],
        "rates": [rate_json(rate, leaks) for rate in leaks.rates()],
        "contaminated": leaks.contaminated(),
        "no_text": leaks.no_text,
        "sources": [source_json(item) for item in sources],
        "actions": {kind.value: ACTIONS[kind] for kind in leaks.kinds if leaks.count(kind)},
    }


def settings_json(leaks: Leaks) -> dict[str, Any]:
    settings = leaks.settings
    return {
        "normalisation": list(settings.steps.names()),
        "detectors": [kind.value for kind in leaks.kinds],
        "near": {
            "rule": settings.near_rule,
            "threshold": plain(settings.threshold),
            "shingles": settings.shingles.value,
            "k": settings.k,
            "num_perm": settings.num_perm,
            **_way(settings),
        },
        "min_length": settings.min_length,
    }


def _way(settings: LeakSettings) -> dict[str, Any]:
    """How pairs were found and decided; a probability is that of a pair right at the threshold."""
    if settings.estimate:
        return {"by": "estimate", "error": round(settings.num_perm**-0.5, 4)}
    if (bands := settings.bands) is None:
        return {"by": "exact join", "probability": 1.0}
    probability = bands.probability(float(settings.threshold))
    return {"by": "bands", "bands": bands.bands, "rows": bands.rows, "probability": round(probability, 7)}


def finding_json(finding: LeakFinding) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": finding.kind.value, "a": _record(finding.a), "b": _record(finding.b)}
    if finding.digest is not None:
        data["digest"] = finding.digest
    if finding.kind is LeakKind.NEAR and finding.similarity is not None:
        share = finding.similarity
        data["jaccard"] = {"fraction": f"{share.numerator}/{share.denominator}", "rounded": float(thousandths(share))}
    if finding.shared is not None:
        data["shared_shingles"] = finding.shared
    if finding.position is not None:
        data["position"] = finding.position
    return data


def _record(record: LeakRecord) -> dict[str, Any]:
    data: dict[str, Any] = {"split": record.split, "id": record.id, "file": record.file, "line": record.line}
    return data if record.source is None else {**data, "source": record.source}


def rate_json(rate: LeakRate, leaks: Leaks) -> dict[str, Any]:
    """`smaller` marks the direction to act on (E32)."""
    return {
        "source": rate.source,
        "target": rate.target,
        "records": rate.records,
        "of": rate.of,
        "percent": float(percent(rate.share)),
        "smaller": rate.of <= leaks.splits[rate.source],
    }


def source_json(item: SourceOverlap) -> dict[str, Any]:
    return {
        "split": item.split,
        "source": item.source,
        "pairs": item.pairs,
        "records": item.records,
        "of": item.of,
    }
