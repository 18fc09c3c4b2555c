"""Who stands behind what a file of people says, as Git knows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from heldout.domain.deciding.review import address
from heldout.services.workspace import Workspace
from heldout.storage.git.history import people_behind


class FileHistory:
    """The commits of HEAD's history that changed a file, and the people behind each."""

    def __init__(self, workspace: Workspace, path: str) -> None:
        self._workspace = workspace
        self._path = path

    @cached_property
    def _people(self) -> list[tuple[str, frozenset[str]]]:
        return people_behind(self._workspace.git, self._path)

    def behind(self, says: Callable[[bytes], bool]) -> frozenset[str]:
        """Addresses of those behind a commit in which the file says something, as long as it was not taken back since.

        Whoever agreed before a commit that took it back, in any branch that was merged, has not agreed to what somebody
        wrote again, by hand or by `git revert`.
        """
        git = self._workspace.git

        def holds(commit: str) -> bool:
            data = self._workspace.tree(commit).read(self._path)
            return data is not None and says(data)

        saying = {commit for commit, _ in self._people if holds(commit)}
        ends = [commit for commit, _ in self._people if commit not in saying and any(map(holds, git.parents(commit)))]
        return frozenset(
            address(person)
            for commit, found in self._people
            if commit in saying and not any(git.is_ancestor(commit, end) for end in ends)
            for person in found
        )
