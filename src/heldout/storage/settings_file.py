"""heldout.yaml, the project's settings file (`format: heldout/project@1`)."""

from __future__ import annotations

import re
from typing import Any

from heldout.domain.settings import Settings
from heldout.errors import ConfigError
from heldout.storage.trees import FileTree
from heldout.storage.yaml_files import load_yaml

FILE = "heldout.yaml"
FORMAT = "heldout/project@1"
_KEYS = ("format", "accept_methods", "protected_branches", "scan")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def read_settings(tree: FileTree) -> Settings:
    """The settings of a commit or the working copy. Raises ConfigError with file and field."""
    data = tree.read(FILE)
    return Settings() if data is None else parse_settings(data)


def parse_settings(data: bytes) -> Settings:
    content = load_yaml(data, FILE)
    if content is None:
        return Settings()
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping of settings", file=FILE)
    for key in content:
        if key not in _KEYS:
            raise _unknown(str(key), _KEYS)
    if content.get("format", FORMAT) != FORMAT:
        raise ConfigError(
            "unknown-format",
            f"format is {content['format']!r}, this Heldout reads {FORMAT!r}",
            file=FILE,
            field="format",
        )
    scan = content.get("scan", {})
    if not isinstance(scan, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field="scan")
    for key in scan:
        if key != "on_commit":
            raise _unknown(f"scan.{key}", ("scan.on_commit",))
    defaults = Settings()
    return Settings(
        accept_methods=_digests(content.get("accept_methods", [])),
        protected_branches=tuple(_strings(content, "protected_branches", defaults.protected_branches)),
        scan_on_commit=_flag(scan.get("on_commit", True), "scan.on_commit"),
    )


def _unknown(key: str, known: tuple[str, ...]) -> ConfigError:
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}"
    return ConfigError("unknown-key", f"unknown key {key!r}", file=FILE, field=key, hint=hint)


def _strings(content: dict[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = content.get(key, list(default))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError("wrong-type", "expected a list of texts", file=FILE, field=key)
    return tuple(value)


def _digests(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and _DIGEST.fullmatch(item) for item in value):
        raise ConfigError(
            "wrong-type",
            'expected a list of method digests, each "sha256:" and 64 hex digits',
            file=FILE,
            field="accept_methods",
            hint="a scan record names its method's digest",
        )
    return tuple(value)


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("wrong-type", f"expected true or false, found {value!r}", file=FILE, field=key)
    return value
