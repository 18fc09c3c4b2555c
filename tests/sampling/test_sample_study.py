"""`heldout sample` over the published study: estimate, qualification, and what is told beside the numbers."""

from __future__ import annotations

import inspect
import json

import pytest
from sampling.conftest import AT, ENRICHED, POPULATION, PROPORTIONAL, Files

from heldout.services.sampling.estimate import estimate


@pytest.mark.req("D22", "D23", "D24")
def test_the_worked_example(labelled: Files) -> None:
    ran = labelled.estimate("--json")
    result = ran.json["result"]
    assert ran.code == 3, "an interval with the threshold inside decides nothing"
    assert (result["raw"], result["weighted"], result["interval"]) == ("3/8", "3/16", ["3/16", "9/16"])
    assert [stratum["kept"] for stratum in result["strata"].values()] == [[3, 3], [0, 6]]
    assert result["decisions"] == [
        {"threshold": "release", "value": "7/20", "raw": "exceed", "weighted": "clear", "interval": "hold"},
        {"threshold": "strict", "value": "1/5", "raw": "exceed", "weighted": "clear", "interval": "hold"},
    ]


@pytest.mark.req("D25", "D32")
def test_the_artifact_has_everything_that_went_in(labelled: Files) -> None:
    study = labelled.estimate("--json", "-o", "study.json").json
    assert json.loads(labelled.read("study.json")) == study
    assert study["frame"]["strata"]["risk"] == ["k0", "k1", "k2", "k3"]
    assert study["frame"]["population"]["risk_window"] == "2026-06-01/2026-06-30"
    assert {key: study["design"][key] for key in ("version", "stream", "seed", "alpha", "thresholds")} == {
        "version": 1,
        "stream": "probability",
        "seed": "august",
        "alpha": "0.05",
        "thresholds": {"release": "0.35", "strict": "0.2"},
    }
    assert study["design"]["outcome"] == {"failure": "wrong refund", "maturity": "14 days"}
    assert (study["draw"]["selected_at"], study["draw"]["procedure"]) == (AT, "sha256-lowest@1")
    by_stratum = {each["stratum"]: each["probability"] for each in study["draw"]["selected"]}
    assert by_stratum == {"risk": "1", "routine": "1/3"}
    strata = study["result"]["strata"].values()
    assert [each["weight"] for each in strata] == ["1", "3"]
    assert (study["labels"]["labelled_by"], study["labels"]["rubric"]) == ("ana", "refunds@3")
    assert len(study["labels"]["labels"]) == 8


@pytest.mark.req("D18", "D19", "D28", "D31")
def test_the_report_names_its_population_and_keeps_the_risk_beside_the_whole(labelled: Files) -> None:
    lines = labelled.estimate().out.splitlines()
    assert lines[1] == (
        "population: support agent; workflows refund, delivery; languages de, en; channels chat; risk window "
        "2026-06-01/2026-06-30; traffic window 2026-07-01/2026-07-31; excluded test accounts"
    )
    assert lines[4].split() == ["risk", "(risk)", "4", "4", "3", "75.0", "%", "75.0", "to", "75.0", "%"]
    assert lines[5].split() == ["routine", "12", "4", "0", "0.0", "%", "0.0", "to", "50.0", "%"]
    assert lines[6] == "failures among those drawn, which is no prevalence: 3 of 8, 37.5 %"
    assert lines[7] == (
        "weighted rate of the population's 16 units (case): 3/16 = 18.8 %, 95 % interval 18.7 to 56.3 %"
    )
    text = "\n".join(lines)
    for said in ("not severity weights", "no authority to deploy", "registered in the design, before labels"):
        assert said in text
    for uncovered in ("customers or sessions", "repeated runs", "errors of who labelled"):
        assert uncovered in text


@pytest.mark.req("D26")
def test_the_estimator_is_given_no_truth(labelled: Files) -> None:
    assert list(inspect.signature(estimate).parameters) == ["design", "draw", "labels"]
    before = labelled.estimate("--json").out
    labelled.write("outcomes.jsonl", "what was not drawn is not looked at\n")
    assert labelled.estimate("--json").out == before


@pytest.mark.req("D28")
def test_no_weight_makes_up_for_a_prohibited_action(framed: Files) -> None:
    framed.make(
        *("design", "frame.jsonl", "--kind", "stratified", "--draw", "routine=12", "--draw", "risk=4"),
        *("--failure", "wrong", "--maturity", "14 days", "--seed", "s", "--threshold", "t=0.9", "-o", "design.yaml"),
    )
    framed.draw()
    framed.label(routine=0)
    assert framed.estimate().code == 0
    framed.edit("labels.jsonl", lambda text: text.replace('"label": 0}', '"label": 0, "prohibited": true}', 1))
    ran = framed.estimate()
    assert ran.code == 1
    assert "prohibited actions among those drawn: 1; no weight makes up for one" in ran.out


