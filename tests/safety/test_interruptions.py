"""Locks, full and read-only disks, two at once, ^C and kill -9: the user's work stays, no record is half written."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safety.conftest import TEST, TRAIN
from support.story import rows, sentence
from support.twins import SCANS, QuickTeam, Twins, View, lacking, sound, view

MORE = {**TRAIN, **rows("more", 2)}
STOPPED_AT = range(1, 20)
"""Which of the hook's own Git commands that write is the last; more than there are: the last round runs through."""


def at_work(team: QuickTeam) -> None:
    """A changed dataset to be committed, beside staged, unstaged and untracked files."""
    team.dataset("a", train=MORE, test=TEST)
    team.write("staged.txt", "s\n")
    team.git("add", "staged.txt")
    team.write("notes.txt", "changed\n")
    team.write("draft.txt", "untracked\n")


def mine(team: QuickTeam) -> View:
    """The user's part; a record that an aborted commit staged is not his."""
    seen = view(team)
    seen.status[:] = [row for row in seen.status if not SCANS.search(row[3:])]
    return seen


# --- locks ----------------------------------------------------------------------------------------------------------


def test_an_index_lock_held_before_a_commit(twins: Twins) -> None:
    for team in twins.both:
        at_work(team)
        team.write(".git/index.lock", "")
    twins.git("commit", "-q", "-m", "Locked", "--", "datasets/a", ends=128)
    for team in twins.both:
        (team.path / ".git/index.lock").unlink()
    twins.untouched(recorded=None)
    twins.git("commit", "-q", "-m", "Free", "--", "datasets/a")
    twins.untouched()


@pytest.mark.hook_files
def test_an_index_lock_taken_between_the_commit_and_our_follow_up(twins: Twins) -> None:
    """An editor that refreshes its view. The record is committed, and the note says how the index catches up."""
    hook = "#!/bin/sh\n: >.git/index.lock\n"
    for team in twins.both:
        at_work(team)
        (team.path / ".git/hooks/post-commit.heldout-chained").write_text(hook)
        (team.path / ".git/hooks/post-commit.heldout-chained").chmod(0o755)
    said = twins.git("commit", "-q", "--no-verify", "-m", "Past the hook", "--", "datasets/a")
    for team in twins.both:
        (team.path / ".git/index.lock").unlink(missing_ok=True)
        (team.path / ".git/hooks/post-commit.heldout-chained").unlink()
    advice = [line.rsplit("later run: git ", 1)[1] for line in said.splitlines() if "later run: git " in line]
    assert len(advice) == 2
    for command in advice:
        twins.ours.git(*command.split(" "))
        twins.ours.git("checkout", "-q", "--", command.split(" ")[-1])
    twins.untouched()


# --- disks ----------------------------------------------------------------------------------------------------------


def in_a_namespace(script: str) -> subprocess.CompletedProcess[str]:
    """With mounts of its own, which end with it. Needs the right to mount."""
    return subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)


@pytest.fixture
def _mounts() -> None:
    if in_a_namespace("mount -t tmpfs none /mnt").returncode:
        pytest.skip("mounting is not permitted here")


@pytest.mark.usefixtures("_mounts")
@pytest.mark.parametrize("where", ["work", "work/datasets", "work/.git"])
def test_a_read_only_file_system(twins: Twins, where: str) -> None:
    team = twins.ours
    at_work(team)
    before = view(team)
    place = team.path.parent / where
    asked = f'cd "{team.path}"; mount --bind "{place}" "{place}" && mount -o remount,bind,ro "{place}" || exit 99; '
    heldout = f'"{sys.executable}" -m heldout'
    for command, codes in {
        f"{heldout} gate a@HEAD": (0, 1, 3),
        f"{heldout} scan a": (0, 1),
        f"{heldout} status": (0, 1, 3),
        f"{heldout} scan a@HEAD~1 --commit": (0, 1, 2) if where == "work/datasets" else (0, 2),
        f"{heldout} hooks uninstall": (2,) if where != "work/datasets" else (0,),
    }.items():
        if where == "work/datasets" and ("--commit" in command or "uninstall" in command):
            continue
        done = in_a_namespace(asked + command)
        assert done.returncode in codes, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
    assert view(team) == before
    done = in_a_namespace(asked + 'git commit -q -m "On a disk that takes nothing" -- datasets/a')
    assert "defect" not in done.stderr, done.stderr
    assert (done.returncode == 0) is (where == "work/datasets"), done.stderr
    sound(team)
    if done.returncode == 0:
        team.git("checkout", "-q", "--", "datasets")  # the record that could not be written to the disk
        assert lacking(team) == []
    else:
        assert view(team) == before


