"""`Git`: one repository as Heldout sees it. Plumbing only; contents travel as bytes, lists NUL-separated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from heldout.errors import RepositoryError
from heldout.storage.git import refs, trees
from heldout.storage.git.objects import Objects
from heldout.storage.git.process import NAMES_A_REPOSITORY, foreign_environment, inherited_environment, run_git

_REBASES = ("rebase-merge", "rebase-apply")


@dataclass(frozen=True, slots=True)
class Git:
    """A repository and the working tree it was entered from. In a bare one `top` is the Git folder itself.

    `git_dir` belongs to this working tree (HEAD, index, a rebase in progress), `common_dir` to all linked ones
    (objects, refs, hooks).
    """

    top: Path
    git_dir: Path
    common_dir: Path
    bare: bool
    env: Mapping[str, str] = field(repr=False, compare=False)
    _objects: Objects = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_objects", Objects(self.top, self.env))

    @classmethod
    def discover(cls, start: Path) -> Git:
        """The repository around a folder.

        Inside a hook, Git's variables describe the repository of that hook. They are kept when that is the one asked
        for (a path-limited commit has an index of its own, a push to us has objects in quarantine) and dropped when
        `start` lies in another repository.

        Raises RepositoryError `not-a-repository`.
        """
        if not NAMES_A_REPOSITORY & os.environ.keys() or start.absolute() == Path.cwd():
            return _describe(start, inherited_environment())
        ours = _try_describe(Path.cwd(), inherited_environment())
        if ours is not None and start.absolute().is_relative_to(ours.top):
            other = _try_describe(start, foreign_environment())
            return ours if other is None or other.git_dir == ours.git_dir else other
        return _describe(start, foreign_environment())

    # --- running -----------------------------------------------------------------------------------------------------

    def run(
        self, *arguments: str, stdin: bytes = b"", index_file: Path | None = None, timeout: float | None = None
    ) -> bytes:
        """Standard output of a command that has to succeed. Raises RepositoryError `git-failed`."""
        return self._run(arguments, stdin=stdin, index_file=index_file, timeout=timeout)[1]

    def line(self, *arguments: str) -> str | None:
        """A command's one line, or None when it says no (exit status 1, or 128 for a name that does not resolve)."""
        status, output = self._run(arguments, accept=(0, 1, 128))
        return output.decode("utf-8", "surrogateescape").rstrip("\n") if status == 0 else None

    def succeeds(self, *arguments: str) -> bool:
        return self._run(arguments, accept=range(-255, 256))[0] == 0

    def _run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        index_file: Path | None = None,
        timeout: float | None = None,
        accept: Sequence[int] = (0,),
    ) -> tuple[int, bytes]:
        env = self.env if index_file is None else {**self.env, "GIT_INDEX_FILE": str(index_file)}
        return run_git(arguments, cwd=self.top, env=env, stdin=stdin, accept=accept, timeout=timeout)

    # --- state -------------------------------------------------------------------------------------------------------

    def path(self, name: str) -> Path:
        """Where Git keeps something of its own (`hooks`, `info/exclude`), configuration and worktrees considered."""
        raw = self.run("rev-parse", "--path-format=absolute", "--git-path", name)
        return Path(os.fsdecode(raw.rstrip(b"\n")))

    def is_shallow(self) -> bool:
        return (self.common_dir / "shallow").exists()

    def in_progress(self) -> str | None:
        """What the user is in the middle of, in words; None when history may be added to.

        Git runs post-rewrite while the finished rebase still has its folder, but HEAD is on its branch again by then.
        """
        if any((self.git_dir / name).exists() for name in _REBASES):
            applying = (self.git_dir / "rebase-apply/applying").exists()
            if applying or self.branch() is None:
                return "a series of mailed patches" if applying else "a rebase"
        if (self.git_dir / "sequencer").exists():
            return "a cherry-pick or revert of several commits"
        if (self.git_dir / "BISECT_LOG").exists():
            return "a bisection"
        if (self.git_dir / "MERGE_HEAD").exists() and self.run("ls-files", "-u", "-z"):
            return "a merge with conflicts"
        return None

    def head(self) -> str | None:
        """The commit checked out; None before the first one."""
        return self.commit_of("HEAD")

    def branch(self) -> str | None:
        """The full name (refs/heads/main) of the branch checked out, born or not; None on a detached HEAD."""
        return self.line("symbolic-ref", "-q", "HEAD")

    def commit_of(self, rev: str) -> str | None:
        """The commit that a name leads to; None where it leads to none."""
        found = None if "\n" in rev else next(self._objects.ask([rev + "^{commit}"]))
        return found[0] if found else None

    def require_commit(self, rev: str) -> str:
        """Raises RepositoryError `unknown-revision`."""
        commit = self.commit_of(rev)
        if commit is None:
            raise RepositoryError("unknown-revision", f"{rev} names no commit of this repository")
        return commit

    # --- files -------------------------------------------------------------------------------------------------------

    def tree(self, treeish: str, under: Sequence[str] = ()) -> trees.GitTree:
        """The files of a commit, tag or tree, all of them or those at or below the paths `under`.

        Raises RepositoryError `unknown-revision`.
        """
        return self.many_trees([treeish], under)[0]

    def many_trees(self, treeishes: Sequence[str], under: Sequence[str] = ()) -> list[trees.GitTree]:
        """The same for many at the price of one."""
        found = []
        for treeish, oid in zip(treeishes, self._objects.trees(treeishes), strict=True):
            if oid is None:
                raise RepositoryError("unknown-revision", f"{treeish} names no commit or tree of this repository")
            found.append(trees.GitTree(oid, self._objects, tuple(under)))
        return found

    def read_blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Contents by object id, each id fetched once; small ones are remembered.

        Raises RepositoryError `git-object-missing`.
        """
        return self._objects.read_blobs(oids)

    def read_object(self, name: str) -> tuple[str, bytes] | None:
        """Type (commit, tag, tree, blob) and contents of any object; None for a name that leads to none."""
        found = next(self._objects.ask([name]))
        return found[1:] if found else None

    def index_tree(self) -> str | None:
        """A tree of what would be committed now, by the index the current hook sees; None while paths are unmerged."""
        from heldout.storage.git import index

        return index.write_tree(self)

    def changed_paths(self, old: str, new: str, under: Sequence[str] = ()) -> list[str]:
        """Paths that differ between two commits or trees."""
        output = self.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new, "--", *under)
        return [os.fsdecode(path) for path in output.split(b"\0") if path]

    def stage(self, files: Mapping[str, bytes]) -> None:
        """Add files to the commit being made, and to the working tree where they are absent and not sparse.

        Raises RepositoryError `index-locked`.
        """
        from heldout.storage.git import index

        index.stage(self, files)

    def adopt(self, paths: Iterable[str]) -> None:
        """Bring files that HEAD's commit added, and the index does not know, into the index and the working tree.

        Needed after `git commit PATH`: what a hook stages there reaches the commit and not the user's own index.
        Older files that the index lacks are the user's staged removals, and stay removed.
        """
        from heldout.storage.git import index

        index.adopt(self, list(paths))

    def commit_files(
        self,
        files: Mapping[str, bytes],
        message: str,
        expected_head: str | None,
        on_note: Callable[[str], None] | None = None,
    ) -> str:
        """A commit on the current branch that changes only these files; staged and unstaged work stays as it is.

        `expected_head` is the commit the files were made for (None: the branch has none yet). `on_note` gets a line
        for a path that is committed but could not be brought into the index or the working tree.

        Raises RepositoryError: `detached-head`; `head-moved` when the branch is no longer at `expected_head`;
        `git-failed`, for instance when the commit has to be signed and cannot be.
        """
        from heldout.storage.git import index

        return index.commit_files(self, files, message, expected_head, on_note or (lambda _: None))

    # --- history and refs --------------------------------------------------------------------------------------------

    def parents(self, commit: str) -> list[str]:
        return self.run("rev-list", "-n", "1", "--parents", commit).decode("ascii").split()[1:]

    def merge_base(self, one: str, other: str) -> str | None:
        return self.line("merge-base", one, other)

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.succeeds("merge-base", "--is-ancestor", old, new)

    def version_tags(self) -> list[refs.Tag]:
        """Tags with an @ in their last part that lead to a commit, sorted by name."""
        tags, nested = refs.parse_tags(self.run("for-each-ref", refs.TAG_FORMAT, "refs/tags/**/*@*"))
        for name, oid, says in nested:
            commit = self.commit_of(oid)
            if commit is not None:
                tags.append(refs.Tag(name, commit, annotated=True, oid=oid, says=says))
        return sorted(tags, key=lambda tag: tag.name)

    def remote_refs(self) -> list[refs.Ref]:
        """Remote-tracking branches: what was last seen of every remote."""
        return refs.parse_refs(self.run("for-each-ref", refs.REF_FORMAT, "refs/remotes"))

    def branches(self) -> list[refs.Ref]:
        """Branches of this repository itself."""
        return refs.parse_refs(self.run("for-each-ref", refs.REF_FORMAT, "refs/heads"))

    def is_published(self, commit: str) -> bool:
        """Whether some remote-tracking branch already holds the commit."""
        return bool(self.run("for-each-ref", "--count=1", f"--contains={commit}", "refs/remotes"))

    def remotes(self) -> list[str]:
        return self.run("remote").decode("utf-8", "surrogateescape").split()

    def remote_settings(self) -> dict[str, refs.RemoteSettings]:
        """What is fetched from each remote."""
        return refs.parse_remote_settings(self._run(("config", "-z", "--get-regexp", "^remote[.]"), accept=(0, 1))[1])

    def ls_remote_tags(self, remote: str, timeout: float = 30.0) -> list[refs.Tag]:
        """The remote's tags as they are now. Raises RepositoryError `git-failed` or `git-timeout`."""
        return refs.parse_remote_tags(self.run("ls-remote", "--tags", "--", remote, timeout=timeout))

    def create_tag(self, name: str, commit: str, message: str | None, *, sign: bool | None = None) -> None:
        """An annotated tag, or a lightweight one without a message; `sign` None: as Git's configuration says."""
        from heldout.storage.git import interactive

        interactive.create_tag(self, name, commit, message, sign=sign)

    def delete_tag(self, name: str) -> None:
        from heldout.storage.git import interactive

        interactive.delete_tag(self, name)

    # --- configuration -----------------------------------------------------------------------------------------------

    def config_get(self, name: str) -> str | None:
        return self.line("config", "--get", name)

    def config_bool(self, name: str) -> bool:
        """False for a setting that is absent; Git's spelling of truth (yes, on, 1) is understood."""
        return self.line("config", "--type=bool", "--get", name) == "true"

    def config_set(self, name: str, value: str) -> None:
        """Set it for this repository only."""
        from heldout.storage.git import interactive

        interactive.config_set(self, name, value)


def _describe(start: Path, env: Mapping[str, str]) -> Git:
    question = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel")
    status, output = run_git(question, cwd=start, env=env, accept=(0, 128))
    found = [Path(os.fsdecode(line)) for line in output.split(b"\n") if line]
    if len(found) < 2:
        raise _no_repository(start, env)
    git_dir, common_dir = found[:2]
    bare = status != 0
    top = git_dir if bare else found[2]
    settled = {**env, "GIT_DIR": str(git_dir)} | ({} if bare else {"GIT_WORK_TREE": str(top)})
    return Git(top, git_dir, common_dir, bare, settled)


def _no_repository(start: Path, env: Mapping[str, str]) -> RepositoryError:
    """Git's own words where it has others than 'not a repository' (a folder owned by someone else, a broken config)."""
    try:
        run_git(["rev-parse", "--git-dir"], cwd=start, env=env)
    except RepositoryError as error:
        if error.slug != "git-failed" or "not a git repository" not in error.message:
            return error
    return RepositoryError(
        "not-a-repository", f"{start} is not inside a Git repository", hint="git init, then heldout init"
    )


def _try_describe(start: Path, env: Mapping[str, str]) -> Git | None:
    try:
        return _describe(start, env)
    except RepositoryError:
        return None
