"""Logs of exposures: `datasets/<name>/exposures.jsonl`, and what was found in versions by them, below `scans/exposed/`.

A line is canonical JSON (RFC 8785), so that its digest is that of its bytes and two tools write the same. People append
lines through `heldout expose` only; no text of an example is in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, Final

from heldout.domain.canonical import canonical_json, digest
from heldout.domain.example import JSON
from heldout.domain.exposing.exposure import Exposure, ExposureCheck, How, MemberName, chain_faults
from heldout.errors import TamperedError
from heldout.storage.catalog import ROOT

FILE: Final = "exposures.jsonl"
CHECK_FORMAT: Final = "heldout/exposed@1"
_CHECKS = "scans/exposed"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LINE_KEYS = {"number", "previous", "date", "how", "by", "note", "members"}
_CONFLICT = re.compile(rb"(<{7}|={7}|>{7}|\|{7})( |$)")


def log_path(dataset: str) -> str:
    return f"{ROOT}/{dataset}/{FILE}"


def dataset_of_log(path: str) -> str | None:
    """The dataset whose log a path is."""
    inner = path.removeprefix(f"{ROOT}/").removesuffix(f"/{FILE}")
    return inner if path == log_path(inner) else None


def render_log(log: Iterable[Exposure]) -> bytes:
    return b"".join(canonical_json(line.as_json()) + b"\n" for line in log)


def parse_log(data: bytes, path: str) -> tuple[Exposure, ...]:
    """Raises TamperedError (slug exposure-log-broken) for a line that was edited or does not follow from the last."""
    log = tuple(read_lines(data, path))
    for number, what in chain_faults(log):
        raise broken(path, number, what)
    return log


def read_lines(data: bytes, path: str, *, conflicted: bool = False) -> Iterator[Exposure]:
    """Lines as they stand, whether they are chained or not. With `conflicted`, what Git marks a conflict by is passed
    over. Raises TamperedError (slug exposure-log-broken) for what Heldout does not write."""
    rows = data.split(b"\n")
    if rows[-1] and not conflicted:
        raise broken(path, len(rows), "has no end")
    for number, raw in enumerate(rows[:-1] if not rows[-1] else rows, 1):
        if conflicted and (not raw.strip() or _CONFLICT.match(raw)):
            continue
        try:
            line = _parse_line(json.loads(raw))
            exact = canonical_json(line.as_json()) == raw
        except (ValueError, TypeError, KeyError, RecursionError):
            raise broken(path, number, "is no line that Heldout writes") from None
        if not exact:
            raise broken(path, number, "was edited: it is not written as Heldout writes it")
        yield line


def _parse_line(found: Any) -> Exposure:
    if not isinstance(found, dict) or set(found) != _LINE_KEYS:
        raise ValueError("keys")
    number, previous = found["number"], found["previous"]
    if type(number) is not int or not (previous is None or _DIGEST.fullmatch(previous)):
        raise ValueError("chain")
    members = _members(found["members"])
    if list(members) != sorted(set(members)) or not members:
        raise ValueError("members")
    if not all(isinstance(found[key], str) for key in ("by", "note")):
        raise ValueError("texts")
    day = date.fromisoformat(found["date"])
    return Exposure(number, previous, day, How(found["how"]), found["by"], found["note"], members)


def _members(found: Any) -> tuple[MemberName, ...]:
    members = []
    for split, key, text in found:
        if not (isinstance(split, str) and isinstance(key, str) and _DIGEST.fullmatch(text)):
            raise ValueError("members")
        members.append((split, key, text))
    return tuple(members)


def broken(path: str, line: int, what: str) -> TamperedError:
    return TamperedError(
        "exposure-log-broken",
        f"{path}, line {line}: {what}",
        hint="git log -p names the commit that did it; after a merge: heldout exposures repair NAME",
    )


# --- what was found in a version ------------------------------------------------------------------------------------


def check_path(dataset: str, source: str, log: str) -> str:
    """One file for a content and a state of the log, so that branches never conflict in it."""
    return f"{ROOT}/{dataset}/{_CHECKS}/{digest([source, log]).removeprefix('sha256:')[:16]}.json"


def is_check(path: str) -> bool:
    return f"/{_CHECKS}/" in path and path.endswith(".json")


def render_check(check: ExposureCheck) -> bytes:
    content: dict[str, JSON] = {
        "format": CHECK_FORMAT,
        "source": check.source,
        "log": check.log,
        "held": [list(member) for member in check.held],
    }
    return canonical_json(content) + b"\n"


def parse_check(data: bytes, path: str) -> ExposureCheck:
    """Raises TamperedError (slug exposure-check-broken) for bytes that Heldout would not write at that place."""
    dataset = path.removeprefix(f"{ROOT}/").partition(f"/{_CHECKS}/")[0]
    try:
        found = json.loads(data)
        check = ExposureCheck(dataset, found["source"], found["log"], _members(found["held"]))
        fits = render_check(check) == data and check_path(dataset, check.source, check.log) == path
    except (ValueError, TypeError, KeyError, RecursionError):
        fits = False
    if not fits:
        raise TamperedError(
            "exposure-check-broken",
            f"{path} is not what Heldout wrote there",
            hint="git checkout the file, or remove it and run heldout exposures check",
        )
    return check


def last_digest(log: Sequence[Exposure]) -> str:
    """The digest that names a log as it stands."""
    from heldout.domain.exposing.exposure import line_digest

    return line_digest(log[-1])
