"""A YAML file that people and DVC write, with values set at some places: comments, order and quotes stay.

For files of DVC, which writes them in the same way; Heldout's own are edited by their lines.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from heldout.domain.example import JSON
from heldout.errors import ConfigError


def amended(data: bytes, name: str, values: Mapping[tuple[str, ...], JSON]) -> bytes:
    """The document with these values; the same bytes where it has them all already. An empty one is a mapping.

    Raises ConfigError (slug bad-yaml) for what cannot be read, and (slug wrong-type) where a mapping was expected.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1 << 16
    try:
        document: Any = yaml.load(data.decode("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise ConfigError("bad-yaml", f"not valid YAML: {str(error).splitlines()[0]}", file=name) from None
    document = {} if document is None else document
    changes = [_set(document, path, value, name) for path, value in values.items()]
    if not any(changes):
        return data
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue().encode("utf-8")


def _set(document: Any, path: tuple[str, ...], value: JSON, name: str) -> bool:
    inner = document
    for depth, part in enumerate(path[:-1], 1):
        _require_mapping(inner, path[: depth - 1], name)
        if inner.get(part) is None:
            inner[part] = {}
        inner = inner[part]
    _require_mapping(inner, path[:-1], name)
    if path[-1] in inner and inner[path[-1]] == value:
        return False
    inner[path[-1]] = value
    return True


def _require_mapping(value: Any, path: tuple[str, ...], name: str) -> None:
    if not isinstance(value, dict):
        field = ".".join(path) or None
        raise ConfigError("wrong-type", "expected a mapping here", file=name, field=field, hint="edit the file by hand")
