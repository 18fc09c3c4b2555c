"""What people decide about findings, and when it counts: in real repositories, by two people."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from reviews.conftest import V1, Deciders
from support.story import rows, sentence

LONG_AGO, FAR = "2020-01-01", "2999-12-31"


def edit(decide: Deciders, finding: str, old: str, new: str) -> None:
    """A person changes a decision's file by hand and commits it."""
    path = decide.team.path / f"datasets/support/reviews/{finding}.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    decide.team.git("add", "datasets")
    decide.team.save("Edit a decision")


@pytest.mark.req("B41", "B48")
def test_accepted_by_two_people_it_blocks_no_more_and_stays_listed(decide: Deciders) -> None:
    assert decide.team.gate(V1) == 1
    decide.accept(decide.near)
    assert decide.team.gate(V1) == 1  # the exact copy is still there
    decide.accept(decide.exact)
    answer = decide.team.answer(V1)
    assert (answer["verdict"], answer["findings"]) == ("clean", [])
    listed = {item["id"]: item["review"] for item in answer["accepted"]}
    assert listed.keys() == {decide.near, decide.exact}
    assert listed[decide.near]["reviewer"] == "Bob <bob@example.org>"
    assert "accepted: test/close ~ train/t2" in decide.team.succeeds("gate", V1).out
    pushed = decide.team.push("main", V1)
    assert pushed.code == 0, str(pushed)
    assert decide.team.heldout("verify", "--all").code == 0


def test_a_holdout_needs_somebody_else(decide: Deciders) -> None:
    decide.accept(decide.near, approve=False)
    decide.accept(decide.exact)
    assert decide.team.gate(V1) == 1
    assert decide.standings() == {decide.near: "awaits_reviewer", decide.exact: "accepted"}
    own = decide.team.heldout("review", "approve", decide.near)
    assert (own.code, "[own-review]" in own.err) == (2, True)
    assert decide.team.push("main", V1).code == 1
    assert decide.team.heldout("review", "list", "--strict").code == 1


def test_a_name_that_git_does_not_know_of_is_refused_by_verify(decide: Deciders) -> None:
    """The author writes a colleague's name, or a colleague's decision, into the file."""
    decide.accept(decide.exact)
    decide.accept(decide.near, approve=False)
    edit(decide, decide.near, "method:", "reviewer: Carol <carol@example.org>\nmethod:")
    assert decide.team.gate(V1) == 0  # the gate trusts what is committed; verify does not
    found = decide.team.heldout("verify", "--all")
    assert found.code == 1
    assert "Carol <carol@example.org>, who is behind no commit of it" in found.out


@pytest.mark.parametrize(
    ("old", "new"), [("a greeting", "anything at all"), (FAR, "3999-12-31"), ("method:", "method: # looks alike\n ")]
)
def test_who_agreed_did_not_agree_to_what_was_edited_since(decide: Deciders, old: str, new: str) -> None:
    """Bob approved a reason and a last day. Another one is another decision, and a comment is none."""
    decide.accept(decide.near, "--expires", FAR)
    edit(decide, decide.near, old, new)
    found = [item["slug"] for item in decide.team.heldout("verify", "--all", "--json").json["problems"]]
    assert ("reviewer-unknown" in found) == ("#" not in new)


def test_after_an_edit_the_reviewer_agrees_anew(decide: Deciders) -> None:
    decide.accept(decide.near)
    edit(decide, decide.near, "a greeting", "a greeting, no answer in it")
    early = decide.as_bob("review", "approve", decide.near, "--commit")
    assert (early.code, "take the reviewer line out" in early.err) == (2, True)
    edit(decide, decide.near, 'reviewer: "Bob <bob@example.org>"\n', "")
    assert decide.as_bob("review", "approve", decide.near, "--commit").code == 0
    found = decide.team.heldout("verify", "--all", "--json").json["problems"]
    assert "reviewer-unknown" not in {item["slug"] for item in found}


