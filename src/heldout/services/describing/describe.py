"""One state of a dataset, read once for its members and once for what its fields are, and described."""

from __future__ import annotations

import hashlib
import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from heldout.domain.dataset import DatasetSpec, JoinedField, Lookup
from heldout.domain.describing.description import Description, FieldFacts, FileFacts, SliceFacts, kind_of
from heldout.domain.example import JSON, Example
from heldout.domain.listing import VersionRow
from heldout.domain.paths import parse_path
from heldout.services.contents import Contents, read_contents
from heldout.services.gate import answer_for
from heldout.services.listing import list_versions
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.slicing.use import choose_all, find_target
from heldout.services.workspace import Located, Workspace
from heldout.storage.readers import format_of


def describe(
    workspace: Workspace, subject: str, *, licence: str | None = None, progress: Progress = SILENT
) -> Description:
    """What is missing here is fetched through DVC first. `licence` wins over that of dataset.yaml.

    Raises UsageError: unknown-dataset, unknown-version; MissingDataError; DataError for a row that cannot be read.
    """
    target = find_target(workspace, subject, None)
    located = target.located
    contents = read_contents(workspace, located, progress)
    counts, kinds = _looked_through(contents)
    spec = located.state.spec
    version = located.version
    return Description(
        name=spec.name,
        version=None if version is None else str(version.name).partition("@v")[2],
        text=spec.description,
        licence=licence or spec.licence,
        commit=located.commit,
        source=located.state.source,
        content=contents.reading.content,
        files=tuple(_files(located, contents, counts)),
        fields=tuple(_fields(spec, kinds)),
        by_split=dict(sorted(contents.reading.by_split.items())),
        held_out=frozenset(contents.reading.holdout_splits),
        slices=tuple(
            SliceFacts(item.item.name, item.number, item.digest, item.item.description, bool(item.item.required))
            for item in choose_all(target)
        ),
        answer=answer_for(workspace, located).answer,
        frozen=tuple((str(row.version.name), row.answer.verdict.value) for row in _versions(workspace, spec.name)),
        date=None if version is None else _day(workspace, version.commit),
    )


def _day(workspace: Workspace, commit: str) -> str | None:
    """In the time zone of who made it, so that it is the same day for everybody."""
    return workspace.git.line("show", "--no-show-signature", "-s", "--format=%cs", commit)


def _versions(workspace: Workspace, name: str) -> list[VersionRow]:
    return [row for row in list_versions(workspace) if row.version.dataset == name]


def _looked_through(contents: Contents) -> tuple[dict[str, Counter[str]], dict[str, set[str]]]:
    """Examples of each file by split, and the kinds of values that each part has."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, set[str]] = defaultdict(set)
    spec = contents.reading.spec
    for file, example in examples(spec, contents.data, _skipped if contents.reading.skipped else None):
        counts[file][example.split] += 1
        for name, value in _parts(example):
            if (kind := kind_of(value)) is not None:
                kinds[name].add(kind)
    return counts, kinds


def _skipped(_: Exception) -> None:
    """Rows that were skipped were counted when the subject was read the first time."""


def _parts(example: Example) -> Iterator[tuple[str, JSON]]:
    yield "key", example.key
    yield "input", example.input
    yield "expected", example.expected
    if example.tags:
        yield "tags", list(example.tags)
    for key, value in example.metadata.items():
        yield f"metadata.{key}", value


def _files(located: Located, contents: Contents, counts: Mapping[str, Mapping[str, int]]) -> Iterator[FileFacts]:
    folder = located.state.folder
    for item in located.state.spec.data:
        for name, stream in contents.data.open(item.path):
            sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
            while block := stream.read(1 << 20):
                sha256.update(block)
                md5.update(block)
                size += len(block)
            yield FileFacts(
                path=posixpath.relpath(name, folder),
                format=format_of(item, name),
                sha256=sha256.hexdigest(),
                md5=md5.hexdigest(),
                size=size,
                by_split=dict(sorted(counts.get(name, {}).items())),
                encoding=item.encoding,
                records=item.records,
            )


def _fields(spec: DatasetSpec, kinds: Mapping[str, set[str]]) -> Iterator[FieldFacts]:
    """Parts that some example has, where dataset.yaml says they stand, or else under their own names."""
    fields = spec.fields
    for name in ("key", "input", "expected", "tags"):
        mapped = getattr(fields, name)
        if kinds.get(name):
            path = None if isinstance(mapped, JoinedField) else parse_path(mapped or name)
            yield FieldFacts(name, path, frozenset(kinds[name]))
    for name in sorted(kinds):
        head, _, key = name.partition(".")
        if head != "metadata" or not key:
            continue
        place = fields.metadata.get(key)
        path = ("metadata", key) if place is None else None if isinstance(place, Lookup) else parse_path(place)
        yield FieldFacts(name, path, frozenset(kinds[name]))