@pytest.mark.usefixtures("_mounts")
@pytest.mark.parametrize("verify", [True, False], ids=["pre-commit", "post-commit"])
def test_a_full_disk_at_every_stage(twins: Twins, tmp_path: Path, verify: bool) -> None:
    """With room for ever more, until a commit goes through. Each time the user's files are what they were."""
    team = twins.ours
    at_work(team)
    before = mine(team)
    outcomes = set()
    option = "" if verify else "--no-verify"
    for free in (0, 8, 24, 40, 64, 96, 400):
        out = tmp_path / f"left-{free}"
        script = f"""
            set -e; mkdir -p "{tmp_path}/disk"; mount -t tmpfs -o size=24m none "{tmp_path}/disk"
            cp -a "{team.path.parent}/." "{tmp_path}/disk"; cd "{tmp_path}/disk/work"
            dd if=/dev/zero of=../filler bs=1k 2>/dev/null || :
            truncate -s -{free}k ../filler
            git commit -q {option} -m Full -- datasets/a && code=0 || code=$?
            rm ../filler; mkdir "{out}"; cp -a "{tmp_path}/disk/." "{out}"; exit $code
        """
        done = in_a_namespace(script)
        assert "Traceback" not in done.stderr
        assert "defect" not in done.stderr, done.stderr
        left = QuickTeam(out / "work")
        (left.path / ".git/index.lock").unlink(missing_ok=True)  # Git's own, where it could not end its commit
        committed = left.git("log", "-1", "--format=%s", "--first-parent") != "Add b"
        sound(left)
        seen = mine(left)
        if committed:
            assert seen.disk == before.disk
            assert [row for row in seen.status if row[:2] != "??"] == [" M notes.txt", "A  staged.txt"]
            if lacking(left):
                assert "heldout:" in done.stderr
        else:
            assert seen == before
        outcomes.add((committed, committed and not lacking(left)))
        shutil.rmtree(out)
    assert (True, True) in outcomes
    assert any(not recorded for _, recorded in outcomes)


# --- two at once ----------------------------------------------------------------------------------------------------


def together(*runs: tuple[Path, list[str]]) -> list[tuple[int, str]]:
    processes = [
        subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for cwd, command in runs
    ]
    said = [process.communicate()[0] for process in processes]
    return [(process.returncode, text) for process, text in zip(processes, said, strict=True)]


def test_two_commits_at_once_in_one_working_tree(twins: Twins) -> None:
    team = twins.ours
    at_work(team)
    team.dataset("b", train=MORE, test=TEST)
    before = mine(team)
    done = together(
        (team.path, ["git", "commit", "-q", "-m", "a", "--", "datasets/a"]),
        (team.path, ["git", "commit", "-q", "-m", "b", "--", "datasets/b"]),
    )
    assert any(code == 0 for code, _ in done), done
    sound(team)
    assert mine(team).disk == before.disk
    for name in ("a", "b"):
        team.run("commit", "-q", "-m", name, "--", f"datasets/{name}")
    sound(team)
    assert team.status() == [" M notes.txt", "A  staged.txt", "?? draft.txt"]
    assert lacking(team) == []


def test_two_commits_at_once_in_two_working_trees(twins: Twins) -> None:
    team = twins.ours
    team.git("worktree", "add", "-q", "../linked", "-b", "side")
    linked = QuickTeam(team.path.parent / "linked")
    team.dataset("a", train=MORE, test=TEST)
    linked.dataset("a", train=rows("linked", 4), test=TEST)
    for options in ([], ["--no-verify"]):
        done = together(*((tree.path, ["git", "commit", "-q", "-a", "-m", "x", *options]) for tree in (team, linked)))
        assert [code for code, _ in done] == [0, 0], done
        for number, tree in enumerate((team, linked)):
            sound(tree)
            assert tree.status() == []
            assert lacking(tree) == []
            tree.dataset("b", train=rows(f"second{number}", 4), test=TEST)


