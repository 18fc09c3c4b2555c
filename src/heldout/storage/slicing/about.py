"""What a slice's file says about the slice, apart from its definition: the description, and whether suites need it."""

from __future__ import annotations

from heldout.errors import ConfigError
from heldout.storage.slicing.file import parse_unchecked
from heldout.storage.yaml.entries import with_entry


def with_about(data: bytes, path: str, description: str, required: bool) -> bytes:
    """The file with this description and flag; name, definition, history and every other byte are untouched.

    Raises ConfigError: what `parse_unchecked` raises; slice-not-editable where only a person can do it.
    """
    before = parse_unchecked(data, path)
    written, field = data, "description"
    try:
        if description != before.description:
            written = with_entry(written, "description", description, "", ("format", "name"))
        field = "required"
        if required != before.required:
            written = with_entry(written, "required", required, False, ("format", "name", "description"))
    except ValueError:
        raise ConfigError(
            "slice-not-editable",
            f"{field} is written in a way that only a person can edit",
            file=path,
            field=field,
            hint="edit the file",
        ) from None
    return written
