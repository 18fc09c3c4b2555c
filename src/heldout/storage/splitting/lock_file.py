"""split.lock of a dataset (`format: heldout/split-lock@1`), to and from `DatasetLock`.

Not the lock of a case file, which has another form and another digest (`heldout.storage.splitting.case_files`).
"""

from __future__ import annotations

import re
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.splitting.lock import DatasetLock
from heldout.storage.yaml.files import dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section

FORMAT: Final = "heldout/split-lock@1"
FILE: Final = "split.lock"
"""Beside dataset.yaml."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def render_lock_file(lock: DatasetLock) -> bytes:
    held_out: dict[str, JSON] = {split: dict(keys) for split, keys in lock.held_out.items()}
    return dump_yaml({"format": FORMAT, "dataset": lock.dataset, "held_out": held_out})


def parse_lock_file(data: bytes, path: str) -> DatasetLock:
    """Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, path)
    top = Section(located, located.value)
    if top.needed_text("format") != FORMAT:
        top.fail("unknown-format", f"this Heldout reads {FORMAT!r}", "format")
    dataset, held_out = top.needed_text("dataset"), top.section("held_out")
    splits: dict[str, dict[str, str]] = {}
    for split, keys in held_out.items() if held_out is not None else ():
        if not isinstance(keys, dict):
            top.fail("wrong-type", "expected digests by key", "held_out", split)
        for key, digest in keys.items():
            if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
                top.fail("bad-value", 'expected "sha256:" and 64 hex digits', "held_out", split, key)
        splits[split] = {key: str(digest) for key, digest in keys.items()}
    top.done()
    return DatasetLock(dataset, splits)
