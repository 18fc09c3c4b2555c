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
    from dvc_data.hashfile.hash_info import HashInfo

    problems: list[str] = []
    with _repository() as repo:
        wanted = {item["path"]: HashInfo("md5-dos2unix" if item["legacy"] else "md5", item["md5"]) for item in objects}
        try:
            result = repo.cloud.pull(set(wanted.values()))
            failed = set(result.failed)
        except Exception as error:
            problems.append(_sentence(error))
            failed = set(wanted.values())
        left = [path for path, info in wanted.items() if info in failed or not _present(repo, info)]
        if left:
            try:
                repo.fetch(targets=left, revs=[rev] if rev else None, workspace=rev is None)
            except Exception as error:
                problems.append(_sentence(error))
    return problems


def _present(repo: Repo, info: Any) -> bool:
    odb = repo.cache.legacy if info.name == "md5-dos2unix" else repo.cache.local
    return bool(odb.exists(info.value))


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
