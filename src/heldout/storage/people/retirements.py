"""Retirements on disk: `datasets/<name>/reviews/retired-v1.0.0.yaml` (`heldout/retirement@1`).

One decision of a person a file, beside the other decisions; no data is needed to read or write it.
"""

from __future__ import annotations

import posixpath
from typing import Any

from heldout.domain.coverage import Retirement
from heldout.domain.example import JSON
from heldout.domain.names import VersionName, VersionNumber
from heldout.errors import ConfigError
from heldout.storage.catalog import ROOT
from heldout.storage.yaml.files import dump_yaml, load_yaml

FORMAT = "heldout/retirement@1"
_PREFIX = "retired-"


def retirement_path(version: VersionName) -> str:
    return f"{ROOT}/{version.dataset}/reviews/{_PREFIX}{version.number}.yaml"


def is_retirement(path: str) -> bool:
    return "/reviews/" in path and posixpath.basename(path).startswith(_PREFIX)


def render_retirement(retirement: Retirement) -> bytes:
    content: dict[str, JSON] = {
        "format": FORMAT,
        "version": str(retirement.version),
        "source": retirement.source,
        "reason": retirement.reason,
        "by": retirement.by,
    }
    if retirement.reviewer is not None:
        content["reviewer"] = retirement.reviewer
    return dump_yaml(content)


def parse_retirement(data: bytes, path: str) -> Retirement:
    """Raises ConfigError (slug retirement-malformed): people may write these files, so they are told what is wrong."""
    content: Any = load_yaml(data, path)
    wanted = ("format", "version", "source", "reason", "by")
    if not isinstance(content, dict) or set(content) - {"reviewer"} != set(wanted):
        raise _malformed(path, f"expected the keys {', '.join(wanted)} and perhaps reviewer")
    if content["format"] != FORMAT:
        raise _malformed(path, f"format is {content['format']!r}, expected {FORMAT!r}", "format")
    if not all(isinstance(content[key], str) and content[key] for key in content):
        raise _malformed(path, "every value has to be a text")
    dataset, _, number = content["version"].rpartition("@")
    parsed = VersionNumber.parse(number)
    if parsed is None or retirement_path(VersionName(dataset, parsed)) != path:
        raise _malformed(path, "the version does not fit the file's place", "version")
    return Retirement(
        VersionName(dataset, parsed), content["source"], content["reason"], content["by"], content.get("reviewer")
    )


def _malformed(path: str, message: str, field: str | None = None) -> ConfigError:
    return ConfigError(
        "retirement-malformed", message, file=path, field=field, hint="heldout retire VERSION --reason writes this file"
    )
