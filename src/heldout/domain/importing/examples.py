"""A row of an export as an example in Heldout's own record shape."""

from __future__ import annotations

from collections.abc import Mapping

from heldout.domain.example import JSON, Example
from heldout.domain.importing.mapping import WHOLE, ExampleMap
from heldout.domain.importing.places import ImportFault, Place, kind
from heldout.domain.paths import MISSING, Missing

SLUG = "bad-import-row"


def example_of(row: JSON, fields: ExampleMap, line: int) -> Example:
    """Without a key or a split where nothing says one; `split` is then the empty text. Raises ImportFault."""
    found, at = fields.input.find(row)
    if found is MISSING or found is None:
        raise ImportFault(SLUG, _absent("input", fields.input, row, found), at, "say where it is: --set input=PATH")
    if fields.without and isinstance(found, dict):
        found = {key: value for key, value in found.items() if key not in fields.without}
    expected = MISSING if fields.expected is None else fields.expected.value(row)
    return Example(
        split=split_of(row, fields.split) or "",
        input=found,
        key=None if fields.key is None else key_of(row, fields.key),
        expected=None if expected is MISSING else expected,
        metadata=metadata_of(row, fields.metadata),
        tags=_tags(row, fields.tags),
        line=line,
    )


def key_of(row: JSON, place: Place) -> str:
    found, at = place.find(row)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if isinstance(found, str) and found:
        return found
    hint = "say where it is: --set key=PATH"
    if found is MISSING or found is None:
        raise ImportFault(SLUG, _absent("key", place, row, found), at, hint)
    raise ImportFault(SLUG, f"a key is a text or a whole number, found {kind(found)}", at, hint)


def split_of(row: JSON, place: Place | None) -> str | None:
    """A text, or a list of one: an example is in one split."""
    if place is None:
        return None
    found, at = place.find(row)
    if found is MISSING or found is None or found == []:
        return None
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if isinstance(found, str) and found.strip():
        return found
    what = f"{len(found)} splits" if isinstance(found, list) else kind(found)
    raise ImportFault(SLUG, f"expected one split, found {what}", at, "say one for all rows: --split NAME")


def metadata_of(row: JSON, places: Mapping[str, Place]) -> dict[str, JSON]:
    result: dict[str, JSON] = {}
    for key, place in places.items():
        found, at = place.find(row)
        if found is MISSING or (found is None and key == WHOLE):
            continue
        if key != WHOLE:
            result[key] = found
        elif isinstance(found, dict):
            result.update(found)
        else:
            raise ImportFault(SLUG, f"expected an object of metadata, found {kind(found)}", at)
    return result


def _tags(row: JSON, place: Place | None) -> tuple[str, ...]:
    found, at = (MISSING, None) if place is None else place.find(row)
    if found is MISSING or found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(tag, str) and tag for tag in found):
        raise ImportFault(SLUG, f"expected a list of texts, found {kind(found)}", at)
    return tuple(str(tag) for tag in found)


def _absent(part: str, place: Place, row: JSON, found: JSON | Missing) -> str:
    """What the row has instead, by the names of its keys: no value of it is shown."""
    if found is None:
        return f"the {part} is null ({place})"
    if not isinstance(row, dict):
        return f"there is no {part} ({place}): the row is {kind(row)}"
    names = ", ".join(map(repr, list(row)[:12])) + (", ..." if len(row) > 12 else "")
    return f"there is no {part} ({place}); the row has {names or 'nothing'}"
