"""The main story: a leak is found at commit, frozen, refused at the push, mended, and then let through."""

from __future__ import annotations

import pytest
from story.conftest import CLEAN_TEST, TEST, TRAIN, copy
from support.story import Team, rows

WITHOUT_COPIES = {key: text for key, text in TRAIN.items() if key not in ("t1", "t2")}


@pytest.mark.req("B38", "B41", "B42", "B48", "B50", "B51", "A29", "A47")
def test_found_at_commit_refused_at_push_mended_and_let_through(empty: Team) -> None:
    empty.dataset("support", train=TRAIN, test=TEST)
    said = empty.save("Add support")
    assert "2 held-out examples are given away" in said
    # the record and the data are one commit
    assert empty.git("rev-list", "--count", "HEAD") == "3"
    changed = empty.git("show", "--name-only", "--format=", "HEAD").splitlines()
    (record,) = empty.records()
    assert {record, record.replace("scan.yaml", "findings.jsonl"), "datasets/support/test.csv.dvc"} <= set(changed)
    assert empty.status() == []

    tagged = empty.run("tag", "-a", "support@v1.0.0", "-m", "first")
    assert tagged.returncode == 0
    assert "freezes a contaminated holdout (2 held-out examples are given away)" in tagged.stderr
    first = empty.heldout("gate", "support@v1.0.0")
    assert first.code == 1
    assert "2 held-out examples are given away (1 exact, 1 near)" in first.out
    assert "test/copied == train/t1" in first.out
    assert "test/close ~ train/t2" in first.out

    pushed = empty.push("support@v1.0.0")
    assert pushed.code != 0
    assert "refused: support@v1.0.0 is contaminated" in pushed.err
    assert "heldout unfreeze support@v1.0.0" in pushed.err
    assert not empty.on_remote("support@v1.0.0")

    # the fix: the held-out copies become training examples
    moved = {key: TEST[key] for key in ("copied", "close")}
    empty.dataset("support", train={**TRAIN, **moved}, test=CLEAN_TEST)
    empty.save("Move what was given away to training")
    frozen = empty.succeeds("freeze", "support")
    assert "support@v2.0.0 frozen" in frozen.out
    assert empty.gate("support@v2.0.0") == 0
    assert empty.gate("support@v1.0.0") == 1  # keeps its findings
    assert empty.push("main", "support@v2.0.0").code == 0
    assert empty.on_remote("support@v2.0.0")

    # the contaminated version stays at home, whatever is pushed along with it
    assert "support@v1.0.0 is contaminated" in empty.push("main", "--follow-tags").err
    empty.succeeds("unfreeze", "support@v1.0.0", "--reason", "frozen with copies")
    assert empty.push("main", "--follow-tags").code == 0


@pytest.mark.req("A47", "B51")
def test_taking_the_training_copies_out_does_not_undo_what_a_frozen_version_showed(leaky: Team) -> None:
    leaky.git("tag", "-a", "support@v1.0.0", "-m", "first")
    leaky.dataset("support", train=WITHOUT_COPIES, test=TEST)
    leaky.save("Remove the training copies")
    frozen = leaky.heldout("freeze", "support")
    assert frozen.code == 1, str(frozen)
    refused = leaky.push("support@v1.0.1")
    assert not leaky.on_remote("support@v1.0.1")
    asked = leaky.heldout("gate", "support@v1.0.1")
    for said in (asked.out, refused.err):
        assert "in support@v1.0.0" in said
        assert "not by removing the other copies: support@v1.0.0 is frozen and holds them" in said
        assert "heldout unfreeze support@v1.0.0" in said
        assert "heldout retire support@v1.0.0" in said
    assert {name for hit in leaky.answer("support@v1.0.1")["findings"] for name in hit["exposed_by"]} == {
        "support@v1.0.0"
    }

    other = copy(leaky.path.parent, leaky.path.parent.parent / f"{leaky.path.parent.name}-unfrozen")
    other.succeeds("unfreeze", "support@v1.0.0", "--reason", "nobody has it")
    assert other.gate("support@v1.0.1") == 0

    leaky.succeeds("retire", "support@v1.0.0", "--reason", "nothing was trained on it")
    retired = leaky.heldout("gate", "support@v1.0.1")
    assert retired.code == 0
    assert "retired, not compared: support@v1.0.0 (nothing was trained on it" in retired.out
    # a contaminated version leaves only with the word that it takes no part
    assert "support@v1.0.0 is contaminated" in leaky.push("support@v1.0.0").err
    assert leaky.push("main", "support@v1.0.1", "support@v1.0.0").code == 0
    # retired is not clean
    assert leaky.gate("support@v1.0.0") == 1


@pytest.mark.req("B48", "B50", "A30")
def test_the_gate_for_programs(leaky: Team) -> None:
    leaky.git("tag", "-a", "support@v1.0.0", "-m", "first")
    answer = leaky.answer("support@v1.0.0")
    assert set(answer) == {
        "format", "subject", "dataset", "source", "verdict", "contaminated", "complete", "findings", "accepted",
        "gaps", "retired", "as_of",
    }  # fmt: skip
    assert answer["format"] == "heldout/gate@1"
    assert (answer["verdict"], answer["contaminated"], answer["complete"]) == ("contaminated", True, True)
    near, exact = sorted(answer["findings"], key=lambda finding: finding["held"]["key"])
    assert (exact["kind"], exact["held"]["key"], exact["other"]["key"]) == ("exact", "copied", "t1")
    assert (near["kind"], near["held"]["key"], near["other"]["key"]) == ("near", "close", "t2")
    assert near["similarity"] == {"fraction": "33/34", "rounded": 0.9706}
    assert near["held"]["held_out_in"] == near["other"]["open_in"] == [answer["source"]]
    assert answer["as_of"]["HEAD"] == leaky.head()
    assert "texts" not in str(answer)
    assert not any(text in str(answer) for text in {**TRAIN, **TEST}.values())
    # a working copy, or a commit without a tag, is never clean
    assert leaky.answer("support")["gaps"][0]["kind"] == "not_frozen"
    assert leaky.gate("support@HEAD") == 1


@pytest.mark.req("B44", "A47")
def test_advice_on_a_working_copy_knows_what_the_frozen_version_showed(leaky: Team) -> None:
    leaky.git("tag", "-a", "support@v1.0.0", "-m", "first")
    leaky.write("datasets/support/train.csv", "id,text\n" + "".join(f"{k},{t}\n" for k, t in WITHOUT_COPIES.items()))
    advised = leaky.heldout("scan", "support", "--json")  # edited, not yet given to DVC
    assert advised.code == 1
    assert advised.json["advisory"] is True
    assert advised.json["scans"][0]["counts"]["holdout_contamination"] == 2
    assert leaky.git("status", "--porcelain") == ""
    assert len(rows("t", 20)) - len(WITHOUT_COPIES) == 2
