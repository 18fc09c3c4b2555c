"""Six kinds of sample: what each has to be, and what its report may say."""

from __future__ import annotations

import pytest
from sampling.conftest import ENRICHED, Files
from support.cli import Ran

ABOUT = ("--failure", "f", "--maturity", "m", "--seed", "s")


def design(files: Files, *arguments: str) -> Ran:
    return files.run("design", "frame.jsonl", *ABOUT, *arguments, "-o", "design.yaml")


def report(files: Files, *arguments: str) -> Ran:
    ran = design(files, *arguments)
    assert ran.code == 0, ran.err
    files.draw()
    files.label(risk=1)
    return files.estimate()


@pytest.mark.req("D18")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--kind", "risk_enriched", "--size", "8"), "says which strata are the risk"),
        (("--kind", "temporal", "--size", "8"), "says its window and how long it is fresh"),
        (("--kind", "stratified", "--size", "8", "--window", "July", "--fresh-until", "2026-09-01"), "has no window"),
        (("--kind", "disagreement", "--size", "8", "--threshold", "t=0.1"), "decides nothing"),
        (("--kind", "representative", "--draw", "routine=4", "--draw", "risk=4"), "6 of routine"),
        (("--kind", "representative", "--draw", "routine=4", "--draw", "risk=4"), "keeps production weights"),
    ],
)
def test_a_design_that_is_not_of_its_kind(framed: Files, arguments: tuple[str, ...], problem: str) -> None:
    ran = design(framed, *arguments)
    assert ran.code == 2
    assert "[unfit-design]" in ran.err
    if problem != "6 of routine":  # the first stratum that differs is named
        assert problem in ran.err
    assert "design.yaml" not in framed.names()


@pytest.mark.req("D18")
def test_a_design_that_was_edited_is_held_to_its_kind(framed: Files) -> None:
    assert design(framed, *ENRICHED).code == 0
    framed.edit("design.yaml", lambda text: text.replace("kind: risk_enriched", "kind: representative"))
    ran = framed.run("draw", "frame.jsonl", "design.yaml", "-o", "draw.json")
    assert ran.code == 2
    assert "design.yaml:4 (field kind)" in ran.err
    assert "[unfit-design]" in ran.err


@pytest.mark.req("D18")
def test_a_representative_sample_keeps_production_weights(framed: Files) -> None:
    ran = report(framed, "--kind", "representative", "--size", "8")
    assert "production weights are kept" in ran.out
    assert "routine     12      6" in ran.out
    assert "failures among those drawn: 1 of 8" in ran.out


@pytest.mark.req("D18")
def test_a_stratified_sample_shows_support_and_the_weighted_rate(framed: Files) -> None:
    ran = report(framed, "--kind", "stratified", "--size", "6")
    assert "support of the strata and the weighted rate are two things" in ran.out
    assert "weighted rate of the population's 16 units" in ran.out


@pytest.mark.req("D18", "D28")
def test_a_risk_enriched_raw_rate_is_never_called_a_prevalence(framed: Files) -> None:
    ran = report(framed, *ENRICHED)
    assert "which is no prevalence: 1 of 8" in ran.out
    assert "only the weighted rate estimates the population" in ran.out
    assert all("no prevalence" in line for line in ran.out.splitlines() if "prevalence" in line)


@pytest.mark.req("D18")
def test_boundaries_are_read_one_by_one(framed: Files) -> None:
    ran = report(framed, "--kind", "boundary", "--draw", "routine=12", "--draw", "risk=4", "--threshold", "t=0.1")
    assert "weighted rate" not in ran.out
    assert "boundaries are read one by one" in ran.out
    assert "threshold t 10 % in risk: exceed" in ran.out
    assert "threshold t 10 % in routine: clear" in ran.out
    assert framed.estimate("--json").json["result"]["weighted"] is None
    assert ran.code == 1


@pytest.mark.req("D18")
def test_a_temporal_sample_says_its_window_and_freshness(framed: Files) -> None:
    arguments = ("--window", "2026-07-01/2026-07-31", "--fresh-until", "2026-09-30")
    ran = report(framed, "--kind", "temporal", "--size", "8", *arguments)
    assert "window 2026-07-01/2026-07-31, fresh until 2026-09-30" in ran.out


@pytest.mark.req("D18")
def test_disagreement_decides_nothing(framed: Files) -> None:
    ran = report(framed, "--kind", "disagreement", "--size", "8")
    assert ran.code == 0
    assert "never read alone as quality" in ran.out
    assert "threshold " not in ran.out


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("--kind", "stratified", "--size", "1"), "no-probability"),
        (("--kind", "stratified", "--draw", "risk=5", "--draw", "routine=1"), "wrong-quota"),
        (("--kind", "stratified", "--draw", "odd=5"), "bad-value"),
        (("--kind", "stratified", "--size", "8", "--threshold", "t=2"), "bad-value"),
        (("--kind", "stratified", "--size", "8", "--threshold", "t"), "bad-value"),
        (("--kind", "stratified", "--size", "8", "--alpha", "1e-3"), "bad-value"),
        (("--kind", "stratified", "--size", "8", "--window", "July"), "bad-value"),
    ],
)
def test_options_that_make_no_design(framed: Files, arguments: tuple[str, ...], slug: str) -> None:
    ran = design(framed, *arguments)
    assert ran.code == 2
    assert f"[{slug}]" in ran.err
