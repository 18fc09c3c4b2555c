"""Heldout keeps held-out data held out: versions, leakage scans and gates for datasets kept in Git and DVC."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heldout.api import Repository, Slice, Version
    from heldout.api import open_repository as open  # noqa: A004
    from heldout.domain.example import Example
    from heldout.domain.slicing.definition import Condition, Definition, Sample
    from heldout.errors import CoverageUnknown, HeldoutError, HoldoutRefused, SliceNotReported

__version__ = "0.1.0"
__all__ = [
    "Condition",
    "CoverageUnknown",
    "Definition",
    "Example",
    "HeldoutError",
    "HoldoutRefused",
    "Repository",
    "Sample",
    "Slice",
    "SliceNotReported",
    "Version",
    "__version__",
    "open",
]

_HOMES = {
    "Condition": ("heldout.domain.slicing.definition", "Condition"),
    "CoverageUnknown": ("heldout.errors", "CoverageUnknown"),
    "Definition": ("heldout.domain.slicing.definition", "Definition"),
    "Example": ("heldout.domain.example", "Example"),
    "HeldoutError": ("heldout.errors", "HeldoutError"),
    "HoldoutRefused": ("heldout.errors", "HoldoutRefused"),
    "Repository": ("heldout.api", "Repository"),
    "Sample": ("heldout.domain.slicing.definition", "Sample"),
    "Slice": ("heldout.api", "Slice"),
    "SliceNotReported": ("heldout.errors", "SliceNotReported"),
    "Version": ("heldout.api", "Version"),
    "open": ("heldout.api", "open_repository"),
}


def __getattr__(name: str) -> object:
    """The public names, imported when first used: hooks import this package on every commit and need none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
