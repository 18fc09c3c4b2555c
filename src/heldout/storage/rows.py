"""Rows become examples: the fields of dataset.yaml applied to what a reader yields, exactly or not at all."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import BinaryIO, Final, NoReturn

from heldout.domain.dataset import CASE_SCHEMA, DataFile, DatasetSpec, Fields, JoinedField, Lookup, SplitRule
from heldout.domain.example import JSON, Example
from heldout.domain.paths import MISSING, Missing, format_path, lookup, parse_path
from heldout.errors import DataError
from heldout.storage.lookups import Join, joiner, read_lookup
from heldout.storage.readers import Row, format_of, read_rows
from heldout.storage.splitting.row_schema import row_schema
from heldout.storage.yaml.schema import type_of

__all__ = ["RowMapper", "read_lookup"]

_TABLES: Final = ("csv", "tsv", "parquet")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_LONGEST_NAME: Final = 40
_FLAGS: Final = {"true": True, "false": False}


class RowMapper:
    """Maps rows of every data file of one dataset; `lookups` holds each lookup file's object by its path.

    An explicit field that a row does not have is refused, save that metadata and the optional parts of a JSON row may
    be absent. A part that dataset.yaml does not map is taken from the row's own field of that name, if any, save with
    `own_names` off: files that nobody wrote for Heldout may mean something else by `tags` or `metadata`.
    """

    def __init__(
        self, spec: DatasetSpec, lookups: Mapping[str, Mapping[str, JSON]] | None = None, *, own_names: bool = True
    ) -> None:
        fields = spec.fields
        self._own_names = own_names
        self._fields = fields
        self._schema = None if spec.schema is None else row_schema(spec.schema.text, spec.schema.name)
        self._paths = {name: parse_path(path) for name, path in _plain_paths(fields).items()}
        self._joined = parse_path(fields.input.path) if isinstance(fields.input, JoinedField) else None
        rules = [item.split for item in spec.data if isinstance(item.split, SplitRule)]
        self._rules = {rule.field: parse_path(rule.field) for rule in rules}
        self._metadata: dict[str, tuple[tuple[str, ...], Join | None]] = {}
        for key, value in fields.metadata.items():
            if isinstance(value, Lookup):
                table = (lookups or {})[value.path]
                self._metadata[key] = (parse_path(value.field), joiner(value, table))
            else:
                self._metadata[key] = (parse_path(value), None)

    def example(self, row: Row, item: DataFile, name: str | None = None) -> Example:
        """The example of one row of `item`; `name` is what messages call the file, its path by default.

        Raises DataError with file, line (or row) and field for a row that is no example.
        """
        place = _Place(row, item, name)
        if self._schema is not None and (misfit := self._schema.misfit(row.value)) is not None:
            if self._schema.name == CASE_SCHEMA:
                place.fail("bad-case", misfit.reason, misfit.field)
            place.fail("schema-misfit", misfit.reason, misfit.field)
        payload = self._text(place, "payload")
        if payload is not None and not _DIGEST.fullmatch(payload):
            place.fail("bad-payload", f"expected sha256: and 64 hex digits, found {type_of(payload)}", "payload")
        found = self._input(place)
        if payload is None and (found is MISSING or found is None):
            place.missing("missing-input", "input", self._paths.get("input") or self._joined, found)
        expected = self._part(place, "expected", needed=True)
        return Example(
            split=self._split(place),
            input=None if found is MISSING else found,
            key=self._key(place),
            expected=None if expected is MISSING else expected,
            metadata=self._all_metadata(place),
            tags=self._tags(place),
            source_kind=self._text(place, "source_kind"),
            review_status=self._text(place, "review_status"),
            synthetic=self._flag(place),
            source_id=self._text(place, "source_id"),
            payload=payload,
            has_input=found is not MISSING and found is not None,
            line=row.line,
        )

    def examples(
        self, stream: BinaryIO, item: DataFile, name: str, on_bad_row: Callable[[DataError], None] | None = None
    ) -> Iterator[Example]:
        """Of every row of a file, in its order.

        Raises DataError for a row that cannot be read exactly, or calls `on_bad_row` and goes on.
        """
        for row in read_rows(stream, item, name, on_bad_row):
            try:
                example = self.example(row, item, name)
            except DataError as error:
                if on_bad_row is None:
                    raise
                on_bad_row(error)
            else:
                yield example

    def input_of(self, row: Row, item: DataFile, name: str | None = None) -> JSON:
        """The input of a row, where nothing else of it is wanted. Raises DataError as `example` does."""
        place = _Place(row, item, name)
        found = self._input(place)
        if found is MISSING or found is None:
            place.missing("missing-input", "input", self._paths.get("input") or self._joined, found)
        return found

    def _part(self, place: _Place, part: str, *, needed: bool = False) -> JSON | Missing:
        """The value of a part. `needed` refuses a mapped path that is missing from JSON rows too, not only tables."""
        path = self._paths.get(part)
        value = place.row.value
        if path is None:
            return value.get(part, MISSING) if self._own_names and isinstance(value, dict) else MISSING
        found = lookup(value, path)
        if found is MISSING and (needed or place.is_table):
            place.missing("missing-column", part, path, found)
        return found

    def _input(self, place: _Place) -> JSON | Missing:
        if self._joined is not None:
            assert isinstance(self._fields.input, JoinedField)
            return self._fields.input.join.join(_pieces(place, place.row.value, self._joined, 0))
        if (path := self._paths.get("input")) is not None:
            found = lookup(place.row.value, path)
            if found is MISSING and place.is_table:
                place.missing("missing-column", "input", path, found)
            return found
        value = place.row.value
        if isinstance(value, dict):
            return value.get("input", MISSING)
        return value if isinstance(value, str) else MISSING

    def _split(self, place: _Place) -> str:
        declared = place.item.split
        if place.row.split is not None:
            value: JSON | Missing = place.row.split
        elif isinstance(declared, str):
            return declared
        elif isinstance(declared, SplitRule):
            return self._ruled_split(place, declared)
        else:
            value = self._part(place, "split", needed=True)
        if value is MISSING:
            hint = "Give the file a `split`, or say under `fields` which column holds it."
            place.fail("no-split", "nothing says which split this row is in", None, hint=hint)
        return _split_name(place, value, format_path(self._paths.get("split", ("split",))))

    def _ruled_split(self, place: _Place, rule: SplitRule) -> str:
        path = self._rules.get(rule.field) or parse_path(rule.field)
        value = lookup(place.row.value, path)
        if value is MISSING:
            place.missing("missing-column", "split", path, value)
        if not rule.ranges:
            name = _split_name(place, value, rule.field)
            return rule.values.get(name, name)
        number = _number(value)
        if number is None:
            place.fail("bad-split", f"expected a number to find the split's range, found {type_of(value)}", rule.field)
        for split, (low, high) in rule.ranges.items():
            if low <= number <= high:
                return split
        return place.fail("bad-split", f"{number} is in no declared range", rule.field)

    def _key(self, place: _Place) -> str | None:
        value = self._part(place, "key", needed=True)
        if value is MISSING:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value:
            found = "an empty text" if value == "" else type_of(value)
            place.fail("bad-key", f"a key is a text or an integer, found {found}", self._shown("key"))
        return value

    def _all_metadata(self, place: _Place) -> dict[str, JSON]:
        value = place.row.value
        if not self._metadata:
            own = value.get("metadata") if self._own_names and isinstance(value, dict) else None
            if own is None:
                return {}
            if not isinstance(own, dict):
                place.wrong_type("metadata", "an object", own, "metadata")
            return own
        result: dict[str, JSON] = {}
        for key, (path, join) in self._metadata.items():
            found = lookup(value, path)
            if found is MISSING and place.is_table:
                place.missing("missing-column", f"metadata.{key}", path, found)
            if join is not None:
                result[key] = None if found is MISSING else join(found)
            elif found is not MISSING:
                result[key] = found
        return result

    def _tags(self, place: _Place) -> tuple[str, ...]:
        """A list of texts, or one text that is one tag: splitting at commas would be a guess."""
        value = self._part(place, "tags")
        if value is MISSING or value is None or value == "":
            return ()
        tags = value if isinstance(value, list) else [value]
        for tag in tags:
            if not isinstance(tag, str) or not tag:
                what = "an empty tag" if tag == "" else type_of(tag)
                place.fail("bad-tags", f"expected a text or a list of texts, found {what}", self._shown("tags"))
        return tuple(str(tag) for tag in tags)

    def _text(self, place: _Place, part: str) -> str | None:
        value = self._part(place, part)
        if value is MISSING or value is None or value == "":
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            place.wrong_type(part, "a text", value, self._shown(part))
        return value

    def _flag(self, place: _Place) -> bool | None:
        value = self._part(place, "synthetic")
        if value is MISSING or value is None or value == "":
            return None
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _FLAGS:
            return _FLAGS[value.lower()]
        return place.wrong_type("synthetic", "true or false", value, self._shown("synthetic"))

    def _shown(self, part: str) -> str:
        return format_path(self._paths.get(part, (part,)))


class _Place:
    """Where a row stands, for messages."""

    def __init__(self, row: Row, item: DataFile, name: str | None) -> None:
        self.row = row
        self.item = item
        self.name = name or item.path
        self.format = format_of(item, name)
        self.is_table = self.format in _TABLES

    def fail(self, slug: str, message: str, field: str | None, *, hint: str | None = None) -> NoReturn:
        line, row = (None, self.row.line) if self.format == "parquet" else (self.row.line, None)
        raise DataError(slug, message, file=self.name, line=line, row=row, field=field, hint=hint)

    def wrong_type(self, part: str, expected: str, value: JSON, field: str) -> NoReturn:
        hint = f"Map `{part}` to another field under `fields` in dataset.yaml."
        self.fail("bad-type", f"expected {expected}, found {type_of(value)}", field, hint=hint)

    def missing(self, slug: str, part: str, path: tuple[str, ...] | None, found: JSON | Missing) -> NoReturn:
        """Refuse a row without a part, saying what it has instead."""
        wanted = format_path(path) if path else part
        if found is None:
            self.fail(slug, "the value is null", wanted)
        value = self.row.value
        if not isinstance(value, dict):
            what = "a list of " + str(len(value)) if isinstance(value, list) else type_of(value)
            hint = f'Point `fields.{part}` at a place in it, for instance "0".' if isinstance(value, list) else None
            self.fail(slug, f"there is no {wanted!r}: the row is {what}", wanted, hint=hint)
        names = list(value)
        close = difflib.get_close_matches(wanted, names, n=1)
        if wanted in names:
            hint = f"The name has a dot in it: write it as {format_path((wanted,))}"
        elif close:
            hint = f"Did you mean {close[0]!r}?"
        else:
            hint = f"Say under `fields` in dataset.yaml which one is the {part}." if path is None else None
        shown = ", ".join(map(_shown_name, names[:12])) + (", ..." if len(names) > 12 else "")
        self.fail(slug, f"the row has no {wanted!r}; it has {shown or 'nothing'}", wanted, hint=hint)


def _shown_name(name: str) -> str:
    """A file without a header has its first row for names: a long one is likely somebody's text."""
    return repr(name) if len(name) <= _LONGEST_NAME else f"a name of {len(name)} characters"