@pytest.mark.parametrize("how", ["reopened", "removed", "reviewer out"])
def test_what_was_taken_back_needs_the_reviewer_again(decide: Deciders, how: str) -> None:
    """Bob withdraws, and Ann reverts that: Bob's name is back in the file, and he did not put it there."""
    decide.accept(decide.near)
    if how == "reopened":
        assert decide.as_bob("review", "reopen", decide.near, "--reason", "not harmless", "--commit").code == 0
    elif how == "removed":
        decide.team.git("rm", "-q", f"datasets/support/reviews/{decide.near}.yaml")
        decide.commit_as_bob("Take it back")
    else:
        edit(decide, decide.near, 'reviewer: "Bob <bob@example.org>"\n', "")
    decide.team.git("revert", "--no-edit", "HEAD")
    found = decide.team.heldout("verify", "--all", "--json").json["problems"]
    assert "reviewer-unknown" in {item["slug"] for item in found}


@pytest.mark.parametrize(
    "spelled", ["{0} <{1}>", "Somebody <{1}>", "{1}", "{0} <{1}> ", "{0} < {1} >", "{0} <{1}>, again", "  {1}\t"]
)
def test_however_an_author_spells_it_a_second_person_is_another_address(spelled: str) -> None:
    from heldout.domain.deciding.review import Decision, Review

    by, address = "Ann <ann@example.org>", "Ann@Example.org"
    review = Review("0" * 16, Decision.ACCEPTED, "r", by, "m", reviewer=spelled.format("Ann", address))
    assert not review.reviewed_by_another


def test_two_files_that_contradict_each_other_decide_nothing(decide: Deciders) -> None:
    """A finding between two datasets, with a file beside either: what both say is decided, and nothing else."""
    decide.team.dataset("other", train={"copy": sentence("h0")}, holdout=None)
    decide.team.save("Add other")
    decide.team.git("tag", "-a", "other@v1.0.0", "-m", "first")
    (found,) = [item for item in decide.team.answer(V1)["findings"] if "dataset': 'other'" in str(item)]
    decide.accept(found["id"])
    text = (decide.team.path / f"datasets/support/reviews/{found['id']}.yaml").read_text()
    decide.team.write(f"datasets/other/reviews/{found['id']}.yaml", text)
    decide.team.git("add", "datasets")
    decide.team.save("Decide the same there")
    assert decide.standings()[found["id"]] == "accepted"
    assert found["id"] in str(decide.team.answer(V1)["accepted"])
    decide.team.write(f"datasets/other/reviews/{found['id']}.yaml", text.replace("n: accepted", "n: reopened"))
    decide.team.git("add", "datasets")
    decide.team.save("Reopen it there")
    assert decide.standings()[found["id"]] == "malformed"
    assert found["id"] in str(decide.team.answer(V1)["findings"])
    problems = decide.team.heldout("verify", "--all", "--json").json["problems"]
    assert sum(item["slug"] == "reviews-contradict" for item in problems) == 2


@pytest.mark.parametrize("trailer", ["Reviewed-by", "Co-authored-by", "Signed-off-by"])
def test_a_squashed_branch_names_its_reviewer_in_the_message(decide: Deciders, trailer: str) -> None:
    decide.accept(decide.exact)
    decide.team.succeeds(
        "review", "accept", decide.near, "--reason", "a greeting", "--reviewer", "Dan <dan@example.org>"
    )
    decide.team.git("add", "datasets")
    decide.team.save(f"Accept\n\n{trailer}: Dan <dan@example.org>")
    assert decide.team.heldout("verify", "--all").code == 0
    assert decide.team.gate(V1) == 0


def test_an_expired_acceptance_blocks_a_push(decide: Deciders) -> None:
    decide.accept(decide.exact)
    decide.accept(decide.near, "--expires", FAR)
    assert decide.team.gate(V1) == 0
    edit(decide, decide.near, FAR, LONG_AGO)
    assert decide.standings()[decide.near] == "expired"
    assert decide.team.gate(V1) == 1
    pushed = decide.team.push("main", V1)
    assert (pushed.code, f"{V1} is contaminated" in pushed.err) == (1, True)


