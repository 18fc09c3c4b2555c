"""What `heldout check` found, as text and as JSON (`heldout/check@1`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from heldout.domain.checked import Checked, Place
from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.tally import Hits, Rate
from heldout.reports.excerpts import excerpts
from heldout.reports.findings import finding_json
from heldout.reports.rows import Rows
from heldout.reports.splitting.conflicts import conflict_sections, conflicts_json

SHOWN = 10
"""Findings listed as text where no limit is given."""

_PLACES = 5  # skipped rows and textless examples named as text


def check_lines(checked: Checked, *, limit: int | None = None, show_text: bool = False) -> list[str]:
    """A summary first, then the worst findings by place and score; texts only where they are asked for."""
    return [
        *check_verdict(checked),
        *_sources(checked),
        "",
        *_pairs(checked),
        *_rates(checked),
        *_notes(checked),
        *_findings(checked, SHOWN if limit is None else limit, show_text=show_text),
        *_conflicts(checked),
        f"next: {next_step(checked)}",
    ]


def check_json(checked: Checked, *, limit: int | None = None, show_text: bool = False) -> dict[str, Any]:
    fields = {file.text_field for file in checked.files}
    listed = checked.findings if limit is None else checked.findings[:limit]
    return {
        "format": "heldout/check@1",
        "files": [
            {
                "path": file.path,
                "format": file.format,
                "text_field": file.text_field,
                "splits": dict(file.examples),
                "reasons": list(file.reasons),
            }
            for file in checked.files
        ],
        "text_field": fields.pop() if len(fields) == 1 else None,
        "splits": dict(checked.splits),
        "holdout": list(checked.holdout),
        "method": {"id": checked.method_id, "digest": checked.method_digest},
        "pairs": _pairs_json(checked),
        "contaminated": {
            item.split: {**_kinds(item.hits), "any": item.hits.blocking, "of": item.of} for item in checked.contaminated
        },
        "rates": [_rate_json(rate) for rate in checked.rates],
        "capped": {
            "buckets": checked.capped.buckets,
            "pairs": checked.capped.pairs,
            "containments": checked.capped.containments,
        },
        "rows_skipped": len(checked.skipped),
        "skipped": list(checked.skipped),
        "no_text": len(checked.no_text),
        "no_text_at": [_place_json(place) for place in checked.no_text],
        "many_marks": _marks_json(checked),
        "label_conflicts": None if checked.conflicts is None else conflicts_json(checked.conflicts, limit),
        "findings_total": len(checked.findings),
        "findings": Rows(listed, lambda finding: _finding_json(checked, finding, show_text=show_text)),
    }


def _pairs_json(checked: Checked) -> dict[str, Any]:
    pairs = checked.pairs
    return {
        "exact": pairs.exact,
        "near": pairs.near,
        "moved": pairs.moved,
        "containment": pairs.containment,
        "intra_split": {"exact": pairs.intra_exact, "near": pairs.intra_near},
    }


def _kinds(hits: Hits) -> dict[str, int]:
    return {"exact": hits.exact, "near": hits.near, "moved": hits.moved}


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {
        "source": rate.source,
        "target": rate.target,
        **_kinds(rate.hits),
        "containment": rate.hits.containment,
        "records": rate.hits.any,
        "of": rate.of,
        "percent": float(_percent(rate.share)),
    }


def _marks_json(checked: Checked) -> dict[str, Any] | None:
    if checked.many_marks is None:
        return None
    return {"examples": checked.many_marks.examples, "of": checked.many_marks.of, "hint": _marks_hint(checked)}


def _place_json(place: Place) -> dict[str, Any]:
    return {"file": place.file, "row" if place.in_rows else "line": place.number}


def _finding_json(checked: Checked, finding: Finding, *, show_text: bool) -> dict[str, Any]:
    data = finding_json(finding)
    for name, side in (("a", finding.a), ("b", finding.b)):
        data[name].update(_place_json(checked.place(side)))
        if show_text:
            data[name]["text"] = checked.texts[side.input]
    return data


def check_verdict(checked: Checked) -> Iterator[str]:
    for item in checked.contaminated:
        share = f"{item.hits.blocking:,} of {item.of:,} examples in the holdout {item.split!r}"
        if item.hits.blocking:
            key = ", or their key," if item.hits.moved else ""
            yield f"contaminated: {share} have an exact or near copy{key} in another split"
        else:
            yield f"not contaminated: {share} have an exact or near copy in another split"
    if not checked.holdout:
        across = checked.pairs.exact + checked.pairs.near + checked.pairs.moved
        found = f"{across:,} exact or near pairs across splits" if across else "no exact or near pair across splits"
        yield f"{found}; no holdout was named, so nothing is called contaminated (--holdout NAME)"
    if len(checked.splits) == 1:
        yield "there is one split only, so nothing can be shared across splits: name a second file, or --split-field"


def _sources(checked: Checked) -> Iterator[str]:
    held = {
        name: f"{name} {count:,}{' (holdout)' * (name in checked.holdout)}" for name, count in checked.splits.items()
    }
    yield f"compared: {', '.join(held.values())}, by {checked.method_id}"
    reasons = {file.path: "; ".join(file.reasons) for file in checked.files}
    alike = set(reasons.values())
    if len(alike) == 1:
        reasons = {"read": alike.pop()}
    yield from (f"{path}: {reason}" for path, reason in reasons.items() if reason)


def _pairs(checked: Checked) -> Iterator[str]:
    pairs, capped = checked.pairs, checked.capped
    least = {Kind.NEAR: "≥" * bool(capped.buckets), Kind.CONTAINMENT: "≥" * bool(capped.containments)}
    yield f"{'pairs of examples':<24}{'across splits':>15}{'inside a split':>16}"
    yield f"  {'exact':<22}{pairs.exact:>15,}{pairs.intra_exact:>16,}"
    inside = f"{least[Kind.NEAR]}{pairs.intra_near:,}"
    yield f"  {'near (0.8 or more)':<22}{least[Kind.NEAR] + f'{pairs.near:,}':>15}{inside:>16}"
    if pairs.moved:
        yield f"  {'moved (same key)':<22}{pairs.moved:>15,}"
    yield f"  {'containment':<22}{least[Kind.CONTAINMENT] + f'{pairs.containment:,}':>15}"


def _rates(checked: Checked) -> Iterator[str]:
    """Both directions of every pair of splits that overlaps; a star at the smaller split of the two (E32)."""
    rates = [rate for rate in checked.rates if rate.hits.any]
    if not rates:
        return
    names = [f"{rate.source} -> {rate.target}" for rate in rates]
    width = max(24, *map(len, names)) + 2
    yield ""
    yield f"{'examples hit':<{width}}{'exact':>7}{'near':>7}{'contained':>11}{'any':>7}{'of':>9}"
    for name, rate in zip(names, rates, strict=True):
        smaller = rate.of <= checked.splits[rate.source]
        hits = rate.hits
        numbers = f"{hits.exact:>7,}{hits.near:>7,}{hits.containment:>11,}{hits.any:>7,}{rate.of:>9,}"
        yield f"  {name:<{width - 2}}{numbers}{_percent(rate.share) + ' %':>10}{' *' * smaller}"
    yield "  source -> target: examples of target with a partner in source; * is the smaller split, the one to act on"


def _notes(checked: Checked) -> Iterator[str]:
    notes = list(_all_notes(checked))
    if notes:
        yield ""
        yield from notes


def _all_notes(checked: Checked) -> Iterator[str]:
    if checked.skipped:
        rows = "1 row was" if len(checked.skipped) == 1 else f"{len(checked.skipped):,} rows were"
        yield f"not known: {rows} skipped and compared with nothing"
        yield from (f"  {text}" for text in _first(checked.skipped))
    if checked.no_text:
        holds = "1 example holds" if len(checked.no_text) == 1 else f"{len(checked.no_text):,} examples hold"
        yield f"no text: {holds} no letter or digit; only equal inputs are found there"
        yield from (f"  {text}" for text in _first([str(place) for place in checked.no_text]))
    if checked.many_marks is not None:
        yield f"combining marks: {_marks_hint(checked)}"
    if checked.capped.buckets or checked.capped.containments:
        yield "≥: crowds of alike texts are not listed pair by pair; every example is decided all the same"


def _marks_hint(checked: Checked) -> str:
    assert checked.many_marks is not None
    share = f"{checked.many_marks.examples:,} of {checked.many_marks.of:,} examples"
    return (
        f"{share} hold many, as Hindi and Thai do; {checked.method_id} turns marks into spaces, which loses near pairs "
        "there. minhash_lsh_v2, which keeps them, is not in this release"
    )


def _first(texts: Sequence[str]) -> Iterator[str]:
    yield from texts[:_PLACES]
    if len(texts) > _PLACES:
        yield f"and {len(texts) - _PLACES:,} more (--json lists them)"


def _findings(checked: Checked, limit: int, *, show_text: bool) -> Iterator[str]:
    if not checked.findings or not limit:
        return
    total, listed = len(checked.findings), checked.findings[:limit]
    more = f"the first {len(listed):,} of {total:,}, worst first" if total > len(listed) else f"{total:,}"
    yield ""
    yield f"findings: {more}"
    for finding in listed:
        yield f"  {_line(checked, finding)}"
        if show_text:
            texts = excerpts(*(checked.texts[side.input] for side in sides_of(checked, finding)))
            yield from (f"      {text}" for text in texts)
    yield ""


def _conflicts(checked: Checked) -> Iterator[str]:
    if checked.conflicts is not None:
        yield from conflict_sections(checked.conflicts, 3)
        yield ""


def _line(checked: Checked, finding: Finding) -> str:
    """`block  test.csv:12 ~ train.csv:88  near 0.97 + containment`."""
    a, b = (side_name(checked, side) for side in sides_of(checked, finding))
    score = ""
    if finding.similarity is not None and finding.kind is not Kind.EXACT:
        score = " equal" if finding.kind is Kind.INTRA_SPLIT and finding.a.input == finding.b.input else ""
        score = score or f" {_rounded_down(finding.similarity)}"
    kinds = " + ".join([finding.kind.value.replace("_", " ") + score, *(kind.value for kind in finding.also)])
    return f"{finding.severity.value:<7}{a} {_SIGN[finding.kind]} {b}  {kinds}"


def sides_of(checked: Checked, finding: Finding) -> tuple[Side, Side]:
    """The contained text before the one around it, the held-out side first, else the one that stands earlier."""
    sides = (finding.a, finding.b)
    if finding.kind is Kind.CONTAINMENT and finding.containment is not None:
        return sides if finding.containment.short == "a" else (finding.b, finding.a)
    if finding.a.held_out_in or finding.b.held_out_in:
        return sides
    first, second = sorted(sides, key=lambda side: (checked.place(side).file, checked.place(side).number))
    return first, second


_SIGN = {Kind.EXACT: "==", Kind.NEAR: "~", Kind.MOVED: "->", Kind.CONTAINMENT: "in", Kind.INTRA_SPLIT: "~"}


def side_name(checked: Checked, side: Side) -> str:
    """The place, and the split where the file does not tell it."""
    place = checked.place(side)
    telling = any(file.path == place.file and len(file.examples) == 1 for file in checked.files)
    return str(place) if telling else f"{place} ({side.split})"


def next_step(checked: Checked) -> str:
    held = [item.split for item in checked.contaminated if item.hits.blocking]
    if held:
        return f"take these examples out of {' and '.join(held)}, or out of the other split, and check again"
    if any(finding.severity is Severity.BLOCK for finding in checked.findings):
        return "name the split that is held out with --holdout, and take the pairs apart"
    if checked.skipped:
        return "mend the skipped rows and check again"
    if checked.pairs.containment:
        return "read the contained texts with --show-text: an example inside a longer one may give it away"
    return "heldout init in a Git repository has every commit checked like this"


def _percent(share: Fraction) -> str:
    """Two decimals; what is not zero never prints as zero, what is not all never as 100."""
    hundredths = round(share * 10000)
    if share:
        hundredths = max(1, hundredths if share == 1 else min(hundredths, 9999))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _rounded_down(similarity: Fraction) -> str:
    """Two decimals, downwards: only equal sets are 1.00."""
    hundredths = similarity.numerator * 100 // similarity.denominator
    return f"{hundredths // 100}.{hundredths % 100:02d}"