def test_two_scans_at_once(twins: Twins) -> None:
    team = twins.ours
    for name in ("a", "b"):
        team.bypass("tag", f"{name}@v1.0.0")
    team.dataset("a", train=MORE, test=TEST)
    team.bypass("commit", "-q", "-m", "No record")
    team.bypass("tag", "a@v1.1.0")
    team.write("staged.txt", "s\n")
    team.git("add", "staged.txt")
    scan = [sys.executable, "-m", "heldout", "scan", "--all", "--commit"]
    done = together((team.path, scan), (team.path, scan))
    assert all(code in (0, 2) for code, _ in done), done
    assert 0 in [code for code, _ in done]
    assert all("moved while Heldout was working" in said for code, said in done if code)
    sound(team)
    assert team.status() == ["A  staged.txt"]
    assert lacking(team) == []
    assert team.gate("a@v1.1.0") == 0


def test_a_commit_and_a_scan_at_once(twins: Twins) -> None:
    team = twins.ours
    team.bypass("tag", "a@v1.0.0")
    team.dataset("b", train=MORE, test=TEST)
    team.bypass("commit", "-q", "-m", "No record")
    at_work(team)
    done = together(
        (team.path, ["git", "commit", "-q", "-m", "a", "--", "datasets/a"]),
        (team.path, [sys.executable, "-m", "heldout", "scan", "b@HEAD", "--commit"]),
    )
    assert all("Traceback" not in said for _, said in done), done
    sound(team)
    team.run("commit", "-q", "-m", "a", "--", "datasets/a")
    team.run("reset", "-q", "--", "datasets")
    team.run("checkout", "-q", "--", "datasets")
    assert team.status() == [" M notes.txt", "A  staged.txt", "?? draft.txt"]


# --- ^C and kill -9 -------------------------------------------------------------------------------------------------


class Stopper:
    """Our interpreter with a `git` in front of the real one, which stops it before or after its Nth Git command that
    writes. In between it only reads, which leaves no trace."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "python"
        self._order = folder / "order"
        (folder / "bin").mkdir(parents=True)
        real = shutil.which("git")
        git = folder / "bin/git"
        git.write_text(f"""#!/bin/sh
