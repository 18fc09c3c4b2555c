"""Installing beside other people's hooks, running both, and leaving no trace."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from support.git import Repo
from support.recorder import Recorder

from heldout.services.hooking import install as hook_install
from heldout.services.hooking.install import HOOKS, HookState, uninstall

# As files, which every Git runs, also one that would read hooks from its configuration.
install = partial(hook_install.install, configured=False)
status = partial(hook_install.status, configured=False)


@pytest.fixture
def plain(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "plain")
    repo.commit("start", readme="r")
    return repo


def hooks(repo: Repo) -> dict[str, tuple[bytes, int]]:
    """Name, bytes and mode of everything in the hooks folder."""
    folder = repo.path / ".git/hooks"
    return {file.name: (file.read_bytes(), file.stat().st_mode & 0o777) for file in sorted(folder.iterdir())}


def states(repo: Repo, python: str | None = None) -> dict[str, HookState]:
    return {state.name: state for state in status(repo.door, python)}


def log_hook(log: Path, label: str, *, code: int = 0, stdin: bool = False) -> str:
    said = f"sed 's/^/{label} < /' >>'{log}'" if stdin else ":"
    return f"#!/bin/sh\necho '{label}' \"$@\" >>'{log}'\n{said}\nexit {code}\n"


def test_install_is_safe_to_repeat(plain: Repo) -> None:
    changes = install(plain.door, "/opt/python")
    assert [change.path.name for change in changes] == list(HOOKS)
    first = hooks(plain)
    assert install(plain.door, "/opt/python") == []
    assert hooks(plain) == first
    assert {state.state for state in status(plain.door)} == {"installed"}
    assert {state.state for state in status(plain.door, "/other/python")} == {"outdated"}
    assert [change.what for change in install(plain.door, "/other/python")] == ["updated"] * len(HOOKS)
    assert {state.state for state in status(plain.door, "/other/python")} == {"installed"}


def test_uninstall_restores_bytes_and_modes(plain: Repo) -> None:
    plain.hook("pre-commit", "#!/bin/sh\nexit 0", 0o755)
    plain.hook("pre-push", "#!/bin/sh\r\nnot executable", 0o640)
    plain.hook("post-commit", "\xff binary \0", 0o700)
    (plain.path / ".git/hooks/post-merge").symlink_to("post-commit")
    before = hooks(plain)
    install(plain.door, "/opt/python")
    install(plain.door, "/other/python")
    assert hooks(plain)["pre-commit.heldout-chained"] == before["pre-commit"]
    assert states(plain)["pre-commit"].chained == (plain.path / ".git/hooks/pre-commit.heldout-chained",)
    uninstall(plain.door)
    assert hooks(plain) == before
    assert (plain.path / ".git/hooks/post-merge").is_symlink()
    assert uninstall(plain.door) == []
    assert {state.state for state in status(plain.door)} == {"absent", "replaced"}


def test_without_the_tag_hook(plain: Repo) -> None:
    install(plain.door, "/opt/python")
    assert [change.what for change in install(plain.door, "/opt/python", tag_hook=False)] == ["removed"]
    assert states(plain)["reference-transaction"].state == "absent"


def test_hooks_path_is_honoured(plain: Repo) -> None:
    plain.git("config", "core.hooksPath", "my hooks")
    install(plain.door, "/opt/python")
    assert (plain.path / "my hooks/pre-commit").exists()
    assert not (plain.path / ".git/hooks/pre-commit").exists()


def test_a_linked_worktree_shares_the_hooks(plain: Repo) -> None:
    plain.git("worktree", "add", "-q", "../linked")
    install(Repo(plain.path.parent / "linked").door, "/opt/python")
    assert states(plain)["pre-push"].state == "installed"


def test_our_own_shims_as_hooks_path_are_not_written_to(plain: Repo) -> None:
    plain.git("config", "core.hooksPath", str(Path(__file__).parents[2] / "src/heldout/hooks/shims"))
    assert install(plain.door, "/opt/python") == []
    assert uninstall(plain.door) == []
    assert {state.state for state in status(plain.door)} == {"installed"}


def test_the_other_hook_runs_first_and_can_refuse(plain: Repo, recorder: Recorder) -> None:
    log = plain.path.parent / "log"
    plain.hook("pre-commit", log_hook(log, "theirs"))
    install(plain.door, str(recorder.path))
    plain.pointer("a", "v1")
    plain.commit()
    assert log.read_text() == "theirs\n"
    assert recorder.calls() == ["pre-commit", "post-commit"]
    (plain.path / ".git/hooks/pre-commit.heldout-chained").write_text(log_hook(log, "no", code=7))
    plain.pointer("a", "v2")
    assert plain.run("commit", "-m", "x").returncode != 0
    assert recorder.calls() == []


def test_the_other_hook_runs_where_we_have_nothing_to_do(plain: Repo, recorder: Recorder) -> None:
    log = plain.path.parent / "log"
    for name in HOOKS:
        plain.hook(name, log_hook(log, name))
    install(plain.door, str(recorder.path))
    plain.commit("no dataset", src="x")
    lines = log.read_text().splitlines()
    assert lines[:1] == ["pre-commit"]
    assert "post-commit" in lines
    assert {"reference-transaction prepared", "reference-transaction committed"} <= set(lines)
    log.unlink()
    assert plain.run("commit", "--allow-empty", "-m", "y", env={"HELDOUT_HOOK": "1"}).returncode == 0
    assert log.read_text().splitlines()[0] == "pre-commit"
    assert recorder.calls() == []


@pytest.mark.req("B50")
def test_at_a_push_ours_is_first_and_both_read_the_input(plain: Repo, recorder: Recorder, tmp_path: Path) -> None:
    log = tmp_path / "log"
    plain.hook("pre-push", log_hook(log, "theirs", stdin=True))
    install(plain.door, str(recorder.path))
    bare = Repo.create_bare(tmp_path / "origin.git")
    plain.git("remote", "add", "origin", str(bare.path))
    head = plain.head()
    plain.git("tag", "a@v1.0.0")
    recorder.calls()
    line = f"refs/tags/a@v1.0.0 {head} refs/tags/a@v1.0.0 {'0' * 40}"
    recorder.answers(1)
    assert plain.run("push", "origin", "a@v1.0.0").returncode != 0
    assert recorder.calls() == [f"pre-push origin {bare.path}", f"< {line}"]
    assert not log.exists()
    recorder.answers(0)
    plain.git("push", "-q", "origin", "a@v1.0.0")
    assert recorder.calls() == [f"pre-push origin {bare.path}", f"< {line}"]
    assert log.read_text().splitlines() == [f"theirs origin {bare.path}", f"theirs < {line}"]
    (plain.path / ".git/hooks/pre-push.heldout-chained").write_text(log_hook(log, "no", code=3))
    plain.git("tag", "plain")
    assert plain.run("push", "origin", "plain").returncode != 0


@pytest.mark.req("B42")
def test_at_a_tag_both_read_the_input(plain: Repo, recorder: Recorder, tmp_path: Path) -> None:
    log = tmp_path / "log"
    plain.hook("reference-transaction", log_hook(log, "theirs", stdin=True))
    install(plain.door, str(recorder.path))
    head = plain.head()
    plain.git("tag", "a@v1.0.0")
    assert recorder.calls() == [f"tag {head} a@v1.0.0"]
    change = f"theirs < {'0' * 40} {head} refs/tags/a@v1.0.0"
    told = log.read_text().splitlines()
    if told[0] == "theirs preparing":  # git 2.54 and newer
        assert told[1] == change
        told = told[2:]
    assert told == ["theirs prepared", change, "theirs committed", change]


def test_a_tool_that_overwrites_ours_is_noticed_and_chained(plain: Repo, recorder: Recorder, tmp_path: Path) -> None:
    log = tmp_path / "log"
    original = plain.hook("pre-commit", log_hook(log, "first")).read_bytes()
    install(plain.door, str(recorder.path))
    newer = plain.hook("pre-commit", log_hook(log, "second")).read_bytes()
    assert states(plain)["pre-commit"].state == "replaced"
    install(plain.door, str(recorder.path))
    assert states(plain)["pre-commit"].state == "installed"
    plain.pointer("a", "v1")
    plain.commit()
    assert log.read_text() == "first\nsecond\n"
    assert recorder.calls() == ["pre-commit", "post-commit"]
    uninstall(plain.door)
    assert hooks(plain)["pre-commit"][0] == newer
    assert hooks(plain)["pre-commit.heldout-chained"][0] == original


def test_a_manager_that_moves_ours_runs_it_once(plain: Repo, recorder: Recorder, tmp_path: Path) -> None:
    """pre-commit keeps the hook it finds as pre-commit.legacy and runs it from its own."""
    log = tmp_path / "log"
    plain.hook("pre-commit", log_hook(log, "original"))
    install(plain.door, str(recorder.path))
    folder = plain.path / ".git/hooks"
    (folder / "pre-commit").rename(folder / "pre-commit.legacy")
    plain.hook("pre-commit", f"#!/bin/sh\necho manager >>'{log}'\nexec .git/hooks/pre-commit.legacy \"$@\"\n")
    assert states(plain)["pre-commit"].state == "moved"
    install(plain.door, "/other/python")
    install(plain.door, str(recorder.path))
    plain.pointer("a", "v1")
    plain.commit()
    assert log.read_text() == "manager\noriginal\n"
    assert recorder.calls() == ["pre-commit", "post-commit"]
    uninstall(plain.door)
    assert "original" in (folder / "pre-commit.legacy").read_text()
    assert "manager" in (folder / "pre-commit").read_text()


def test_a_ring_of_hooks_ends(plain: Repo, recorder: Recorder) -> None:
    """Two managers that chain to each other: ours runs once."""
    install(plain.door, str(recorder.path))
    plain.hook("pre-commit.heldout-chained", "#!/bin/sh\nexec .git/hooks/pre-commit\n")
    plain.pointer("a", "v1")
    plain.commit()
    assert recorder.calls() == ["pre-commit", "post-commit"]


def test_a_hook_that_does_not_read_its_input(plain: Repo, recorder: Recorder, tmp_path: Path) -> None:
    plain.hook("pre-push", "#!/bin/sh\nexit 0\n")
    install(plain.door, str(recorder.path))
    bare = Repo.create_bare(tmp_path / "origin.git")
    for number in range(2000):
        plain.write(f".git/refs/tags/t{number:04}", plain.head() + "\n")
    plain.git("push", "-q", str(bare.path), "--tags")
    assert recorder.calls() == []