def test_it_counts_through_its_last_day(decide: Deciders) -> None:
    from heldout.domain.deciding.review import Decision, Review, Weight

    day = date(2027, 1, 31)
    review = Review("0" * 16, Decision.ACCEPTED, "r", "A <a@x>", "m", "near", (), "B <b@x>", day)
    assert review.weight("m", contaminates=True, today=day) is Weight.COUNTS
    assert review.weight("m", contaminates=True, today=day + timedelta(days=1)) is Weight.EXPIRED
    assert review.weight("other", contaminates=True, today=day) is Weight.OTHER_METHOD


def test_an_edited_example_is_another_finding(decide: Deciders) -> None:
    """The decision binds to both inputs: what was accepted is not what is there now."""
    decide.accept(decide.near)
    decide.accept(decide.exact)
    test = {**rows("h", 8), "copied": sentence("t1"), "close": sentence("t2")[:-1] + "q"}
    decide.team.dataset("support", train=rows("t", 20), test=test)
    decide.team.save("Edit the close one")
    answer = decide.team.answer("support@HEAD")
    assert [finding["kind"] for finding in answer["findings"]] == ["near"]
    assert [item["kind"] for item in answer["accepted"]] == ["exact"]


def test_a_decision_of_another_method_counts_for_nothing(decide: Deciders) -> None:
    decide.accept(decide.exact)
    decide.accept(decide.near)
    method = decide.team.answer(V1)["accepted"][0]["review"]["method"]
    edit(decide, decide.near, method, f"sha256:{'0' * 64}")
    assert decide.standings()[decide.near] == "other_method"
    assert decide.team.gate(V1) == 1


def test_reopened_it_blocks_again(decide: Deciders) -> None:
    decide.accept(decide.exact)
    decide.accept(decide.near)
    decide.team.succeeds("review", "reopen", decide.near, "--reason", "the answer is in it", "--commit")
    assert decide.team.gate(V1) == 1
    assert decide.standings()[decide.near] == "reopened"


def test_what_is_not_committed_counts_for_nothing(decide: Deciders) -> None:
    decide.accept(decide.exact)
    decide.team.succeeds("review", "accept", decide.near, "--reason", "mine", "--reviewer", "Bob <bob@example.org>")
    assert decide.standings()[decide.near] == "not_agreed"
    assert decide.team.gate(V1) == 1
    early = decide.as_bob("review", "approve", decide.near)
    assert (early.code, "[not-committed]" in early.err) == (2, True)


def test_what_only_this_clone_agreed_on_lets_no_version_out(decide: Deciders) -> None:
    """A decision on a topic branch is in HEAD here; others would see a contaminated version."""
    decide.team.git("switch", "-q", "-c", "topic")
    decide.accept(decide.exact)
    decide.accept(decide.near)
    assert decide.team.gate(V1) == 0
    alone = decide.team.push(V1)
    assert (alone.code, f"{V1} is contaminated" in alone.err) == (1, True)
    assert decide.team.push("topic").code == 0  # a topic branch may be pushed: reviewers have to see it
    decide.team.git("switch", "-q", "main")
    decide.team.git("merge", "-q", "--no-edit", "topic")
    together = decide.team.push("main", V1)
    assert together.code == 0, str(together)


def test_two_branches_that_decide_on_two_findings_merge(decide: Deciders) -> None:
    decide.team.git("branch", "other")
    decide.accept(decide.exact)
    decide.team.git("switch", "-q", "other")
    decide.accept(decide.near)
    decide.team.git("switch", "-q", "main")
    decide.team.git("merge", "-q", "--no-edit", "other")
    assert decide.team.gate(V1) == 0
    assert decide.team.heldout("verify", "--all").code == 0


def test_two_branches_that_decide_on_one_finding_conflict(decide: Deciders) -> None:
    """One accepted, the other kept it open: no merge may choose, and until a person has, nothing is decided."""
    decide.accept(decide.exact)
    decide.team.git("branch", "other")
    decide.accept(decide.near)
    decide.team.git("switch", "-q", "other")
    decide.team.succeeds("review", "reopen", decide.near, "--reason", "not harmless", "--commit")
    decide.team.git("switch", "-q", "main")
    merged = decide.team.run("merge", "--no-edit", "other")
    assert merged.returncode != 0
    assert f"datasets/support/reviews/{decide.near}.yaml" in merged.stdout
    listed = decide.team.succeeds("review", "list").out
    assert "not readable, so it decides nothing" in listed


