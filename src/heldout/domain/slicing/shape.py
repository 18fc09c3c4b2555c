"""Plain data, as YAML or JSON holds it, to a `Definition`: the keys and types, and the place of every fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heldout.domain.example import JSON
from heldout.domain.slicing.definition import Condition, Definition, Sample, check_count
from heldout.domain.slicing.rules import DefinitionError, suggestion

_DEFINITION = ("match", "conditions", "sample")
_CONDITION = ("subject", "key", "operator", "value", "values")
_SAMPLE = ("size", "seed", "stratify")


def read_definition(value: JSON) -> Definition:
    """The definition that a mapping `{match, conditions, sample?}` describes; `match` is all when absent.

    Raises DefinitionError whose `place()` leads to the fault in `value`.
    """
    if not isinstance(value, Mapping):
        raise DefinitionError(f"a definition is a mapping with the keys {', '.join(_DEFINITION)}")
    _refuse_unknown(value, _DEFINITION)
    conditions = value.get("conditions")
    if not isinstance(conditions, list):
        raise DefinitionError(
            "`conditions` is a list of conditions", *(("conditions",) if "conditions" in value else ())
        )
    check_count(len(conditions))
    match = value.get("match", "all")
    return Definition(
        tuple(_positioned(item, index) for index, item in enumerate(conditions, 1)),
        match,  # type: ignore[arg-type]  # refused by the constructor, with its place
        None if "sample" not in value else _sample(value["sample"]),
    )


def read_condition(value: JSON) -> Condition:
    """One condition. Raises DefinitionError without a position."""
    if not isinstance(value, Mapping):
        raise DefinitionError(f"a condition is a mapping with the keys {', '.join(_CONDITION)}")
    _refuse_unknown(value, _CONDITION)
    for needed in ("subject", "operator"):
        if not isinstance(value.get(needed), str):
            raise DefinitionError(f"`{needed}` is needed and is a text", *((needed,) if needed in value else ()))
    for name in ("key", "value", "values"):
        if name in value and value[name] is None:
            what = "null is no value; use exists or not_exists" if name != "key" else "`key` is there and says nothing"
            raise DefinitionError(what, name)
    return Condition(value["subject"], value.get("key"), value["operator"], value.get("value"), value.get("values"))  # type: ignore[arg-type]


def _positioned(value: JSON, position: int) -> Condition:
    try:
        return read_condition(value)
    except DefinitionError as error:
        raise error.at(position) from None


def _sample(value: JSON) -> Sample:
    if not isinstance(value, Mapping):
        raise DefinitionError(f"a sample is a mapping with the keys {', '.join(_SAMPLE)}", "sample")
    _refuse_unknown(value, _SAMPLE, "sample")
    if "size" not in value:
        raise DefinitionError("a sample needs a `size`: how many examples", "sample")
    for name in ("seed", "stratify"):
        if name in value and value[name] is None:
            raise DefinitionError(f"`{name}` is there and says nothing", "sample", name)
    return Sample(value["size"], value.get("seed", ""), value.get("stratify"))  # type: ignore[arg-type]


def _refuse_unknown(value: Mapping[str, JSON], known: Sequence[str], *path: str | int) -> None:
    for key in value:
        if key not in known:
            hint = suggestion(key, known) or f"Known keys here: {', '.join(known)}."
            raise DefinitionError(f"unknown key {key!r}", *path, key, hint=hint)
