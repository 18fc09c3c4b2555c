"""What dataset.yaml says: which files hold a dataset's examples, and how a row becomes an example."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.canonical import digest_bytes
from heldout.domain.example import JSON

DEFAULT_HOLDOUT = ("holdout", "held_out", "sealed")
"""Split names that mean a holdout without being declared. `test` is never guessed to be one."""

FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "txt", "manifest")
"""Formats of data files."""

READER_VERSION = 1
"""Raised when the same file would be read as other examples than before; part of every source digest."""


@dataclass(frozen=True, slots=True)
class SplitRule:
    """How a row finds its split: the value of a field as it is, renamed by `values`, or by an inclusive numeric range.

    Written in dataset.yaml as `split: {field: task_id, ranges: {prompt: [1, 10], test: [11, 510]}}`.
    """

    field: str
    values: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ranges: Mapping[str, tuple[int | float, int | float]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Metadata joined from a second file, as clinc150's domain of an intent.

    `path` is a JSON file tracked like any data file, holding either `{value: joined}` or, with `groups`,
    `{joined: [value, ...]}`. `field` is the row's path whose value is looked up; a value that is not in the file joins
    as null.
    """

    path: str
    field: str
    groups: bool = False


@dataclass(frozen=True, slots=True)
class DataFile:
    """One tracked file, or folder of shards, of a dataset.

    `path` is relative to the folder of dataset.yaml. `format` is one of csv, tsv, json, jsonl, parquet, txt; None means
    by the file's suffix. `records` is a path inside a JSON document to the list of rows; one component may be
    `{split}`, which stands for every key there and is the split's name. `header` False means no header line; `columns`
    then names the columns.
    """

    path: str
    split: str | SplitRule | None = None
    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: bool = True
    columns: tuple[str, ...] = ()
    records: str | None = None


@dataclass(frozen=True, slots=True)
class JoinedField:
    """A field made of several values of a row: `{path: data.*.text, join: ""}` as in snips2017's chunks."""

    path: str
    join: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """Which column or JSON path of a row holds which part of an example (decision A12's paths).

    None means: the field of the part's own name where a row has one, so a record in Heldout's own shape needs no
    mapping. `metadata` maps a metadata key to a path; empty means the row's own `metadata` object, if any.
    """

    input: str | JoinedField | None = None
    expected: str | None = None
    key: str | None = None
    split: str | None = None
    tags: str | None = None
    metadata: Mapping[str, str | Lookup] = dataclasses.field(default_factory=dict)
    source_kind: str | None = None
    review_status: str | None = None
    synthetic: str | None = None
    source_id: str | None = None
    payload: str | None = None


CASE_SCHEMA = "case@1"
"""The schema that ships with Heldout: the split check's cases, with the rules between them."""


@dataclass(frozen=True, slots=True)
class RowSchema:
    """The JSON Schema that every row has to fit: `case@1`, or a file in Git, by its path from dataset.yaml.

    `text` is the file's content, which the catalog fills in from the same tree.
    """

    name: str
    text: bytes = dataclasses.field(default=b"", compare=False, repr=False)

    def meaning(self) -> JSON:
        """A file by what it says: with `on_bad_row: skip` it decides what the examples are."""
        if self.name == CASE_SCHEMA:
            return self.name
        return [self.name, digest_bytes(self.text)]


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """A parsed dataset.yaml. `holdout` None means not declared: then `DEFAULT_HOLDOUT` names count.

    `payloads` is the tracked file or folder that holds inputs kept outside the data files. `signatures` is the tracked
    file in which those of a sealed holdout are published: made of a version's content, it is no part of it. `groups`
    gives names to the field paths whose equal values must not stand in two splits.
    """

    name: str
    data: tuple[DataFile, ...]
    fields: Fields = Fields()
    holdout: tuple[str, ...] | None = None
    description: str = ""
    licence: str | None = None
    role: str | None = None
    on_bad_row: str = "refuse"
    payloads: str | None = None
    schema: RowSchema | None = None
    signatures: str | None = None
    groups: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def is_holdout(self, split: str) -> bool:
        return split in self.holdout_names()

    def holdout_names(self) -> frozenset[str]:
        """Splits of these names hold out, whether or not there are any."""
        return frozenset(DEFAULT_HOLDOUT if self.holdout is None else self.holdout)

    def lookup_paths(self) -> tuple[str, ...]:
        """Files that metadata is joined from, sorted."""
        return tuple(sorted({value.path for value in self.fields.metadata.values() if isinstance(value, Lookup)}))

    def tracked_paths(self) -> tuple[str, ...]:
        """Every path, relative to the dataset's folder, whose bytes decide what the examples are; sorted."""
        stored = () if self.payloads is None else (self.payloads,)
        return tuple(sorted({*(item.path for item in self.data), *self.lookup_paths(), *stored}))

    def meaning(self) -> dict[str, JSON]:
        """The part of dataset.yaml that can change what an example is or which split holds out; for the source digest.

        Description, licence and role are left out: editing them makes no new version. Defaults are left out too, so
        that a setting added to the format later leaves old digests alone.
        """
        return {
            "name": self.name,
            "reader": READER_VERSION,
            "data": [_without_defaults(item) for item in self.data],
            "fields": _without_defaults(self.fields),
            "holdout": None if self.holdout is None else [*sorted(set(self.holdout))],
            "on_bad_row": self.on_bad_row,
            **({} if self.payloads is None else {"payloads": self.payloads}),
            **({} if self.schema is None else {"schema": self.schema.meaning()}),
            **({"groups": dict(self.groups)} if self.groups else {}),
        }


def _without_defaults(value: object) -> JSON:
    """A frozen dataclass, tuple or mapping as JSON, leaving out every attribute that equals its default."""
    if isinstance(value, Mapping):
        return {str(key): _without_defaults(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_without_defaults(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        result: dict[str, JSON] = {}
        for name, spec in value.__dataclass_fields__.items():
            item = getattr(value, name)
            default = spec.default_factory() if callable(spec.default_factory) else spec.default
            if item != default:
                result[name] = _without_defaults(item)
        return result
    assert value is None or isinstance(value, (str, int, float, bool))
    return value
