"""A slice's file (`format: heldout/slice@1`): `datasets/<dataset>/slices/<slice>.yaml`.

People edit name, description, required and `definition`; only Heldout appends to `history`.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final, NoReturn

from heldout.domain.example import JSON
from heldout.domain.names import name_problem
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.rules import DefinitionError
from heldout.domain.slicing.shape import read_definition
from heldout.domain.slicing.slices import Recorded, Slice, slice_name_problem
from heldout.errors import ConfigError
from heldout.storage.catalog import ROOT
from heldout.storage.yaml.files import Located, append_items, dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section, kind_of

FORMAT: Final = "heldout/slice@1"
_FOLDER: Final = "slices"
_SUFFIX: Final = ".yaml"
_MARKER = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |\r?$)|^={7}\r?$", re.MULTILINE)
_RESTORE: Final = (
    "Heldout alone writes the history: take the file's last version with `git restore`, edit `definition` only, and "
    "run heldout slice save."
)


def slice_path(dataset: str, name: str) -> str:
    """Where the slice's file is, from the repository's top."""
    return f"{ROOT}/{dataset}/{_FOLDER}/{name}{_SUFFIX}"


def slice_of_path(path: str) -> tuple[str, str] | None:
    """(dataset, slice) of a path that is a slice's file; None for any other.

    A file whose stem cannot name a slice counts too, so that `parse_slice` can say what is wrong with it.
    """
    folder, base = posixpath.split(path)
    dataset, last = posixpath.split(folder.removeprefix(f"{ROOT}/"))
    if not path.startswith(f"{ROOT}/") or last != _FOLDER or not base.endswith(_SUFFIX) or name_problem(dataset):
        return None
    return dataset, base.removesuffix(_SUFFIX)


def parse_slice(data: bytes, path: str) -> Slice:
    """What a slice's file says, its history checked: numbers 1..n in order, every digest its definition's.

    `path` is what messages call the file, and its stem has to be the slice's name. Raises ConfigError with file, line
    and field.
    """
    item = parse_unchecked(data, path)
    located = load_yaml_located(data, path)
    for index, entry in enumerate(item.history):
        number = index + 1
        if entry.number != number:
            message = f"history counts 1, 2, 3 and so on: expected number {number} here, found {entry.number}"
            twice = any(entry.number == other.number for other in item.history[:index])
            hint = "heldout slice save keeps both and numbers them anew." if twice else _RESTORE
            _refuse("slice-history", message, located, ("history", index, "number"), hint)
        if problem := entry.problem():
            message = f"number {number} of slice {item.name} was changed after it was recorded: {problem}"
            _refuse("slice-history", message, located, ("history", index), _RESTORE)
        if any(entry.digest == other.digest for other in item.history[:index]):
            message = f"number {number} of slice {item.name} repeats an earlier definition"
            _refuse("slice-history", message, located, ("history", index, "digest"), _RESTORE)
    return item


def parse_unchecked(data: bytes, path: str) -> Slice:
    """The file's format alone, whatever its history claims: for the repair of a history after a merge."""
    _refuse_markers(data, path)
    located = load_yaml_located(data, path)
    top = Section(located, located.value)
    if top.text("format") != FORMAT:
        top.fail("unknown-format", f"expected the line `format: {FORMAT}`", "format")
    result = Slice(
        name=_name(top, path),
        description=_description(top),
        required=top.flag("required") or False,
        definition=_definition(top, located, ("definition",)),
        history=_history(top, located),
    )
    top.done()
    return result


def _refuse_markers(data: bytes, path: str) -> None:
    found = _MARKER.search(data)
    if found:
        line = data.count(b"\n", 0, found.start()) + 1
        hint = "Choose what stands above `history`, then run heldout slice save: it keeps the history of both branches."
        raise ConfigError("merge-conflict", "a merge left this file in conflict", file=path, line=line, hint=hint)


