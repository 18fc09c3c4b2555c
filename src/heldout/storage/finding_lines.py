"""findings.jsonl, written and read without loss.

A side names the versions that contain it by number: 0 is the record's subject, n the n-th of its `compared` list. That
keeps a line short however many versions there are.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from heldout.domain.example import JSON
from heldout.domain.finding import Cluster, ClusterShare, Containment, Finding, Kind, Severity, Side, Span

_FRACTION = re.compile(r"[0-9]{1,18}/[1-9][0-9]{0,17}")


def render_findings(findings: Iterable[Finding], clusters: Iterable[Cluster], sources: Sequence[str]) -> bytes:
    """One JSON object a line, findings in their order and then clusters. `sources` numbers the versions."""
    number = {source: position for position, source in enumerate(sources)}
    lines = [_finding_line(finding, number) for finding in findings]
    lines += [_cluster_line(cluster) for cluster in clusters]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines).encode()


def _finding_line(finding: Finding, number: Mapping[str, int]) -> dict[str, JSON]:
    line: dict[str, JSON] = {"id": finding.id, "kind": finding.kind.value}
    if finding.also:
        line["also"] = [kind.value for kind in finding.also]
    line["severity"] = finding.severity.value
    line["holdout_contamination"] = finding.holdout_contamination
    if finding.similarity is not None:
        line["similarity"] = {
            "fraction": f"{finding.similarity.numerator}/{finding.similarity.denominator}",
            "rounded": round(float(finding.similarity), 4),
        }
    line["a"] = _side(finding.a, number)
    line["b"] = _side(finding.b, number)
    if (inside := finding.containment) is not None:
        line["containment"] = {
            "short": inside.short,
            "position": inside.position,
            "offset": inside.offset,
            "word_aligned": inside.word_aligned,
        }
    if (span := finding.span) is not None:
        line["span"] = {"a": span.a, "b": span.b, "length": span.length}
    if finding.cluster is not None:
        line["cluster"] = finding.cluster
    if finding.group is not None:
        line["group"] = finding.group
    return line


def _side(side: Side, number: Mapping[str, int]) -> dict[str, JSON]:
    return {
        "dataset": side.dataset,
        "split": side.split,
        "key": side.key,
        "input": side.input,
        "held_out_in": [*sorted(number[source] for source in side.held_out_in)],
        "open_in": [*sorted(number[source] for source in side.open_in)],
    }


def _cluster_line(cluster: Cluster) -> dict[str, JSON]:
    shares: list[JSON] = [
        {"dataset": share.dataset, "split": share.split, "members": share.members} for share in cluster.shares
    ]
    return {"id": cluster.id, "kind": "cluster", "inputs": cluster.inputs, "size": cluster.size, "members": shares}


def parse_findings(data: bytes, sources: Sequence[str]) -> tuple[tuple[Finding, ...], tuple[Cluster, ...]]:
    """Raises ValueError for what `render_findings` could not have written, as far as reading needs to know."""
    try:
        # A line at a time: a million findings are half a gigabyte before the first is read.
        return _parse_lines((line.decode() for line in io.BytesIO(data) if line.endswith(b"\n")), sources)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(repr(error)) from error


def _parse_lines(lines: Iterable[str], sources: Sequence[str]) -> tuple[tuple[Finding, ...], tuple[Cluster, ...]]:
    findings, clusters = [], []
    numbered = _Numbered(sources)
    for text in lines:
        line = json.loads(text)
        if line["kind"] == "cluster":
            shares = tuple(ClusterShare(row["dataset"], row["split"], row["members"]) for row in line["members"])
            clusters.append(Cluster(line["id"], line["inputs"], shares))
        else:
            findings.append(_parse_finding(line, numbered))
    return tuple(findings), tuple(clusters)


class _Numbered(dict[tuple[int, ...], tuple[str, ...]]):
    """Versions by their numbers, sorted; one tuple shared by all sides that the same versions hold."""

    def __init__(self, sources: Sequence[str]) -> None:
        super().__init__()
        self._sources = sources

    def __missing__(self, numbers: tuple[int, ...]) -> tuple[str, ...]:
        self[numbers] = found = tuple(sorted(self._sources[number] for number in numbers))
        return found


def _parse_finding(line: dict[str, Any], numbered: _Numbered) -> Finding:
    similarity = line.get("similarity")
    containment, span = line.get("containment"), line.get("span")
    a = _parse_side(line["a"], numbered)
    return Finding(
        kind=Kind(line["kind"]),
        severity=Severity(line["severity"]),
        a=a,
        b=_parse_side(line["b"], numbered, a.input),
        also=tuple(Kind(kind) for kind in line.get("also", ())),
        similarity=_similarity(similarity["fraction"]) if similarity else None,
        containment=Containment(**containment) if containment else None,
        span=Span(**span) if span else None,
        cluster=line.get("cluster"),
        group=line.get("group"),
    )


def _similarity(text: str) -> Fraction:
    """Fraction reads more than a record may say: 1/0 is no number, and 1e999999999 takes for ever."""
    if not _FRACTION.fullmatch(text):
        raise ValueError(f"{text!r} is no similarity")
    return Fraction(text)


def _parse_side(side: dict[str, Any], numbered: _Numbered, other: str = "") -> Side:
    """`other` is the input of the other side: two sides that hold one share it."""
    held, opened = numbered[tuple(side["held_out_in"])], numbered[tuple(side["open_in"])]
    content = side["input"] if side["input"] != other else other
    return Side(sys.intern(side["dataset"]), sys.intern(side["split"]), side["key"], content, held, opened)
