"""What leaves this machine: versions and branches, tags that are moved, deleted, malformed or somebody else's."""

from __future__ import annotations

import pytest
from story.conftest import CLEAN_TEST
from support.story import Team, rows


@pytest.mark.req("A32", "B50")
def test_a_training_set_that_holds_a_holdout_example_is_not_pushed(clean: Team) -> None:
    clean.dataset("corpus", holdout=None, train={**rows("c", 5), "c9": CLEAN_TEST["h3"]})
    said = clean.save("Add corpus")
    assert "1 finding contaminates the holdouts of other versions" in said
    clean.git("tag", "-a", "corpus@v1.0.0", "-m", "training only")
    refused = clean.push("main", "corpus@v1.0.0")
    assert refused.code != 0
    assert "corpus@v1.0.0 gives away the holdout of another dataset" in refused.err
    assert "of support@v1.0.0" in refused.err
    assert "support:test/h3 == corpus:train/c9" in refused.err
    assert not clean.on_remote("corpus@v1.0.0")
    # its own gate stays as it is, without a holdout; what it gave away is contaminated
    assert [gap["kind"] for gap in clean.answer("corpus@v1.0.0")["gaps"]] == ["no_holdout"]
    assert clean.gate("corpus@v1.0.0") == 3
    given = clean.answer("support@v1.0.0")
    assert [(hit["held"]["key"], hit["exposed_by"]) for hit in given["findings"]] == [("h3", ["corpus@v1.0.0"])]

    found = clean.heldout("verify", "--trust-records")
    assert found.code == 1
    assert "corpus@v1.0.0: gives 1 held-out examples of support@v1.0.0 away" in found.out

    # a second version that holds it too is refused as well, though the pair is known from the first
    clean.dataset("corpus", holdout=None, train={**rows("c", 6), "c9": CLEAN_TEST["h3"]})
    clean.save("Grow corpus")
    clean.git("tag", "-a", "corpus@v1.1.0", "-m", "more")
    assert "corpus@v1.1.0 gives away" in clean.push("corpus@v1.1.0").err
    given = clean.answer("support@v1.0.0")
    assert given["findings"][0]["exposed_by"] == ["corpus@v1.0.0", "corpus@v1.1.0"]

    clean.dataset("corpus", holdout=None, train=rows("c", 6))
    clean.save("Take it out")
    clean.git("tag", "-a", "corpus@v2.0.0", "-m", "without")
    assert clean.push("corpus@v2.0.0").code == 0


@pytest.mark.req("B50")
def test_a_contaminated_branch(leaky: Team) -> None:
    # what stands in the working copy alone protects nothing and lifts no protection
    leaky.write("heldout.yaml", "format: heldout/project@1\nprotected_branches: []\n")
    refused = leaky.push("main")
    assert refused.code != 0
    assert "refused: support on main is contaminated" in refused.err
    warned = leaky.push("main:topic")
    assert warned.code == 0
    assert "warning: support on topic is contaminated" in warned.err
    assert leaky.on_remote("refs/heads/topic")
    # what nobody has looked at may be contaminated too
    leaky.dataset("support", train=rows("t", 1), test=CLEAN_TEST)
    leaky.bypass("commit", "-q", "-m", "No record")
    said = leaky.push("main")
    assert said.code == 0
    assert "warning: nobody knows yet whether support on main is clean" in said.err
    assert "heldout scan support@HEAD --commit" in said.err


@pytest.mark.req("B50")
def test_tags_that_may_not_be_changed_and_those_that_are_none_of_ours(clean: Team) -> None:
    clean.write("notes.txt", "n")
    clean.git("add", "notes.txt")
    clean.save("Notes")
    # ours, and not in the right form
    malformed = clean.run("tag", "-a", "support@v2.0", "-m", "x")
    assert malformed.returncode != 0
    assert "support@v<MAJOR>.<MINOR>.<PATCH>" in malformed.stderr
    clean.bypass("tag", "support@v2.0", "-m", "x")
    assert "support@v2.0 is no version" in clean.push("support@v2.0").err
    assert clean.run("push", "-q", "--no-verify", "origin", "support@v2.0").returncode == 0
    assert clean.push(":refs/tags/support@v2.0").code == 0  # was no version, and may go

    # moved, to another commit of the dataset or to one that has no dataset at all; deleted
    clean.bypass("tag", "-f", "-a", "support@v1.0.0", "-m", "moved")
    assert "support@v1.0.0 is another version on the remote" in clean.push("-f", "support@v1.0.0").err
    before = clean.git("rev-list", "--max-parents=0", "HEAD")
    assert "is another version on the remote" in clean.push("-f", f"{before}:refs/tags/support@v1.0.0").err
    assert "would be deleted on the remote" in clean.push(":refs/tags/support@v1.0.0").err
    assert clean.on_remote("support@v1.0.0")

    # of no dataset here
    for tag in ("other@v1.0.0", "v1.0.0", "package@1.2"):
        assert clean.run("tag", "-a", tag, "-m", "x").returncode == 0
        assert clean.push(tag).code == 0
