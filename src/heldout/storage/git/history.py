"""What Git knows about tags' objects, where references were, and which commits are left in no branch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heldout.storage.git import refs
from heldout.storage.git.repository import Git


def tag_object(git: Git, name: str, oid: str) -> refs.Tag | None:
    """A tag as it would be with this object under this name, whether or not a ref has it; None: it leads to no commit.

    `oid` may be a commit: a lightweight tag.
    """
    commit = git.commit_of(oid)
    found = git.read_object(oid)
    if commit is None or found is None:
        return None
    kind, data = found
    says = refs.name_inside(data) if kind == "tag" else None
    return refs.Tag(name, commit, annotated=kind == "tag", oid=oid, says=says)


def tag_signature(git: Git, oid: str) -> str | None:
    """How a tag object is signed: ssh, openpgp or x509; None where it is not."""
    found = git.read_object(oid)
    return refs.signature_kind(found[1]) if found and found[0] == "tag" else None


def seen_at(git: Git, ref: str, limit: int = 200) -> list[str]:
    """Commits that a reference was at, newest first, as far as its log reaches; none without a log."""
    output = git.line("log", "-g", "--format=%H", "-n", str(limit), ref, "--")
    return list(dict.fromkeys((output or "").split()))


def in_no_branch(git: Git, commits: Sequence[str]) -> frozenset[str]:
    """Those that neither HEAD nor any branch, here or of a remote, has in its history."""
    if not commits:
        return frozenset()
    wanted = "".join(f"{commit}\n" for commit in dict.fromkeys(commits)).encode()
    head = ["HEAD"] if git.head() else []
    output = git.run("rev-list", "--stdin", "--not", *head, "--branches", "--remotes", stdin=wanted)
    return frozenset(output.decode("ascii").split()) & {*commits}


@dataclass(frozen=True, slots=True)
class Step:
    """A commit, its parents, and the paths that differ from any of them."""

    commit: str
    parents: tuple[str, ...]
    paths: frozenset[str]


def steps(git: Git, head: str, base: str | None, folder: str) -> list[Step]:
    """Every commit in the history of `head` and not of `base` that changed something in a folder, newest first."""
    wanted = [head] if base is None else [head, f"^{base}"]
    options = ["--full-history", "-m", "--no-renames", "--name-only", "-z", "--format=%x01%H %P"]
    output = git.run("log", *options, *wanted, "--", folder)
    found: dict[str, tuple[tuple[str, ...], set[str]]] = {}
    for part in output.split(b"\x01")[1:]:
        head_line, _, names = part.partition(b"\0")
        commit, *parents = head_line.decode("ascii").split()
        paths = {os.fsdecode(name.lstrip(b"\n")) for name in names.split(b"\0") if name.strip(b"\n")}
        found.setdefault(commit, (tuple(parents), set()))[1].update(paths)
    return [Step(commit, parents, frozenset(paths)) for commit, (parents, paths) in found.items()]


def people_behind(git: Git, path: str) -> list[tuple[str, frozenset[str]]]:
    """Each commit in HEAD's history that changed a file, newest first, and who stands behind it: its author and
    committer, and whom its message names as reviewing, co-authoring or signing off; each as `Name <address>`."""
    found: dict[str, frozenset[str]] = {}
    for commit, people in _people(git, ("Reviewed-by", "Co-authored-by", "Signed-off-by"), ["HEAD"], [path]):
        found[commit] = found.get(commit, frozenset()) | people
    return [*found.items()]


def authors_between(git: Git, base: str, head: str, paths: Sequence[str]) -> frozenset[str]:
    """Who changed files in the history of `head` that is not in `base`'s: authors, committers and co-authors."""
    return frozenset().union(*(people for _, people in _people(git, ("Co-authored-by",), [head, f"^{base}"], paths)))


def _people(
    git: Git, keys: Sequence[str], wanted: Sequence[str], paths: Sequence[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """(commit, people); a merge comes once for each parent that it differs from."""
    trailers = "".join(f"%(trailers:key={key},valueonly)" for key in keys)
    form = f"--format=%x01%H%n%an <%ae>%n%cn <%ce>%n{trailers}"
    output = git.line("log", "--full-history", "-m", form, *wanted, "--", *paths)
    for part in (output or "").split("\x01")[1:]:
        commit, *people = (line.strip() for line in part.splitlines() if line.strip())
        yield commit, frozenset(people)
