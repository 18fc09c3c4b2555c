"""Hooks of others live on beside ours, whoever comes first, and get their bytes back."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safety.conftest import TEST, TRAIN
from support.git import Repo
from support.story import rows
from support.twins import QuickTeam, Twins, lacking

from heldout.services.hooking import configuration as hook_configuration
from heldout.services.hooking.install import HOOKS, install, status, uninstall

MORE = {**TRAIN, **rows("more", 2)}
PRE_COMMIT_CONFIG = """\
repos:
- repo: local
  hooks:
  - {id: theirs, name: theirs, language: system, entry: "sh -c 'echo theirs >>../log'", always_run: true, pass_filenames: false, stages: [pre-commit, pre-push]}
"""  # noqa: E501


@pytest.fixture
def team(safety_template: Path, tmp_path: Path) -> QuickTeam:
    """No hook is installed yet."""
    team = Twins.copied(safety_template, tmp_path).plain
    for name in ("plain", "ours"):
        assert (tmp_path / name).is_dir()
    return team


def folder(team: Repo) -> dict[str, tuple[bytes, int]]:
    """Name, bytes and mode of every hook."""
    hooks = team.path / ".git/hooks"
    return {file.name: (file.read_bytes(), file.stat().st_mode & 0o777) for file in sorted(hooks.iterdir())}


def tool(team: Repo, *command: str) -> str:
    done = subprocess.run(command, cwd=team.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def log(team: Repo) -> list[str]:
    file = team.path.parent / "log"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def ours_runs(team: QuickTeam, key: str) -> None:
    """A commit gets its record; a tag on unscanned content is refused, and so is pushing it past the tag hook."""
    team.dataset("a", train={**TRAIN, **rows(key, 1)}, test=TEST)
    team.git("commit", "-q", "-m", key)
    assert lacking(team) == []
    team.dataset("a", train={**TRAIN, **rows(f"{key} unscanned", 1)}, test=TEST)
    unscanned = team.git("commit-tree", "-p", "HEAD", "-m", "x", team.git("write-tree"))
    team.git("reset", "-q", "--hard")
    refused = team.run("tag", "a@v7.0.0", unscanned)
    assert refused.returncode != 0
    assert "heldout freeze a" in refused.stderr
    done = team.run("push", "origin", f"{unscanned}:refs/tags/a@v7.0.0")
    assert done.returncode != 0
    assert "nobody knows yet whether a@v7.0.0 is clean" in done.stderr


def ours_is_gone(team: QuickTeam, key: str) -> None:
    team.dataset("a", train={**TRAIN, **rows(key, 1)}, test=TEST)
    team.git("commit", "-q", "-m", key)
    assert lacking(team) == ["a"]


@pytest.mark.parametrize("first", ["dvc", pytest.param("heldout", marks=pytest.mark.hook_files)])
def test_dvc_install_before_and_after(team: QuickTeam, first: str) -> None:
    dvc = (sys.executable, "-m", "dvc", "install")
    if first == "dvc":
        tool(team, *dvc)
        before = folder(team)
        team.succeeds("hooks", "install")
        assert set(before) == {"pre-commit", "pre-push", "post-checkout"}
        ours_runs(team, "one")
        team.succeeds("hooks", "uninstall")
        assert folder(team) == before
        return
    team.succeeds("hooks", "install")
    before = folder(team)
    # DVC refuses to touch hooks that exist; its own words name the file
    done = subprocess.run(dvc, cwd=team.path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "already exists" in done.stderr
    assert {name: content for name, content in folder(team).items() if name in before} == before
    # the other order, which works: out, dvc install, in
    team.succeeds("hooks", "uninstall")
    for file in (team.path / ".git/hooks").iterdir():
        file.unlink()
    tool(team, *dvc)
    team.succeeds("hooks", "install")
    ours_runs(team, "two")


@pytest.mark.parametrize("first", ["pre-commit", "heldout"])
def test_the_pre_commit_framework_before_and_after(team: QuickTeam, first: str) -> None:
    team.add(".pre-commit-config.yaml", PRE_COMMIT_CONFIG)
    team.git("commit", "-q", "-m", "Configure pre-commit")
    framework = (sys.executable, "-m", "pre_commit", "install", "-t", "pre-commit", "-t", "pre-push")
    if first == "heldout":
        team.succeeds("hooks", "install")
        tool(team, *framework)  # moves ours to pre-commit.legacy and runs it from there
    else:
        tool(team, *framework)
        before = folder(team)
        team.succeeds("hooks", "install")
    team.succeeds("hooks", "status")
    team.succeeds("init")
    team.dataset("a", train=MORE, test=TEST)
    team.git("commit", "-q", "-m", "Both")
    assert log(team) == ["theirs"]
    assert lacking(team) == []
    if first == "pre-commit":
        ours_runs(team, "three")
        log(team)
        team.succeeds("hooks", "uninstall")
        assert folder(team) == before
    else:
        # pre-commit skips pre-push when only tags are pushed, the moved hook of ours with it: doctor says how it stands
        team.succeeds("hooks", "uninstall")
        assert not [name for name in folder(team) if "legacy" in name]
    team.write("notes.txt", "x\n")
    team.git("commit", "-q", "-a", "-m", "Theirs alone")
    assert log(team) == ["theirs"]
    ours_is_gone(team, "four")


@pytest.mark.hook_files
def test_the_framework_that_moved_our_pre_push_still_runs_it(team: QuickTeam) -> None:
    """pre-commit runs none of its own hooks for a push of tags (pre-commit#2107), and the one it moved all the same."""
    team.add(".pre-commit-config.yaml", PRE_COMMIT_CONFIG)
    team.git("commit", "-q", "-m", "Configure pre-commit")
    team.succeeds("hooks", "install")
    tool(team, sys.executable, "-m", "pre_commit", "install", "-t", "pre-push")
    assert "moved in .git/hooks/pre-push.legacy" in team.succeeds("hooks", "status").out
    ours_runs(team, "five")


def test_huskys_hooks_path(team: QuickTeam) -> None:
    """husky 9: core.hooksPath is .husky/_, whose scripts run the user's .husky/NAME."""
    team.write(".husky/pre-commit", "echo theirs >>../log\n")
    team.write(".husky/_/.gitignore", "*\n")
    runner = (
        '#!/usr/bin/env sh\nh="$(dirname "$(dirname "$0")")/$(basename "$0")"\n[ -f "$h" ] || exit 0\nsh -e "$h" "$@"\n'
    )
    for name in HOOKS[:3]:
        team.write(f".husky/_/{name}", runner).chmod(0o755)
    team.git("config", "core.hooksPath", ".husky/_")
    team.git("add", ".husky")
    team.git("commit", "-q", "-m", "Husky")
    assert log(team) == ["theirs"]
    before = {file.name: file.read_bytes() for file in (team.path / ".husky/_").iterdir()}
    team.succeeds("hooks", "install")
    assert team.git("status", "--porcelain") == ""  # husky's folder ignores itself
    ours_runs(team, "six")
    assert log(team) == ["theirs"]  # found by its old name
    team.succeeds("hooks", "uninstall")
    assert {file.name: file.read_bytes() for file in (team.path / ".husky/_").iterdir()} == before


@pytest.mark.parametrize(
    ("first_line", "body"),
    [
        ("#!/bin/sh", 'echo "$0" "$@" >>../log; exit 3'),
        ("#!/usr/bin/env bash", 'echo "${0##*/}" "$#" >>../log; exit 3'),
        ("#!/bin/sh -e", 'echo "$0" >>../log\nfalse\necho never >>../log'),
        (f"#!{sys.executable}", 'import sys; open("../log", "a").write("python\\n"); sys.exit(3)'),
    ],
    ids=["sh", "bash", "sh -e", "python"],
)
def test_a_hook_that_looks_at_its_own_name(team: QuickTeam, first_line: str, body: str) -> None:
    team.hook("pre-commit", f"{first_line}\n{body}\n")
    team.write("notes.txt", "x\n")
    before = team.run("commit", "-q", "-a", "-m", "x").returncode, log(team)
    team.succeeds("hooks", "install")
    assert (team.run("commit", "-q", "-a", "-m", "x").returncode, log(team)) == before
    assert before[0] == 1
    assert len(before[1]) == 1


@pytest.mark.parametrize("name", HOOKS)
def test_a_hand_written_hook_in_each_position_runs_with_its_arguments_and_input(team: QuickTeam, name: str) -> None:
    body = f'#!/bin/sh\necho "{name} $#" >>../log\ncat >/dev/null\n'
    team.hook(name, body, 0o750)
    before = folder(team)
    team.succeeds("hooks", "install")
    team.git("switch", "-q", "-c", "side")
    team.write("side.txt", "s\n")
    team.git("add", "side.txt")
    team.git("commit", "-q", "-m", "Side")
    team.git("switch", "-q", "main")
    team.write("main.txt", "m\n")
    team.git("add", "main.txt")
    team.git("commit", "-q", "-m", "Main")
    team.git("merge", "-q", "--no-edit", "side")
    team.git("commit", "-q", "--amend", "--no-edit")
    assert team.push("main").code == 0
    seen = set(log(team))
    arguments = {"pre-push": 2, "post-merge": 1, "post-rewrite": 1, "reference-transaction": 1}.get(name, 0)
    assert f"{name} {arguments}" in seen
    team.succeeds("hooks", "uninstall")
    assert folder(team) == before


@pytest.mark.hook_files
def test_a_refusal_of_a_hook_found_there_is_a_refusal(team: QuickTeam) -> None:
    team.hook("pre-commit", "#!/bin/sh\necho 'no tabs' >&2\nexit 1\n")
    team.succeeds("hooks", "install")
    team.dataset("a", train=MORE, test=TEST)
    done = team.run("commit", "-q", "-m", "x")
    assert (done.returncode, done.stderr) == (1, "no tabs\n")
    assert not [row for row in team.status() if "scans" in row]  # ours had not begun


@pytest.mark.hook_files
def test_hooks_status_and_what_it_says_of_each_state(team: QuickTeam) -> None:
    nothing = team.heldout("hooks", "status")
    assert nothing.code == 1
    assert "pre-commit" in nothing.out
    assert "next: heldout hooks install" in nothing.out
    team.hook("pre-push", "#!/bin/sh\nexit 0\n")
    team.succeeds("hooks", "install", "--no-tag-hook")
    good = team.succeeds("hooks", "status", "--json")
    states = {hook["name"]: hook for hook in good.json["hooks"]}
    assert states["pre-push"]["chained"] == [".git/hooks/pre-push.heldout-chained"]
    assert states["reference-transaction"]["state"] == "absent"
    team.hook("post-merge", "#!/bin/sh\nexit 0\n")
    assert "post-merge" in team.heldout("hooks", "status").out
    assert team.heldout("hooks", "status").code == 1
    assert "no hook of Heldout's" not in team.succeeds("hooks", "uninstall").out
    assert team.succeeds("hooks", "uninstall").out == "no hook of Heldout's is installed\n"


# --- the configuration of git 2.54 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "expected"),
    [((2, 39), False), ((2, 53), False), ((2, 54), True), ((2, 60), True), ((3, 0), True), ((0, 0), False)],
)
def test_which_git_reads_hooks_from_its_configuration(version: tuple[int, int], expected: bool) -> None:
    assert hook_configuration.runs_configured_hooks(version) is expected


