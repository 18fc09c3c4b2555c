"""A first guess at `fields` from a file's first rows: made only where one choice is sensible, and always explained.

What people must decide is never guessed: which split is a holdout, and a text column where two would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from heldout.domain.dataset import Fields
from heldout.domain.example import JSON
from heldout.domain.paths import format_path
from heldout.errors import UsageError

_INPUTS: Final = (
    "input",
    "text",
    "question",
    "prompt",
    "instruction",
    "query",
    "sentence",
    "utterance",
    "content",
    "problem",
    "document",
)
_EXPECTED: Final = (
    "expected",
    "label",
    "category",
    "answer",
    "intent",
    "target",
    "class",
    "output",
    "completion",
    "response",
    "solution",
    "canonical_solution",
)
_KEYS: Final = (
    "key",
    "id",
    "_id",
    "uid",
    "uuid",
    "guid",
    "task_id",
    "example_id",
    "question_id",
    "sample_id",
    "case_id",
    "record_id",
)
_LONG_TEXT: Final = 20  # characters on average; labels and codes are shorter
_ROW_WORDS: Final = 6  # as many words name no column


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposed columns, as field paths. `reasons` says why each; `choices` lists the columns that could be the input
    when none is proposed. `header_is_row` says that what could be the input is named by the words of a text: a first
    row that was taken for names would be missing among the examples, and its text must not be shown as a name."""

    input: str | None
    expected: str | None
    key: str | None
    split: str | None
    reasons: tuple[str, ...]
    choices: tuple[str, ...] = ()
    header_is_row: bool = False

    def fields(self) -> Fields:
        """The proposal as dataset.yaml's fields, without those that a row's own names give anyway."""

        def unless(own: str, path: str | None) -> str | None:
            return None if path == own else path

        return Fields(
            input=unless("input", self.input),
            expected=unless("expected", self.expected),
            key=unless("key", self.key),
            split=unless("split", self.split),
        )


def propose_fields(first_rows: Sequence[JSON], columns: Sequence[str] | None = None) -> Proposal:
    """Look at some first rows (a hundred are plenty); `columns` are the names where the file has a header."""
    names = list(columns) if columns is not None else _columns(first_rows)
    values = {name: [_cell(row, name) for row in first_rows] for name in names}
    reasons: list[str] = []
    chosen, choices = _propose_input(names, values, reasons)
    if any(len(name.split()) >= _ROW_WORDS for name in (*choices, *((chosen,) if chosen else ()))):
        return Proposal(None, None, None, None, ("input: the first line looks like a row",), header_is_row=True)
    rest = [name for name in names if name != chosen]
    expected = _only_named(rest, _EXPECTED, "expected", reasons)
    key = next((name for name in _by_name(rest, _KEYS) if _unique_ids(values[name])), None)
    if key is not None:
        reasons.append(f"key: {key!r} is named like an id and is different in every row seen")
    split = next(iter(_by_name(rest, ("split",))), None)
    if split is not None:
        reasons.append(f"split: the column {split!r}")
    return Proposal(_path(chosen), _path(expected), _path(key), _path(split), tuple(reasons), tuple(choices))


def _path(name: str | None) -> str | None:
    return None if name is None else format_path((name,))


def _columns(rows: Sequence[JSON]) -> list[str]:
    """Names of objects in the order they appear; positions of lists, when all rows have one shape."""
    if rows and all(isinstance(row, list) for row in rows):
        return [str(index) for index in range(min(len(row) for row in rows if isinstance(row, list)))]
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))


def _cell(row: JSON, name: str) -> JSON:
    if isinstance(row, dict):
        return row.get(name)
    return row[int(name)] if isinstance(row, list) else None


def _propose_input(
    names: list[str], values: dict[str, list[JSON]], reasons: list[str]
) -> tuple[str | None, Sequence[str]]:
    named = _by_name(names, _INPUTS)
    if len(named) == 1:
        reasons.append(f"input: {named[0]!r} is the only column named like a text")
        return named[0], ()
    if len(named) > 1:
        reasons.append(f"input: {_listed(named)} could each be the text; say which")
        return None, named
    labels = (*_EXPECTED, *_KEYS, "split")
    texts = [name for name in names if name.lower() not in labels and _long_text(values[name])]
    if len(texts) == 1:
        reasons.append(f"input: {texts[0]!r} is the only column of longer texts")
        return texts[0], ()
    found = f"{_listed(texts)} are columns of longer texts; say which" if texts else "no column looks like a text"
    reasons.append(f"input: {found}")
    return None, texts or names


def _only_named(names: list[str], known: Sequence[str], part: str, reasons: list[str]) -> str | None:
    named = _by_name(names, known)
    if len(named) == 1:
        reasons.append(f"{part}: {named[0]!r} is the only column named like a label or an answer")
        return named[0]
    if named:
        reasons.append(f"{part}: {_listed(named)} could each be it; none is taken")
    return None


def _by_name(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Columns with a known name, ignoring case, in the order of the known names."""
    return [name for want in known for name in names if name.lower() == want]


def _long_text(cells: Sequence[JSON]) -> bool:
    texts = [cell for cell in cells if isinstance(cell, str)]
    full = [cell for cell in cells if cell is not None]
    return bool(texts) and len(texts) == len(full) and sum(map(len, texts)) >= _LONG_TEXT * len(texts)


def _unique_ids(cells: Sequence[JSON]) -> bool:
    ids = [cell for cell in cells if isinstance(cell, str | int) and not isinstance(cell, bool) and cell != ""]
    return bool(cells) and len(ids) == len(cells) == len(set(map(str, ids)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def no_header(file: str | None = None) -> UsageError:
    """What to raise for a proposal whose `header_is_row`."""
    return UsageError(
        "header-is-row",
        f"{file + ': ' if file else ''}the first line looks like a row, not like names of columns",
        hint="--columns NAME,NAME where a file has no header (in dataset.yaml: header: false, and columns)",
    )