def _plain_paths(fields: Fields) -> dict[str, str]:
    names = ("input", "expected", "key", "split", "tags", "source_kind", "review_status", "synthetic", "source_id")
    values = {name: getattr(fields, name) for name in (*names, "payload")}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _pieces(place: _Place, value: JSON, path: tuple[str, ...], depth: int) -> list[str]:
    """The texts at a path in which `*` stands for every element of a list, in order."""
    for index in range(depth, len(path)):
        if path[index] == "*":
            if not isinstance(value, list):
                place.fail("bad-type", f"expected a list at '*', found {type_of(value)}", format_path(path))
            return [piece for element in value for piece in _pieces(place, element, path, index + 1)]
        found = lookup(value, path[index : index + 1])
        if found is MISSING:
            place.fail("missing-input", f"there is no {path[index]!r} here", format_path(path))
        value = found
    if not isinstance(value, str):
        place.fail("bad-type", f"expected a text to join, found {type_of(value)}", format_path(path))
    return [value]


def _split_name(place: _Place, value: JSON, field: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        what = "an empty text" if isinstance(value, str) else type_of(value)
        place.fail("bad-split", f"expected the name of a split, found {what}", field)
    return value


def _number(value: JSON) -> int | float | Decimal | None:
    """A number as it is, or the exact one that a text writes: the cells of a table are always text."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return None
    return None
