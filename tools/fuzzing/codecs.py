"""YAML and what is written in it: the two parsers held to each other, and every file to its own writing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile
from heldout.errors import ConfigError, TamperedError
from heldout.storage import dataset_file, finding_lines, pointers, records, settings_file
from heldout.storage.dvc import store
from heldout.storage.people import retirements
from heldout.storage.slicing import draft, file
from heldout.storage.yaml import files
from heldout.storage.yaml.simple import parse_simple
from tools.fuzzing.oracles import decoded
from tools.fuzzing.promise import require, same, target


@target
def yaml_values(data: bytes) -> None:
    """The fast parser agrees with ruamel's on all that it takes, lines too; what is read can be written and read."""
    text = decoded(data)
    simple = None if text is None else parse_simple(text)
    if text is not None and simple is not None:
        full = files._parse_full(text, "f")
        require(same(simple, full), f"the fast parser gives {simple!r}, the full one {full!r}")
    try:
        value = files.load_yaml(data, "f")
    except ConfigError as fault:
        require(fault.file == "f" and bool(fault.message), "a refusal without its place")
        return
    digest(value)
    require(same(files.load_yaml(files.dump_yaml(value), "f"), value), "another value after writing")


@target
def datasets(data: bytes) -> None:
    """A dataset.yaml that is read keeps its meaning when it is written, and when a file is added to it."""
    try:
        spec = dataset_file.parse_dataset(data, "dataset.yaml")
    except ConfigError:
        return
    again = dataset_file.parse_dataset(dataset_file.render_dataset(spec), "dataset.yaml")
    require(again == spec, "another dataset after writing")
    added = DataFile("added by the fuzzer.csv", "train")
    longer = replace(spec, data=(*spec.data, added))
    written = dataset_file.append_data(data, "dataset.yaml", longer, [added])
    require(dataset_file.parse_dataset(written, "dataset.yaml") == longer, "another dataset after adding a file")


@target
def scan_records(data: bytes) -> None:
    """The short cut through a record's long list gives what YAML gives."""
    try:
        found = records.parse_record(data, "scan.yaml")
    except TamperedError:
        return
    require(found == records._record(files.load_yaml(data, "scan.yaml"), ()), "another record")
    ordered = replace(found, compared=tuple(sorted(found.compared, key=lambda item: item.source)))
    again = records.parse_record(records.render_record(found), "scan.yaml")
    require(again == ordered, "another record after writing")


@target
def findings(data: bytes) -> None:
    try:
        finding_lines.parse_findings(data, ("sha256:" + "0" * 64,))
    except ValueError:
        return


@target
def small_files(data: bytes) -> None:
    for attempt in _small_files(data):
        try:
            attempt()
        except (ConfigError, TamperedError):
            continue


def _small_files(data: bytes) -> Iterator[Callable[[], object]]:
    yield lambda: pointers._parse_dvc_file(data, "train.csv.dvc")
    yield lambda: pointers.Pointers(_Lock(data))._in_file("dvc.lock")
    yield lambda: settings_file.parse_settings(data)
    yield lambda: draft.parse_draft(data, "draft.yaml")
    yield lambda: file.parse_slice(data, "datasets/a/slices/several-tests.yaml")
    yield lambda: retirements.parse_retirement(data, "datasets/a/reviews/retired-v1.0.0.yaml")


@dataclass(frozen=True, slots=True)
class _Lock:
    """A tree with one text as the pipeline and its lock at once."""

    data: bytes

    def read(self, path: str) -> bytes | None:
        return self.data if path in ("dvc.lock", "dvc.yaml") else None

    def paths(self, prefix: str = "", without: Collection[str] = ()) -> Iterable[str]:  # noqa: ARG002
        return ("dvc.lock", "dvc.yaml")


@target
def folder_manifests(data: bytes) -> None:
    """DVC's manifest of a folder: the paths in it stay inside the folder and can be paths."""
    folder = pointers.Output("shards", "0" * 32 + ".dir", None, True, False, "shards.dvc")
    try:
        entries = store._parse_manifest(data, folder)
    except TamperedError:
        return
    for name, _ in entries:
        require(not name.startswith("/") and ".." not in name.split("/"), "a path leads out of the folder")
        require(b"\0" not in name.encode("utf-8"), "no path")
