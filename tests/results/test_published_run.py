"""The published run, line by line: its table, marks, comparison, decisions, advice and gate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import heldout
from support.published_run import published, rows, write_run

ALLOW = ("--allow", "unknown")
"""The runs are files without a dataset version."""

TABLE = """\
Slices (exploratory; never gated)
scope metric estimate interval cases BY mark
metadata.lang=de pass_rate 100.0 % [95.4, 100.0] 80 / 80 observed · 0 missing · 0 excluded · exploratory · support 80 marked p=0.0001
metadata.lang=en pass_rate 100.0 % [95.4, 100.0] 80 / 80 observed · 0 missing · 0 excluded · exploratory · support 80 marked p=0.0001
metadata.lang=fr pass_rate 32.5 % [22.4, 43.9] 26 / 80 observed · 0 missing · 0 excluded · exploratory · support 80 marked p=0.0001
metadata.topic=account pass_rate 88.3 % [81.2, 93.5] 106 / 120 observed · 0 missing · 0 excluded · exploratory · support 120 marked p=0.0037
metadata.topic=billing pass_rate 66.7 % [57.4, 75.1] 80 / 120 observed · 0 missing · 0 excluded · exploratory · support 120 marked p=0.0086
"""  # noqa: E501
SCOPES = """\
pass_rate: -5.0 points [-15.2, +4.9] · 240 paired · 0 missing · 0 excluded
pass_rate [slice/metadata.lang=de]: +8.8 points [-0.5, +21.5] · 80 paired · 0 missing · 0 excluded · exploratory · support 80
pass_rate [slice/metadata.lang=en]: +18.8 points [+7.0, +34.4] · 80 paired · 0 missing · 0 excluded · exploratory · support 80
pass_rate [slice/metadata.lang=fr]: -42.5 points [-60.3, -26.8] · 80 paired · 0 missing · 0 excluded · exploratory · support 80
pass_rate [slice/metadata.topic=account]: +7.5 points [+0.9, +17.1] · 120 paired · 0 missing · 0 excluded · exploratory · support 120
pass_rate [slice/metadata.topic=billing]: -17.5 points [-35.0, -0.1] · 120 paired · 0 missing · 0 excluded · exploratory · support 120
"""  # noqa: E501
DECISIONS = """\
Rule overall: INSUFFICIENT_EVIDENCE (interval_overlaps_margin) · pass_rate non_inferiority, margin -5.0 points
  advice: the estimate itself is at or outside the margin; no sample size would make this PASS
Rule de: PASS (lower_bound_above_margin) · pass_rate [slice/metadata.lang=de] non_inferiority, margin -5.0 points
Rule en: PASS (lower_bound_above_margin) · pass_rate [slice/metadata.lang=en] non_inferiority, margin -5.0 points
Rule fr: FAIL (upper_bound_below_margin) · pass_rate [slice/metadata.lang=fr] non_inferiority, margin -5.0 points
Family languages: Holm over 3 rules; adjusted levels 0.01667
Gate: BLOCK (exit 1)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("published"))


def _squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.req("O1", "O2", "O3", "O13", "O14", "O16", "O18", "O19", "O20", "O22", "O36", "A34", "A36", "A37")
def test_the_table_of_slices_line_by_line(folder: Path) -> None:
    ran = heldout(folder, "results", "report", "candidate.jsonl", "--suite", "suite.yaml", *ALLOW)
    assert ran.code == 0, ran.err
    lines = _squeezed(ran.out)
    start = lines.index("Slices (exploratory; never gated)")
    assert lines[start : start + 7] == _squeezed(TABLE)
    assert "pass_rate: 77.5 % [71.6, 82.7] · 186 / 240 observed · 0 missing · 0 excluded" in lines
    assert "Not marked does not mean equal to the run, and a mark reaches no gate." in lines
    assert "5 slices tested against the run's own rate, at most 0.05 of marks false (Benjamini-Yekutieli)" in lines
    assert lines[-1] == (
        "Weakest slice for pass_rate: metadata.lang=fr 32.5 % [22.4, 43.9], -45.0 points from the run, marked p=0.0001"
    )


@pytest.mark.req("O23", "O24", "O27", "O28", "O29", "O30", "O31", "O33", "O34", "O35", "A34", "A35", "A40")
def test_the_comparison_line_by_line(folder: Path) -> None:
    ran = heldout(folder, "results", "compare", "candidate.jsonl", "baseline.jsonl", "--policy", "compare.yaml", *ALLOW)
    assert ran.code == 1, ran.err
    head, second, _warning, blank, *rest = ran.out.splitlines()
    assert head.startswith("Comparison sha256:")
    assert len(head) == len("Comparison sha256:") + 64
    assert second == "candidate candidate · baseline baseline · no dataset version · 240 paired cases"
    assert blank == ""
    assert "\n".join(rest) + "\n" == SCOPES + "\n" + DECISIONS


