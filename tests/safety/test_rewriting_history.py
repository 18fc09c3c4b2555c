"""Merges, picks, rebases, bisections and stashes: history is what Git makes of it, and its records come along."""

from __future__ import annotations

import pytest
from safety.conftest import TEST, TRAIN
from support.story import rows
from support.twins import Twins, lacking

DIRTY = {"draft.txt": "untracked\n", "notes.txt": "changed, not staged\n"}


def grown(name: str) -> dict[str, str]:
    return {**TRAIN, **rows(name, 2)}


def commit_on(twins: Twins, branch: str, dataset: str, *, start: str = "main") -> None:
    """A branch on which one dataset has grown, with its record."""
    twins.git("switch", "-q", "-c", branch, start)
    twins.dataset(dataset, train=grown(branch), test=TEST)
    twins.git("commit", "-q", "-m", f"{dataset} on {branch}")
    twins.git("switch", "-q", start)


def dirty(twins: Twins) -> None:
    for path, content in DIRTY.items():
        twins.write(path, content)


def staged(twins: Twins) -> None:
    twins.write("staged.txt", "s\n")
    twins.git("add", "staged.txt")


def test_merge_of_two_branches_beside_dirty_files(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    twins.dataset("b", train=grown("main"), test=TEST)
    twins.git("commit", "-q", "-m", "b on main")
    dirty(twins)
    twins.git("merge", "-q", "--no-edit", "one")
    twins.untouched()
    assert len(twins.ours.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_fast_forward_merge_of_a_branch_without_records(twins: Twins) -> None:
    twins.git("switch", "-q", "-c", "one")
    twins.dataset("a", train=grown("one"), test=TEST)
    for team in twins.both:
        team.bypass("commit", "-q", "-m", "No hooks there")
    twins.git("switch", "-q", "main")
    dirty(twins)
    twins.git("merge", "-q", "--ff-only", "one")
    twins.untouched()


def test_squash_merge_leaves_the_commit_to_the_user(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    dirty(twins)
    twins.git("merge", "-q", "--squash", "one")
    assert twins.ours.git("rev-parse", "HEAD") == twins.ours.git("rev-parse", "main")
    twins.write("staged.txt", "s\n")
    twins.git("add", "staged.txt")
    twins.git("commit", "-q", "-m", "Squashed")
    twins.untouched()


def test_merge_without_commit_then_commit(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    dirty(twins)
    twins.git("merge", "-q", "--no-commit", "--no-ff", "one")
    twins.git("commit", "-q", "--no-edit")
    twins.untouched()


def test_octopus_merge(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    commit_on(twins, "two", "b")
    twins.write("extra.txt", "x\n")
    twins.git("add", "extra.txt")
    twins.git("commit", "-q", "-m", "Extra")
    dirty(twins)
    twins.git("merge", "-q", "--no-edit", "one", "two")
    twins.untouched()
    assert len(twins.ours.git("rev-list", "--parents", "-1", "HEAD^{/Merge}").split()) == 4


def test_a_conflicted_merge_that_the_user_resolves(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    twins.dataset("a", train=grown("main"), test=TEST)
    twins.git("commit", "-q", "-m", "a on main")
    twins.write("draft.txt", "untracked\n")
    twins.git("merge", "-q", "one", ends=1)
    twins.dataset("a", train={**grown("main"), **rows("one", 2)}, test=TEST)
    twins.git("commit", "-q", "--no-edit")
    twins.untouched()


def test_cherry_pick_of_one_and_of_several(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    twins.git("switch", "-q", "one")
    twins.dataset("b", train=grown("pick"), test=TEST)
    twins.git("commit", "-q", "-m", "b on one")
    twins.git("switch", "-q", "main")
    twins.write("draft.txt", "untracked\n")
    twins.git("cherry-pick", "one")
    twins.untouched()
    twins.git("reset", "-q", "--hard", "HEAD^")
    twins.git("cherry-pick", "main..one")
    twins.untouched()


def test_cherry_pick_without_commit_keeps_it_staged(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    twins.git("cherry-pick", "-n", "one")
    twins.write("notes.txt", "changed\n")
    twins.untouched(left_staged=True, recorded=None)
    twins.git("commit", "-q", "-m", "By hand")
    twins.untouched()


def test_revert(twins: Twins) -> None:
    twins.dataset("a", train=grown("x"), test=TEST)
    twins.git("commit", "-q", "-m", "Grow")
    dirty(twins)
    twins.git("revert", "--no-edit", "HEAD")
    twins.untouched()


@pytest.mark.parametrize("how", ["autostash", "merges", "apply"])
def test_rebase(twins: Twins, how: str) -> None:
    twins.git("switch", "-q", "-c", "topic")
    for number in range(2):
        twins.dataset("a", train=grown(f"r{number}"), test=TEST)
        twins.git("commit", "-q", "-m", f"a {number}")
    twins.git("switch", "-q", "main")
    twins.write("upstream.txt", "u\n")
    twins.git("add", "upstream.txt")
    twins.git("commit", "-q", "-m", "Upstream")
    twins.git("switch", "-q", "topic")
    if how == "autostash":
        dirty(twins)
        staged(twins)
        twins.git("rebase", "-q", "--autostash", "main")
    else:
        twins.write("draft.txt", "untracked\n")
        twins.git("rebase", "-q", "--rebase-merges" if how == "merges" else "--apply", "main")
    twins.untouched()
    for commit in twins.ours.git("rev-list", "main..HEAD").split():
        assert lacking(twins.ours, commit) == []


def test_rebase_interactive_with_edit_amend_and_abort(twins: Twins) -> None:
    for number in range(2):
        twins.dataset("a", train=grown(f"r{number}"), test=TEST)
        twins.git("commit", "-q", "-m", f"a {number}")
    edit = {"GIT_SEQUENCE_EDITOR": "sed -i '1s/^pick/edit/'"}
    twins.git("rebase", "-q", "-i", "HEAD~2", env=edit)
    twins.dataset("b", train=grown("edited"), test=TEST)
    staged(twins)
    twins.git("commit", "-q", "--amend", "--no-edit")
    twins.untouched(recorded=None)
    twins.git("rebase", "--continue")
    twins.untouched()  # what was skipped on the way is recorded at the end
    twins.git("rebase", "-q", "-i", "HEAD~1", env=edit)
    twins.write("notes.txt", "while stopped\n")
    twins.untouched(recorded=None)
    twins.git("checkout", "-q", "notes.txt")
    twins.git("rebase", "--abort")
    twins.untouched()


def test_rebase_that_reorders_and_fixes_up(twins: Twins) -> None:
    twins.dataset("a", train=grown("x"), test=TEST)
    twins.git("commit", "-q", "-m", "Grow a")
    twins.dataset("b", train=grown("y"), test=TEST)
    twins.git("commit", "-q", "-m", "Grow b")
    twins.dataset("a", train=grown("z"), test=TEST)
    twins.git("commit", "-q", "--fixup", "HEAD~1")
    twins.write("draft.txt", "untracked\n")
    twins.git("rebase", "-q", "-i", "--autosquash", "HEAD~3", env={"GIT_SEQUENCE_EDITOR": "true"})
    twins.untouched()


def test_bisect_goes_by_without_a_commit(twins: Twins) -> None:
    for number in range(2):
        twins.dataset("a", train=grown(f"b{number}"), test=TEST)
        twins.git("commit", "-q", "-m", f"a {number}")
    before = twins.ours.head()
    dirty_file = "draft.txt"
    twins.write(dirty_file, "untracked\n")
    twins.git("bisect", "start", "HEAD", "HEAD~3")
    twins.untouched(recorded=None)
    twins.git("bisect", "good")
    twins.git("bisect", "reset")
    twins.untouched()
    assert twins.ours.head() == before


def test_a_commit_in_the_middle_of_a_bisection_says_nothing_and_adds_nothing(twins: Twins) -> None:
    twins.git("bisect", "start")
    twins.dataset("a", train=grown("x"), test=TEST)
    twins.git("commit", "-q", "-m", "While bisecting")
    twins.untouched(recorded=None)
    assert lacking(twins.ours) == ["a"]
    twins.git("bisect", "reset")
    # the push is the net below
    assert "nobody knows yet whether a on main is clean" in twins.ours.push("main").err


def test_stash_and_pop_with_datasets_staged(twins: Twins) -> None:
    twins.edit("datasets/a/train.csv", grown("stashed"))
    twins.git("add", "datasets/a")
    dirty(twins)
    twins.git("stash", "-q", "-u")
    twins.untouched()
    twins.dataset("b", train=grown("other"), test=TEST)
    twins.git("commit", "-q", "-m", "Meanwhile")
    twins.git("stash", "pop", "-q", "--index")
    twins.untouched()
    twins.git("commit", "-q", "-m", "Stashed work")
    twins.untouched()


def test_mailed_patches(twins: Twins) -> None:
    commit_on(twins, "one", "a")
    for team in twins.both:
        patch = team.git("format-patch", "--stdout", "-1", "one", "--", "datasets/a/train.csv.dvc")
        (team.path.parent / "mail").write_text(patch + "\n")
    dirty(twins)
    twins.git("am", "-q", "../mail")
    twins.untouched(recorded=None)
    twins.write("notes.txt", "x\n")
    twins.git("commit", "-q", "-a", "-m", "Next")
    twins.untouched(recorded=None)


def test_reset_checkout_and_switch_with_records_in_the_way(twins: Twins) -> None:
    twins.dataset("a", train=grown("x"), test=TEST)
    twins.git("commit", "-q", "-m", "Grow")
    dirty(twins)
    twins.git("reset", "-q", "--soft", "HEAD^")
    twins.untouched(left_staged=True)
    twins.git("commit", "-q", "-m", "Again")
    twins.git("checkout", "-q", "HEAD~1", "--", "datasets/b")
    twins.git("switch", "-q", "-c", "elsewhere", "HEAD~1")
    twins.git("switch", "-q", "main")
    twins.untouched()
