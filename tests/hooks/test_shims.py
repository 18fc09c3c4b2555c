"""When the shims start Python and when they must not: each call is one that Git really made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.git import Repo
from support.recorder import Recorder

from heldout.services.hooking.install import HOOKS, installed_text

ZERO = "0" * 40


def quiet_hooks(repo: Repo, *names: str) -> None:
    """Leave only the named hooks."""
    for name in HOOKS:
        if name not in names:
            (repo.path / ".git/hooks" / name).unlink()


# --- commits --------------------------------------------------------------------------------------------------------


@pytest.mark.req("B42")
@pytest.mark.parametrize(
    "path", ["datasets/a/dataset.yaml", "data.csv.dvc", "deep/er/x.dvc", "dvc.lock", "pipe/dvc.lock", "heldout.yaml"]
)
def test_a_commit_that_can_change_a_dataset_is_looked_at(repo: Repo, recorder: Recorder, path: str) -> None:
    repo.add(path, "x")
    repo.commit()
    assert recorder.calls() == ["pre-commit", "post-commit"]
    repo.git("rm", "-q", path)
    repo.commit()
    assert recorder.calls() == ["pre-commit", "post-commit"]


@pytest.mark.parametrize("path", ["src/a.py", "sub/datasets/x", "sub/heldout.yaml", "a.dvc.txt", "dvc.lockfile"])
def test_other_commits_start_no_python(repo: Repo, recorder: Recorder, path: str) -> None:
    repo.pointer("unstaged", "v1")
    repo.git("reset", "-q")
    repo.add(path, "x")
    repo.commit()
    repo.git("commit", "-q", "--amend", "-m", "reworded")
    assert recorder.calls() == []


def test_first_commit(tmp_path: Path, repo: Repo, recorder: Recorder) -> None:
    for number, path in enumerate(["src/a.py", "datasets/a/dataset.yaml"]):
        fresh = Repo.create(tmp_path / f"fresh{number}")
        shutil.copytree(repo.path / ".git/hooks", fresh.path / ".git/hooks", dirs_exist_ok=True)
        fresh.add(path, "x")
        fresh.commit()
        assert recorder.calls() == ([], ["pre-commit", "post-commit"])[number]


def test_no_verify_still_has_its_post_commit(repo: Repo, recorder: Recorder) -> None:
    repo.pointer("a", "v1")
    repo.git("commit", "-q", "--no-verify", "-m", "x")
    assert recorder.calls() == ["post-commit"]


def test_a_refusal_stops_the_commit(repo: Repo, recorder: Recorder) -> None:
    recorder.answers(1)
    repo.pointer("a", "v1")
    assert repo.run("commit", "-m", "x").returncode == 1
    assert recorder.calls() == ["pre-commit"]


@pytest.mark.parametrize("kind", ["gone", "without the package"])
def test_without_an_interpreter_a_commit_is_warned_about(repo: Repo, recorder: Recorder, kind: str) -> None:
    if kind == "gone":
        recorder.path.unlink()
    else:
        recorder.breaks()
    repo.pointer("a", "v1")
    done = repo.run("commit", "-m", "x")
    assert done.returncode == 0
    assert "heldout init" in done.stderr
    assert repo.run("tag", "a@v1.0.0").returncode == 0


def test_git_started_by_heldout_does_not_start_heldout(repo: Repo, recorder: Recorder) -> None:
    repo.pointer("a", "v1")
    environment = {"HELDOUT_HOOK": "1"}
    assert repo.run("commit", "-m", "x", env=environment).returncode == 0
    assert repo.run("tag", "a@v1.0.0", env=environment).returncode == 0
    assert repo.run("push", "origin", "main", "a@v1.0.0", env=environment).returncode == 0
    assert recorder.calls() == []


def test_literal_pathspecs_of_the_user_do_not_blind_us(repo: Repo, recorder: Recorder) -> None:
    repo.add("deep/x.dvc", "x")
    assert repo.run("commit", "-m", "x", env={"GIT_LITERAL_PATHSPECS": "1"}).returncode == 0
    assert recorder.calls() == ["pre-commit", "post-commit"]


def test_from_a_subfolder_with_git_dir_given(repo: Repo, recorder: Recorder, tmp_path: Path) -> None:
    path = repo.pointer("a", "v1")
    assert repo.run("commit", "-m", "x", cwd=(repo.path / path).parent).returncode == 0
    assert recorder.calls() == ["pre-commit", "post-commit"]
    repo.pointer("a", "v2")
    where = ["--git-dir", f"{repo.path}/.git", "--work-tree", str(repo.path)]
    assert repo.run(*where, "commit", "-m", "x", cwd=tmp_path).returncode == 0
    assert recorder.calls() == ["pre-commit", "post-commit"]


def test_linked_worktree(repo: Repo, recorder: Recorder) -> None:
    repo.git("worktree", "add", "-q", "../linked", "-b", "side")
    linked = Repo(repo.path.parent / "linked")
    linked.pointer("a", "v1")
    linked.commit()
    assert recorder.calls() == ["pre-commit", "post-commit"]


# --- merges and rewrites --------------------------------------------------------------------------------------------


def diverge(repo: Repo, recorder: Recorder, ours: str, theirs: str) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.add(theirs, "t")
    repo.commit("theirs")
    repo.git("checkout", "-q", "main")
    repo.add(ours, "o")
    repo.commit("ours")
    recorder.calls()


@pytest.mark.req("B38", "B42")
def test_a_merge_that_brings_datasets(repo: Repo, recorder: Recorder) -> None:
    diverge(repo, recorder, "src/a", "datasets/b/dataset.yaml")
    repo.git("merge", "-q", "--no-edit", "side")
    assert recorder.calls() == ["pre-merge-commit", "post-merge"]


def test_a_merge_without_datasets(repo: Repo, recorder: Recorder) -> None:
    diverge(repo, recorder, "datasets/b/dataset.yaml", "src/a")
    repo.git("merge", "-q", "--no-edit", "side")
    assert recorder.calls() == []


def test_a_fast_forward_and_a_squash(repo: Repo, recorder: Recorder) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.pointer("a", "v1")
    repo.commit()
    repo.git("checkout", "-q", "main")
    recorder.calls()
    repo.git("merge", "-q", "--squash", "side")
    assert recorder.calls() == []
    repo.git("reset", "-q", "--hard")
    repo.git("merge", "-q", "--ff-only", "side")
    assert recorder.calls() == ["post-merge"]


def test_a_rebase_is_looked_at_once_at_its_end(repo: Repo, recorder: Recorder) -> None:
    diverge(repo, recorder, "src/a", "datasets/b/dataset.yaml")
    repo.git("checkout", "-q", "side")
    for number in range(3):
        repo.pointer("b", f"v{number}")
        repo.commit(f"b{number}")
    recorder.calls()
    repo.git("rebase", "-q", "main")
    first, *lines = recorder.calls()
    assert first == "post-rewrite"
    assert len(lines) == 4


def test_an_amend_is_no_rebase(repo: Repo, recorder: Recorder) -> None:
    repo.pointer("a", "v1")
    repo.commit()
    recorder.calls()
    repo.git("commit", "-q", "--amend", "-m", "reworded")
    assert recorder.calls() == ["post-commit"]


def test_a_bisection_and_a_series_of_picks_are_left_alone(repo: Repo, recorder: Recorder) -> None:
    repo.git("checkout", "-q", "-b", "side")
    for number in range(3):
        repo.pointer("a", f"v{number}")
        repo.commit(f"a{number}")
    repo.git("checkout", "-q", "main")
    recorder.calls()
    repo.git("cherry-pick", "side~2", "side~1", "side")
    assert [call for call in recorder.calls() if call.startswith("pre")] == []
    repo.git("bisect", "start", "HEAD", "HEAD~3")
    recorder.calls()
    repo.pointer("c", "v1")
    repo.commit()
    assert recorder.calls() == []


# --- tags -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def only_tags(repo: Repo) -> Repo:
    quiet_hooks(repo, "reference-transaction")
    return repo


@pytest.mark.req("B42")
@pytest.mark.parametrize(
    "command",
    [
        ["tag", "a@v1.0.0"],
        ["tag", "nlp/a@v1.0.0", "HEAD"],
        ["tag", "a@vnext"],
        ["-c", "a.b=c", "tag", "a@v1.0.0"],
        ["-C", ".", "--no-pager", "tag", "a@v1.0.0"],
        ["--git-dir", ".git", "tag", "a@v1.0.0"],
        ["--git-dir=.git", "-p", "tag", "a@v1.0.0"],
        ["-c", "alias.freeze=tag", "freeze", "a@v1.0.0"],
    ],
    ids=" ".join,
)
def test_a_version_tag_is_checked_before_it_exists(only_tags: Repo, recorder: Recorder, command: list[str]) -> None:
    name = next(word for word in command if "@" in word)
    recorder.answers(1)
    done = only_tags.run(*command)
    assert done.returncode != 0
    assert recorder.calls() == [f"tag {only_tags.head()} {name}"]
    assert only_tags.git("tag") == ""


def test_an_annotated_tag_is_named_by_its_object(only_tags: Repo, recorder: Recorder) -> None:
    only_tags.git("tag", "-a", "-m", "two lines\ntag -m x", "a@v1.0.0")
    assert recorder.calls() == [f"tag {only_tags.git('rev-parse', 'a@v1.0.0')} a@v1.0.0"]


def test_moving_a_tag_is_checked(only_tags: Repo, recorder: Recorder) -> None:
    only_tags.git("tag", "a@v1.0.0")
    second = only_tags.commit("second")
    recorder.calls()
    only_tags.git("tag", "-f", "a@v1.0.0")
    assert recorder.calls() == [f"tag {second} a@v1.0.0"]


def test_what_is_no_new_version_starts_no_python(only_tags: Repo, recorder: Recorder) -> None:
    only_tags.bypass("tag", "a@v1.0.0")
    only_tags.bypass("tag", "b@v1.0.0")
    only_tags.git("tag", "plain")
    only_tags.git("tag", "-f", "a@v1.0.0")
    only_tags.git("branch", "tag@v1.0.0")
    only_tags.git("pack-refs", "--all")
    only_tags.git("gc", "-q")
    only_tags.git("tag", "-l")
    only_tags.git("tag", "-d", "a@v1.0.0")
    assert recorder.calls() == []


def test_tags_that_come_from_elsewhere_are_let_in(only_tags: Repo, recorder: Recorder, tmp_path: Path) -> None:
    """An abort here would abort the fetch; `git fetch origin tag X` has the word and is no tag command."""
    other = Repo(tmp_path / "other")
    only_tags.git("clone", "-q", str(tmp_path / "origin.git"), str(other.path))
    for name in ("a@v1.0.0", "b@v1.0.0", "c@v1.0.0"):
        other.git("tag", name)
    other.git("push", "-q", "--tags")
    recorder.answers(1)
    only_tags.git("fetch", "-q", "origin", "tag", "a@v1.0.0")
    only_tags.git("fetch", "-q", "--tags")
    only_tags.git("update-ref", "refs/tags/d@v1.0.0", "HEAD")
    assert recorder.calls() == []
    assert only_tags.git("tag").split() == ["a@v1.0.0", "b@v1.0.0", "c@v1.0.0", "d@v1.0.0"]


def test_receiving_a_push_is_no_tag_command(only_tags: Repo, recorder: Recorder, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    only_tags.git("clone", "-q", str(only_tags.path), str(other.path))
    other.git("tag", "a@v1.0.0")
    other.git("push", "-q", "origin", "a@v1.0.0")
    assert recorder.calls() == []


# --- pushes ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def only_push(repo: Repo) -> Repo:
    quiet_hooks(repo, "pre-push")
    return repo


@pytest.mark.req("B50")
def test_a_push_of_a_branch_with_datasets(only_push: Repo, recorder: Recorder, tmp_path: Path) -> None:
    old = only_push.head()
    only_push.pointer("a", "v1")
    new = only_push.commit()
    only_push.git("push", "-q")
    url = tmp_path / "origin.git"
    assert recorder.calls() == [f"pre-push origin {url}", f"< refs/heads/main {new} refs/heads/main {old}"]
    only_push.git("push", "-q", "origin", "HEAD:refs/heads/topic")
    assert recorder.calls() == []  # the remote has these commits
    only_push.git("push", "-q", str(url), "HEAD:refs/for/main")
    assert recorder.calls() != []  # an address without a name: nothing is known of what it has


def test_pushes_that_carry_no_dataset_start_no_python(only_push: Repo, recorder: Recorder) -> None:
    only_push.pointer("a", "v1")
    only_push.commit()
    only_push.bypass("push", "-q")
    only_push.commit("later", src="x")
    only_push.git("tag", "plain")
    only_push.git("push", "-q", "origin", "main", "plain", "main:side")
    only_push.git("push", "-q", "origin", ":side", ":plain")
    only_push.git("push", "-q")
    assert recorder.calls() == []


@pytest.mark.req("B50")
def test_version_tags_are_always_looked_at(only_push: Repo, recorder: Recorder, tmp_path: Path) -> None:
    head = only_push.head()
    only_push.git("tag", "a@v1.0.0")
    only_push.git("push", "-q", "origin", "a@v1.0.0")
    first = f"pre-push origin {tmp_path / 'origin.git'}"
    assert recorder.calls() == [first, f"< refs/tags/a@v1.0.0 {head} refs/tags/a@v1.0.0 {ZERO}"]
    only_push.git("push", "-q", "origin", ":a@v1.0.0")
    assert recorder.calls() == [first, f"< (delete) {ZERO} refs/tags/a@v1.0.0 {head}"]


@pytest.mark.req("B50")
def test_a_refused_push_sends_nothing(only_push: Repo, recorder: Recorder) -> None:
    only_push.pointer("a", "v1")
    only_push.commit()
    before = only_push.git("ls-remote", "origin")
    recorder.answers(1)
    assert only_push.run("push").returncode != 0
    assert only_push.git("ls-remote", "origin") == before


@pytest.mark.req("B50")
@pytest.mark.parametrize("kind", ["gone", "without the package"])
def test_without_an_interpreter_only_versions_are_refused(only_push: Repo, recorder: Recorder, kind: str) -> None:
    if kind == "gone":
        recorder.path.unlink()
    else:
        recorder.breaks()
    only_push.pointer("a", "v1")
    only_push.commit()
    done = only_push.run("push")
    assert (done.returncode, "not checked" in done.stderr) == (0, True)
    only_push.git("tag", "a@v1.0.0")
    done = only_push.run("push", "origin", "a@v1.0.0")
    assert done.returncode != 0
    assert "heldout init" in done.stderr
    assert only_push.run("push", "--no-verify", "origin", "a@v1.0.0").returncode == 0


# --- chained hooks --------------------------------------------------------------------------------------------------


def test_shims_work_where_they_lie(tmp_path: Path, recorder: Recorder) -> None:
    """core.hooksPath may point at the folder of shims itself; the interpreter then comes from the environment."""
    repo = Repo.create(tmp_path / "plain")
    shims = Path(__file__).parents[2] / "src/heldout/hooks/shims"
    repo.git("config", "core.hooksPath", str(shims))
    repo.pointer("a", "v1")
    assert repo.run("commit", "-m", "x", env={"HELDOUT_PYTHON": str(recorder.path)}).returncode == 0
    assert recorder.calls() == ["pre-commit", "post-commit"]


@pytest.mark.parametrize("name", HOOKS)
def test_an_installed_hook_is_one_file(name: str) -> None:
    text = installed_text(name, "/opt/py thon").decode()
    assert "HELDOUT_PYTHON='/opt/py thon'" in text
    assert 'dispatch.sh"' not in text
    assert f"# heldout-hook 1 {name}\n" in text


def test_without_proc_the_parent_is_asked_of_ps(only_tags: Repo, recorder: Recorder) -> None:
    hook = only_tags.path / ".git/hooks/reference-transaction"
    text = hook.read_text()
    assert "/proc/$PPID" in text
    hook.write_text(text.replace("/proc/$PPID", "/nowhere"))
    only_tags.git("-c", "a.b=c", "tag", "-m", "two words", "a@v1.0.0")
    assert recorder.calls() == [f"tag {only_tags.git('rev-parse', 'a@v1.0.0')} a@v1.0.0"]
    only_tags.git("update-ref", "refs/tags/b@v1.0.0", "HEAD")
    assert recorder.calls() == []