case $1 in
hash-object | update-index | write-tree | commit-tree | update-ref | read-tree) ;;
*) exec {real} "$@" ;;
esac
read -r left name when <'{self._order}'
[ "$left" -gt 0 ] && echo "$((left - 1)) $name $when" >'{self._order}'
[ "$left" = 1 ] || exec {real} "$@"
[ $when = after ] && {real} "$@"
kill -$name $PPID
sleep 0.05
exit 1
""")
        git.chmod(0o755)
        self.path.write_text(f"#!/bin/sh\nPATH='{folder}/bin':$PATH exec '{sys.executable}' \"$@\"\n")
        self.path.chmod(0o755)
        self.never()

    def never(self) -> None:
        self._order.write_text("0 INT before\n")

    def at(self, number: int, name: str, when: str) -> None:
        self._order.write_text(f"{number} {name} {when}\n")

    @property
    def ran_through(self) -> bool:
        return not self._order.read_text().startswith("0 ")


@pytest.mark.parametrize(("name", "when"), [("INT", "after"), ("KILL", "before")])
@pytest.mark.parametrize("hook", ["pre-commit", "post-commit"])
def test_stopped_at_each_git_command_of_a_hook(
    safety_template: Path, tmp_path: Path, name: str, when: str, hook: str
) -> None:
    stopper = Stopper(tmp_path / "stopper")
    team = Twins.copied(safety_template, tmp_path, str(stopper.path)).ours
    at_work(team)
    before, start = mine(team), team.head()
    kept = (team.path / ".git/index").read_bytes()
    options = [] if hook == "pre-commit" else ["--no-verify"]
    for number in STOPPED_AT:
        stopper.at(number, name, when)
        done = team.run("commit", "-q", *options, "-m", "Stopped", "--", "datasets/a")
        if stopper.ran_through:
            break
        stopper.never()
        left_over(team, name)
        sound(team)
        seen = mine(team)
        if team.head() == start:
            assert seen == before, f"{hook} stopped {when} command {number}: {done.stderr}"
        else:
            assert (seen.disk, seen.status) == (before.disk, [" M notes.txt", "A  staged.txt", "?? draft.txt"])
            if hook == "post-commit":  # the index may be ahead of the commit, and never behind it
                assert not [row for row in team.status() if row[0] == "D"]
        again(team, "post-commit" if team.head() != start else hook)
        assert team.status() == [" M notes.txt", "A  staged.txt", "?? draft.txt"]
        assert lacking(team) == []
        team.git("update-ref", "HEAD", start)
        for folder in {path.parent for path in (team.path / "datasets").rglob("scans/*/scan.yaml")}:
            if team.run("cat-file", "-e", f"HEAD:{folder.relative_to(team.path).as_posix()}").returncode:
                shutil.rmtree(folder)
        (team.path / ".git/index").write_bytes(kept)
        assert mine(team) == before
    assert number > 3
    assert stopper.ran_through


def left_over(team: QuickTeam, name: str) -> None:
    """kill -9 leaves a scratch folder; the next run sweeps it up once it is an hour old."""
    left = list((team.path / ".git").glob("heldout-*"))
    assert name == "KILL" or left == []
    for folder in left:
        os.utime(folder, (0, 0))
    team.door.index_tree()
    assert list((team.path / ".git").glob("heldout-*")) == []


def again(team: QuickTeam, hook: str) -> None:
    """The same command once more; after a commit, what `heldout scan` says."""
    if hook == "pre-commit":
        team.git("commit", "-q", "-m", "Again", "--", "datasets/a")
    else:
        env = {**os.environ, "HELDOUT_HOOK": ""}
        subprocess.run([sys.executable, "-m", "heldout.hooks", "post-commit"], cwd=team.path, env=env, check=True)


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGKILL])
def test_a_commit_and_all_that_it_started_are_stopped_at_any_time(twins: Twins, name: signal.Signals) -> None:
    """^C goes to the whole group: Git, the shell and Python at once."""
    team = twins.ours
    at_work(team)
    before, start = mine(team), team.head()
    kept = (team.path / ".git/index").read_bytes()
    for tenths in (1, 3, 5, 7):
        process = subprocess.Popen(
            ["git", "commit", "-q", "-m", "Stopped", "--", "datasets/a"],
            cwd=team.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        time.sleep(tenths / 12)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, name)
        process.wait()
        time.sleep(0.2)
        for lock in (team.path / ".git").rglob("*.lock"):
            assert name == signal.SIGKILL, lock
            lock.unlink()  # Git's own, which it says how to remove
        for left in (team.path / ".git").glob("next-index-*"):
            left.unlink()
        left_over(team, "KILL" if name == signal.SIGKILL else "INT")
        sound(team)
        if team.head() == start:
            assert mine(team) == before
        else:
            assert mine(team).disk == before.disk
            assert lacking(team) == []
        team.git("update-ref", "HEAD", start)
        (team.path / ".git/index").write_bytes(kept)


@pytest.mark.req("E40")
@pytest.mark.usefixtures("_mounts")
def test_a_full_disk_under_what_does_not_fit_in_memory(tmp_path: Path) -> None:
    """Whichever file it is that finds no room any more, the command ends by itself and names it."""
    for split in ("train", "test"):
        rows = (f'{{"text": "{sentence(split + str(number))}"}}\n' for number in range(1500))
        (tmp_path / f"{split}.jsonl").write_text("".join(rows))
    (tmp_path / "tmp").mkdir()
    files = f'"{tmp_path}/train.jsonl" "{tmp_path}/test.jsonl"'
    left = []
    for size in (100, 300, 600, 900, 1100, 1300, 4000):
        done = in_a_namespace(f"""
            mount -t tmpfs -o size={size}k none "{tmp_path}/tmp" || exit 99; export TMPDIR="{tmp_path}/tmp"
            "{sys.executable}" -m heldout check {files} --holdout test --memory 1; code=$?; ls "$TMPDIR"; exit $code
        """)
        assert done.returncode in (0, 2), f"{size} KiB: {done.returncode}\n{done.stderr}"
        assert "heldout-scratch" not in done.stdout
        if done.returncode:
            assert "No space left on device [cannot-write]" in done.stderr
            left.append(re.search(r"heldout-scratch-\w+/([a-z]+)", done.stderr)[1])  # type: ignore[index]
    assert {"keys", "bitmaps", "pool"} <= {*left}
    assert len(left) < 7