@pytest.mark.req("O21")
def test_the_bundle_keeps_slices_with_their_marks_bit_by_bit(folder: Path) -> None:
    bundle = folder / "run.json"
    arguments = ("results", "report", "candidate.jsonl", "--suite", "suite.yaml", *ALLOW, "--bundle", str(bundle))
    ran = heldout(folder, *arguments, "--json")
    data = json.loads(bundle.read_text())
    assert data == ran.json
    found = {row["scope"]: row for row in data["slice_metrics"]}
    assert {scope: row["fdr_p_value"] for scope, row in found.items()} == {
        "slice/metadata.lang=de": 0.0001,
        "slice/metadata.lang=en": 0.0001,
        "slice/metadata.lang=fr": 0.0001,
        "slice/metadata.topic=account": 0.0037003540039062493,
        "slice/metadata.topic=billing": 0.008582189941406249,
    }
    assert all(row["fdr_marked"] is True for row in found.values())
    assert found["slice/metadata.lang=fr"]["estimate"] == 26 / 80
    assert data["leakage"] == {
        "verdict": "unknown",
        "allowed": "unknown",
        "contaminated": False,
        "complete": False,
        "gaps": ["no_dataset"],
    }
    again = heldout(folder, *arguments)
    assert again.code == 2
    assert "[output-exists]" in again.err


@pytest.mark.req("O27")
def test_the_digest_of_a_comparison_changes_with_whatever_decides_it(folder: Path, tmp_path: Path) -> None:
    def digest(candidate: Path, policy: Path) -> str:
        ran = heldout(
            folder, "results", "compare", str(candidate), "baseline.jsonl", "--policy", str(policy), *ALLOW, "--json"
        )
        return str(ran.json["digest"])

    usual = digest(folder / "candidate.jsonl", folder / "compare.yaml")
    assert digest(folder / "candidate.jsonl", folder / "compare.yaml") == usual
    other = rows("candidate")
    other[0]["outcome"] = not other[0]["outcome"]
    assert digest(write_run(tmp_path / "candidate.jsonl", other), folder / "compare.yaml") != usual
    policy = tmp_path / "compare.yaml"
    policy.write_text((folder / "compare.yaml").read_text().replace("margin: 0.05}", "margin: 0.06}"))
    assert digest(folder / "candidate.jsonl", policy) != usual


def test_a_cross_and_the_cross_that_is_proposed_show_the_cell_that_broke(folder: Path) -> None:
    """French billing fell from 34 of 40 to none, which neither the language nor the topic says."""
    ran = heldout(
        folder, "results", "report", "candidate.jsonl", "--suite", "suite.yaml", *ALLOW, "--suggest", "--json"
    )
    [proposal] = ran.json["crosses"]
    assert proposal["cross"] == "metadata.lang x metadata.topic"
    assert proposal["cell"]["scope"] == "slice/metadata.lang=fr x metadata.topic=billing"
    assert (proposal["cell"]["estimate"], proposal["parents"]) == (0.0, [26 / 80, 80 / 120])
    assert (proposal["cells"], proposal["supported"]) == (6, 6)
    crossed = heldout(
        folder, "results", "report", "candidate.jsonl", "--slice", "metadata.lang x metadata.topic", *ALLOW, "--json"
    ).json
    assert [row["scope"] for row in crossed["slice_metrics"]] == [
        f"slice/metadata.lang={lang} x metadata.topic={topic}"
        for lang in ("de", "en", "fr")
        for topic in ("account", "billing")
    ]
    assert crossed["weakest"] == [{"metric": "pass_rate", "scope": "slice/metadata.lang=fr x metadata.topic=billing"}]


def test_markdown_and_charts_tell_the_same_numbers(folder: Path, tmp_path: Path) -> None:
    from xml.etree import ElementTree as ET

    svg, vega = tmp_path / "slices.svg", tmp_path / "slices.json"
    ran = heldout(
        folder, "results", "report", "candidate.jsonl", "--suite", "suite.yaml", *ALLOW, "--chart", str(svg),
        "--format", "markdown",
    )  # fmt: skip
    row = "| `metadata.lang=fr` | `pass_rate` | 32.5 % | [22.4, 43.9] | 26 / 80 observed"
    assert row in ran.out
    assert ran.out.count("| marked p=0.0001 |") == 3
    drawing = ET.fromstring(svg.read_text())
    words = "".join(drawing.itertext())
    assert "metadata.lang=fr pass_rate: 32.5 %, interval [22.4, 43.9], 80 observed, marked p=0.0001" in words
    heldout(folder, "results", "report", "candidate.jsonl", "--suite", "suite.yaml", *ALLOW, "--chart", str(vega))
    values = json.loads(vega.read_text())["data"]["values"]
    assert [value["scope"] for value in values][:2] == ["global", "metadata.lang=de"]
    assert (values[3]["estimate"], values[3]["observed"]) == (0.325, 80)
    compared = heldout(
        folder, "results", "compare", "candidate.jsonl", "baseline.jsonl", "--policy", "compare.yaml", *ALLOW,
        "--format", "markdown",
    )  # fmt: skip
    assert compared.out.startswith("## Gate: BLOCK (exit 1)\n")
    assert "| `metadata.lang=fr` | `pass_rate` | -42.5 points | [-60.3, -26.8] | 80 | 0 | 0 |" in compared.out
