"""The datasets of one file tree: a commit's, the index's or the working copy's."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from heldout.domain.dataset import CASE_SCHEMA, DatasetSpec, RowSchema
from heldout.domain.names import RESERVED
from heldout.domain.record import source_digest
from heldout.errors import ConfigError, UsageError
from heldout.storage.dataset_file import parse_dataset
from heldout.storage.pointers import Output, Pointers, is_pointer
from heldout.storage.trees import FileTree

ROOT = "datasets"
FILE = "dataset.yaml"


@dataclass(frozen=True, slots=True)
class DatasetState:
    """A dataset as one tree has it: what its dataset.yaml says and which DVC outputs its files are.

    `outputs` has one entry for each tracked path of the dataset.yaml, in its order (DatasetSpec.tracked_paths); a path
    inside a tracked folder has the folder's output. `source` is the source digest.
    """

    spec: DatasetSpec
    folder: str
    outputs: tuple[Output, ...]
    source: str

    @property
    def name(self) -> str:
        return self.spec.name

    def repo_path(self, path: str) -> str:
        """A path of dataset.yaml, relative to the repository's top."""
        return posixpath.normpath(posixpath.join(self.folder, path))


def names_content(path: str) -> bool:
    """Whether a file below datasets/ takes part in what a version is: a dataset.yaml or a pointer."""
    return "/scans/" not in path and (posixpath.basename(path) == FILE or is_pointer(path))


class Catalog:
    """Datasets by name. Reading one never needs its data, only Git's content."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._pointers = Pointers(tree)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all folders with a dataset.yaml, sorted."""
        return tuple(
            sorted(
                posixpath.dirname(path)[len(ROOT) + 1 :]
                for path in self.tree.paths(ROOT, RESERVED)
                if posixpath.basename(path) == FILE and posixpath.dirname(path) != ROOT
            )
        )

    def has(self, name: str) -> bool:
        return self.tree.read(f"{ROOT}/{name}/{FILE}") is not None

    def spec(self, name: str) -> DatasetSpec:
        """The parsed dataset.yaml. Raises UsageError (slug unknown-dataset) or ConfigError."""
        path = f"{ROOT}/{name}/{FILE}"
        data = self.tree.read(path)
        if data is None:
            known = ", ".join(self.names) or "none yet"
            raise UsageError("unknown-dataset", f"there is no dataset {name!r}", hint=f"datasets here: {known}")
        spec = _parse(data, path)
        if spec.name != name:
            raise ConfigError(
                "dataset-name-mismatch",
                f"the name is {spec.name!r} but the folder says {name!r}",
                file=path,
                field="name",
                hint="a dataset's name is its folder below datasets/",
            )
        return spec if spec.schema is None else self._with_schema(spec, spec.schema)

    def _with_schema(self, spec: DatasetSpec, schema: RowSchema) -> DatasetSpec:
        """The spec with its schema's text out of the same tree: Git keeps schemas, as they hold no examples."""
        from heldout.storage.splitting.row_schema import shipped_schema

        if schema.name == CASE_SCHEMA:
            return replace(spec, schema=replace(schema, text=shipped_schema(schema.name)))
        data = self.tree.read(posixpath.normpath(f"{ROOT}/{spec.name}/{schema.name}"))
        if data is None:
            raise ConfigError(
                "bad-schema",
                f"there is no file {schema.name} beside it",
                file=f"{ROOT}/{spec.name}/{FILE}",
                field="schema",
                hint=f"git add the schema, or use {CASE_SCHEMA}, which ships",
            )
        return replace(spec, schema=replace(schema, text=data))

    def state(self, name: str) -> DatasetState:
        """Raises what `spec` raises, and RepositoryError (slug not-tracked) for a data file DVC does not track."""
        spec = self.spec(name)
        self._refuse_twin(name)
        folder = f"{ROOT}/{name}"
        paths = spec.tracked_paths()
        outputs = tuple(self._pointers.output(posixpath.normpath(posixpath.join(folder, path))) for path in paths)
        rows = [(path, output.md5, output.size or 0) for path, output in zip(paths, outputs, strict=True)]
        return DatasetState(spec, folder, outputs, source_digest(spec.meaning(), rows))

    def signatures(self, spec: DatasetSpec) -> Output | None:
        """The file that a dataset names for its published signatures; no part of its state, as it is made of that.

        Raises RepositoryError (slug not-tracked) where DVC does not track it.
        """
        if spec.signatures is None:
            return None
        return self._pointers.output(posixpath.normpath(f"{ROOT}/{spec.name}/{spec.signatures}"))

    def _refuse_twin(self, name: str) -> None:
        """Two names that differ in case are one folder on many machines, and one tag on none."""
        twins = [other for other in self.names if other != name and other.lower() == name.lower()]
        if twins:
            raise ConfigError(
                "dataset-name-taken",
                f"the name differs from {twins[0]!r} in upper and lower case only",
                file=f"{ROOT}/{name}/{FILE}",
                field="name",
                hint="names of datasets are unique ignoring case",
            )


@lru_cache(maxsize=512)
def _parse(data: bytes, path: str) -> DatasetSpec:
    # Versions of one dataset mostly share their dataset.yaml; 500 tags must not mean 500 YAML parses.
    return parse_dataset(data, path)
