"""The opened project: Git, DVC's store and settings together, and what the repository knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.domain.coverage import Knowledge, Version
from heldout.domain.names import Subject, VersionName, split_tag
from heldout.domain.settings import Settings
from heldout.errors import HeldoutError, RepositoryError, UsageError
from heldout.services.knowledge import gather
from heldout.storage.catalog import Catalog, DatasetState
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.settings_file import read_settings
from heldout.storage.trees import FolderTree

if TYPE_CHECKING:
    from heldout.services.scanning import Matcher
    from heldout.storage.dvc.store import DvcStore


@dataclass(frozen=True, slots=True)
class Located:
    """A subject found in the repository. `commit` None is the working copy; `version` is set for a frozen one."""

    subject: Subject
    state: DatasetState
    commit: str | None = None
    version: Version | None = None


class Workspace:
    """One repository, opened once for one command. Everything is read lazily and remembered."""

    def __init__(self, git: Git, data: Path | None = None) -> None:
        """`data` is one more folder of DVC objects to read from: a cache, or a remote on this machine's disks.

        `memory` may be set to the bytes that this command's scans may take, before what the settings say, and `matcher`
        to another engine that compares their texts.
        """
        self.git = git
        self.memory: int | None = None
        self.matcher: Matcher | None = None
        self._data = data
        self._catalogs: dict[str, Catalog] = {}
        self._knowledge: Knowledge | None = None

    @classmethod
    def open(cls, start: Path | None = None, data: Path | None = None) -> Workspace:
        """The project around a folder (default: the current one). Raises RepositoryError (slug not-a-repository)."""
        return cls(Git.discover(start or Path.cwd()), data)

    def again(self) -> Workspace:
        """The same repository for another request: its working copy is read anew, what commits say is kept."""
        other = Workspace(self.git, self._data)
        other.memory = self.memory
        other._catalogs = self._catalogs
        other._knowledge = self._knowledge
        if "store" in self.__dict__:
            other.__dict__["store"] = self.store
        return other

    @cached_property
    def store(self) -> DvcStore:
        from heldout.storage.dvc.store import DvcStore

        return DvcStore(self.git.top, self.git.common_dir, [self._data] if self._data else [])

    @cached_property
    def working_copy(self) -> Catalog:
        if self.git.bare:
            raise RepositoryError("no-working-copy", "a bare repository has no working copy", hint="name a version")
        return Catalog(FolderTree(self.git.top))

    @cached_property
    def settings(self) -> Settings:
        """As HEAD has them: what an answer rests on is committed. Before the first commit, the working copy's."""
        head = self.git.head()
        if head is not None:
            return read_settings(self.tree(head))
        return Settings() if self.git.bare else read_settings(FolderTree(self.git.top))

    def tree(self, treeish: str) -> GitTree:
        """A commit's files; a whole listing, for `.dvc` files may lie anywhere."""
        return self.git.tree(treeish)

    def catalog(self, treeish: str) -> Catalog:
        if treeish not in self._catalogs:
            self._catalogs[treeish] = Catalog(self.tree(treeish))
        return self._catalogs[treeish]

    def knowledge(self) -> Knowledge:
        """Versions, records and retirements of this clone (design: HEAD, remote-tracking branches, version tags)."""
        if self._knowledge is None:
            self._knowledge = gather(self.git, self.catalog, self.settings)
        return self._knowledge

    def know(self, knowledge: Knowledge) -> None:
        """Take this for what the repository knows: a server answers for what a push would make of it."""
        self._knowledge = knowledge

    def forget(self) -> None:
        """After a commit or tag of our own: what the repository knows has changed."""
        self._knowledge = None

    def versions_of(self, dataset: str) -> list[Version]:
        """Frozen versions of a dataset, oldest number first."""
        found = (version for version in self.knowledge().versions if version.dataset == dataset)
        return sorted(found, key=lambda version: version.name)

    def find(self, text: str) -> Located:
        """`name`, `name@v1.2.0` or `name@COMMIT`. Raises UsageError (slug unknown-dataset, unknown-version)."""
        subject = Subject.parse(text)
        if subject.revision is None:
            return Located(subject, self.working_copy.state(subject.dataset))
        if (name := subject.version) is not None:
            version = self.version(name)
            return Located(subject, self.catalog(version.commit).state(name.dataset), version.commit, version)
        commit = self.git.commit_of(subject.revision)
        if commit is None:
            raise UsageError(
                "unknown-version",
                f"{subject.revision!r} is neither a version (v1.2.0) nor a commit of this repository",
                hint=f"heldout versions {subject.dataset}",
            )
        return Located(subject, self.catalog(commit).state(subject.dataset), commit)

    def version(self, name: VersionName) -> Version:
        known = self.versions_of(name.dataset)
        for version in known:
            if version.name == name:
                return version
        listed = ", ".join(str(version.name.number) for version in known) or "none yet"
        raise UsageError(
            "unknown-version", f"{name} is not a version in this clone", hint=f"versions of {name.dataset}: {listed}"
        )

    def sources_at_head(self) -> frozenset[str]:
        """What HEAD's datasets hold, frozen or not; one that cannot be read there has no source."""
        return frozenset(source for _, source in self.states_at_head())

    def states_at_head(self) -> frozenset[tuple[str, str]]:
        """(dataset, source) of each that can be read."""
        head = self.git.head()
        if head is None:
            return frozenset()
        catalog = self.catalog(head)
        states = (readable_state(catalog, name) for name in catalog.names)
        return frozenset((state.name, state.source) for state in states if state is not None)


def names_dataset(catalog: Catalog, tag: str) -> str | None:
    """The dataset that a tag's name speaks of, if this tree has it; None lets a monorepo's other tags pass."""
    parsed = split_tag(tag)
    if parsed is None or not catalog.has(parsed[0]):
        return None
    return parsed[0]


def readable_state(catalog: Catalog, name: str) -> DatasetState | None:
    """The dataset's state, or None where this tree's dataset.yaml or pointers are broken."""
    try:
        return catalog.state(name)
    except HeldoutError:
        return None
