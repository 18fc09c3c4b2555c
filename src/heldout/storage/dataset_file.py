"""dataset.yaml (`format: heldout/dataset@1`) to and from `DatasetSpec`."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Final

from heldout.domain.dataset import (
    CASE_SCHEMA,
    FORMATS,
    DataFile,
    DatasetSpec,
    Fields,
    JoinedField,
    Lookup,
    RowSchema,
    SplitRule,
)
from heldout.domain.example import JSON
from heldout.domain.names import name_problem
from heldout.domain.paths import parse_path
from heldout.errors import ConfigError
from heldout.storage.yaml.files import append_items, dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section, kind_of

FORMAT: Final = "heldout/dataset@1"
_PLAIN_FIELDS: Final = (
    "expected",
    "key",
    "split",
    "tags",
    "source_kind",
    "review_status",
    "synthetic",
    "source_id",
    "payload",
)


def parse_dataset(data: bytes, name: str) -> DatasetSpec:
    """What a dataset.yaml says; `name` is what messages call the file.

    Raises ConfigError with file, line and field for anything that is not exactly the format.
    """
    located = load_yaml_located(data, name)
    top = Section(located, located.value)
    if top.text("format") != FORMAT:
        top.fail("unknown-format", f"expected the line `format: {FORMAT}`", "format")
    dataset = top.needed_text("name")
    if problem := name_problem(dataset):
        top.fail("bad-name", f"{dataset!r} cannot name a dataset: {problem}", "name")
    spec = DatasetSpec(
        name=dataset,
        description=_description(top),
        licence=top.text("license"),
        role=top.text("role"),
        data=tuple(map(_data_file, top.sections("data"))),
        fields=_fields(top.section("fields")),
        holdout=top.texts("holdout"),
        on_bad_row=top.choice("on_bad_row", ("refuse", "skip")) or "refuse",
        payloads=_file_path(top, "payloads") if top.has("payloads") else None,
        schema=_schema(top) if top.has("schema") else None,
        groups=_groups(top) if top.has("groups") else {},
        signatures=_file_path(top, "signatures") if top.has("signatures") else None,
    )
    top.done()
    paths = [item.path for item in spec.data]
    for index, path in enumerate(paths):
        # One JSON file may be listed once for each list of rows in it.
        if any(path == other.path and spec.data[index].records == other.records for other in spec.data[:index]):
            top.fail("bad-value", f"the file {path!r} is listed twice", "data", index, "path")
    if spec.payloads in (*paths, *spec.lookup_paths()):
        top.fail("bad-value", f"the file {spec.payloads!r} is read as data already", "payloads")
    if spec.signatures is not None and spec.signatures in spec.tracked_paths():
        top.fail("bad-value", f"the file {spec.signatures!r} is read as data already", "signatures")
    return spec


def _schema(top: Section) -> RowSchema:
    """The path of a file below the repository's top, or the name of the shipped one."""
    name = top.needed_text("schema")
    if name != CASE_SCHEMA and "@" in name and not name.endswith(".json"):
        top.fail("bad-value", f"the schema that ships is {CASE_SCHEMA}; others are JSON Schema files", "schema")
    return RowSchema(name if name == CASE_SCHEMA else _file_path(top, "schema"))


def _groups(top: Section) -> dict[str, str]:
    """Field paths by the names of their groups; in a list, a group is called like the last part of its path."""
    if isinstance(top.raw("groups"), dict):
        section = top.section("groups")
        assert section is not None
        return {name: path for name, _ in section.items() if (path := section.field_path(name)) is not None}
    result: dict[str, str] = {}
    for index, path in enumerate(top.texts("groups") or ()):
        try:
            name = parse_path(path)[-1]
        except ValueError as error:
            top.fail("bad-path", f"{path!r} is no field path: {error}", "groups", index)
        if name in result:
            hint = "Name them: `groups: {customer: a.id, session: b.id}`."
            top.fail("bad-value", f"two groups would be called {name!r}", "groups", index, hint=hint)
        result[name] = path
    return result


def _description(top: Section) -> str:
    return "" if top.raw("description") in (None, "") else top.needed_text("description")


def _data_file(entry: Section) -> DataFile:
    delimiter = entry.text("delimiter")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        entry.fail("bad-value", "a delimiter is one character, and no quote or line end", "delimiter")
    records = entry.field_path("records")
    if records is not None and records.split(".").count("{split}") > 1:
        entry.fail("bad-value", "`{split}` can stand in a path once", "records")
    header, columns = entry.flag("header"), entry.texts("columns") or ()
    if header is False and not columns:
        entry.fail("missing-key", "`header: false` needs `columns`, the names of the columns", "header")
    item = DataFile(
        path=_file_path(entry, "path"),
        split=_split(entry),
        format=entry.choice("format", FORMATS),
        encoding=entry.text("encoding") or "utf-8",
        delimiter=delimiter,
        header=header is not False,
        columns=columns,
        records=records,
    )
    if item.split is not None and records is not None and "{split}" in records.split("."):
        entry.fail("bad-value", "`records` takes the split from the file, so `split` cannot be given too", "split")
    entry.done()
    return item


def _file_path(entry: Section, key: str) -> str:
    """A path below the dataset's folder or elsewhere in the repository, in the one spelling digests see."""
    path = entry.needed_text(key)
    if path.startswith("/") or "\\" in path or "\0" in path or posixpath.normpath(path) != path or path == ".":
        message = f"expected a relative path with '/' between its parts, like 'train.csv', found {path!r}"
        entry.fail("bad-value", message, key)
    return path


