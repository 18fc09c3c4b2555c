"""The one door to JSON Schema: whether a row fits, and where it does not.

Messages are made here and name fields and rules, never a row's own values: a row may be held out. References that
leave the schema are refused, so nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from heldout.domain.dataset import CASE_SCHEMA
from heldout.domain.example import JSON
from heldout.errors import ConfigError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.splitting.row_schema_quick import Test, quick_test

SHIPPED: Final = {CASE_SCHEMA: "case-1.json"}
"""Schemas that come with Heldout, by the name dataset.yaml calls them."""

_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_SHOWN: Final = ("const", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "format")
_SHOWN_SIZES: Final = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "pattern")


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a row does not fit. `path` leads to the value, `field` is that for people: `expected.label`, `tags[2]`."""

    path: tuple[str | int, ...]
    reason: str

    @property
    def field(self) -> str | None:
        text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return text.removeprefix(".") or None


class Compiled:
    """A JSON Schema, compiled; `name` is what messages call it."""

    def __init__(self, validator: Any, name: str, quick: Test | None) -> None:
        self._validator = validator
        self._quick = quick
        self.name = name

    def misfit(self, row: JSON) -> Misfit | None:
        """Why the row does not fit; one reason, in the order of fields' names. Raises ConfigError (slug bad-schema)
        for a reference that leads nowhere."""
        if self._quick is not None and self._quick(row):
            return None
        from referencing.exceptions import Unresolvable

        try:
            if self._validator.is_valid(row):
                return None
            faults = [_misfit(fault) for fault in self._validator.iter_errors(row)]
        except Unresolvable as error:
            message = f"the reference {error.ref!r} leads nowhere"
            hint = "put what it means into this file, below $defs: nothing is fetched"
            raise ConfigError("bad-schema", message, file=self.name, hint=hint) from None
        return min(faults, key=lambda fault: [str(part) for part in fault.path])


def shipped_schema(name: str) -> bytes:
    """The text of a schema that comes with Heldout."""
    return resources.files("heldout.storage").joinpath("schemas", SHIPPED[name]).read_bytes()


@lru_cache(maxsize=64)
def row_schema(data: bytes, name: str) -> Compiled:
    """Compile a schema; `name` is what messages call it. Raises ConfigError (slug bad-schema)."""
    from jsonschema import validators
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    try:
        schema = parse_json(data)
    except JSONFault as fault:
        raise ConfigError("bad-schema", fault.reason, file=name, line=fault.line) from None
    if not isinstance(schema, dict | bool):
        raise ConfigError("bad-schema", "a JSON Schema is an object", file=name)
    named = isinstance(schema, dict) and "$schema" in schema
    kind = validators.validator_for(schema, default=None) if named else validators.Draft202012Validator
    if kind is None:
        raise ConfigError("bad-schema", "this is no dialect of JSON Schema that is known", file=name, field="$schema")
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path)) or None
        raise ConfigError("bad-schema", f"no JSON Schema: {error.message}", file=name, field=place) from None
    return Compiled(kind(schema, registry=Registry(), format_checker=kind.FORMAT_CHECKER), name, quick_test(schema))


def _misfit(fault: Any) -> Misfit:
    path = tuple(fault.absolute_path)
    rule, wanted, value = fault.validator, fault.validator_value, fault.instance
    messages = fault.schema.get("x-messages", {}) if isinstance(fault.schema, dict) else {}
    if isinstance(messages, dict) and isinstance(messages.get(rule), str):
        return Misfit(path, messages[rule])
    if rule == "additionalProperties" and isinstance(value, dict):
        unknown = sorted(set(value) - set(fault.schema.get("properties", ())))
        return Misfit((*path, unknown[0]) if unknown else path, "unknown field")
    if rule == "required" and isinstance(value, dict):
        missing = [name for name in wanted if name not in value]
        return Misfit((*path, missing[0]) if missing else path, "this field is missing")
    return Misfit(path, _reason(rule, wanted, value))


def _reason(rule: str, wanted: Any, value: Any) -> str:
    if rule == "type":
        return f"expected {_either(wanted if isinstance(wanted, list) else [wanted])}, found {_KINDS[type(value)]}"
    if rule == "enum":
        return f"expected one of {_either('null' if item is None else str(item) for item in wanted)}"
    if rule in (*_SHOWN, *_SHOWN_SIZES):
        return f"breaks the rule {rule}: {wanted}"
    return f"breaks the rule {rule} of the schema"


def _either(names: Iterable[str]) -> str:
    *some, last = names
    return f"{', '.join(some)} or {last}" if some else last
