"""Findings with names that no form may trip over, as many of them as a test asks for."""

from __future__ import annotations

import hashlib
from fractions import Fraction

from heldout.domain.finding import Containment, Finding, Kind, Severity, Side
from heldout.domain.listing import FindingListing, FindingRow, Names
from heldout.domain.names import Subject, VersionName, VersionNumber
from heldout.domain.reporting import Location, Report
from heldout.reports.adapters.findings import findings_report

MANY = 30_000
AWKWARD = (
    "plain",
    "<script>alert(1)</script>",
    "a|b",
    "``` `tick` ```",
    "::error file=x::owned",
    "%0A::set-output name=x::y",
    "two\nlines\r\nand\ttab",
    "]]> &amp; \x00\x1b[31m\x7f",
    "@somebody fixes #1",
    "[link](javascript:alert(1))",
    "| --- |",
    "_em_ *strong* ~~gone~~ <!-- -->",
    "\"quoted\" 'single'",
    "漢字 🎈 \u202e rtl",
)
"""Keys as people's data has them, or as somebody plants them. All of them fit in one key of a CSV."""

SOURCE = "sha256:" + "1" * 64
VERSION = VersionName("support", VersionNumber(1, 0, 0))
_KINDS = (Kind.EXACT, Kind.NEAR, Kind.CONTAINMENT, Kind.INTRA_SPLIT, Kind.MOVED)
_SEVERITIES = {Kind.CONTAINMENT: Severity.REVIEW, Kind.INTRA_SPLIT: Severity.NOTE}


def input_of(name: str) -> str:
    return "sha256:" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def key_of(number: int) -> str:
    """Each is another one, and the awkward ones come first and often."""
    awkward = AWKWARD[number % len(AWKWARD)]
    return awkward if number < len(AWKWARD) else f"{awkward} {number}"


def row(number: int) -> FindingRow:
    """Every fifth blocks by being near, with a similarity of its own; every second of all contaminates the version."""
    kind = _KINDS[number % len(_KINDS)]
    held = kind in (Kind.EXACT, Kind.NEAR, Kind.MOVED) and number % 2 == 0
    a = Side("support", "test", key_of(number), input_of(f"a{number}"), held_out_in=(SOURCE,) if held else ())
    b = Side("support", "train", f"t{number}", input_of(f"b{number}"), open_in=(SOURCE,))
    finding = Finding(
        kind,
        _SEVERITIES.get(kind, Severity.BLOCK),
        a,
        b,
        also=(Kind.CONTAINMENT,) if kind is Kind.NEAR and number % 3 == 0 else (),
        similarity=Fraction(MANY + number, 2 * MANY) if kind is Kind.NEAR else None,
        containment=Containment("a", "prefix", 0, True) if kind is Kind.CONTAINMENT else None,
    )
    return FindingRow(finding, (SOURCE,) if held else ())


def located(finding: Finding) -> Location:
    return Location("datasets/support/scans/0123456789abcdef/findings.jsonl", int(finding.b.key[1:]) + 1)


def findings(count: int) -> Report:
    """Of that many findings, through the adapter of `heldout findings`."""
    listing = FindingListing(
        Subject("support", "v1.0.0"),
        SOURCE,
        tuple(row(number) for number in range(count)),
        count,
        recorded=True,
        names=Names({SOURCE: (VERSION,)}),
    )
    return findings_report(listing, None, located, Location("datasets/support/dataset.yaml", 1))
