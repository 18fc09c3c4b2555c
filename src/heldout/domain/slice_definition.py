"""The definition of a slice: conditions over an example, joined by all or any, and perhaps a sample of what matches.

A definition is a value. Its identity is its digest (decision A4), which neither the order of conditions and values nor
their spelling (1 or 1.0) can change; name, description and the required flag are no part of it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from heldout.domain.canonical import CanonicalError, canonical_json, digest
from heldout.domain.example import JSON
from heldout.domain.paths import parse_path
from heldout.domain.slice_rules import (
    KEYED,
    LISTS,
    MATCHES,
    MAX_CONDITIONS,
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and _text(self.to_json()) == _text(other.to_json())

    def __hash__(self) -> int:
        return hash(_text(self.to_json()))


@dataclass(frozen=True, slots=True)
class Sample:
    """The `size` matching examples with the lowest sha256(seed + key); `stratify` names a metadata key to share by."""

    size: int
    seed: str = ""
    stratify: str | None = None

    def __post_init__(self) -> None:
        size: object = self.size
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise DefinitionError(
                f"a sample's size is a whole number from 1, found {_shown(self.size)}", "sample", "size"
            )
        seed: object = self.seed
        if not isinstance(seed, str):
            hint = "Write it in quotes."
            raise DefinitionError(f"a sample's seed is a text, found {_shown(self.seed)}", "sample", "seed", hint=hint)
        stratify: object = self.stratify
        if stratify is not None and (not isinstance(stratify, str) or not stratify):
            message = f"`stratify` names one metadata key, found {_shown(self.stratify)}"
            raise DefinitionError(message, "sample", "stratify")
        for name in ("seed", "stratify"):
            _check_text(getattr(self, name), "sample", name)

    def to_json(self) -> dict[str, JSON]:
        result: dict[str, JSON] = {"size": self.size, "seed": self.seed}
        return result if self.stratify is None else {**result, "stratify": self.stratify}


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """Which examples a slice holds; equal to another definition when the digests are equal.

    No condition at all, joined by `all`, means every example: with a sample that is a plain sample of the dataset.
    Raises DefinitionError.
    """

    conditions: tuple[Condition, ...]
    match: str = "all"
    sample: Sample | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        if self.match not in MATCHES:
            hint = suggestion(str(self.match), MATCHES)
            raise DefinitionError(f"`match` is all or any, found {_shown(self.match)}", "match", hint=hint)
        check_count(len(self.conditions))
        if not self.conditions and self.match == "any":
            raise DefinitionError("any of no conditions matches nothing: give at least one condition", "conditions")

    def to_json(self) -> dict[str, JSON]:
        """The normalised form with the conditions in the order they were written."""
        result: dict[str, JSON] = {"match": self.match, "conditions": [item.to_json() for item in self.conditions]}
        return result if self.sample is None else {**result, "sample": self.sample.to_json()}

    def canonical(self) -> dict[str, JSON]:
        """What the digest covers: `to_json` with the conditions in the order of their canonical text, repeats kept."""
        return {**self.to_json(), "conditions": sorted((item.to_json() for item in self.conditions), key=_text)}

    @property
    def digest(self) -> str:
        """`sha256:` and 64 hex digits: the definition's identity (decisions A4, A5)."""
        return digest(self.canonical())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def check_count(count: int) -> None:
    """Refuse too many conditions before any of them is looked at."""
    if count > MAX_CONDITIONS:
        message = f"a definition takes at most {MAX_CONDITIONS} conditions, found {count}"
        raise DefinitionError(message, position=MAX_CONDITIONS + 1)


def _check_subject(subject: str) -> None:
    if subject not in SUBJECTS:
        message = f"unknown subject {_shown(subject)}; allowed: {', '.join(SUBJECTS)}"
        raise DefinitionError(message, "subject", hint=suggestion(str(subject), SUBJECTS))


def _check_operator(subject: str, operator: str) -> None:
    allowed = OPERATORS[subject]
    if operator in allowed:
        return
    known = any(operator in operators for operators in OPERATORS.values())
    what = f"{operator} is not allowed for {subject}" if known else f"unknown operator {_shown(operator)}"
    message = f"{what}; allowed for {subject}: {', '.join(allowed)}"
    raise DefinitionError(message, "operator", hint=None if known else suggestion(str(operator), allowed))


def _check_key(subject: str, key: object) -> None:
    if subject not in KEYED:
        if key is not None:
            message = f"{subject} takes no key, found {_shown(key)}; only {' and '.join(KEYED)} take one"
            raise DefinitionError(message, "key")
        return
    wanted = "a metadata key" if subject == "metadata" else "a path that starts with input. or expected. (or is input)"
    if not isinstance(key, str) or not key:
        found = "" if key is None else f", found {_shown(key)}"
        raise DefinitionError(f"{subject} needs a key: {wanted}{found}", "key")
    _check_text(key, "key")
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
        raise DefinitionError(f"`values` is a list, found {_shown(values)}", "values")
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
    checked = {_text(scalar): scalar for scalar in (_scalar(condition, item, *path) for item, path in given)}
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
        raise DefinitionError(f"synthetic is compared with true or false, found {_shown(value)}", *path)
    if subject not in (*KEYED, "synthetic") and not isinstance(value, str):
        message = f"{subject} is compared with texts, found {_shown(value)}"
        raise DefinitionError(message, *path, hint="Write it in quotes.")
    if operator in ORDERING and isinstance(value, bool):
        raise DefinitionError(f"{operator} compares with a number or a text, found {_shown(value)}", *path)
    try:
        canonical_json(value)
    except CanonicalError as error:
        raise DefinitionError(f"the value has no canonical form: {error.reason}", *path) from None
    return value


def _check_text(text: str | None, *path: str | int) -> None:
    try:
        canonical_json(text)
    except CanonicalError as error:
        raise DefinitionError(f"the text has no canonical form: {error.reason}", *path) from None


def _text(value: JSON) -> str:
    return canonical_json(value).decode("utf-8")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
