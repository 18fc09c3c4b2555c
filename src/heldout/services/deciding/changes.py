"""Changes of holdouts since a base, and approving them (B52)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heldout.domain.deciding.governed import Approval, ChangeStanding, GovernedChange, governed_change, lacking
from heldout.domain.diff import diff
from heldout.domain.members import Member
from heldout.domain.names import Subject
from heldout.domain.settings import ApprovalPolicy
from heldout.errors import HeldoutError, UsageError
from heldout.services.contents import read_members
from heldout.services.deciding.retire import author, need_reason
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import FILE, ROOT
from heldout.storage.git.history import authors_between
from heldout.storage.people.approvals import approval_path, parse_approval, render_approval
from heldout.storage.settings_file import read_settings
from heldout.storage.trees import FileTree, FolderTree
from heldout.storage.working_files import write_own_file


@dataclass(frozen=True, slots=True)
class Changes:
    """`unread` are datasets whose change nobody can tell here, and why."""

    base: str
    head: str | None
    policy: ApprovalPolicy
    standings: tuple[ChangeStanding, ...]
    unread: tuple[tuple[str, str], ...] = ()


def changes(
    workspace: Workspace,
    base: str,
    head: str | None,
    names: tuple[str, ...] = (),
    progress: Progress = SILENT,
) -> Changes:
    """What happened to holdouts from a commit to another one, or to the working copy (`head` None).

    Policy is the base's: a change cannot waive the approval that it needs. A dataset that the base does not have has no
    holdout to protect yet; one that is gone at the head took its holdout with it.
    """
    policy = read_settings(workspace.tree(base)).holdout_changes
    tree: FileTree = workspace.tree(head) if head else FolderTree(workspace.git.top)
    found, unread = [], []
    for name in _in_base(workspace, base, names):
        try:
            change = _change(workspace, name, base, head, progress)
            if change is not None and change.touched:
                found.append(standing_of(workspace, change, policy, base, head, tree))
        except HeldoutError as error:
            unread.append((name, str(error)))
    return Changes(base, head, policy, tuple(found), tuple(unread))


def _in_base(workspace: Workspace, base: str, names: tuple[str, ...]) -> tuple[str, ...]:
    old = workspace.catalog(base)
    for name in names:
        if not old.has(name):
            raise UsageError("unknown-dataset", f"there is no dataset {name!r} at {base[:10]}", hint="heldout status")
    return names or old.names


def _change(workspace: Workspace, name: str, base: str, head: str | None, progress: Progress) -> GovernedChange | None:
    """None where no file of the dataset differs, which is told without its data."""
    old, now = workspace.catalog(base).state(name), workspace.catalog(head) if head else workspace.working_copy
    state = now.state(name) if now.has(name) else None
    if head is not None and state is not None and state.source == old.source:
        return None
    before = read_members(workspace, Located(Subject(name, base), old, base), progress)
    after = None if state is None else read_members(workspace, Located(Subject(name, head), state, head), progress)
    return change_of(name, before, after)


def change_of(name: str, before: Reading, after: Reading | None) -> GovernedChange:
    """What happened to a dataset's holdout; all of it went where the dataset did (`after` None)."""
    members: Sequence[Member] = () if after is None else after.members
    held = () if after is None else after.holdout_splits
    return governed_change(name, diff(before.members, members), before.members, before.holdout_splits, held)


def standing_of(
    workspace: Workspace, change: GovernedChange, policy: ApprovalPolicy, base: str, head: str | None, tree: FileTree
) -> ChangeStanding:
    """Who made a change and who approved it, by the files of `tree`: the head's, or the working copy's."""
    end = head or workspace.git.require_commit("HEAD")
    authors = authors_between(workspace.git, base, end, _content_paths(workspace, change.dataset, base, end))
    if head is None:
        authors |= {author(workspace)}
    path = approval_path(change.dataset, change.id)
    data = tree.read(path)
    approved = parse_approval(data, path).by if data is not None else ()
    return ChangeStanding(change, tuple(sorted(authors)), approved, lacking(policy, approved, authors))


def _content_paths(workspace: Workspace, name: str, *commits: str) -> list[str]:
    """The files that say what the dataset is: dataset.yaml, and the DVC files its data is named in."""
    paths = {f"{ROOT}/{name}/{FILE}"}
    for commit in commits:
        catalog = workspace.catalog(commit)
        if catalog.has(name):
            paths |= {output.pointer for output in catalog.state(name).outputs}
    return sorted(paths)


def approve(
    workspace: Workspace,
    name: str,
    base: str,
    reason: str,
    note: Callable[[str], None],
    *,
    commit: bool,
    shown: str | None = None,
    progress: Progress = SILENT,
) -> tuple[ChangeStanding, str, str | None]:
    """Approve what HEAD does to a holdout, as the person Git knows here. Returns standing, path and commit.

    `shown` is the id of the change that the person has looked at: no other one is approved in its place. Raises
    UsageError: no-holdout-change, own-review, changed-meanwhile.
    """
    need_reason(reason)
    head = workspace.git.require_commit("HEAD")
    found = changes(workspace, base, head, (name,), progress)
    if found.unread:
        raise UsageError("unreadable-change", f"{name}: {found.unread[0][1]}", hint="dvc fetch")
    if not found.standings:
        raise UsageError("no-holdout-change", f"nothing held out in {name} differs between {base[:10]} and HEAD")
    (standing,) = found.standings
    if shown is not None and standing.change.id != shown:
        raise UsageError(
            "changed-meanwhile",
            f"what was shown is the change {shown} of {name}'s holdout, and HEAD makes the change {standing.change.id}",
            hint="commit what is not committed yet, load the page again, and look at it",
        )
    person = author(workspace)
    if lacking(ApprovalPolicy(1), [person], standing.authors) is not None:
        raise UsageError(
            "own-review", f"{person} made this change, and cannot approve it", hint="somebody else approves it"
        )
    by = tuple(dict.fromkeys((*standing.approved_by, person)))
    approval = Approval(name, standing.change.digest, reason.strip(), by)
    path = approval_path(name, approval.id)
    made = None
    if commit:
        message = f"heldout: approve a change of {name}'s holdout\n\n{approval.reason}\n"
        made = workspace.git.commit_files({path: render_approval(approval)}, message, head, note)
        workspace.forget()
    else:
        write_own_file(workspace.git.top, path, render_approval(approval))
    lacks = lacking(found.policy, by, standing.authors)
    return ChangeStanding(standing.change, standing.authors, by, lacks), path, made


def start_of(workspace: Workspace, base: str | None) -> str:
    """The commit a branch started from: where it left the given one, or the remote's default branch.

    Raises UsageError (slug no-base), also where a shallow clone does not reach back to it: every example of the base
    would seem to be this branch's doing.
    """
    git = workspace.git
    head = git.require_commit("HEAD")
    names = [base] if base else ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"]
    for name in names:
        commit = git.require_commit(name) if base else git.commit_of(name)
        if commit is not None:
            start = git.merge_base(commit, head)
            if start is None and git.is_shallow():
                message = f"this clone is shallow, so where HEAD left {name} cannot be told"
                raise UsageError("no-base", message, hint="git fetch --unshallow --tags")
            return start or commit
    raise UsageError("no-base", "there is no remote branch to compare with", hint="--base REF")
