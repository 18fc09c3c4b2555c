"""The main story: a leak is found at commit, frozen, refused at the push, mended, and then let through."""

from __future__ import annotations

import pytest
from story.conftest import TEST, TRAIN
from support.story import Team, rows


@pytest.mark.req("B38", "B40", "B41", "B42", "B48", "B50", "B51", "A29", "A47")
def test_found_at_commit_refused_at_push_mended_and_let_through(empty: Team) -> None:
    empty.dataset("support", train=TRAIN, test=TEST)
    said = empty.save("Add support")
    assert "2 findings contaminate a holdout" in said
    # the record and the data are one commit
    assert empty.git("rev-list", "--count", "HEAD") == "3"
    changed = empty.git("show", "--name-only", "--format=", "HEAD").splitlines()
    (record,) = empty.records()
    assert {record, record.replace("scan.yaml", "findings.jsonl"), "datasets/support/test.csv.dvc"} <= set(changed)
    assert empty.status() == []

    assert empty.run("tag", "-a", "support@v1.0.0", "-m", "first").returncode == 0
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
    empty.dataset("support", train={**TRAIN, **moved}, test=rows("h", 8))
    empty.save("Move what was given away to training")
    frozen = empty.succeeds("freeze", "support")
    assert "support@v2.0.0 frozen" in frozen.out
    assert empty.gate("support@v2.0.0") == 0
    assert empty.gate("support@v1.0.0") == 1  # keeps its findings
    assert empty.push("main", "support@v2.0.0").code == 0
    assert empty.on_remote("support@v2.0.0")