@pytest.mark.parametrize(
    ("old", "new", "slug"),
    [
        ("decision: accepted", "decision: fine", "bad-value"),
        ("kind: near", "kind: exact", "review-misplaced"),
        ("reason: a greeting", "reason: ''", "bad-value"),
        ("method:", "colour: red\nmethod:", "unknown-key"),
        ("method:", "expires: soon\nmethod:", "bad-value"),
        ("format: heldout/review@1", "format: heldout/review@9", "unknown-format"),
    ],
)
def test_a_file_that_is_wrong_is_named_and_decides_nothing(decide: Deciders, old: str, new: str, slug: str) -> None:
    decide.accept(decide.exact)
    decide.accept(decide.near)
    edit(decide, decide.near, old, new)
    assert decide.team.gate(V1) == 1
    assert decide.standings()[decide.near] == "malformed"
    found = decide.team.heldout("verify", "--all", "--json")
    assert found.code == 1
    assert slug in {problem["slug"] for problem in found.json["problems"]}


def test_a_decision_that_covers_nothing_any_more_is_stale(decide: Deciders) -> None:
    decide.accept(decide.near)
    path = decide.team.path / f"datasets/support/reviews/{decide.near}.yaml"
    assert path.exists()
    decide.team.git("tag", "-d", V1)
    decide.team.dataset("support", train=rows("t", 20), test=rows("h", 8))
    decide.team.save("Mend")
    for record in decide.team.records():
        if "close" in (decide.team.path / record).with_name("findings.jsonl").read_text():
            decide.team.git("rm", "-q", "-r", record.rpartition("/")[0])
    decide.team.save("Drop the old record")
    assert decide.standings() == {decide.near: "stale"}


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("accept", "ffff0000", "--reason", "r"), "unknown-finding"),
        (("accept", "{near}", "--reason", " "), "reason-missing"),
        (("accept", "{near}", "--reason", "caf\udce9"), "bad-encoding"),
        (("accept", "{near}", "--reason", "r", "--expires", "tomorrow"), "bad-day"),
        (("accept", "{near}", "--reason", "r", "--expires", LONG_AGO), "already-expired"),
        (("accept", "{near}", "--reason", "r", "--family"), "no-family"),
        (("accept", "{near}", "--reason", "r", "--reviewer", "Me <TEST@example.org>"), "own-review"),
        (("accept", "{near}", "--reason", "r", "--reviewer", ""), "bad-value"),
        (("accept", "{near}", "--reason", "r", "--reviewer", "Bob"), "bad-value"),
        (("accept", "1", "--reason", "r"), "ambiguous-finding"),
        (("approve", "{near}"), "nothing-to-approve"),
    ],
)
def test_wrong_input_is_told_and_writes_nothing(decide: Deciders, arguments: tuple[str, ...], slug: str) -> None:
    address = decide.team.git("config", "user.email")
    wanted = [word.format(near=decide.near).replace("TEST@example.org", address.upper()) for word in arguments]
    done = decide.team.heldout("review", *wanted)
    assert (done.code, f"[{slug}]" in done.err) == (2, True), str(done)
    assert not decide.team.git("status", "--porcelain")


def test_a_reviewer_of_no_name_retires_nothing(decide: Deciders) -> None:
    """It would be committed, and could never be read again."""
    head = decide.team.git("rev-parse", "HEAD")
    done = decide.team.heldout("retire", V1, "--reason", "r", "--reviewer", " ")
    assert (done.code, "[bad-value]" in done.err) == (2, True)
    assert decide.team.git("rev-parse", "HEAD") == head


@pytest.mark.req("B36")
def test_no_text_is_written(decide: Deciders) -> None:
    decide.accept(decide.near)
    text = (decide.team.path / f"datasets/support/reviews/{decide.near}.yaml").read_text()
    assert not set(sentence("t2").split()).intersection(text.split())
