"""What `export` wrote, as JSON (`heldout/export@1`): the forms themselves belong to other tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.domain.canonical import digest_bytes
from heldout.domain.describing.description import Description


def export_json(about: Description, form: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    """`files` are those that were written, with all their bytes; none where every entry was there already."""
    return {
        "format": "heldout/export@1",
        "subject": about.subject,
        "dataset": about.name,
        "version": about.version,
        "source": about.source,
        "content": about.content,
        "verdict": about.answer.verdict.value,
        "as": form,
        "files": [
            {"file": file, "digest": digest_bytes(data), "bytes": len(data)} for file, data in sorted(files.items())
        ],
    }