def _name(top: Section, path: str) -> str:
    name = top.needed_text("name")
    if problem := slice_name_problem(name):
        top.fail("bad-name", f"{name!r} cannot name a slice: {problem}", "name")
    stem = posixpath.basename(path).removesuffix(_SUFFIX)
    if stem != name:
        hint = "Rename the file or the slice, so that both are the same."
        top.fail("bad-name", f"the slice is called {name!r} and its file {stem!r}", "name", hint=hint)
    return name


def _description(top: Section) -> str:
    return "" if top.raw("description") in (None, "") else top.needed_text("description")


def _definition(section: Section, located: Located, path: tuple[str | int, ...]) -> Definition:
    if not section.has("definition"):
        section.fail("missing-key", "the key 'definition' is needed here")
    try:
        return read_definition(section.raw("definition"))
    except DefinitionError as error:
        place = (*path, *error.place())
        if error.position is None:
            _refuse("bad-definition", str(error), located, place, error.hint)
        _refuse("bad-condition", str(error), located, place, error.hint)


def _history(top: Section, located: Located) -> tuple[Recorded, ...]:
    if top.raw("history") in (None, []):
        return ()
    return tuple(_recorded(entry, located, index) for index, entry in enumerate(top.sections("history")))


def _recorded(entry: Section, located: Located, index: int) -> Recorded:
    number = entry.raw("number")
    if isinstance(number, bool) or not isinstance(number, int):
        what = kind_of(number)
        entry.fail("wrong-type", f"expected the number of a definition, found {what}", "number", hint=_RESTORE)
    digest = entry.needed_text("digest")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        entry.fail("bad-value", "expected sha256: and 64 hex digits", "digest", hint=_RESTORE)
    result = Recorded(number, digest, _definition(entry, located, ("history", index, "definition")))
    entry.done()
    return result


def _refuse(slug: str, message: str, located: Located, path: tuple[str | int, ...], hint: str | None) -> NoReturn:
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    raise ConfigError(slug, message, file=located.name, line=located.line(*path), field=shown, hint=hint)


def append_history(data: bytes, path: str, entry: Recorded) -> bytes:
    """The file with one more entry of history; every byte that people wrote stays.

    Raises ConfigError where the file is none, or is written in such a way that nothing can be appended to it.
    """
    before = parse_slice(data, path)
    expected = Slice(before.name, before.definition, (*before.history, entry), before.description, before.required)
    written = append_items(data, "history", [_entry_value(entry)]) if before.history else _start_history(data, entry)
    try:
        if parse_slice(written, path) == expected:
            return written
    except ConfigError:
        pass
    hint = "Write `history` as a plain list at the end of the file, without brackets around the whole file."
    raise ConfigError("slice-history", "no entry can be added to the history as it is written", file=path, hint=hint)


def _start_history(data: bytes, entry: Recorded) -> bytes:
    """A first entry: below an empty `history:`, or under a key that is added at the end."""
    line_end = b"\r\n" if b"\r\n" in data else b"\n"
    entries = dump_yaml({"history": [_entry_value(entry)]}).replace(b"\n", line_end)
    empty = re.search(rb"^history:[ \t]*(?:\[[ \t]*\]|null|~)?(?=[ \t]*(?:#[^\n]*)?\r?$)", data, re.MULTILINE)
    if empty is None:
        gap = b"" if data.endswith(b"\n") or not data else line_end
        return data + gap + entries
    end = data.find(b"\n", empty.end()) + 1 or len(data)
    rest = data[empty.end() : end]
    gap = b"" if rest.endswith(b"\n") else line_end
    return data[: empty.start()] + b"history:" + rest + gap + entries.split(line_end, 1)[1] + data[end:]


def render_slice(item: Slice) -> bytes:
    """A new file that parses back to `item`."""
    content: dict[str, JSON] = {
        "format": FORMAT,
        "name": item.name,
        **({"description": item.description} if item.description else {}),
        **({"required": True} if item.required else {}),
        "definition": item.definition.to_json(),
        **({"history": [_entry_value(entry) for entry in item.history]} if item.history else {}),
    }
    return dump_yaml(content)


def _entry_value(entry: Recorded) -> dict[str, JSON]:
    return {"number": entry.number, "digest": entry.digest, "definition": entry.definition.to_json()}