def test_a_census_leaves_no_doubt(framed: Files) -> None:
    framed.design("--kind", "stratified", "--draw", "routine=12", "--draw", "risk=4")
    framed.draw()
    framed.label(routine=1, risk=3)
    ran = framed.estimate("--json")
    assert ran.json["result"]["interval"] == ["1/4", "1/4"]
    assert [each["interval"] for each in ran.json["result"]["decisions"]] == ["clear", "exceed"]
    assert ran.code == 1


@pytest.mark.req("D29")
@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (PROPORTIONAL, ("5544", "131/132", {"raw": "1/4", "weighted": "1/4"}, {"raw": "1/128", "weighted": "1/128"})),
        (ENRICHED, ("495", "98/99", {"raw": "5/12", "weighted": "1/4"}, {"raw": "1/32", "weighted": "1/128"})),
    ],
)
def test_qualification(framed: Files, design: tuple[str, ...], expected: tuple[object, ...]) -> None:
    framed.design(*design)
    ran = framed.make(
        "qualify", "frame.jsonl", "design.yaml", "--failures", "routine=1", "--failures", "risk=3", "--json"
    )
    result = ran.json["result"]
    found, everywhere = result["at_truth"], result["everywhere"]
    assert (result["sample_space"], everywhere["least_coverage"], found["expected"], found["mean_squared_error"]) == (
        expected
    )
    assert result["populations"] == "65"
    assert everywhere["populations"] == 65
    assert found["rate"] == "1/4"


@pytest.mark.req("D29")
def test_qualification_reads_as_a_table(framed: Files) -> None:
    framed.design(*ENRICHED)
    out = framed.make("qualify", "frame.jsonl", "design.yaml", "--failures", "routine=1", "--failures", "risk=3").out
    assert "495 ID sets, 65 populations" in out
    assert "least coverage over all 65 populations: 98/99 = 98.99 %" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("  ")}
    assert rows["interval"][:6] == ["0.0", "%", "33.3", "%", "66.7", "%"], "the stricter threshold comes last"


def test_a_design_too_large_for_all_populations_is_judged_at_its_truth(framed: Files) -> None:
    rows = [{"id": f"u{n}", "risk": "low" if n < 1500 else "high"} for n in range(2000)]
    framed.write("cases.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    make = ("--population", "population.yaml")
    framed.make("frame", "cases.jsonl", "--id", "id", "--by", "risk", *make, "-o", "large.jsonl")
    design = ("--kind", "stratified", "--failure", "f", "--maturity", "m", "--seed", "s", "-o")
    framed.make("design", "large.jsonl", "--size", "60", *design, "large.yaml")
    truth = ("--failures", "low=30", "--failures", "high=50")
    ran = framed.make("qualify", "large.jsonl", "large.yaml", *truth, "--json")
    assert ran.json["result"]["everywhere"] is None
    assert ran.json["result"]["at_truth"]["expected"]["weighted"] == "1/25"
    assert "too many" in framed.make("qualify", "large.jsonl", "large.yaml", *truth).out
    framed.make("design", "large.jsonl", "--size", "2000", *design, "census.yaml")
    refused = framed.run("qualify", "large.jsonl", "census.yaml", *truth)
    assert refused.code == 2
    assert "[study-too-large]" in refused.err
    for wrong in (("--failures", "low=1"), ("--failures", "low=1501", "--failures", "high=0"), ("--failures", "x")):
        assert "[bad-value]" in framed.run("qualify", "large.jsonl", "large.yaml", *wrong).err


@pytest.mark.req("D17", "D20")
@pytest.mark.parametrize(
    "key", ["product", "workflows", "languages", "channels", "risk_window", "traffic_window", "excluded"]
)
def test_a_frame_needs_its_whole_population(framed: Files, key: str) -> None:
    framed.write("part.yaml", "".join(line for line in POPULATION.splitlines(True) if not line.startswith(key)))
    ran = framed.run("frame", "cases.jsonl", "--id", "id", "--population", "part.yaml", "-o", "new.jsonl")
    assert ran.code == 2
    assert "[missing-key]" in ran.err
    assert key in ran.err
    assert "new.jsonl" not in framed.names()


@pytest.mark.req("D25", "D26", "D29")
def test_the_truth_of_a_study_from_all_outcomes(framed: Files) -> None:
    framed.design(*ENRICHED)
    failing = {"r03", "k0", "k1", "k3"}
    names = [f"r{n:02}" for n in range(12)] + [f"k{n}" for n in range(4)]
    framed.write("truth.csv", "case,wrong\n" + "".join(f"{name},{int(name in failing)}\n" for name in names))
    options = ("--truth", "truth.csv", "--id", "case", "--label", "wrong")
    found = framed.make("qualify", "frame.jsonl", "design.yaml", *options, "--json").json
    assert found["truth"] == {"risk": 3, "routine": 1}
    assert found["result"]["at_truth"]["expected"]["weighted"] == "1/4"
    framed.edit("truth.csv", lambda text: text.replace("r03,1\n", ""))
    assert "[label-missing]" in framed.run("qualify", "frame.jsonl", "design.yaml", *options).err
