"""`heldout export`: one description, in the form that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from heldout.domain.describing.description import Description
from heldout.services.describing.artifacts import artifact_path, splits_by_pointer
from heldout.services.describing.describe import describe
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Located, Workspace
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.yaml.files import dump_yaml

dump = dump_yaml
"""How a form that has YAML in it writes it."""


@dataclass(slots=True)
class Exported:
    located: Located
    about: Description
    path: str
    pointers: dict[str, dict[str, int]] = field(default_factory=dict)


def read(
    workspace: Workspace,
    subject: str,
    *,
    licence: str | None = None,
    output: Path | None = None,
    progress: Progress = SILENT,
) -> Exported:
    """What a form is made of. Raises what `describe` does, and UsageError (slug output-exists)."""
    if output is not None:
        require_absent([output])
    located = workspace.find(subject)
    about = describe(workspace, subject, licence=licence, progress=progress)
    pointers = {path: dict(sorted(counts.items())) for path, counts in splits_by_pointer(located, about).items()}
    return Exported(located, about, artifact_path(located), pointers)


__all__ = ["Exported", "dump", "read", "write_new"]
