"""Both ends of a branch: two commits, and what the repository knows as of either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from heldout.domain.answer import Answer
from heldout.domain.coverage import Knowledge, Retirement, Version
from heldout.domain.names import Subject, VersionName
from heldout.domain.versioning import FIRST
from heldout.errors import HeldoutError
from heldout.services.knowledge import reviews_of
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import DatasetState
from heldout.storage.people.retirements import is_retirement, parse_retirement


@dataclass(frozen=True)
class Ends:
    """`base` is the commit where the branch left the other one, `head` its last."""

    workspace: Workspace
    base: str
    head: str

    @property
    def after(self) -> Knowledge:
        return self.workspace.knowledge()

    @cached_property
    def before(self) -> Knowledge:
        """As if the branch had never been: without its versions, retirements and decisions.

        Its records stay: each says what is true of contents, whoever knew it when.
        """
        new, retired = {*self.new_versions}, {*self.retired}
        return replace(
            self.after,
            versions=tuple(version for version in self.after.versions if version not in new),
            retirements=tuple(item for item in self.after.retirements if item not in retired),
            reviews=reviews_of(self.workspace.git, [self.workspace.tree(self.base)]),
        )

    @cached_property
    def new_versions(self) -> tuple[Version, ...]:
        """Tags on commits that only the branch has; a tag that was put on an older commit tells nobody when."""
        git = self.workspace.git
        found = (
            version
            for version in self.after.versions
            if not git.is_ancestor(version.commit, self.base) and git.is_ancestor(version.commit, self.head)
        )
        return tuple(sorted(found, key=lambda version: version.name))

    @cached_property
    def retired(self) -> tuple[Retirement, ...]:
        """Retirements in files that the branch brings."""
        before, after = self.workspace.tree(self.base), self.workspace.tree(self.head)
        old = {*before.paths("datasets")}
        paths = [path for path in after.paths("datasets") if is_retirement(path) and path not in old]
        found = []
        for path in paths:
            try:
                found.append(parse_retirement(after.read(path) or b"", path))
            except HeldoutError:
                continue  # it retires nothing, and verify names it
        return tuple(found)

    @cached_property
    def states(self) -> tuple[dict[str, DatasetState | HeldoutError], dict[str, DatasetState | HeldoutError]]:
        """Datasets by name at either end; the error of one that cannot be read there."""
        return self._states(self.base), self._states(self.head)

    def _states(self, commit: str) -> dict[str, DatasetState | HeldoutError]:
        catalog = self.workspace.catalog(commit)
        found: dict[str, DatasetState | HeldoutError] = {}
        for name in catalog.names:
            try:
                found[name] = catalog.state(name)
            except HeldoutError as error:
                found[name] = error
        return found

    def located(self, state: DatasetState, commit: str) -> Located:
        return Located(Subject(state.name, commit), state, commit)

    def answers(self, before: DatasetState | None, after: DatasetState | None) -> tuple[Answer | None, Answer | None]:
        """What an evaluation would be told of either state, were it frozen as it is."""
        return (
            None if before is None else self.before.answer(before.name, before.source),
            None if after is None else self.after.answer(after.name, after.source),
        )

    def outdated_by(self, state: DatasetState) -> Iterator[tuple[VersionName, int]]:
        """Frozen versions of the dataset that are clean so far and would not be once this state is frozen too."""
        frozen = Version(VersionName(state.name, FIRST), self.head, state.source)
        later = replace(self.after, versions=(*self.after.versions, frozen))
        for version in self.before.taking_part:
            if version.dataset != state.name or self.before.contaminations(version.source):
                continue
            if held := {hit.held.identity() for hit in later.contaminations(version.source)}:
                yield version.name, len(held)
