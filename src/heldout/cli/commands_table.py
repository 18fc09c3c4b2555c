"""Tables of commands that import one when it is looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

_PACKAGE = "heldout.cli.commands"


class Commands(Mapping[str, Callable[..., Any]]):
    """Functions by the name people type; a place is a module of commands, or `module:function`."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Callable[..., Any]:
        module, _, function = self._places[name].partition(":")
        found: Callable[..., Any] = getattr(import_module(f"{_PACKAGE}.{module}"), function or module)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Groups(Mapping[str, tuple[str, Commands]]):
    """Commands that have commands below them, with the sentence about them: HELP in the module that is named first."""

    def __init__(self, groups: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
        self._groups = groups

    def __getitem__(self, name: str) -> tuple[str, Commands]:
        module, places = self._groups[name]
        return import_module(f"{_PACKAGE}.{module}").HELP, Commands(places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)
