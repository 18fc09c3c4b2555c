"""Metadata joined from a second file, as clinc150's domain of an intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from heldout.domain.dataset import Lookup
from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.yaml.schema import type_of

Join = Callable[[JSON], JSON]


def read_lookup(data: bytes, name: str) -> Mapping[str, JSON]:
    """The JSON object of a file that metadata is joined from. Raises DataError."""
    try:
        value = parse_json(data)
    except JSONFault as fault:
        raise DataError(fault.slug, fault.reason, file=name, line=fault.line, offset=fault.offset) from None
    if not isinstance(value, dict):
        raise DataError("bad-type", f"expected an object to look values up in, found {type_of(value)}", file=name)
    return value


def joiner(spec: Lookup, table: Mapping[str, JSON]) -> Join:
    """How a row's value finds what it joins with; a value that is not in the file joins as null."""
    if spec.groups:
        table = _inverted(spec.path, table)

    def join(value: JSON) -> JSON:
        if isinstance(value, str):
            return table.get(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return table.get(str(value))
        return None

    return join


def _inverted(path: str, table: Mapping[str, JSON]) -> dict[str, JSON]:
    result: dict[str, JSON] = {}
    for group, members in table.items():
        if not isinstance(members, list):
            raise DataError("bad-type", f"expected a list of values, found {type_of(members)}", file=path, field=group)
        for member in members:
            if not isinstance(member, str):
                raise DataError("bad-type", f"expected a text, found {type_of(member)}", file=path, field=group)
            if result.setdefault(member, group) != group:
                message = f"{member!r} is in two groups, {result[member]!r} and {group!r}"
                raise DataError("ambiguous-lookup", message, file=path, field=group)
    return result
