"""What Typer asks when a dataset, a version or a slice is to be completed."""

from __future__ import annotations

from pathlib import Path

import typer


def datasets(incomplete: str) -> list[str]:
    """`support`"""
    from heldout.storage.quick import names

    return [name for name in names.datasets(Path.cwd()) if name.startswith(incomplete)]


def versions(incomplete: str) -> list[str]:
    """`support@v1.2.0`, the newest first."""
    from heldout.storage.quick import names

    return [name for name in names.versions(Path.cwd()) if name.startswith(incomplete)]


def subjects(incomplete: str) -> list[str]:
    """Datasets; versions too once one is named, as there may be hundreds of them."""
    if "@" in incomplete:
        return versions(incomplete)
    found = datasets(incomplete)
    return found if len(found) > 1 else [*found, *versions(incomplete)]


def slices(incomplete: str) -> list[str]:
    """`support/german-billing`; the dataset may be a version of it."""
    from heldout.storage.quick import names

    subject, slash, _ = incomplete.rpartition("/")
    if not slash:
        return [f"{name}/" for name in datasets(incomplete)]
    dataset = subject.partition("@")[0]
    found = [f"{subject}/{name}" for name in names.slices(Path.cwd(), dataset)]
    nested = [f"{name}/" for name in datasets(f"{subject}/")]
    return [name for name in (*found, *nested) if name.startswith(incomplete)]


def slice_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """`german-billing`, of the dataset that was named before it."""
    from heldout.storage.quick import names

    named = next((ctx.params[key] for key in ("dataset", "subject") if ctx.params.get(key)), "")
    return [name for name in names.slices(Path.cwd(), named.partition("@")[0]) if name.startswith(incomplete)]


def subjects_and_slices(incomplete: str) -> list[str]:
    return [*subjects(incomplete), *(slices(incomplete) if "/" in incomplete else [])]
