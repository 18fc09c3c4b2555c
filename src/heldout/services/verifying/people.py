"""Who stands behind what a file of people says, as Git knows it."""

from __future__ import annotations

from collections.abc import Callable

from heldout.domain.deciding.review import address
from heldout.services.workspace import Workspace
from heldout.storage.git.history import people_behind


def behind(workspace: Workspace, path: str, says: Callable[[bytes], bool]) -> frozenset[str]:
    """Addresses of those behind a commit in which the file says something, as long as it was not taken back since.

    Whoever agreed before a commit that took it back, in any branch that was merged, has not agreed to what somebody
    wrote again, by hand or by `git revert`.
    """
    git = workspace.git

    def holds(commit: str) -> bool:
        data = workspace.tree(commit).read(path)
        return data is not None and says(data)

    people = people_behind(git, path)
    saying = {commit for commit, _ in people if holds(commit)}
    ends = [commit for commit, _ in people if commit not in saying and any(map(holds, git.parents(commit)))]
    return frozenset(
        address(person)
        for commit, found in people
        if commit in saying and not any(git.is_ancestor(commit, end) for end in ends)
        for person in found
    )
