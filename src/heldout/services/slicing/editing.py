"""A slice edited in a form: the same file that people edit, with the same history behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from heldout.domain.canonical import digest_bytes
from heldout.domain.example import JSON
from heldout.domain.slicing.condition import Condition
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.language import LanguageError, parse_values
from heldout.domain.slicing.rules import LISTS, DefinitionError
from heldout.domain.slicing.shape import read_condition, read_definition
from heldout.domain.slicing.slices import Slice
from heldout.domain.slicing.views import Saved
from heldout.errors import UsageError
from heldout.services.slicing.saving import require_working_copy, save
from heldout.services.slicing.use import Target, bound, read_slice
from heldout.services.workspace import Workspace
from heldout.storage.slicing.about import with_about
from heldout.storage.slicing.edit import with_definition
from heldout.storage.slicing.file import parse_slice, slice_path
from heldout.storage.working_files import write_own_file


@dataclass(frozen=True, slots=True)
class Seen:
    """A slice's file as somebody looked at it: where it is, and the digest of its bytes."""

    path: str
    digest: str


def seen(target: Target) -> Seen:
    """What the file of the target's slice is now."""
    assert target.reference is not None
    path = slice_path(target.dataset, target.reference.name)
    return Seen(path, digest_bytes(target.tree.read(path) or b""))


def read_form(match: JSON, conditions: Sequence[Mapping[str, JSON]], sample: JSON) -> Definition:
    """The definition of a form whose values are typed as in the one-line language: `de, fr`, `3`, `"3"`.

    Raises DefinitionError, whose `place()` names the field.
    """
    parsed = [_condition(item, number) for number, item in enumerate(conditions, 1)]
    value: dict[str, JSON] = {"match": match, "conditions": [item.to_json() for item in parsed]}
    return read_definition(value if sample is None else {**value, "sample": sample})


def _condition(fields: Mapping[str, JSON], position: int) -> Condition:
    operator, text = fields.get("operator"), fields.get("value")
    value: dict[str, JSON] = {name: item for name, item in fields.items() if name != "value" and item not in ("", None)}
    try:
        if isinstance(operator, str) and isinstance(text, str) and text.strip():
            found = parse_values(text.strip(), operator)
            value |= {"values": found} if operator in LISTS else {"value": found[0] if found else None}
        return read_condition(value)
    except LanguageError as error:
        raise DefinitionError(error.reason, "value", position=position, hint=error.hint) from None
    except DefinitionError as error:
        raise error.at(position) from None


@dataclass(frozen=True, slots=True)
class About:
    """What a form says of the slice beside its definition, which it is no part of (A4). None is left as it is."""

    description: str | None = None
    required: bool | None = None

    def changes(self, item: Slice) -> list[str]:
        """The fields that another value is asked for."""
        wanted = {"description": self.description, "required": self.required}
        return [name for name, value in wanted.items() if value not in (None, getattr(item, name))]


NOTHING = About()


@dataclass(frozen=True, slots=True)
class Outlook:
    """What saving a form would do: the number that its definition has already, else the one it would get."""

    number: int
    is_recorded: bool
    about: tuple[str, ...]


def outlook(target: Target, definition: Definition, about: About = NOTHING) -> Outlook:
    """For the slice that the target names. Raises what reading the slice's file raises."""
    assert target.reference is not None
    item = read_slice(target.tree, target.dataset, target.reference.name)
    entry = item.find_digest(definition.digest)
    number = item.next_number if entry is None else entry.number
    return Outlook(number, entry is not None, tuple(about.changes(item)))


def edit(
    workspace: Workspace, target: Target, definition: Definition, was: str, about: About = NOTHING
) -> tuple[str, list[Saved]]:
    """Write a form into the slice's file and give its definition the next number, where it has none; the file's path,
    and what was recorded.

    `was` is the digest of the file that the form was filled from. Nothing is left half done: where recording is
    refused, the file is what it was. Raises UsageError (slug changed-meanwhile), and what saving a slice raises.
    """
    require_working_copy(target)
    now = seen(target)
    if now.digest != was:
        raise UsageError(
            "changed-meanwhile", f"{now.path} was changed since it was shown", hint="load the page again, then edit"
        )
    bound(target, definition)
    before = target.tree.read(now.path) or b""
    item = parse_slice(before, now.path)
    wanted = replace(item, **{name: getattr(about, name) for name in about.changes(item)})
    after = with_about(before, now.path, wanted.description, wanted.required)
    write_own_file(workspace.git.top, now.path, with_definition(after, now.path, definition))
    try:
        return now.path, save(workspace, target)
    except BaseException:
        write_own_file(workspace.git.top, now.path, before)
        raise
