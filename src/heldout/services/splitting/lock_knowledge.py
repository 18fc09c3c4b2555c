"""Locks of splits and what was found by them, in committed trees, for the answers that rest on them. Reads no data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from heldout.domain.canonical import digest_bytes
from heldout.domain.coverage import Version
from heldout.domain.names import RESERVED
from heldout.domain.splitting.lock_cover import LockCheck, LockCover
from heldout.errors import HeldoutError, TamperedError
from heldout.storage.catalog import ROOT, Catalog
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.splitting.lock_checks import is_lock_check, parse_lock_check
from heldout.storage.splitting.lock_file import FILE


def lock_cover(
    git: Git, files: Mapping[str, Sequence[str]], agreed: Iterable[GitTree], versions: Iterable[Version]
) -> LockCover:
    """`files` are the object ids of checks by path, in any known tree: evidence adds up.

    Locks count in the `agreed` trees, for one can take evidence away, and each version's in its own commit.
    """
    versions = tuple(versions)
    beside: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for tree in agreed:
        names = [
            path[len(ROOT) + 1 : -len(FILE) - 1] for path in tree.paths(ROOT, RESERVED) if path.endswith("/" + FILE)
        ]
        for name in names:
            _add(beside, tree, name)
    for tree, version in zip(git.many_trees([version.commit for version in versions]), versions, strict=True):
        _add(beside, tree, version.dataset)
    return LockCover(beside, [*_checks(git, files)])


def _add(beside: defaultdict[tuple[str, str], set[str]], tree: GitTree, name: str) -> None:
    """A dataset that cannot be read holds no content; verify says what is wrong with it."""
    data = tree.read(f"{ROOT}/{name}/{FILE}")
    if data is not None:
        try:
            beside[name, Catalog(tree).state(name).source].add(digest_bytes(data))
        except HeldoutError:
            return


def _checks(git: Git, files: Mapping[str, Sequence[str]]) -> Iterator[LockCheck]:
    """Readable ones: what another one covered is unknown, and verify names it."""
    wanted = {path: oids for path, oids in files.items() if is_lock_check(path)}
    contents = git.read_blobs([oid for oids in wanted.values() for oid in oids])
    for path, oids in sorted(wanted.items()):
        for oid in oids:
            try:
                yield parse_lock_check(contents[oid], path)
            except TamperedError:
                continue
