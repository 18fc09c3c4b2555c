"""Random conditions, definitions and examples, small enough that they often agree, and a plain oracle for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from heldout.domain.example import JSON, Example
from heldout.domain.slicing.definition import Condition, Definition, Sample, Scalar
from heldout.domain.slicing.rules import OPERATORS

SCALARS: list[Scalar] = [True, False, 0, 1, 1.0, 1.5, "", "1", "a", "ab", "é", "👍"]
scalars = st.sampled_from(SCALARS)
values: st.SearchStrategy[JSON] = st.one_of(
    st.none(), scalars, st.lists(scalars, max_size=2), st.dictionaries(st.sampled_from("ab"), scalars, max_size=1)
)
KEYS = {"metadata": ["a", "a.b"], "field": ["input", "input.a", "input.a.0", r"input.a\.b", "expected.a"]}


ANSWERED = tuple(subject for subject in OPERATORS if subject != "slice")
"""Subjects that an example answers alone; tests/slices/test_slice_references.py has the other."""


@st.composite
def conditions(draw: Any, subjects: tuple[str, ...] = ANSWERED) -> Condition:
    subject = draw(st.sampled_from(subjects))
    operator = draw(st.sampled_from(OPERATORS[subject]))
    key = draw(st.sampled_from(KEYS[subject])) if subject in KEYS else None
    allowed = scalars
    if subject == "synthetic":
        allowed = st.booleans()
    elif subject not in KEYS:
        allowed = st.sampled_from([value for value in SCALARS if isinstance(value, str)])
    elif operator in ("gt", "gte", "lt", "lte"):
        allowed = st.sampled_from([value for value in SCALARS if not isinstance(value, bool)])
    if operator in ("in", "not_in"):
        return Condition(subject, key, operator, values=tuple(draw(st.lists(allowed, min_size=1, max_size=4))))
    return Condition(subject, key, operator, None if operator.endswith("exists") else draw(allowed))


samples = st.builds(Sample, st.integers(1, 9), st.sampled_from(["", "s1", "ü"]), st.sampled_from([None, "a"]))


@st.composite
def definitions(draw: Any, max_size: int = 5) -> Definition:
    several = tuple(draw(st.lists(conditions(), min_size=1, max_size=max_size)))
    return Definition(several, draw(st.sampled_from(["all", "any"])), draw(st.none() | samples))


@st.composite
def examples(draw: Any) -> Example:
    inside = st.dictionaries(st.sampled_from(["a", "a.b", "b"]), values, max_size=3)
    outside = draw(st.booleans())
    texts = st.sampled_from(["a", "ab", "1", "é"])
    return Example(
        split=draw(texts),
        input=None if outside else draw(st.one_of(values, inside)),
        expected=draw(inside),
        metadata=draw(inside),
        tags=tuple(draw(st.lists(texts, max_size=3))),
        source_kind=draw(st.none() | texts),
        review_status=draw(st.none() | texts),
        synthetic=draw(st.sampled_from([None, True, False])),
        payload="sha256:" + "0" * 64 if outside else None,
        has_input=not outside,
    )


def kind(value: JSON) -> str:
    """JSON's own types; Python has one more number and takes a boolean for another."""
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else names[type(value)]


def equal(a: JSON, b: JSON) -> bool:
    return kind(a) == kind(b) and a == b


def stands_at(value: JSON, path: list[str]) -> list[JSON]:
    """Nothing or the one value there."""
    for name in path:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name in ("0", "1") and int(name) < len(value):
            value = value[int(name)]
        else:
            return []
    return [value]


def oracle(condition: Condition, example: Example) -> bool | None:
    """The rules as decisions A6 to A14 say them, one after the other and with no thought of speed."""
    opposite = {"neq": "eq", "not_in": "in", "not_exists": "exists"}.get(condition.operator)
    if opposite is not None:
        answer = oracle(
            Condition(condition.subject, condition.key, opposite, condition.value, condition.values), example
        )
        return None if answer is None else not answer
    wanted = [condition.value] if condition.values is None else list(condition.values)
    if condition.subject == "tag":
        if condition.operator == "exists":
            return len(example.tags) > 0
        if condition.operator == "contains":
            return any(str(wanted[0]) in tag for tag in example.tags)
        return any(tag == value for tag in example.tags for value in wanted)
    if condition.subject == "field":
        first, *rest = str(condition.key).replace(r"\.", "\0").split(".")
        if first == "input" and not example.has_input:
            return None
        whole = example.input if first == "input" else example.expected
        found = stands_at(whole, [name.replace("\0", ".") for name in rest])
    elif condition.subject == "metadata":
        found = stands_at(dict(example.metadata), [str(condition.key)])
    else:
        found = [getattr(example, condition.subject)]
    return any(fits(condition.operator, value, wanted) for value in found)


def fits(operator: str, value: JSON, wanted: list[Scalar | None]) -> bool:
    if operator == "exists":
        return value is not None and value != []
    if operator in ("eq", "in"):
        return any(equal(value, one) for one in wanted)
    (one,) = wanted
    if operator == "contains":
        if isinstance(value, list):
            return any(equal(item, one) for item in value)
        return isinstance(value, str) and isinstance(one, str) and one in value
    if kind(value) != kind(one) or kind(value) not in ("number", "string"):
        return False
    before = list(map(ord, value)) < list(map(ord, one)) if isinstance(value, str) else value < one  # type: ignore[arg-type, operator]
    same = value == one
    return {"lt": before, "lte": before or same, "gt": not before and not same, "gte": not before}[operator]
