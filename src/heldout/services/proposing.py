"""From files nobody has described to fields and splits: what was asked for first, then what is the only sensible
choice, and never a guess where two would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath

from heldout.domain.dataset import DataFile, Fields
from heldout.domain.proposal import Proposal, no_header, propose_fields
from heldout.errors import DataError, UsageError
from heldout.services.sources import DataSource
from heldout.storage.readers import Row, read_rows

SAMPLE_ROWS = 100
_PARTS = ("input", "expected", "key", "split")

AskInput = Callable[[Sequence[str], Sequence[str]], str | None]
"""Reasons and columns to choose from; returns the column, or None where nobody is there to say."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Field paths that a person gave."""

    input: str | None = None
    expected: str | None = None
    key: str | None = None
    split: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def given(self) -> dict[str, str]:
        parts = {part: getattr(self, part) for part in _PARTS}
        return {part: path for part, path in parts.items() if path is not None}


@dataclass(frozen=True, slots=True)
class Draft:
    """`proposed` are parts that nobody asked for: they are given up where the data turns out not to have them."""

    items: tuple[DataFile, ...]
    fields: Fields
    reasons: tuple[str, ...]
    proposed: frozenset[str]

    def without(self, part: str, why: str) -> Draft:
        reasons = tuple(reason for reason in self.reasons if not reason.startswith(f"{part}:"))
        kept = {name: getattr(self.fields, name) for name in ("expected", "key", "split") if name != part}
        fields = Fields(input=self.fields.input, metadata=self.fields.metadata, **kept)
        return replace(
            self, fields=fields, reasons=(*reasons, f"{part}: not taken, {why}"), proposed=self.proposed - {part}
        )


def first_rows(data: DataSource, item: DataFile, on_bad_row: Callable[[DataError], None] | None) -> list[Row]:
    """Some rows from the start. Raises DataError for one that cannot be read, unless `on_bad_row` takes it."""
    rows: list[Row] = []
    for name, stream in data.open(item.path):
        with closing(read_rows(stream, item, name, on_bad_row)) as found:  # type: ignore[type-var]
            rows += islice(found, SAMPLE_ROWS - len(rows))
        if len(rows) >= SAMPLE_ROWS:
            break
    return rows


def draft(items: Sequence[DataFile], samples: Sequence[Sequence[Row]], asked: Asked, ask_input: AskInput) -> Draft:
    """Fields and splits for files whose first rows are `samples`, one sequence a file.

    Raises UsageError (slug ambiguous-input) where the input cannot be told and nobody says it.
    """
    parts = asked.given()
    proposal, reasons = _proposal(samples)
    proposed = set()
    if "input" not in parts and not _is_text(samples):
        if any(propose_fields([row.value for row in sample]).header_is_row for sample in samples):
            raise no_header()
        path = proposal.input or ask_input(proposal.reasons, proposal.choices)
        if path is None:
            raise _ambiguous(proposal)
        parts["input"] = path
        if proposal.input is None:
            reasons = (f"input: {path!r}, as chosen", *(text for text in reasons if not text.startswith("input:")))
    for part in ("expected", "key", "split"):
        path = getattr(proposal, part)
        if part not in parts and path is not None and path != parts.get("input"):
            parts[part] = path
            proposed.add(part)
    why = [f"{part}: {path!r}, as asked" for part, path in asked.given().items()]
    why += [reason for reason in reasons if reason.partition(":")[0] not in asked.given()]
    fields = Fields(
        **{part: None if path == part else path for part, path in parts.items()},  # a row's own names need no mapping
        metadata=dict(asked.metadata),
    )
    splits = [_split(item, sample, by_field="split" in parts) for item, sample in zip(items, samples, strict=True)]
    return Draft(tuple(splits), fields, tuple(why), frozenset(proposed))


def with_split(item: DataFile, sample: Sequence[Row], *, by_field: bool) -> DataFile:
    return _split(item, sample, by_field=by_field)


def stem(path: str) -> str:
    """`train` of train.csv and of train.csv.gz."""
    name = PurePosixPath(path)
    return PurePosixPath(name.stem).stem if name.suffix == ".gz" else name.stem


def _split(item: DataFile, sample: Sequence[Row], *, by_field: bool) -> DataFile:
    named_by_structure = any(row.split is not None for row in sample)
    if item.split is not None or by_field or named_by_structure:
        return item
    return replace(item, split=stem(item.path))


def _proposal(samples: Sequence[Sequence[Row]]) -> tuple[Proposal, tuple[str, ...]]:
    """What every file with rows agrees on; the reasons are those of the first one."""
    found = [propose_fields([row.value for row in sample]) for sample in samples if sample]
    if not found or _is_text(samples):
        return Proposal(None, None, None, None, ()), ("input: each line, as it is",) if found else ()
    first = found[0]
    agreed = {
        part: getattr(first, part) if all(getattr(other, part) == getattr(first, part) for other in found) else None
        for part in _PARTS
    }
    reasons = [reason for reason in first.reasons if _holds(reason, first, agreed)]
    reasons += [f"{part}: not the same column in every file" for part in _PARTS if agreed[part] != getattr(first, part)]
    choices = tuple(
        dict.fromkeys(name for one in found for name in (*one.choices, *((one.input,) if one.input else ())))
    )
    proposal = Proposal(
        agreed["input"], agreed["expected"], agreed["key"], agreed["split"], tuple(reasons),
        () if agreed["input"] else choices,
    )  # fmt: skip
    return proposal, tuple(reasons)


def _holds(reason: str, first: Proposal, agreed: Mapping[str, str | None]) -> bool:
    """Whether a reason of the first file's is still true of all files."""
    part = reason.partition(":")[0]
    return bool(agreed[part] == getattr(first, part))


def _is_text(samples: Sequence[Sequence[Row]]) -> bool:
    return all(isinstance(row.value, str) for sample in samples for row in sample)


def _ambiguous(proposal: Proposal) -> UsageError:
    about = next((reason for reason in proposal.reasons if reason.startswith("input:")), "input: no column was found")
    shown = ", ".join(proposal.choices) or "none"
    return UsageError(
        "ambiguous-input",
        f"it is not clear which column is the input ({about.removeprefix('input: ')})",
        hint=f"--input COLUMN, one of: {shown}",
    )
