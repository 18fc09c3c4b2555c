"""Trouble that others had in public, and that a repository with datasets must not have."""

from __future__ import annotations

from support.story import Team, rows
from tampering.conftest import LEAKY, TEST, TRAIN, V1, cached_object


def test_two_versions_of_one_commit(frozen: Team) -> None:
    """iterative/gto#377: a registry that could not be read any more. Here both are versions, and hold the same."""
    frozen.git("tag", "-a", "support@v1.0.1", "-m", "the same", f"{V1}^{{commit}}")
    assert (frozen.gate(V1), frozen.gate("support@v1.0.1")) == (0, 0)
    listed = frozen.heldout("versions", "support")
    assert "v1.0.0" in listed.out
    assert "v1.0.1" in listed.out
    assert frozen.push("support@v1.0.1").code == 0


def test_every_tag_of_a_push_is_looked_at(frozen: Team) -> None:
    """pre-commit/pre-commit#2577 and #2107: a push of tags only, of which a hook got to see one or none."""
    for number in (1, 2):
        frozen.dataset("support", train={**TRAIN, **rows("u", number)}, test=LEAKY)
        frozen.save("A leak")
        frozen.git("tag", "-a", f"support@v1.{number}.0", "-m", "leaky")
    frozen.git("tag", "-a", "support@v1.0.1", "-m", "the same", f"{V1}^{{commit}}")
    pushed = frozen.push("--tags")
    assert pushed.code != 0
    assert "support@v1.1.0 is contaminated" in pushed.err
    assert "support@v1.2.0 is contaminated" in pushed.err
    assert "support@v1.0.1 is contaminated" not in pushed.err
    assert not frozen.on_remote("support@v1.0.1")


def test_a_commit_names_a_cache_that_holds_other_bytes(frozen: Team) -> None:
    """treeverse/dvc#9641 and #1599: a cache that somebody wrote into, and every command finds it in order."""
    file = cached_object(frozen, "datasets/support/train.csv.dvc")
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"t3", b"t4", 1))
    frozen.dataset("other", train=rows("o", 3), test=rows("p", 3))
    said = frozen.save("Another dataset")
    assert f"not compared with {V1}" in said
    assert "the DVC cache holds other bytes than its digest says" in said
    # so it is not covered, and is not pushed
    frozen.git("tag", "-a", "other@v1.0.0", "-m", "first")
    assert frozen.gate("other@v1.0.0") == 3
    assert f"it has not been compared with {V1}" in frozen.push("other@v1.0.0").err


def test_a_commit_of_data_that_was_corrupted_is_stopped(frozen: Team) -> None:
    """The dataset's own data: a record of other bytes would be a lie."""
    frozen.dataset("support", train=TRAIN, test={**TEST, **rows("n", 1)})
    file = cached_object(frozen, "datasets/support/train.csv.dvc")
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    done = frozen.run("commit", "-q", "-m", "Corrupt")
    assert done.returncode != 0
    assert "[corrupt-object]" in done.stderr


def test_a_revert_takes_a_record_along_and_is_told_and_passes(frozen: Team) -> None:
    """Nobody is stopped for undoing a commit: nobody asks any more what the record said. Hook and verify agree."""
    frozen.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    frozen.save("More training data")
    assert frozen.push("main").code == 0
    assert len(frozen.records()) == 2
    frozen.git("revert", "--no-edit", "HEAD")
    assert len(frozen.records()) == 1
    verified = frozen.heldout("verify")
    assert verified.code == 0, str(verified)
    assert "no answer rests on it any more" in verified.out
    pushed = frozen.push("main")
    assert pushed.code == 0, str(pushed)
    assert "warning: main would change or take away what the remote has recorded" in pushed.err
    assert frozen.gate(V1) == 0


def test_a_revert_of_what_was_frozen_meanwhile_loses_nothing(frozen: Team) -> None:
    """The version's own commit keeps the record."""
    frozen.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    frozen.save("More training data")
    frozen.git("tag", "-a", "support@v1.1.0", "-m", "more")
    assert frozen.push("main", "support@v1.1.0").code == 0
    frozen.git("revert", "--no-edit", "HEAD")
    assert frozen.heldout("verify").code == 0
    assert frozen.push("main").code == 0
    assert (frozen.gate(V1), frozen.gate("support@v1.1.0")) == (0, 0)


def test_a_removed_record_that_an_answer_rests_on_is_no_revert(frozen: Team) -> None:
    """The content is still there, so somebody still asks: the hook refuses it where verify fails it."""
    frozen.dataset("support", train={**TRAIN, **rows("u", 2)}, test=LEAKY)
    frozen.save("A leak")
    frozen.git("push", "-q", "--no-verify", "origin", "main")
    new = next(path for path in frozen.records() if path not in frozen.records("HEAD~1"))
    frozen.git("rm", "-q", "-r", new.rpartition("/")[0])
    frozen.bypass("commit", "-q", "-m", "Nothing was found")
    verified = frozen.heldout("verify")
    assert verified.code == 1, str(verified)
    assert "records are only ever added" in verified.out
    pushed = frozen.push("main")
    assert pushed.code != 0
    assert "refused: main would change or take away what the remote has recorded" in pushed.err


def test_a_sweep_is_not_undone(frozen: Team) -> None:
    """`heldout scan --all` compared two frozen versions; without its record nobody knows about them any more."""
    frozen.git("switch", "-q", "-c", "aside")
    frozen.dataset("aside", train=rows("o", 4), test=rows("p", 3))
    frozen.save("Another dataset")
    frozen.bypass("tag", "-a", "aside@v1.0.0", "-m", "first")
    frozen.git("switch", "-q", "main")
    frozen.dataset("support", train={**TRAIN, **rows("w", 2)}, test=TEST)
    frozen.git("tag", "-d", "aside@v1.0.0")
    frozen.save("More training data")
    frozen.bypass("tag", "-a", "support@v1.1.0", "-m", "more")
    frozen.bypass("tag", "-a", "aside@v1.0.0", "-m", "first", "aside")
    frozen.succeeds("scan", "--all")
    frozen.git("add", "datasets")
    frozen.git("commit", "-q", "-m", "Compare all")
    frozen.git("push", "-q", "--no-verify", "origin", "main", "--tags")
    assert frozen.gate("support@v1.1.0") == 0
    frozen.git("revert", "--no-edit", "HEAD")
    verified = frozen.heldout("verify")
    assert verified.code == 1, str(verified)
    pushed = frozen.push("main")
    assert pushed.code != 0
    assert "refused: main would change or take away" in pushed.err
