"""Scripts that make a shell ask `heldout` what could come next: to print, and to put where the shell looks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

import typer

_FLAGS = ("--show-completion", "--install-completion")


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def script(shell: Shell) -> str:
    return (files(__package__) / f"heldout.{shell}").read_text(encoding="utf-8")


def show_script(shell: Shell | None) -> None:
    if shell is not None:
        typer.echo(script(shell), nl=False)
        raise typer.Exit


def install_script(shell: Shell | None) -> None:
    """Write the script where the shell loads such files by itself, and say what zsh and bash may still need."""
    if shell is None:
        return
    from heldout.storage.atomic import write_file

    place = _place(shell)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_file(place, script(shell).encode("utf-8"))
    typer.echo(f"wrote {place}")
    typer.echo(_needs(shell, place))
    raise typer.Exit


def _place(shell: Shell) -> Path:
    """bash-completion's, zsh's and fish's own folders of a person; git's completion of zsh finds the function, too."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    places = {
        Shell.BASH: data / "bash-completion/completions/heldout",
        Shell.ZSH: data / "zsh/site-functions/_heldout",
        Shell.FISH: config / "fish/completions/heldout.fish",
    }
    return places[shell]


def _needs(shell: Shell, place: Path) -> str:
    if shell is Shell.BASH:
        return f"next: source {place}   (in ~/.bashrc for `git heldout`, and where bash-completion is not installed)"
    if shell is Shell.ZSH:
        return f"next: add to ~/.zshrc: fpath+=({place.parent}); autoload -Uz compinit; compinit"
    return "next: open a new fish"


def with_own_shell(arguments: Sequence[str]) -> Sequence[str]:
    """`--install-completion` without a name is about the shell that a person logs in with."""
    own = Path(os.environ.get("SHELL", "")).name
    if len(arguments) == 1 and arguments[0] in _FLAGS and own in list(Shell):
        return [arguments[0], own]
    return arguments
