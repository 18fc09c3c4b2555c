"""Completion of a line by the shells themselves, each at a terminal, in a real repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli import heldout
from support.git import Repo
from support.terminal import Terminal

from heldout.cli.commands import COMMANDS, GROUPS
from heldout.cli.completion.scripts import Shell, script

SPEC = "format: heldout/dataset@1\nname: {name}\nholdout: [test]\ndata: [{{path: a.csv, split: test}}]\n"
START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
PREPARE = {
    "bash": "PS1='ready> '; source {script}",
    "zsh": "PS1='ready> '; autoload -Uz compinit; compinit -u -D; source {script}",
    "fish": "function fish_prompt; echo 'ready> '; end; source {script}",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Names alone: completion parses nothing."""
    repo = Repo.create(tmp_path_factory.mktemp("completing") / "repo")
    for name in ("support", "team/billing"):
        repo.add(f"datasets/{name}/dataset.yaml", SPEC.format(name=name))
    for name in ("german", "german-billing"):
        repo.add(f"datasets/support/slices/{name}.yaml", "format: heldout/slice@1\n")
    repo.write("reports.csv", "text\n")
    (repo.path / "inside").mkdir()
    repo.commit("datasets")
    for tag in ("support@v1.2.0", "support@v1.10.0", "support@v2.0.0", "team/billing@v0.1.0", "v9", "web@release"):
        repo.git("tag", "-m", tag, tag)
    return repo


def said(folder: Path, *words: str, shell: str = "fish") -> list[str]:
    """What the program answers, as scripts get it: names, without what they mean."""
    done = subprocess.run(
        ["heldout", *words],
        cwd=folder,
        env={**os.environ, "_HELDOUT_COMPLETE": shell},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("",), [*COMMANDS, *GROUPS]),
        (("sc",), ["scan", "scans"]),
        (("gate", ""), ["support", "team/billing"]),
        (("gate", "support@"), ["support@v2.0.0", "support@v1.10.0", "support@v1.2.0"]),
        (("gate", "support@v1"), ["support@v1.10.0", "support@v1.2.0"]),
        (("versions", "t"), ["team/billing"]),
        (("retire", "team/billing"), ["team/billing@v0.1.0"]),
        (("slice", "show", "support/"), ["support/german", "support/german-billing"]),
        (("slice", "show", "t"), ["team/billing/"]),
        (("slice", "count", "support", "g"), ["german", "german-billing"]),
        (("slice", "count", "support@v1.2.0", "german-"), ["german-billing"]),
        (("findings", ""), ["list", "show", "support", "team/billing"]),
        (("findings", "show", "0a", "supp"), ["support", "support@v2.0.0", "support@v1.10.0", "support@v1.2.0"]),
        (("review", "acc"), ["accept"]),
        (("gate", "--js"), ["--json"]),
        (("gate", "--format", "s"), ["sarif"]),
        (("check", ""), []),
    ],
    ids=" ".join,
)
def test_what_may_follow(repo: Repo, words: tuple[str, ...], names: list[str]) -> None:
    assert said(repo.path / "inside", *words) == names


def test_without_a_repository_there_are_no_names(tmp_path: Path) -> None:
    assert said(tmp_path, "gate", "") == []
    assert "gate" in said(tmp_path, "")


@pytest.mark.parametrize("shell", sorted(START))
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("heldout gat\tx", "heldout gate x"),
        ("heldout gate support@v1.1\t--json", "heldout gate support@v1.10.0 --json"),
        ("heldout gate team\t", "heldout gate team/billing"),
        ("heldout versions supp\t", "heldout versions support"),
        ("heldout slice show support/german-\t", "heldout slice show support/german-billing"),
        ("heldout check rep\t", "heldout check reports.csv"),
        ("heldout gate --jso\t", "heldout gate --json"),
    ],
)
def test_a_shell_completes(repo: Repo, shell: str, typed: str, line: str, tmp_path: Path) -> None:
    assert finished(repo, shell, typed, tmp_path) == line.split()


def finished(repo: Repo, shell: str, typed: str, tmp_path: Path) -> list[str]:
    """The words that the shell itself makes of a line, which it prints instead of running it."""
    file = tmp_path / f"completion.{shell}"
    file.write_text(script(Shell(shell)))
    with Terminal(START[shell], repo.path, {"HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}) as terminal:
        terminal.type(PREPARE[shell].format(script=file) + "; echo s''et\r", until="\nset")
        terminal.type(typed)
        shown = terminal.type("\x01printf '<%s>\\n' \x05; echo e''nd\r", until="\nend")
    return re.findall(r"^<(.*)>\r?$", shown, re.MULTILINE)


def test_git_heldout_completes_in_bash(repo: Repo, tmp_path: Path) -> None:
    """As Git's own completion calls us: by the name of a function."""
    file = tmp_path / "completion.bash"
    file.write_text(script(Shell.BASH))
    code = f"""source {file}; COMP_LINE="git -C {repo.path} heldout gate support@v2"; COMP_POINT=${{#COMP_LINE}}
_git_heldout; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["@v2.0.0"], "what stands before the @ is there already"


def test_without_cut_words_the_whole_name_comes(repo: Repo, tmp_path: Path) -> None:
    file = tmp_path / "completion.bash"
    file.write_text(script(Shell.BASH))
    code = f"""source {file}; COMP_WORDBREAKS=' '; COMP_LINE="heldout gate support@v2"; COMP_POINT=${{#COMP_LINE}}
_heldout_completion; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", code], cwd=repo.path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["support@v2.0.0"]


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", "data/bash-completion/completions/heldout"),
        ("zsh", "data/zsh/site-functions/_heldout"),
        ("fish", "config/fish/completions/heldout.fish"),
    ],
)
def test_installed_where_the_shell_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, place: str
) -> None:
    for kind in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    ran = heldout(tmp_path, "--install-completion", shell)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == f"wrote {tmp_path / place}"
    assert heldout(tmp_path, "--show-completion", shell).out == (tmp_path / place).read_text() == script(Shell(shell))


def test_the_shell_a_person_logs_in_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert heldout(tmp_path, "--show-completion").out == script(Shell.ZSH)
    monkeypatch.setenv("SHELL", "/bin/ksh")
    assert heldout(tmp_path, "--show-completion").code == 2


def test_it_imports_little(repo: Repo) -> None:
    code = (
        "import sys, heldout.cli.completion.answering as a; a.answer(['gate', 'support@'], 'bash');"
        "heavy = {'numpy', 'dvc', 'git', 'rich', 'ruamel', 'pyarrow', 'pydantic', 'heldout.api'};"
        "print(*sorted(heavy & set(sys.modules)), 'end')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=repo.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "end"
