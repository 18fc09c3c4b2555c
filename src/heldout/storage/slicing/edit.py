"""A slice's file with another definition: only the lines that say something else change, and comments stay.

YAML libraries that keep comments write the rest of a document anew in their own style. Here a file is edited as a
person would: by its lines. What cannot be done so (a definition in brackets) is replaced as a whole, and the result is
read back before anybody gets it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from heldout.domain.slicing.condition import Condition
from heldout.domain.slicing.definition import Definition, Sample
from heldout.domain.slicing.slices import Slice
from heldout.errors import ConfigError
from heldout.storage.slicing.file import parse_unchecked
from heldout.storage.yaml.files import Located, dump_yaml, load_yaml_located

_MATCH = re.compile(r"(\s*match:[ \t]+)(?:all|any|\"all\"|\"any\"|'all'|'any')(?=[ \t]*(?:#.*)?\r?\n?$)")


def with_definition(data: bytes, path: str, definition: Definition) -> bytes:
    """The file with this definition where another stood; name, description, required and history are untouched.

    Raises ConfigError: what `parse_unchecked` raises; slice-not-editable where only a person can do it.
    """
    before = parse_unchecked(data, path)
    if before.definition.to_json() == definition.to_json():
        return data
    text = data.decode("utf-8")
    located = load_yaml_located(data, path)
    for attempt in (_line_by_line, _as_a_whole):
        written = attempt(text, located, before.definition, definition)
        if written is not None and _says(written, path, before, definition):
            return written.encode("utf-8")
    raise ConfigError(
        "slice-not-editable",
        "the definition is written in a way that only a person can edit",
        file=path,
        field="definition",
        hint="edit the file, then run heldout slice save",
    )


def _says(written: str, path: str, before: Slice, definition: Definition) -> bool:
    try:
        after = parse_unchecked(written.encode("utf-8"), path)
    except ConfigError:
        return False
    same = (after.name, after.description, after.required) == (before.name, before.description, before.required)
    history = [(entry.number, entry.digest) for entry in before.history]
    kept = [(entry.number, entry.digest) for entry in after.history] == history
    return same and kept and after.definition.to_json() == definition.to_json()


@dataclass(frozen=True, slots=True)
class _Place:
    """Lines of the file; `start` is that of `definition:` and `end` the first one after what belongs to it."""

    lines: list[str]
    start: int
    end: int

    @property
    def line_end(self) -> str:
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"


def _place(text: str, located: Located) -> _Place | None:
    lines = text.splitlines(keepends=True) if "\x85" not in text and "\u2028" not in text else _on_newlines(text)
    first = located.line("definition")
    if first is None or not lines[first - 1].startswith("definition:"):
        return None
    starts = [line for key in located.lines if len(key) == 1 and (line := located.lines[key]) > first]
    end = min(starts, default=len(lines) + 1) - 1
    return _Place(lines, first - 1, _before_comments(lines, end, first))


def _on_newlines(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=\n)", text) if part]


def _before_comments(lines: Sequence[str], end: int, least: int) -> int:
    """Comments and empty lines above an entry belong to it."""
    while end > least and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _as_a_whole(text: str, located: Located, _: Definition, after: Definition) -> str | None:
    place = _place(text, located)
    if place is None:
        return None
    lines = _dumped({"definition": after.to_json()}, place.line_end)
    return "".join([*place.lines[: place.start], *lines, *place.lines[place.end :]])


def _dumped(value: object, line_end: str, indent: str = "") -> list[str]:
    return [f"{indent}{line}{line_end}" for line in dump_yaml(value).decode().splitlines()]  # type: ignore[arg-type]


def _line_by_line(text: str, located: Located, before: Definition, after: Definition) -> str | None:
    place = _place(text, located)
    keys = {key[1]: line - 1 for key, line in located.lines.items() if key[:1] == ("definition",) and len(key) == 2}
    if place is None or "conditions" not in keys or not before.conditions:
        return None
    starts = sorted([*keys.values(), place.end])
    blocks = {}
    for name, start in keys.items():
        following = starts[starts.index(start) + 1]
        end = following if following == place.end else _before_comments(place.lines, following, start + 1)
        blocks[name] = (start, end)
    indent = re.match(r"\s*", place.lines[keys["conditions"]])[0]  # type: ignore[index]
    conditions = _conditions(place, located, blocks["conditions"], before, after)
    if conditions is None or not indent:
        return None
    edits = {blocks["conditions"]: conditions}
    edits |= _match(place, blocks, before, after, indent)
    edits |= _sample(place, blocks, before.sample, after.sample, indent)
    return _edited(place.lines, edits)


def _edited(lines: Sequence[str], edits: dict[tuple[int, int], list[str]]) -> str:
    result: list[str] = []
    at = 0
    for (start, end), new in sorted(edits.items()):
        result += [*lines[at:start], *new]
        at = end
    return "".join([*result, *lines[at:]])


def _match(
    place: _Place, blocks: dict[str | int, tuple[int, int]], before: Definition, after: Definition, indent: str
) -> dict[tuple[int, int], list[str]]:
    if before.match == after.match:
        return {}
    if "match" not in blocks:
        return {(place.start + 1, place.start + 1): [f"{indent}match: {after.match}{place.line_end}"]}
    start, _ = blocks["match"]
    return {(start, start + 1): [_MATCH.sub(rf"\g<1>{after.match}", place.lines[start])]}


def _sample(
    place: _Place,
    blocks: dict[str | int, tuple[int, int]],
    before: Sample | None,
    after: Sample | None,
    indent: str,
) -> dict[tuple[int, int], list[str]]:
    if before == after:
        return {}
    new = [] if after is None else _dumped({"sample": after.to_json()}, place.line_end, indent)
    return {blocks.get("sample", (place.end, place.end)): new}


def _conditions(
    place: _Place, located: Located, block: tuple[int, int], before: Definition, after: Definition
) -> list[str] | None:
    """The block of conditions: those that stay with every byte and comment, those that were edited under the comments
    that stood above them. None where conditions do not stand on lines of their own."""
    heads = [located.lines.get(("definition", "conditions", number)) for number in range(len(before.conditions))]
    marks = [line - 1 for line in heads if line is not None]
    if len(marks) != len(before.conditions) or len({*marks, block[0]}) != len(marks) + 1:
        return None
    if not all(place.lines[mark].lstrip().startswith("- ") for mark in marks):
        return None
    starts = [_before_comments(place.lines, mark, block[0] + 1) for mark in marks]
    chunks = [place.lines[start:end] for start, end in zip(starts, [*starts[1:], block[1]], strict=True)]
    above = [place.lines[start:mark] for start, mark in zip(starts, marks, strict=True)]
    indent = re.match(r"\s*", place.lines[marks[0]])[0]  # type: ignore[index]
    result = place.lines[block[0] : starts[0]]
    for old, condition in _paired(before.conditions, after.conditions):
        if old is not None and before.conditions[old] == condition:
            result += _ended(chunks[old], place.line_end)
        else:
            result += [
                *(above[old] if old is not None else []),
                *_dumped([condition.to_json()], place.line_end, indent),
            ]
    return result


def _ended(chunk: list[str], line_end: str) -> list[str]:
    """The file's last line may have no end."""
    return [line if line.endswith("\n") else line + line_end for line in chunk]


def _paired(before: Sequence[Condition], after: Sequence[Condition]) -> list[tuple[int | None, Condition]]:
    """Each new condition with the old one that it is, or that it was made of: the one at its place, which went."""
    left = list(range(len(before)))
    pairs: list[tuple[int | None, Condition]] = []
    for condition in after:
        same = next((number for number in left if before[number] == condition), None)
        if same is not None:
            left.remove(same)
        pairs.append((same, condition))
    return [
        (left.pop(left.index(place)) if number is None and place in left else number, condition)
        for place, (number, condition) in enumerate(pairs)
    ]
