"""DVC itself, in a process of its own: the only module that imports it.

DVC takes 0.6 s to import, can wait for ever (a partial clone, a prompt for a password), changes global state, and reads
Git's environment, which means something else inside a hook. Its library is called, not its command line, because the
command line reports usage and looks for updates over the network. Speaks JSON: a request on standard input, one reply
on standard output.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dvc.repo import Repo
    from dvc_data.hashfile.hash_info import HashInfo


def main() -> int:
    """Always answers, unless DVC crashes the interpreter; whatever DVC prints goes to standard error."""
    request = json.load(sys.stdin)
    reply_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        reply: dict[str, Any] = {"result": _ACTIONS[request.pop("action")](**request)}
    except Exception as error:
        reply = {"error": _sentence(error)}
    with reply_to:
        json.dump(reply, reply_to)
    return 0


def _init() -> list[str]:
    from dvc.repo import Repo

    with contextlib.closing(Repo.init(os.curdir)):
        return [".dvc/.gitignore", ".dvc/config", ".dvcignore"]


def _add(paths: list[str]) -> list[str]:
    """Returns the files that Git has to track, relative to the top."""
    with _repository() as repo:
        written: set[str] = set()
        for stage in repo.add(paths):
            written.add(stage.path)
            written.update(os.path.join(os.path.dirname(out.fs_path), ".gitignore") for out in stage.outs)
        return sorted(os.path.relpath(path, repo.root_dir) for path in written if os.path.exists(path))


def _fetch(objects: list[dict[str, Any]], rev: str | None) -> list[str]:
    """Returns what went wrong, in DVC's words; the caller looks into the cache for what arrived.

    First by digest, straight from the default remote: that needs no checkout, no history and no working copy. What it
    does not bring (imports come from their source repository, an output may name a remote of its own, and cloud
    versioning has no digests) DVC fetches by path at `rev`, or from the working copy where no revision is given.
    """
    problems: list[str] = []
    with _repository() as repo:
        wanted = [(item["path"], _info(item["md5"], item["legacy"])) for item in objects]
        _pull(repo, [info for _, info in wanted], problems)
        # DVC brings a folder's manifest this way, not its files.
        members = [member for _, info in wanted for member in _members(repo, info)]
        if members:
            _pull(repo, members, problems)
        left = [path for path, info in wanted if not _complete(repo, info)]
        if left:
            try:
                repo.fetch(targets=sorted(set(left)), revs=[rev] if rev else None, workspace=rev is None)
            except Exception as error:
                problems.append(_sentence(error))
    return problems


def _pull(repo: Repo, infos: list[HashInfo], problems: list[str]) -> None:
    try:
        repo.cloud.pull(set(infos))
    except Exception as error:
        problems.append(_sentence(error))


def _info(md5: str, legacy: bool) -> HashInfo:
    from dvc_data.hashfile.hash_info import HashInfo

    return HashInfo("md5-dos2unix" if legacy else "md5", md5)


def _members(repo: Repo, info: HashInfo) -> list[HashInfo]:
    """The files of a folder whose manifest is here; none for a file."""
    if not info.isdir or not _present(repo, info):
        return []
    odb = _cache(repo, info)
    with odb.fs.open(odb.oid_to_path(info.value)) as stream:
        return [_info(entry["md5"], info.name != "md5") for entry in json.load(stream)]


def _complete(repo: Repo, info: HashInfo) -> bool:
    return _present(repo, info) and all(_present(repo, member) for member in _members(repo, info))


def _present(repo: Repo, info: HashInfo) -> bool:
    return bool(_cache(repo, info).exists(info.value))


def _cache(repo: Repo, info: HashInfo) -> Any:
    return repo.cache.legacy if info.name != "md5" else repo.cache.local


@contextlib.contextmanager
def _repository() -> Iterator[Repo]:
    from dvc.repo import Repo

    with Repo(os.curdir) as repo:
        yield repo


def _sentence(error: Exception) -> str:
    """DVC's message in one line, with the cause that it often keeps to itself."""
    parts = [str(error), str(error.__cause__ or "")]
    text = ": ".join(" ".join(part.split()) for part in parts if part) or type(error).__name__
    return text[:2000]


_ACTIONS: dict[str, Callable[..., list[str]]] = {"init": _init, "add": _add, "fetch": _fetch}

if __name__ == "__main__":
    sys.exit(main())
