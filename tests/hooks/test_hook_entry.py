"""What a hook's outcome, an error of the user's and a defect of ours become."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.git import Repo

from heldout.domain.outcomes import HookOutcome, PushVerdict
from heldout.errors import ConfigError
from heldout.hooks.entry import main
from heldout.storage.git import Git, RefUpdate

HOOKS = ["pre-commit", "pre-merge-commit", "post-commit", "post-merge", "post-rewrite"]
VERSION = f"refs/tags/a@v1.0.0 {'1' * 40} refs/tags/a@v1.0.0 {'0' * 40}\n"
BRANCH = f"refs/heads/main {'1' * 40} refs/heads/main {'0' * 40}\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = Repo.create(tmp_path / "repo")
    repo.commit()
    monkeypatch.chdir(repo.path)
    return repo


Use = Callable[..., Any]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Use], None]:
    """Every use case of the hooks is replaced by one function, called with the use case's name first."""

    def install(use: Use) -> None:
        from heldout.services import hooking

        cases = {"ensure": ("before_commit", "after_commit"), "tag_guard": ("check",), "push_guard": ("check",)}
        for name, functions in cases.items():
            module = ModuleType(f"heldout.services.hooking.{name}")
            for function in functions:
                setattr(module, function, lambda *a, _case=f"{name}.{function}": use(_case, *a))
            monkeypatch.setitem(sys.modules, module.__name__, module)
            monkeypatch.setattr(hooking, name, module, raising=False)

    return install


def push(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return main(["pre-push", "origin", "url"])


def test_each_hook_calls_its_use_case(
    repo: Repo, serve: Callable[[Use], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def use(case: str, git: Git, *rest: Any) -> HookOutcome | PushVerdict:
        assert git.top == repo.path
        seen.append((case, *rest))
        return PushVerdict() if case == "push_guard.check" else HookOutcome()

    serve(use)
    assert [main([hook]) for hook in HOOKS] == [0] * 5
    assert main(["tag", "1" * 40, "a@v1.0.0", "2" * 40, "b@v1.0.0"]) == 0
    assert push(monkeypatch, VERSION) == 0
    assert seen == [
        ("ensure.before_commit",),
        ("ensure.before_commit",),
        ("ensure.after_commit",),
        ("ensure.after_commit",),
        ("ensure.after_commit",),
        ("tag_guard.check", [("1" * 40, "a@v1.0.0"), ("2" * 40, "b@v1.0.0")]),
        (
            "push_guard.check",
            [RefUpdate("refs/tags/a@v1.0.0", "1" * 40, "refs/tags/a@v1.0.0", "0" * 40)],
        ),
    ]


def test_lines_go_to_standard_error(
    repo: Repo, serve: Callable[[Use], None], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(lambda *_: HookOutcome(notes=("one", "odd \udcff"), refused=True))
    assert main(["pre-commit"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "one\n" in said.err
    assert "odd ?\n" in said.err


def test_a_users_error_blocks_what_can_be_blocked(
    repo: Repo, serve: Callable[[Use], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def use(*_: Any) -> HookOutcome:
        raise ConfigError("unknown-key", "unknown key 'nmae'", file="datasets/a/dataset.yaml", line=3, hint="name?")

    serve(use)
    assert [main([hook]) for hook in HOOKS] == [1, 1, 0, 0, 0]
    text = capsys.readouterr().err
    assert "heldout: datasets/a/dataset.yaml:3: unknown key 'nmae' [unknown-key]\nheldout: name?\n" in text
    assert "Traceback" not in text


def test_a_defect_never_costs_a_commit(
    repo: Repo,
    serve: Callable[[Use], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def use(*_: Any) -> HookOutcome:
        row = "the text of an example"
        raise ZeroDivisionError(row) from KeyError(row)

    serve(use)
    assert [main([hook]) for hook in HOOKS] == [0] * 5
    assert main(["tag", "1" * 40, "a@v1.0.0"]) == 0
    assert push(monkeypatch, BRANCH) == 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 7
    assert "heldout: this is a defect of Heldout, in the pre-commit hook (ZeroDivisionError); details in " in said
    assert push(monkeypatch, BRANCH + VERSION) == 1
    (log,) = (repo.path / ".heldout/log").iterdir()
    assert log.read_text().count("ZeroDivisionError\n") == 8
    assert "in use" in log.read_text()
    assert "text of an example" not in said + log.read_text()
    assert repo.status() == []


def test_interrupted(repo: Repo, serve: Callable[[Use], None]) -> None:
    def use(*_: Any) -> HookOutcome:
        raise KeyboardInterrupt

    serve(use)
    assert main(["pre-commit"]) == 130


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["pre-commit"]) == 1
