"""What a team sees of exposures: the log, the gate's answer, and the way out."""

from __future__ import annotations

import hashlib
import json

import pytest
from exposure.conftest import CLEAN_TEST, LOG, TRAIN, V1, Exposing
from support.story import sentence


def input_digest(text: str) -> str:
    """By hand: a JSON string is its own canonical form where nothing in it has to be escaped."""
    return "sha256:" + hashlib.sha256(f'"{text}"'.encode()).hexdigest()


@pytest.mark.req("D58")
def test_a_line_says_who_showed_what_to_what_and_holds_no_text(exposing: Exposing) -> None:
    exposing.logged("--keys", "h1,test/h0", "--by", "Ann <ann@example.org>")
    (line,) = exposing.lines()
    assert line == {
        "number": 1,
        "previous": None,
        "date": "2026-11-02",
        "how": "prompt",
        "by": "Ann <ann@example.org>",
        "note": "an agent's prompt",
        "members": [["test", "h0", input_digest(sentence("h0"))], ["test", "h1", input_digest(sentence("h1"))]],
    }
    assert sentence("h0") not in "".join(
        exposing.team.show(f"HEAD:{path}")
        for path in exposing.team.files()
        if "/exposures" in path or "exposed" in path
    )


@pytest.mark.req("D58")
def test_lines_are_chained_by_the_digest_of_their_bytes(exposing: Exposing) -> None:
    exposing.logged("--keys", "h0")
    exposing.logged("--keys", "h1", how="debugging")
    raw = (exposing.team.path / LOG).read_bytes().splitlines()
    assert json.loads(raw[1])["previous"] == "sha256:" + hashlib.sha256(raw[0]).hexdigest()
    assert json.loads(raw[1])["number"] == 2


@pytest.mark.req("D14", "D58")
def test_an_exposed_example_contaminates_the_version_that_holds_it_out(exposing: Exposing) -> None:
    assert exposing.gate()["verdict"] == "clean"
    exposing.logged("--keys", "h0")
    answer = exposing.team.heldout("gate", V1)
    assert answer.code == 1
    assert "test/h0" in answer.out
    assert "(1 exposed)" in answer.out
    assert "another split" in answer.out
    assert "heldout freeze support" in answer.out
    assert exposing.exposed() == ["test/h0"]


@pytest.mark.req("D59", "D14")
def test_the_next_version_is_clean_once_the_example_left_the_holdout(exposing: Exposing) -> None:
    exposing.logged("--keys", "h0")
    test = {key: text for key, text in CLEAN_TEST.items() if key != "h0"}
    frozen = exposing.freeze(train={**TRAIN, "h0": sentence("h0")}, test=test)
    assert frozen.code == 0, str(frozen)
    assert exposing.gate("support@v2.0.0")["verdict"] == "clean"
    assert exposing.exposed(V1) == ["test/h0"]  # what was measured with it stays as it was
    assert len(exposing.lines()) == 1


@pytest.mark.req("D50")
def test_another_key_does_not_make_it_fresh(exposing: Exposing) -> None:
    exposing.logged("--keys", "h0")
    test = {("renamed" if key == "h0" else key): text for key, text in CLEAN_TEST.items()}
    exposing.freeze(train=TRAIN, test=test)
    assert exposing.exposed("support@v2.0.0") == ["test/renamed"]


@pytest.mark.req("D50")
def test_a_training_example_that_was_exposed_is_not_unseen_in_a_later_holdout(exposing: Exposing) -> None:
    exposing.logged("--keys", "t3", how="fine-tuning")
    assert exposing.gate()["verdict"] == "clean"
    train = {key: text for key, text in TRAIN.items() if key != "t3"}
    exposing.freeze(train=train, test={**CLEAN_TEST, "fresh": sentence("t3")})
    assert exposing.exposed("support@v1.1.0") == ["test/fresh"]


@pytest.mark.req("D58")
def test_debugging_is_logged_and_does_not_count_unless_policy_says_so(exposing: Exposing) -> None:
    exposing.logged("--keys", "h0", how="debugging")
    assert exposing.gate()["verdict"] == "clean"
    assert "does not count" in exposing.team.succeeds("exposures").out
    exposing.team.write("heldout.yaml", "format: heldout/project@1\nexposure: {contaminates: [debugging]}\n")
    exposing.team.git("add", "heldout.yaml")
    exposing.team.save("Policy")
    assert exposing.exposed() == ["test/h0"]


def test_without_keys_the_whole_holdout_is_meant(exposing: Exposing) -> None:
    exposing.logged(how="optimisation")
    assert exposing.exposed() == sorted(f"test/{key}" for key in CLEAN_TEST)


@pytest.mark.req("D14")
def test_a_log_reaches_the_protected_branch_and_a_new_version_that_holds_it_out_does_not(exposing: Exposing) -> None:
    exposing.logged("--keys", "h0")
    pushed = exposing.team.push("main")
    assert pushed.code == 0, str(pushed)
    exposing.freeze(train=TRAIN, test={**CLEAN_TEST, "more": sentence("more")})
    refused = exposing.team.push("main", "support@v1.1.0")
    assert refused.code != 0
    assert "exposed" in refused.err


def test_a_version_that_nobody_looked_at_is_unknown_and_check_makes_it_known(exposing: Exposing) -> None:
    team = exposing.team
    exposing.logged("--keys", "h0")
    team.git("rm", "-q", "-r", "datasets/support/scans/exposed")
    team.bypass("commit", "-q", "-m", "Lose the checks")
    answer = team.heldout("gate", V1)
    assert answer.code == 3
    assert "heldout exposures check support" in answer.out
    assert team.succeeds("exposures", "check", "--commit").out.startswith("1 check made")
    assert exposing.exposed() == ["test/h0"]
    assert "already" in team.succeeds("exposures", "check").out


def test_listing_says_what_a_version_still_holds_out(exposing: Exposing) -> None:
    assert "nothing is logged" in exposing.team.succeeds("exposures", V1).out
    exposing.logged("--keys", "h0,t1")
    shown = exposing.team.succeeds("exposures", V1)
    assert "still holds out 1 example of these: test/h0" in shown.out
    found = exposing.team.succeeds("exposures", V1, "--json").json
    assert [member[:2] for member in found["datasets"][0]["held"]] == [["test", "h0"]]


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        (["--keys", "nobody"], "no-such-example"),
        (["--on", "2999-01-01"], "day-to-come"),
        (["--on", "yesterday"], "bad-day"),
        (["--note", " "], "note-missing"),
        (["--keys", "h0", "--slice", "x"], "contradicting-options"),
        (["--keys-from", "nowhere.txt"], "unreadable-keys"),
    ],
)
def test_what_cannot_be_meant_is_refused(exposing: Exposing, options: list[str], slug: str) -> None:
    done = exposing.expose("--json", *options)
    assert done.code == 2
    assert slug in done.out + done.err


@pytest.mark.parametrize("command", ["check", "repair"])
def test_a_dataset_that_is_not_there_was_not_looked_at(exposing: Exposing, command: str) -> None:
    done = exposing.team.heldout("exposures", command, "nowhere")
    assert (done.code, done.out) == (2, "")


def test_the_same_line_twice_is_refused_and_keys_may_come_from_a_file(exposing: Exposing) -> None:
    exposing.team.write("keys.txt", "h0\n\nh1\n")
    exposing.logged("--keys-from", "keys.txt")
    assert exposing.exposed() == ["test/h0", "test/h1"]
    again = exposing.expose("--keys", "h1,h0")
    assert again.code == 2
    assert "already-logged" in again.err
