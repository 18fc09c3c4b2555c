"""What was found by holding contents against locks of splits: files below `scans/locked/` (`heldout/locked@1`).

A file's bytes follow from the content and the lock, and its name from their digests: branches never conflict in it, and
whoever has the data can make it again.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from heldout.domain.canonical import canonical_json, digest
from heldout.domain.example import JSON
from heldout.domain.splitting.lock import Change
from heldout.domain.splitting.lock_cover import LockCheck, LockedChange
from heldout.errors import TamperedError
from heldout.storage.catalog import ROOT

CHECK_FORMAT: Final = "heldout/locked@1"
CHECKS: Final = "scans/locked"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def lock_check_path(dataset: str, source: str, lock: str) -> str:
    return f"{ROOT}/{dataset}/{CHECKS}/{digest([source, lock]).removeprefix('sha256:')[:16]}.json"


def is_lock_check(path: str) -> bool:
    return f"/{CHECKS}/" in path and path.endswith(".json")


def render_lock_check(check: LockCheck) -> bytes:
    changes: list[JSON] = [
        [item.split, item.key, item.change.value, item.now or None, item.locked or None] for item in check.changes
    ]
    content: dict[str, JSON] = {
        "format": CHECK_FORMAT,
        "source": check.source,
        "lock": check.lock,
        "changes": changes,
    }
    return canonical_json(content) + b"\n"


def parse_lock_check(data: bytes, path: str) -> LockCheck:
    """Raises TamperedError (slug lock-check-broken) for bytes that Heldout would not write at that place."""
    dataset = path.removeprefix(f"{ROOT}/").partition(f"/{CHECKS}/")[0]
    try:
        found = json.loads(data)
        check = LockCheck(dataset, found["source"], found["lock"], tuple(map(_change, found["changes"])))
        fits = render_lock_check(check) == data and lock_check_path(dataset, check.source, check.lock) == path
    except (ValueError, TypeError, KeyError, RecursionError):
        fits = False
    if not fits:
        raise TamperedError(
            "lock-check-broken",
            f"{path} is not what Heldout wrote there",
            hint="git checkout the file, or remove it and run heldout scan --all --commit",
        )
    return check


def _change(found: Any) -> LockedChange:
    split, key, change, now, locked = found
    if not all(isinstance(text, str) for text in (split, key)):
        raise ValueError("names")
    if not all(text is None or _DIGEST.fullmatch(text) for text in (now, locked)):
        raise ValueError("digests")
    return LockedChange(split, key, Change(change), now or "", locked or "")
