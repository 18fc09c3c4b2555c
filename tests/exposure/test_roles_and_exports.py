"""What held-out examples are handed out for is recorded, and cases in datasets of several roles have a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from exposure.conftest import V1, Exposing
from story.conftest import copy, empty_template  # noqa: F401
from support.story import Team, rows, sentence

POLICY = "exposure: {record_exports: true}\n"


@pytest.mark.req("D11", "D58")
@pytest.mark.parametrize(("options", "how"), [((), "access"), (("-o", "out.jsonl"), "export")])
def test_held_out_examples_that_are_handed_out_are_logged(
    exposing: Exposing, options: tuple[str, ...], how: str
) -> None:
    team = exposing.team
    team.write("heldout.yaml", POLICY)
    team.git("add", "heldout.yaml")
    team.save("Record exports")
    refused = team.heldout("load", V1, *options)
    assert (refused.code, refused.out, "[note-missing]" in refused.err) == (2, "", True)
    assert not (team.path / "out.jsonl").exists()
    assert team.heldout("load", V1, "--split", "train", *options).code == 0  # nothing held out
    (team.path / "out.jsonl").unlink(missing_ok=True)
    done = team.succeeds("load", V1, "--note", "nightly evaluation", *options)
    assert "logged in datasets/support/exposures.jsonl" in done.err
    (line,) = exposing.lines()
    assert (line["how"], line["note"]) == (how, "nightly evaluation")
    assert {member[0] for member in line["members"]} == {"test"}
    assert len(line["members"]) > 1
    team.git("add", "datasets")
    team.save("Log it")
    assert team.gate(V1) == 0  # where they went is no exposure yet
    assert "nightly evaluation" in team.succeeds("exposures", V1).out


@pytest.mark.req("D11")
def test_a_note_logs_without_any_policy_and_twice_is_once(exposing: Exposing) -> None:
    team = exposing.team
    for name in ("a.jsonl", "b.jsonl"):
        team.succeeds("load", V1, "--note", "for the audit", "-o", name)
    assert len(exposing.lines()) == 1
    team.succeeds("signatures", "export", V1, "-o", "s.parquet", "--note", "for builders")
    assert [line["note"] for line in exposing.lines()] == ["for the audit", "for builders"]


@pytest.fixture
def team(empty_template: Path, tmp_path: Path) -> Team:  # noqa: F811
    return copy(empty_template, tmp_path)


@pytest.mark.req("D12")
def test_a_case_in_two_roles_needs_a_recorded_reason(team: Team) -> None:
    shared = {"s": sentence("shared")}
    team.dataset("core", test={**rows("c", 3), **shared}, extra="role: regression")
    team.save("A core")
    team.succeeds("freeze", "core")
    team.dataset("acceptance", test={**rows("a", 3), **shared}, extra="role: sealed_acceptance")
    team.save("Two roles")
    said = team.heldout("verify")
    assert (said.code, "1 case is in core (regression) too, and nobody recorded why" in said.out) == (1, True), str(
        said
    )
    (finding,) = team.succeeds("findings", "core@HEAD", "--kind", "exact", "--json").json["findings"]
    team.succeeds("review", "accept", finding["id"], "--reason", "promoted after the incident of May", "--commit")
    again = team.heldout("verify")
    assert "nobody recorded why" not in again.out
    assert again.code == 0, str(again)
    # the same role on both sides, or none, asks for nothing
    for role in ("role: regression", ""):
        team.dataset("acceptance", test={**rows("a", 3), **shared, "x": sentence(f"x{role}")}, extra=role)
        team.save("Another role")
        assert "nobody recorded why" not in team.heldout("verify").out


@pytest.mark.req("D13", "D14")
def test_three_stores_are_held_against_each_other_and_the_rotating_one_renews(team: Team) -> None:
    team.dataset("core", test=rows("c", 3), extra="role: regression")
    team.dataset("recent", train=rows("old", 3), test=rows("may", 3), extra="role: capability")
    team.dataset("acceptance", test=rows("a", 3), extra="role: sealed_acceptance")
    team.save("Three stores")
    team.succeeds("split", "lock", "core")
    team.git("add", "datasets")
    team.save("Lock the core")
    for name in ("core", "recent", "acceptance"):
        assert team.succeeds("freeze", name, "--json").json["verdict"] == "clean"
    # the next window: May's cases may train from now on
    team.dataset("recent", train={**rows("old", 3), **rows("may", 3)}, test=rows("june", 3), extra="role: capability")
    team.save("June")
    team.succeeds("freeze", "recent")
    team.succeeds("retire", "recent@v1.0.0", "--reason", "its window is over", "--reviewer", "Bob <bob@example.org>")
    for subject in ("core@v1.0.0", "recent@v2.0.0", "acceptance@v1.0.0"):
        assert team.gate(subject) == 0, subject
    # a sealed case that turns up where people tune is found, whatever it is called there
    leaked = {"new": sentence("a1")}
    team.dataset("recent", train={**rows("old", 3), **leaked}, test=rows("june", 3), extra="role: capability")
    team.save("A sealed case in the tuning set")
    team.git("tag", "-a", "recent@v2.1.0", "-m", "x")
    assert team.gate("acceptance@v1.0.0") == 1
    assert team.gate("core@v1.0.0") == 0
    pushed = team.push("main", "recent@v2.1.0")
    assert (pushed.code, "gives away the holdout of another dataset" in pushed.err) == (1, True)
