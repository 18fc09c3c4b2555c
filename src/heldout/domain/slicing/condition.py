"""One condition of a slice: a question about an example, valid by construction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from heldout.domain.canonical import CanonicalError, canonical_json
from heldout.domain.example import JSON
from heldout.domain.paths import parse_path
from heldout.domain.slicing.reference import SliceReference
from heldout.domain.slicing.rules import (
    KEYED,
    LISTS,
    MAX_VALUES,
    OPERATORS,
    ORDERING,
    PRESENCE,
    SUBJECTS,
    DefinitionError,
    suggestion,
)

Scalar: TypeAlias = "bool | int | float | str"
"""What a condition compares with. There is no null: `not_exists` asks for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One question about an example, valid by construction.

    `exists` and `not_exists` take no value, `in` and `not_in` take `values`, the others `value`. A list of one for an
    operator of one value, or one value for an operator of a list, is accepted and kept in the operator's own form;
    `values` are kept without repeats, in the order of their canonical text. Raises DefinitionError without a position.

    Two conditions are equal when their canonical forms are: true is not 1 here, and 1 is 1.0.
    """

    subject: str
    key: str | None
    operator: str
    value: Scalar | None = None
    values: tuple[Scalar, ...] | None = None

    def __post_init__(self) -> None:
        _check_subject(self.subject)
        _check_key(self.subject, self.key)
        _check_operator(self.subject, self.operator)
        value, values = _operands(self)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "values", values)

    def to_json(self) -> dict[str, JSON]:
        """The normalised form: what is written to files and what the digest covers. Absent parts are left out."""
        result: dict[str, JSON] = {"subject": self.subject}
        if self.key is not None:
            result["key"] = self.key
        result["operator"] = self.operator
        if self.values is not None:
            result["values"] = list(self.values)
        elif self.value is not None:
            result["value"] = self.value
        return result

    def canonical(self, resolve: Callable[[str], str]) -> dict[str, JSON]:
        """What the digest covers: `to_json`, with references to slices as `resolve` has them."""
        result = self.to_json()
        if self.subject == "slice":
            values = sorted({resolve(text) for text in self.slices()}, key=canonical_text)
            result.update({"value": values[0]} if self.values is None else {"values": [*values]})
        return result

    def slices(self) -> tuple[str, ...]:
        """The slices that the condition asks about, as they are written; none for another subject."""
        if self.subject != "slice":
            return ()
        return tuple(map(str, (self.value,) if self.values is None else self.values))

    def renamed(self, names: Mapping[str, str]) -> Condition:
        """The condition with other texts for the slices it asks about."""
        if self.subject != "slice":
            return self
        value = None if self.value is None else names[str(self.value)]
        values = None if self.values is None else tuple(names[str(item)] for item in self.values)
        return replace(self, value=value, values=values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and canonical_text(self.to_json()) == canonical_text(other.to_json())

    def __hash__(self) -> int:
        return hash(canonical_text(self.to_json()))


def _check_subject(subject: str) -> None:
    if subject not in SUBJECTS:
        message = f"unknown subject {shown(subject)}; allowed: {', '.join(SUBJECTS)}"
        raise DefinitionError(message, "subject", hint=suggestion(str(subject), SUBJECTS))


def _check_operator(subject: str, operator: str) -> None:
    allowed = OPERATORS[subject]
    if operator in allowed:
        return
    known = any(operator in operators for operators in OPERATORS.values())
    what = f"{operator} is not allowed for {subject}" if known else f"unknown operator {shown(operator)}"
    message = f"{what}; allowed for {subject}: {', '.join(allowed)}"
    raise DefinitionError(message, "operator", hint=None if known else suggestion(str(operator), allowed))


def _check_key(subject: str, key: object) -> None:
    if subject not in KEYED:
        if key is not None:
            message = f"{subject} takes no key, found {shown(key)}; only {' and '.join(KEYED)} take one"
            raise DefinitionError(message, "key")
        return
    wanted = "a metadata key" if subject == "metadata" else "a path that starts with input. or expected. (or is input)"
    if not isinstance(key, str) or not key:
        found = "" if key is None else f", found {shown(key)}"
        raise DefinitionError(f"{subject} needs a key: {wanted}{found}", "key")
    check_text(key, "key")
    if subject == "field":
        _check_field(key)


def _check_field(key: str) -> None:
    try:
        path = parse_path(key)
    except ValueError as error:
        raise DefinitionError(f"{key!r} is no field path: {error}", "key") from None
    if path != ("input",) and (len(path) < 2 or path[0] not in ("input", "expected")):
        message = f"the field path {key!r} has to start with input. or expected. (or to be input alone)"
        hint = "Use the subject metadata for metadata keys." if path[0] == "metadata" else None
        raise DefinitionError(message, "key", hint=hint)


def _operands(condition: Condition) -> tuple[Scalar | None, tuple[Scalar, ...] | None]:
    """The value and values in the form of the operator, checked."""
    operator, value, values = condition.operator, condition.value, condition.values
    listed: object = values
    if listed is not None and (isinstance(listed, str) or not isinstance(listed, Sequence | Set)):
        raise DefinitionError(f"`values` is a list, found {shown(values)}", "values")
    if operator in PRESENCE:
        if value is not None or values is not None:
            where = "value" if value is not None else "values"
            raise DefinitionError(f"{operator} takes neither `value` nor `values`", where)
        return None, None
    form = "`values`, a list" if operator in LISTS else "`value`"
    if value is not None and values is not None:
        raise DefinitionError(f"`value` and `values` exclude each other; {operator} takes {form}", "values")
    if value is None and values is None:
        raise DefinitionError(f"{operator} needs {form}; null is no value: not_exists asks for it")
    given: tuple[tuple[JSON, tuple[str | int, ...]], ...] = (
        ((value, ("value",)),)
        if values is None
        else tuple((item, ("values", index)) for index, item in enumerate(values))
    )
    _check_amount(operator, len(given))
    checked = {canonical_text(scalar): scalar for scalar in (_scalar(condition, item, *path) for item, path in given)}
    if operator in LISTS:
        return None, tuple(checked[text] for text in sorted(checked))
    return next(iter(checked.values())), None


def _check_amount(operator: str, count: int) -> None:
    if operator not in LISTS:
        if count != 1:
            hint = "in takes a list." if count else None
            raise DefinitionError(f"{operator} takes one value, found a list of {count}", "values", hint=hint)
    elif not 1 <= count <= MAX_VALUES:
        raise DefinitionError(f"{operator} takes 1 to {MAX_VALUES} values, found {count}", "values")


def _scalar(condition: Condition, value: JSON, *path: str | int) -> Scalar:
    subject, operator = condition.subject, condition.operator
    if value is None:
        raise DefinitionError("null is no value; use exists or not_exists", *path)
    if isinstance(value, list | tuple | dict):
        hint = "Lists are for in and not_in, under `values`." if not isinstance(value, dict) else None
        what = "a list" if not isinstance(value, dict) else "a mapping"
        raise DefinitionError(
            f"{operator} compares with a text, a number, true or false, found {what}", *path, hint=hint
        )
    if not isinstance(value, bool | int | float | str):
        raise DefinitionError(f"{type(value).__name__} is no JSON value", *path)
    if subject == "synthetic" and not isinstance(value, bool):
        raise DefinitionError(f"synthetic is compared with true or false, found {shown(value)}", *path)
    if subject not in (*KEYED, "synthetic") and not isinstance(value, str):
        message = f"{subject} is compared with texts, found {shown(value)}"
        raise DefinitionError(message, *path, hint="Write it in quotes.")
    if subject == "slice":
        _check_reference(str(value), *path)
    if operator in ORDERING and isinstance(value, bool):
        raise DefinitionError(f"{operator} compares with a number or a text, found {shown(value)}", *path)
    try:
        canonical_json(value)
    except CanonicalError as error:
        raise DefinitionError(f"the value has no canonical form: {error.reason}", *path) from None
    return value


def _check_reference(text: str, *path: str | int) -> None:
    reference = SliceReference.parse(text)
    if reference is None or (reference.number is None and reference.digest is None):
        message = f"a slice is referred to as NAME#NUMBER or NAME@DIGEST, found {shown(text)}"
        hint = None if reference is None else "The name alone would mean something else after every edit of that slice."
        raise DefinitionError(message, *path, hint=hint)


def check_text(text: str | None, *path: str | int) -> None:
    try:
        canonical_json(text)
    except CanonicalError as error:
        raise DefinitionError(f"the text has no canonical form: {error.reason}", *path) from None


def canonical_text(value: JSON) -> str:
    return canonical_json(value).decode("utf-8")


def shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
