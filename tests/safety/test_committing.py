"""Every way to make a commit: the commit, the index and the files are those that Git alone makes, plus a record."""

from __future__ import annotations

import pytest
from safety.conftest import NOTES, TEST, TRAIN
from support.story import rows
from support.twins import Twins, lacking

MORE = {**TRAIN, **rows("more", 2)}
PATH = "datasets/a/train.csv"


def edited_twice(twins: Twins) -> None:
    """Staged, unstaged, both in one file, removed, renamed, untracked: a desk in the middle of work."""
    for name in ("gone.txt", "old.txt", "both.txt"):
        twins.write(name, f"{name}\n" * 9)
        twins.git("add", name)
    twins.git("commit", "-q", "-m", "Files")
    twins.write("both.txt", "staged\n")
    twins.write("new.txt", "new\n")
    twins.git("add", "both.txt", "new.txt")
    twins.write("both.txt", "and changed again\n")
    twins.write("notes.txt", NOTES + "unstaged\n")
    twins.git("rm", "-q", "gone.txt")
    twins.git("mv", "old.txt", "renamed.txt")
    twins.write("draft.txt", "untracked\n")


@pytest.mark.req("B42")
def test_dirty_index_and_dirty_files(twins: Twins) -> None:
    edited_twice(twins)
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "-m", "All that is staged")
    twins.untouched()
    assert twins.ours.git("log", "-1", "--format=%s") == "All that is staged"  # in the same commit


def test_follow_up_commit_beside_a_dirty_index(twins: Twins) -> None:
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "--no-verify", "-m", "Past the hook", "--", "datasets")
    edited_twice(twins)
    twins.edit("datasets/b/train.csv", MORE)
    twins.git("commit", "-q", "--no-verify", "-m", "b, past the hook", "--", "datasets/b")
    twins.untouched()
    assert "scan records committed as" in twins.said


def test_commit_patch_of_one_hunk(twins: Twins) -> None:
    twins.write("notes.txt", NOTES.replace("line 2\n", "line two\n").replace("line 19\n", "line nineteen\n"))
    twins.edit(PATH, MORE)
    twins.write("staged.txt", "s\n")
    twins.git("add", "staged.txt")
    # two hunks of the pointer's one and of notes.txt: take the pointer and the first of the notes
    twins.git("commit", "-q", "-p", "-m", "Pick", stdin="y\ny\nn\n")
    twins.untouched()
    assert twins.ours.show("HEAD:notes.txt").count("two") == 1
    assert "nineteen" not in twins.ours.show("HEAD:notes.txt")


def test_path_limited_commit_leaves_staged_files_out(twins: Twins) -> None:
    edited_twice(twins)
    twins.edit(PATH, MORE)
    twins.edit("datasets/b/train.csv", rows("staged only", 3))
    twins.git("add", "datasets/b")
    twins.git("commit", "-q", "-m", "Only a", "--", f"{PATH}.dvc")
    twins.untouched()
    assert "new.txt" not in twins.ours.files()


def test_commit_only_and_include(twins: Twins) -> None:
    edited_twice(twins)
    twins.edit(PATH, MORE)
    twins.git("commit", "-q", "-m", "Include", "-i", "--", f"{PATH}.dvc")
    twins.untouched()
    twins.edit(PATH, TRAIN)
    twins.git("commit", "-q", "-m", "Only", "-o", "--", f"{PATH}.dvc")
    twins.untouched()


def test_commit_all(twins: Twins) -> None:
    edited_twice(twins)
    twins.edit(PATH, MORE)
    twins.git("commit", "-q", "-a", "-m", "All")
    twins.untouched()


def test_first_commit_of_an_unborn_branch(unborn: Twins) -> None:
    unborn.write("later.txt", "untracked\n")
    unborn.dataset("a", train=TRAIN, test=TEST)
    unborn.git("add", ".dvc", ".gitignore")
    unborn.git("commit", "-q", "-m", "First")
    unborn.untouched()
    assert unborn.ours.git("rev-list", "--count", "HEAD") == "1"


def test_first_commit_past_the_hook(unborn: Twins) -> None:
    unborn.dataset("a", train=TRAIN, test=TEST)
    unborn.git("commit", "-q", "--no-verify", "-m", "First")
    unborn.untouched()


def test_an_orphan_branch(twins: Twins) -> None:
    twins.git("switch", "-q", "--orphan", "fresh")
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "-m", "Fresh start")
    twins.untouched()


