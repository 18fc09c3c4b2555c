"""A definition as one Python function, written out and compiled.

A slice is asked of every row of a dataset, so a row must cost little: five conditions take a fifth of the time that as
many closures take, because a value is fetched once for all conditions on it and nothing is called in between. The text
that is compiled holds no word of the definition; keys and values reach it as variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from heldout.domain.example import JSON
from heldout.domain.paths import MISSING, lookup, parse_path
from heldout.domain.slicing.definition import Condition, Definition, Scalar
from heldout.domain.slicing.rules import LISTS, ORDERING

_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


Check: TypeAlias = Callable[[Any], "bool | None"]


@dataclass(frozen=True, slots=True)
class Members:
    """Who is in the sample of a slice that another one refers to, by split and key.

    Of a `partial` sample nobody can say who of the matching examples is in: one that could not be checked might take
    the place.
    """

    members: frozenset[tuple[str, str]]
    partial: bool


Samples: TypeAlias = "Mapping[str, Members]"
"""By the digest of the sampled definition."""


def compile_check(definition: Definition, samples: Samples) -> Check:
    """`check(example)`: True, False, or None where nobody can say: the answer needs an input that is not here.

    Conditions that always have an answer come first, then other slices, then conditions on the input. Where none of
    the first two decides and there is no input, all the others are unknown, and so is the whole: that is Kleene's
    join. Raises DefinitionError for a slice that nobody has looked up, KeyError for a sample that nobody has drawn.
    """
    writer = _Writer(definition.match == "any")
    uncertain = []
    for condition in definition.conditions:
        if _needs_input(condition):
            uncertain.append(condition)
        elif condition.subject != "slice":
            writer.condition(condition)
    for condition in definition.conditions:
        if condition.subject == "slice":
            writer.reference(_reference(condition, definition, samples))
    if uncertain:
        writer.lines.append("if not example.has_input: return None")
    for condition in uncertain:
        writer.condition(condition)
    return writer.function()


def _reference(condition: Condition, definition: Definition, samples: Samples) -> Check:
    """Whether an example is in one of the slices, or for `neq` and `not_in` in none of them."""
    checks = [_membership(definition.meaning(text), samples) for text in condition.slices()]
    opposite = condition.operator in ("neq", "not_in")

    def check(example: Any) -> bool | None:
        answers = [one(example) for one in checks]
        found = True if True in answers else None if None in answers else False
        return found if found is None or not opposite else not found

    return check


def _membership(definition: Definition, samples: Samples) -> Check:
    check = compile_check(definition, samples)
    if definition.sample is None:
        return check
    drawn = samples[definition.digest]
    members = drawn.members
    if not drawn.partial:
        return lambda example: (example.split, example.key) in members
    return lambda example: False if check(example) is False else None


def _needs_input(condition: Condition) -> bool:
    return condition.subject == "field" and parse_path(str(condition.key))[0] == "input"


class _Writer:
    """The lines of one function, and the values its variables are bound to."""

    def __init__(self, decisive: bool) -> None:
        self._decisive = decisive
        self._bound: dict[str, object] = {"step": _step, "holds": _holds}
        self._loaded: dict[tuple[str, str | None], str] = {}
        self._may_be_unknown = False
        self.lines: list[str] = []

    def reference(self, check: Check) -> None:
        """An answer of three values, which may leave the whole unknown."""
        if not self._may_be_unknown:
            self._may_be_unknown = True
            self.lines.append("unknown = False")
        self.lines.append(f"answer = {self._bind(check)}(example)")
        self.lines.append("if answer: return True" if self._decisive else "if answer is False: return False")
        self.lines.append("if answer is None: unknown = True")

    def condition(self, condition: Condition) -> None:
        value = self._load(condition.subject, condition.key)
        answer = self._tag(condition, value) if condition.subject == "tag" else self._answer(condition, value)
        if condition.operator in ("neq", "not_in", "not_exists"):
            answer = f"not ({answer})"
        self.lines.append(f"if {answer}: return True" if self._decisive else f"if not ({answer}): return False")

    def function(self) -> Callable[[Any], bool | None]:
        parameters = "".join(f", {name}={name}" for name in self._bound)  # faster to reach than globals
        last = f"return None if unknown else {not self._decisive}" if self._may_be_unknown else None
        body = "".join(f"    {line}\n" for line in [*self.lines, last or f"return {not self._decisive}"])
        namespace = dict(self._bound)
        exec(f"def check(example{parameters}):\n{body}", namespace)
        result: Any = namespace["check"]
        return result  # type: ignore[no-any-return]

    def _bind(self, value: object) -> str:
        name = f"c{len(self._bound)}"
        self._bound[name] = value
        return name

    def _load(self, subject: str, key: str | None) -> str:
        """The variable that holds the subject's value, None for a missing one; fetched where it is first asked for."""
        place = (subject, key)
        if place in self._loaded:
            return self._loaded[place]
        name = f"v{len(self._loaded)}"
        self._loaded[place] = name
        if subject == "metadata":
            self.lines.append(f"{name} = example.metadata.get({self._bind(key)})")
        elif subject == "field":
            self.lines.extend(self._walk(name, parse_path(str(key))))
        else:
            self.lines.append(f"{name} = example.{'tags' if subject == 'tag' else subject}")
        return name

    def _walk(self, name: str, path: tuple[str, ...]) -> Iterator[str]:
        yield f"{name} = example.{'input' if path[0] == 'input' else 'expected'}"
        for part in path[1:]:
            bound = self._bind(part)
            yield f"{name} = {name}.get({bound}) if {name}.__class__ is dict else step({name}, {bound})"

    def _tag(self, condition: Condition, tags: str) -> str:
        """Tags are many (decision A7): eq and in ask whether one of them fits, neq and not_in whether none does."""
        if condition.operator in LISTS:
            return f"not {self._bind(frozenset(condition.values or ()))}.isdisjoint({tags})"
        if condition.operator in ("eq", "neq"):
            return f"{self._bind(condition.value)} in {tags}"
        if condition.operator == "contains":
            value = str(condition.value)
            return f"{self._bind(lambda tags: any(value in tag for tag in tags))}({tags})"
        return tags

    def _answer(self, condition: Condition, found: str) -> str:
        """The operator, or what its complement negates, as an expression over the variable of one JSON value."""
        operator, value = condition.operator, condition.value
        if operator in ORDERING:
            return self._ordering(_COMPARE[operator], value, found)
        if operator in LISTS:
            return self._listed(condition.values or (), found)
        if value is None:  # exists, not_exists
            return f"{found} is not None and {found} != []"
        if operator == "contains":
            return self._contains(value, found)
        return self._equals(value, found)

    def _equals(self, value: Scalar, found: str) -> str:
        """Python takes true for 1, JSON does not (decision A10)."""
        if isinstance(value, bool):
            return f"{found} is {value}"
        equal = f"{found} == {self._bind(value)}"
        return equal if isinstance(value, str) else f"{equal} and {found} is not True and {found} is not False"

    def _listed(self, values: tuple[Scalar, ...], found: str) -> str:
        plain = frozenset(value for value in values if not isinstance(value, bool))
        kinds = " or ".join(f"{found}.__class__ is {kind}" for kind in _classes(plain))
        parts = [f"({kinds}) and {found} in {self._bind(plain)}"] if plain else []
        parts += [f"{found} is {value}" for value in values if isinstance(value, bool)]
        return " or ".join(parts)

    def _contains(self, value: Scalar, found: str) -> str:
        """An element of a list, or a part of a text, letter case and all (decision A6)."""
        bound = self._bind(value)
        if isinstance(value, str):
            return f"({found}.__class__ is str or {found}.__class__ is list) and {bound} in {found}"
        return f"{found}.__class__ is list and holds({found}, {bound})"

    def _ordering(self, sign: str, value: Scalar | None, found: str) -> str:
        """Number with number, text with text by code point; anything else does not match (decision A11)."""
        compared = f"{found} {sign} {self._bind(value)}"
        if isinstance(value, str):
            return f"{found}.__class__ is str and {compared}"
        return f"({found}.__class__ is int or {found}.__class__ is float) and {compared}"


def _classes(values: frozenset[Scalar]) -> list[str]:
    """The types of JSON values that can equal one of the values: an integer can equal a float."""
    texts = any(isinstance(value, str) for value in values)
    numbers = any(not isinstance(value, str) for value in values)
    return ["str"] * texts + ["int", "float"] * numbers


def _holds(values: list[JSON], value: Scalar) -> bool:
    truth = isinstance(value, bool)
    return any(item == value and isinstance(item, bool) is truth for item in values)


def _step(value: JSON, part: str) -> JSON:
    """One step of a field path into anything but a plain dict; a missing place is asked about as null."""
    if not isinstance(value, Mapping | list):
        return None
    found = lookup(value, (part,))
    return None if found is MISSING else found
