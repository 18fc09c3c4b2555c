"""Every kind of finding that asks for a person can be decided in a repository, whole families too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reviews.conftest import BOB
from story.conftest import clean_template, copy, empty_template  # noqa: F401
from support.corpora import jsonl
from support.story import Run, Team, around, nearly, rows, sentence

V1 = "support@v1.0.0"


@pytest.fixture
def team(empty_template: Path, tmp_path: Path) -> Team:  # noqa: F811
    return copy(empty_template, tmp_path)


def labelled(team: Team, train: dict[str, tuple[str, str]], test: dict[str, tuple[str, str]]) -> None:
    """A dataset with texts and labels by key."""
    yaml = (
        "format: heldout/dataset@1\nname: support\n"
        "data: [{path: train.csv, split: train}, {path: test.csv, split: test}]\n"
        "fields: {key: id, input: text, expected: label}\nholdout: [test]\n"
    )
    team.write("datasets/support/dataset.yaml", yaml)
    for split, examples in (("train", train), ("test", test)):
        lines = [f"{key},{text},{label}\n" for key, (text, label) in examples.items()]
        team.write(f"datasets/support/{split}.csv", "id,text,label\n" + "".join(lines))
    team.track("datasets/support/train.csv", "datasets/support/test.csv")


def accept(team: Team, finding: str, *options: str) -> Run:
    return team.succeeds("review", "accept", finding, "--reason", "both are right", "--commit", *options)


def standings(team: Team, *subject: str) -> dict[str, str]:
    listed = team.succeeds("review", "list", *subject, "--json").json["reviews"]
    return {row.get("finding") or row["cluster"]: row["standing"] for row in listed}


TRAIN = {"t0": (sentence("a"), "upwards"), "t1": (nearly("a"), "down"), "t2": (sentence("b"), "upwards")}
TEST = {"h0": (sentence("c"), "upwards")}


def conflicts(team: Team) -> Any:
    return team.succeeds("conflicts", "support", "--json").json


@pytest.mark.req("D57")
def test_a_label_conflict_is_accepted_by_one_person_until_a_label_changes(team: Team) -> None:
    labelled(team, TRAIN, TEST)
    team.save("Add support")
    (conflict,) = conflicts(team)["conflicts"]
    assert conflict["review"] is None
    assert f"[{conflict['id']}]" in team.succeeds("conflicts", "support").out
    accept(team, conflict["id"][:8])
    (same,) = conflicts(team)["conflicts"]
    assert (same["id"], same["review"]["reason"]) == (conflict["id"], "both are right")
    said = team.succeeds("conflicts", "support").out
    assert "1 accepted" in said
    assert "next:" not in said
    assert standings(team) == standings(team, "support") == {conflict["id"]: "accepted"}
    assert team.heldout("verify").code == 0
    # no digest that a label could be guessed by
    text = team.git("show", f"HEAD:datasets/support/reviews/{conflict['id']}.yaml")
    assert "upwards" not in text
    labelled(team, {**TRAIN, "t1": (nearly("a"), "sideways")}, TEST)
    team.save("Another label")
    assert conflicts(team)["conflicts"][0]["review"] is None
    accept(team, conflict["id"])
    assert conflicts(team)["conflicts"][0]["review"]["reason"] == "both are right"


def test_an_expired_or_reopened_conflict_is_open_again(team: Team) -> None:
    labelled(team, TRAIN, TEST)
    team.save("Add support")
    (conflict,) = conflicts(team)["conflicts"]
    accept(team, conflict["id"], "--expires", "2999-12-31")
    team.succeeds("review", "reopen", conflict["id"], "--reason", "one is wrong after all", "--commit")
    assert conflicts(team)["conflicts"][0]["review"] is None
    assert standings(team) == {conflict["id"]: "reopened"}


@pytest.mark.req("C15")
def test_an_excerpt_in_a_prompt_is_accepted_by_two_people_where_policy_blocks(team: Team) -> None:
    team.dataset("support", train=rows("t", 4), test=rows("h", 4))
    team.write("heldout.yaml", "prompts: {files: [prompts/*.md], block: true}\n")
    team.git("add", "heldout.yaml")
    team.save("Add support")
    team.add("prompts/agent.md", f"Answer like this:\n{sentence('h1')}\n")
    refused = team.run("commit", "-q", "-m", "A prompt")
    assert refused.returncode == 1
    finding = refused.stderr.partition("[prompt_excerpt ")[2][:16]
    accept(team, finding)
    assert team.run("commit", "-q", "-m", "A prompt").returncode == 1  # one person is not enough
    assert standings(team) == {finding: "awaits_reviewer"}
    done = team.heldout("review", "approve", finding, "--commit", env=BOB)
    assert done.code == 0, str(done)
    team.save("A prompt")
    verified = team.heldout("verify")
    assert (verified.code, "accepted: both are right" in verified.out) == (0, True), str(verified)
    # another held-out example in the same prompt is another finding
    team.add("prompts/agent.md", f"Answer like this:\n{sentence('h1')}\n{sentence('h2')}\n")
    again = team.run("commit", "-q", "-m", "More of it")
    assert (again.returncode, again.stderr.count("[prompt_excerpt ")) == (1, 1)
    assert "support:test/h2" in again.stderr


@pytest.mark.req("A25", "D57")
def test_a_containment_needs_one_person(team: Team) -> None:
    team.dataset("support", train={**rows("t", 4), "long": around("h1")}, test=rows("h", 4))
    team.save("Add support")
    (found,) = team.succeeds("findings", "support@HEAD", "--json").json["findings"]
    assert (found["kind"], found["severity"]) == ("containment", "review")
    accept(team, found["id"])
    assert standings(team) == {found["id"]: "accepted"}


def test_a_family_is_decided_once_and_one_of_it_reopened(team: Team) -> None:
    """Four hundred near copies are a family, in which pairs are not listed one by one."""
    common = " ".join(map(sentence, "abcd"))
    family = {f"c{number}": f"{common} {number:03}" for number in range(400)}
    held = {f"h{number}": f"{common} x{number}" for number in range(3)}
    team.dataset("support", train=family, test={**held, **rows("o", 4)})
    team.save("Add support")
    team.git("tag", "-a", V1, "-m", "first")
    found = team.answer(V1)["findings"]
    assert {item["held"]["key"] for item in found} == set(held)
    (cluster,) = {item["cluster"] for item in found}
    assert found[0]["id"] != cluster
    accept(team, found[0]["id"], "--family")
    assert team.gate(V1) == 1
    done = team.heldout("review", "approve", found[0]["id"], "--family", "--commit", env=BOB)
    assert done.code == 0, str(done)
    answer = team.answer(V1)
    assert (answer["verdict"], {item["held"]["key"] for item in answer["accepted"]}) == ("clean", set(held))
    assert standings(team) == {cluster: "accepted"}
    team.succeeds("review", "reopen", found[0]["id"], "--reason", "not this one", "--commit")
    left = team.answer(V1)
    assert {item["id"] for item in left["findings"]} == {found[0]["id"]}
    # another member is another family, about which nobody has decided
    team.dataset("support", train={**family, "new": f"{common} 999"}, test={**held, **rows("o", 4)})
    team.save("One more of them")
    assert {item["held"]["key"] for item in team.answer("support@HEAD")["findings"]} >= set(held)


@pytest.mark.req("B48")
def test_what_a_corpus_holds_is_listed_and_accepted_until_the_corpus_holds_more(
    clean_template: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    team = copy(clean_template, tmp_path)
    team.write("heldout.yaml", "corpora: {must_scan: [crawl]}\n")
    team.git("add", "heldout.yaml")
    team.save("Require a corpus")
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    others = list(rows("corpus", 30).values())
    (crawl / "a.jsonl").write_bytes(jsonl([*others, nearly("h2"), f"{others[0]} {sentence('h3')}"]))

    def scan() -> None:
        done = team.heldout("corpus", "scan", "../crawl", "--against", V1, "--commit")
        assert done.code == 1, str(done)

    scan()
    every = team.succeeds("findings", V1, "--json").json["findings"]
    listed = [item for item in every if item["b"]["dataset"] == "corpus crawl"]
    assert [(item["kind"], item["severity"]) for item in listed] == [("near", "block"), ("containment", "review")]
    near = listed[0]["id"]
    assert [item["id"] for item in team.answer(V1)["findings"]] == [near]
    accept(team, near)
    done = team.heldout("review", "approve", near, "--commit", env=BOB)
    assert done.code == 0, str(done)
    answer = team.answer(V1)
    assert (answer["verdict"], [item["id"] for item in answer["accepted"]]) == ("clean", [near])
    assert "accepted: support:test/h2 ~ corpus crawl:a.jsonl/row 31" in team.succeeds("gate", V1).out
    assert standings(team) == {near: "accepted"}
    # the same example in another wording: nobody has decided about that row
    (crawl / "b.jsonl").write_bytes(jsonl([sentence("h2")[:-1] + "y"]))
    scan()
    assert team.gate(V1) == 1