def run_configured(team: Repo, event: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """What git 2.54 does by its documentation: each command whose `event` lists this one, in the order of the
    configuration, by the shell with the hook's arguments; then the file in the hooks folder."""
    done = subprocess.CompletedProcess[str]([], 0, "", "")
    names = [
        line.split(" ")[0].removesuffix(".event")
        for line in team.git("config", "--get-regexp", r"^hook\..*\.event$").splitlines()
        if line.split(" ")[1] == event
    ]
    for name in names:
        if team.run("config", "--type=bool", f"{name}.enabled").stdout == "false\n":
            continue
        line = team.git("config", f"{name}.command")
        command = ["sh", "-c", f'{line} "$@"' if arguments else line, line, *arguments]
        done = subprocess.run(command, cwd=team.path, input=stdin, capture_output=True, text=True, check=False)
        if done.returncode:
            return done
    return done


def test_installed_by_configuration_no_hook_file_is_touched(team: QuickTeam) -> None:
    team.hook("pre-commit", "#!/bin/sh\nexit 0\n", 0o700)
    before, settings = folder(team), (team.path / ".git/config").read_text()
    install(team.door, sys.executable, configured=False)  # an older Git was here first
    assert folder(team) != before
    install(team.door, sys.executable, configured=True)
    assert folder(team) == before
    assert install(team.door, sys.executable, configured=True) == []
    assert {state.state for state in status(team.door, sys.executable, configured=True)} == {"installed"}
    assert sorted(hook_configuration.named(team.door)) == sorted(HOOKS)
    team.git("config", "hook.heldout-pre-push.enabled", "false")
    assert {state.name: state.state for state in status(team.door, configured=True)}["pre-push"] == "absent"
    install(team.door, sys.executable, configured=True)
    assert team.run("config", "hook.heldout-pre-push.enabled").stdout == ""
    uninstall(team.door)
    assert folder(team) == before
    assert (team.path / ".git/config").read_text() == settings
    assert not (team.path / ".git/heldout").exists()


def test_a_configured_hook_records_checks_and_refuses(team: QuickTeam) -> None:
    install(team.door, sys.executable, configured=True)
    team.dataset("a", train=MORE, test=TEST)
    assert run_configured(team, "pre-commit").returncode == 0
    team.git("commit", "-q", "-m", "Grow")
    assert lacking(team) == []
    team.dataset("a", train=rows("z", 3), test=TEST)
    team.bypass("commit", "-q", "-m", "Past it")
    line = f"HEAD {team.head()} refs/tags/a@v1.0.0 {'0' * 40}\n"
    done = run_configured(team, "pre-push", "origin", "url", stdin=line)
    assert done.returncode == 1
    assert "nobody knows yet whether a@v1.0.0 is clean" in done.stderr
    assert run_configured(team, "post-commit").returncode == 0
    assert lacking(team) == []


def test_a_configured_hook_sees_that_git_tag_is_its_parent(team: QuickTeam) -> None:
    """The file hook stands in for Git: it becomes the configured command, as a shell started by Git does."""
    install(team.door, sys.executable, configured=True)
    team.dataset("a", train=MORE, test=TEST)
    team.bypass("commit", "-q", "-m", "No record")
    line = team.git("config", "hook.heldout-reference-transaction.command")
    quoted = shlex.quote(line + ' "$@"')
    team.hook("reference-transaction", f'#!/bin/sh\nexec sh -c {quoted} sh "$@"\n')
    assert team.run("tag", "a@v1.0.0").returncode != 0
    assert team.run("update-ref", "refs/tags/a@v1.0.0", "HEAD").returncode == 0


def test_a_repository_that_moved_is_still_checked_and_one_without_scripts_is_told(team: QuickTeam) -> None:
    install(team.door, sys.executable, configured=True)
    moved = team.path.parent / "moved"
    team.path.rename(moved)
    here = QuickTeam(moved)
    assert {state.state for state in status(here.door, configured=True)} == {"absent"}, "init may write the new place"
    here.dataset("a", train=MORE, test=TEST)
    assert run_configured(here, "pre-commit").returncode == 0
    here.bypass("commit", "-q", "-m", "Grow")
    assert lacking(here) == []
    shutil.rmtree(moved / ".git/heldout/hooks")
    done = run_configured(here, "pre-commit")
    assert (done.returncode, "heldout init" in done.stderr) == (0, True)
    assert run_configured(here, "reference-transaction", "prepared").stderr == ""
    install(here.door, sys.executable, configured=True)
    assert {state.state for state in status(here.door, configured=True)} == {"installed"}


# --- where the interpreter is not what it was -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["interpreter gone", "environment moved", "package gone"])
def test_without_an_interpreter_commits_go_on_and_version_tags_are_not_pushed(
    team: QuickTeam, tmp_path: Path, kind: str
) -> None:
    python = tmp_path / "venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    if kind == "package gone":
        python.unlink()
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        python.chmod(0o755)
    install(team.door, str(python))
    if kind == "interpreter gone":
        python.unlink()
    elif kind == "environment moved":
        python.parent.parent.rename(tmp_path / "elsewhere")
    team.dataset("a", train=MORE, test=TEST)
    done = team.run("commit", "-q", "-m", "Grow")
    assert done.returncode == 0
    assert "nothing was checked" in done.stderr
    assert "Repair with: heldout init" in done.stderr
    assert "Traceback" not in done.stderr
    tagged = team.run("tag", "a@v1.0.0")
    assert (tagged.returncode, "nothing was checked" in tagged.stderr) == (0, True)
    assert team.push("main").code == 0
    refused = team.push("a@v1.0.0")
    assert refused.code != 0
    assert "refused, it holds dataset versions" in refused.err
    broken = team.heldout("hooks", "status")
    assert broken.code == (0 if kind == "package gone" else 1)
    team.succeeds("init")
    team.dataset("a", train=rows("n", 3), test=TEST)
    team.git("commit", "-q", "-m", "Mended")
    assert lacking(team) == []


@pytest.mark.parametrize("lost", [("HOME",), ("PATH",), ("HOME", "PATH", "LANG", "LC_ALL", "USER", "XDG_CACHE_HOME")])
def test_a_hook_that_a_desktop_program_runs_without_path_or_home(team: QuickTeam, lost: tuple[str, ...]) -> None:
    import os

    team.install()
    team.dataset("a", train=MORE, test=TEST)
    env = {name: value for name, value in os.environ.items() if name not in lost}
    if "PATH" in lost:
        env["PATH"] = "/usr/bin:/bin"  # what a desktop session gives: Git and a shell, no environment of ours
    done = subprocess.run(
        ["git", "commit", "-q", "-m", "From the desktop"], cwd=team.path, env=env, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert lacking(team) == []
    assert "defect" not in done.stderr
