"""Checked access to a YAML document that people edit: every refusal names file, line and field.

A codec takes the keys it knows from a `Section`, each with the type it expects, and then calls `done`, which refuses
the rest with a suggestion. So a misspelt key can never be silently ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from heldout.domain.example import JSON
from heldout.domain.paths import parse_path
from heldout.errors import ConfigError
from heldout.storage.yaml.files import Located


def kind_of(value: JSON) -> str:
    """What a value is, in the words of messages."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a text"
    return "a list" if isinstance(value, list) else "a mapping"


def type_of(value: JSON) -> str:
    """As `kind_of` without the value: what stands in a row can be held out, and a message ends up in a log."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a text" if isinstance(value, str) else kind_of(value)


class Section:
    """One mapping of the document, at `path`."""

    def __init__(self, located: Located, value: JSON, path: tuple[str | int, ...] = ()) -> None:
        self._located = located
        self._path = path
        self._known: list[str] = []
        if not isinstance(value, dict):
            self.fail("wrong-type", f"expected a mapping, found {kind_of(value)}")
        self._value: Mapping[str, JSON] = value

    def fail(self, slug: str, message: str, *at: str | int, hint: str | None = None) -> NoReturn:
        """Refuse the section, or the entry `at` in it."""
        path = (*self._path, *at)
        raise ConfigError(
            slug, message, file=self._located.name, line=self._located.line(*path), field=_shown(path), hint=hint
        )

    def has(self, key: str) -> bool:
        self._known.append(key)
        return key in self._value

    def raw(self, key: str) -> JSON:
        self._known.append(key)
        return self._value.get(key)

    def text(self, key: str) -> str | None:
        """A text; None when the key is absent. A number is no text: quote it."""
        return None if not self.has(key) else self._text(self.raw(key), key)

    def needed_text(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            self._refuse_misspelling(key)
            self.fail("missing-key", f"the key {key!r} is needed here", key)
        return value

    def choice(self, key: str, options: Sequence[str]) -> str | None:
        value = self.text(key)
        if value is not None and value not in options:
            from difflib import get_close_matches

            close = get_close_matches(value, options, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else None
            self.fail("bad-value", f"expected one of {', '.join(options)}, found {value!r}", key, hint=hint)
        return value

    def flag(self, key: str) -> bool | None:
        value = self.raw(key)
        if key in self._value and not isinstance(value, bool):
            self.fail("wrong-type", f"expected true or false, found {kind_of(value)}", key)
        return value if isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, without repeats; None when the key is absent."""
        if not self.has(key):
            return None
        value = self.raw(key)
        if not isinstance(value, list):
            self.fail("wrong-type", f"expected a list, found {kind_of(value)}", key)
        items = tuple(self._text(item, key, index) for index, item in enumerate(value))
        for index, item in enumerate(items):
            if item in items[:index]:
                self.fail("bad-value", f"{item!r} is listed twice", key, index)
        return items

    def field_path(self, key: str) -> str | None:
        """A field path (decision A12), kept as text once it is known to parse."""
        value = self.text(key)
        if value is not None:
            try:
                parse_path(value)
            except ValueError as error:
                self.fail("bad-path", f"{value!r} is no field path: {error}", key)
        return value

    def section(self, key: str) -> Section | None:
        return Section(self._located, self.raw(key), (*self._path, key)) if self.has(key) else None

    def sections(self, key: str) -> list[Section]:
        """A list of mappings with at least one."""
        value = self.raw(key)
        if key not in self._value:
            self._refuse_misspelling(key)
            self.fail("missing-key", f"the key {key!r} is needed here", key)
        if not isinstance(value, list) or not value:
            self.fail("wrong-type", f"expected a list with at least one entry, found {_or_empty(value)}", key)
        return [Section(self._located, item, (*self._path, key, index)) for index, item in enumerate(value)]

    def items(self) -> Iterator[tuple[str, JSON]]:
        """Every entry, for mappings whose keys people choose."""
        self._known.extend(self._value)
        return iter(self._value.items())

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._value:
            if key not in self._known:
                from difflib import get_close_matches

                close = get_close_matches(key, self._known, n=1)
                known = ", ".join(dict.fromkeys(self._known))
                hint = f"Did you mean {close[0]!r}?" if close else f"Known keys here: {known}."
                self.fail("unknown-key", f"unknown key {key!r}", key, hint=hint)

    def _refuse_misspelling(self, key: str) -> None:
        """Where a needed key is absent and something like it is there, that is what the person wants to hear."""
        from difflib import get_close_matches

        for close in get_close_matches(key, [name for name in self._value if name not in self._known], n=1):
            self.fail("unknown-key", f"unknown key {close!r}", close, hint=f"Did you mean {key!r}?")

    def _text(self, value: JSON, *at: str | int) -> str:
        if not isinstance(value, str):
            hint = "Write it in quotes." if isinstance(value, bool | int | float) else None
            self.fail("wrong-type", f"expected a text, found {kind_of(value)}", *at, hint=hint)
        if not value:
            self.fail("bad-value", "expected a text, found an empty one", *at)
        return value


def _or_empty(value: JSON) -> str:
    return "an empty one" if value == [] else kind_of(value)


def _shown(path: tuple[str | int, ...]) -> str | None:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or None