def _split(entry: Section) -> str | SplitRule | None:
    if not entry.has("split"):
        return None
    if not isinstance(entry.raw("split"), dict):
        return entry.text("split")
    rule = entry.section("split")
    assert rule is not None
    field = rule.field_path("field")
    if field is None:
        rule.fail("missing-key", "the key 'field' is needed here: where a row's split is found")
    values, ranges = rule.section("values"), rule.section("ranges")
    if values is not None and ranges is not None:
        rule.fail("bad-value", "`values` and `ranges` exclude each other", "ranges")
    result = SplitRule(field, _renames(values) if values else {}, _ranges(ranges) if ranges else {})
    rule.done()
    return result


def _renames(section: Section) -> dict[str, str]:
    return {key: section.needed_text(key) for key, _ in section.items()}


def _ranges(section: Section) -> dict[str, tuple[int | float, int | float]]:
    result: dict[str, tuple[int | float, int | float]] = {}
    for split, bounds in section.items():
        match bounds:
            case [int() | float() as low, int() | float() as high] if not isinstance(low, bool) and low <= high:
                pass
            case _:
                message = f"expected two numbers, [lowest, highest], found {kind_of(bounds)}"
                section.fail("bad-value", message, split)
        for other, (start, end) in result.items():
            if low <= end and start <= high:
                section.fail("bad-value", f"the range overlaps the one of {other!r}", split)
        result[split] = (low, high)
    return result


def _fields(section: Section | None) -> Fields:
    if section is None:
        return Fields()
    source = _input(section)
    plain = {name: section.field_path(name) for name in _PLAIN_FIELDS}
    if plain["key"] is not None and plain["key"] == source:
        hint = "Leave `key` out: then a key is derived from the input's digest."
        section.fail("key-is-input", "the key is the input itself, and text does not become a key", "key", hint=hint)
    metadata = section.section("metadata")
    result = Fields(input=source, metadata=_metadata(metadata) if metadata else {}, **plain)
    section.done()
    return result


def _input(section: Section) -> str | JoinedField | None:
    if not isinstance(section.raw("input"), dict):
        return section.field_path("input")
    joined = section.section("input")
    assert joined is not None
    path = joined.field_path("path")
    if path is None:
        joined.fail("missing-key", "the key 'path' is needed here")
    join = joined.raw("join") if joined.has("join") else ""
    if not isinstance(join, str):
        joined.fail("wrong-type", f"expected a text, found {kind_of(join)}", "join")
    joined.done()
    return JoinedField(path, join)


def _metadata(section: Section) -> dict[str, str | Lookup]:
    result: dict[str, str | Lookup] = {}
    for key, value in section.items():
        if not isinstance(value, dict):
            path = section.field_path(key)
            assert path is not None
            result[key] = path
            continue
        entry = section.section(key)
        assert entry is not None
        field = entry.field_path("field")
        if field is None:
            entry.fail("missing-key", "the key 'field' is needed here: the row's value that is looked up")
        result[key] = Lookup(_file_path(entry, "path"), field, entry.flag("groups") or False)
        entry.done()
    return result


def render_dataset(spec: DatasetSpec) -> bytes:
    """A dataset.yaml that parses back to `spec`, without anything that is a default."""
    fields = _fields_value(spec.fields)
    content: dict[str, JSON] = {
        "format": FORMAT,
        "name": spec.name,
        **({"description": spec.description} if spec.description else {}),
        **({"license": spec.licence} if spec.licence else {}),
        **({"role": spec.role} if spec.role else {}),
        "data": [_data_value(item) for item in spec.data],
        **({"fields": fields} if fields else {}),
        **({} if spec.holdout is None else {"holdout": list(spec.holdout)}),
        **({} if spec.on_bad_row == "refuse" else {"on_bad_row": spec.on_bad_row}),
        **({} if spec.payloads is None else {"payloads": spec.payloads}),
        **({} if spec.schema is None else {"schema": spec.schema.name}),
        **({"groups": dict(spec.groups)} if spec.groups else {}),
        **({} if spec.signatures is None else {"signatures": spec.signatures}),
    }
    return dump_yaml(content)


def append_data(data: bytes, name: str, spec: DatasetSpec, entries: Sequence[DataFile]) -> bytes:
    """A dataset.yaml as people wrote it, with entries added so that it parses to `spec`."""
    written = append_items(data, "data", [_data_value(item) for item in entries])
    try:
        same = parse_dataset(written, name) == spec
    except ConfigError:
        same = False
    return written if same else render_dataset(spec)


def _data_value(item: DataFile) -> dict[str, JSON]:
    result: dict[str, JSON] = {"path": item.path}
    if isinstance(item.split, SplitRule):
        rule: dict[str, JSON] = {"field": item.split.field}
        if item.split.values:
            rule["values"] = dict(item.split.values)
        if item.split.ranges:
            rule["ranges"] = {split: list(bounds) for split, bounds in item.split.ranges.items()}
        result["split"] = rule
    elif item.split is not None:
        result["split"] = item.split
    default = DataFile(item.path)
    for name in ("format", "encoding", "delimiter", "header", "records"):
        if getattr(item, name) != getattr(default, name):
            result[name] = getattr(item, name)
    if item.columns:
        result["columns"] = list(item.columns)
    return result


def _fields_value(fields: Fields) -> dict[str, JSON]:
    result: dict[str, JSON] = {}
    if isinstance(fields.input, JoinedField):
        result["input"] = {"path": fields.input.path, "join": fields.input.join}
    elif fields.input is not None:
        result["input"] = fields.input
    result.update({name: getattr(fields, name) for name in _PLAIN_FIELDS if getattr(fields, name) is not None})
    if fields.metadata:
        result["metadata"] = {key: _metadata_value(value) for key, value in fields.metadata.items()}
    return result


def _metadata_value(value: str | Lookup) -> JSON:
    if isinstance(value, str):
        return value
    return {"path": value.path, "field": value.field, **({"groups": True} if value.groups else {})}
