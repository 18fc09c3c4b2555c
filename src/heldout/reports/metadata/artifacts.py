"""DVC's own catalog: the entry under `artifacts:` of dvc.yaml, and `meta:` in .dvc files.

An entry's name at the repository's top is the first part of a version's tag (`support@v1.2.0`), which is how GTO and
DVC's registry find versions; so it belongs into the topmost dvc.yaml. What it says must not change with every scan:
versions and answers are asked for, not written down.
"""

from __future__ import annotations

from typing import Any

from heldout.domain.describing.description import Description


def artifact(about: Description, path: str) -> dict[str, Any]:
    """One entry: `path` is the data, relative to the repository's top."""
    return {
        "path": path,
        "type": "dataset",
        **({"desc": about.text} if about.text else {}),
        "labels": ["heldout"],
        "meta": {
            "heldout": f"datasets/{about.name}",
            **({"license": about.licence} if about.licence else {}),
            "splits": [*about.by_split],
            "held_out": sorted(about.held_out),
        },
    }


def pointer_meta(about: Description, splits: dict[str, int]) -> dict[str, Any]:
    """What a .dvc file says of its data: whose it is, and which splits it has."""
    return {
        "dataset": about.name,
        "splits": [*splits],
        "held_out": any(split in about.held_out for split in splits),
    }