@pytest.mark.parametrize("what", ["message", "data", "after --no-verify"])
def test_amend(twins: Twins, what: str) -> None:
    twins.write("staged.txt", "s\n")
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "-m", "Grow", *(["--no-verify"] if what == "after --no-verify" else []), "datasets/a")
    if what == "data":
        twins.dataset("a", train={**MORE, **rows("again", 1)}, test=TEST)
    if what == "after --no-verify":
        return amend_of_a_follow_up(twins)
    twins.git("commit", "-q", "--amend", "-m", "Grow, better", "--allow-empty")
    twins.untouched()
    return None


def amend_of_a_follow_up(twins: Twins) -> None:
    """The commit on top is ours by then: the change is kept in it, whole, and the user is told."""
    twins.write("notes.txt", "amended\n")
    twins.write("unstaged.txt", "u\n")
    said = twins.ours.run("commit", "-q", "-a", "--amend", "--no-edit").stderr
    assert "you amended" in said
    assert "git reset --soft" in said
    assert twins.ours.show("HEAD:notes.txt") == "amended"
    assert sorted(twins.ours.status()) == ["?? staged.txt", "?? unstaged.txt"]
    assert lacking(twins.ours) == []


def test_detached_head_in_the_commit_itself_and_past_the_hook(twins: Twins) -> None:
    twins.git("checkout", "-q", "--detach")
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("commit", "-q", "-m", "Detached")
    twins.untouched()
    edited_twice(twins)
    twins.dataset("a", train=rows("x", 3), test=TEST)
    twins.git("commit", "-q", "--no-verify", "-m", "Detached, past the hook", "datasets")
    twins.untouched(recorded=False)


def test_a_commit_that_a_later_hook_or_the_editor_aborts_keeps_everything(twins: Twins) -> None:
    edited_twice(twins)
    twins.dataset("a", train=MORE, test=TEST)
    for team in twins.both:
        team.hook("commit-msg", "#!/bin/sh\nexit 1\n")
    twins.git("commit", "-q", "-m", "Never", ends=1)
    twins.untouched(left_staged=True)
    for team in twins.both:
        (team.path / ".git/hooks/commit-msg").unlink()
    twins.git("commit", "-q", "-a", env={"GIT_EDITOR": "false"}, ends=1)
    twins.untouched(left_staged=True)
    twins.git("commit", "-q", "-m", "Now")
    twins.untouched()


def test_a_commit_from_a_subfolder_and_with_git_dir_given(twins: Twins) -> None:
    edited_twice(twins)
    twins.edit(PATH, MORE)
    twins.git("-C", "datasets/a", "commit", "-q", "-m", "From below", "train.csv.dvc")
    twins.untouched()
    twins.edit(PATH, rows("y", 3))
    for team in twins.both:
        where = ("--git-dir", str(team.path / ".git"), "--work-tree", str(team.path))
        done = team.run(*where, "commit", "-q", "-m", "From afar", "--", f"{PATH}.dvc", cwd=team.path)
        assert done.returncode == 0, done.stderr
    twins.untouched()


def test_intent_to_add_and_assume_unchanged_and_skip_worktree(twins: Twins) -> None:
    twins.write("planned.txt", "p\n")
    twins.git("add", "-N", "planned.txt")
    twins.git("update-index", "--assume-unchanged", "notes.txt")
    twins.write("notes.txt", "hidden change\n")
    twins.dataset("a", train=MORE, test=TEST)
    twins.git("add", "-N", "planned.txt")
    twins.git("commit", "-q", "-m", "Grow")
    twins.untouched()
    flags = [team.git("ls-files", "-v", "notes.txt") for team in twins.both]
    assert flags == ["h notes.txt"] * 2


def test_a_conflicted_index(twins: Twins) -> None:
    twins.git("switch", "-q", "-c", "side")
    twins.write("notes.txt", "side\n")
    twins.git("commit", "-q", "-a", "-m", "Side")
    twins.git("switch", "-q", "main")
    twins.write("notes.txt", "main\n")
    twins.git("commit", "-q", "-a", "-m", "Main")
    twins.git("merge", "-q", "side", ends=1)
    twins.dataset("a", train=MORE, test=TEST)
    twins.untouched(recorded=None)
    twins.git("commit", "-q", "-m", "Too early", ends=128)
    twins.untouched(recorded=None)
    twins.git("merge", "--abort", ends=None)
    twins.untouched(recorded=None)
