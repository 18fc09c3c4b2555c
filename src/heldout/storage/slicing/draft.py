"""A definition that is not saved yet: a file with a definition alone, or a slice's file that may lie anywhere."""

from __future__ import annotations

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.rules import DefinitionError
from heldout.domain.slicing.shape import read_definition
from heldout.errors import ConfigError
from heldout.storage.yaml.files import load_yaml_located


def parse_draft(data: bytes, name: str) -> Definition:
    """The definition of YAML or JSON text; `name` is what messages call it. Raises ConfigError with line and field."""
    located = load_yaml_located(data, name)
    value = located.value
    prefix: tuple[str, ...] = ()
    if isinstance(value, dict) and "definition" in value:
        value, prefix = value["definition"], ("definition",)
    try:
        return read_definition(value)
    except DefinitionError as error:
        path = (*prefix, *error.place())
        shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        slug = "bad-definition" if error.position is None else "bad-condition"
        raise ConfigError(
            slug, str(error), file=name, line=located.line(*path), field=shown or None, hint=error.hint
        ) from None
