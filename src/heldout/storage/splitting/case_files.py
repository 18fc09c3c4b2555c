"""Case files (YAML or JSON: name, version, cases) and their lock files, read strictly and written back."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from heldout.domain.dataset import CASE_SCHEMA
from heldout.domain.example import JSON
from heldout.domain.splitting.case import DEVELOPMENT, HELD_OUT, Case, CaseSet, fault_between
from heldout.domain.splitting.lock import Lock
from heldout.errors import ConfigError, DataError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.regular_files import opened
from heldout.storage.splitting.row_schema import row_schema, shipped_schema
from heldout.storage.yaml.files import Located, dump_yaml, load_yaml_located

_FILE_KEYS: Final = ("name", "version", "cases")
_LOCK_KEYS: Final = ("schema_version", "dataset_name", "held_out")
_LOCK_VERSION: Final = 1
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases, and the document as it stands, so that it can be written with other splits."""

    cases: CaseSet
    document: dict[str, JSON]

    def with_splits(self, held_out: Collection[str], *, as_json: bool) -> bytes:
        """The same document with the split of each case set; `held_out` are groups."""
        rows = []
        for row, case in zip(self.document["cases"], self.cases.cases, strict=True):  # type: ignore[arg-type]
            assert isinstance(row, dict)
            rows.append({**row, "split": HELD_OUT if case.group in held_out else DEVELOPMENT})
        document = {**self.document, "cases": rows}
        return _json_bytes(document) if as_json else dump_yaml(document)  # type: ignore[arg-type]


def read_case_file(path: str, *, need_splits: bool = True) -> CaseFile:
    """Raises DataError (slug bad-case) with file, line and field for a case that breaks the type case@1 or a rule
    between cases. Without `need_splits` a case may lack its split."""
    located = _load(path)
    document = located.value
    if not isinstance(document, dict):
        _refuse(located, (), "a case file has a name, a version and cases")
    _only(located, document, _FILE_KEYS)
    name, version, rows = (document.get(key) for key in _FILE_KEYS)
    if not isinstance(name, str) or not name:
        _refuse(located, ("name",), "a case file has a name, which is a text")
    if not isinstance(version, int) or isinstance(version, bool):
        _refuse(located, ("version",), "a case file has a version, which is a whole number")
    if not isinstance(rows, list) or not rows:
        _refuse(located, ("cases",), "a case file has at least one case")
    if not need_splits:
        rows = [{"split": DEVELOPMENT, **row} if isinstance(row, dict) else row for row in rows]
    _fit(located, rows)
    cases = tuple(Case.of(row) for row in rows if isinstance(row, dict))
    if (fault := fault_between((case.id, case.source_id) for case in cases)) is not None:
        _refuse(located, ("cases", fault.position, fault.field), fault.reason)
    return CaseFile(CaseSet(name, version, cases), document)


def read_lock(path: str) -> Lock:
    """Raises DataError (slug bad-lock) for what is no lock file."""
    located = _load(path)
    document = located.value
    if not isinstance(document, dict) or document.get("schema_version") != _LOCK_VERSION:
        _refuse_lock(located, ("schema_version",), "a lock file has schema_version 1, dataset_name and held_out")
    for key in document:
        if key not in _LOCK_KEYS:
            _refuse_lock(located, (key,), f"unknown field; expected {', '.join(_LOCK_KEYS)}")
    name, held_out = document.get("dataset_name"), document.get("held_out")
    if not isinstance(name, str):
        _refuse_lock(located, ("dataset_name",), "a lock file names its dataset")
    if not isinstance(held_out, dict):
        _refuse_lock(located, ("held_out",), "held_out is an object of digests by case id")
    digests: dict[str, str] = {}
    for case, digest in held_out.items():
        if not isinstance(digest, str) or len(digest) != 64 or not _HEX.issuperset(digest):
            _refuse_lock(located, ("held_out", case), "expected the digest of a case, 64 hex digits")
        digests[case] = digest
    return Lock(name, digests)


def render_lock(lock: Lock) -> bytes:
    return _json_bytes(
        {"schema_version": _LOCK_VERSION, "dataset_name": lock.dataset_name, "held_out": dict(lock.held_out)}
    )


def is_json(path: str) -> bool:
    return Path(path).suffix.lower() == ".json"


def _json_bytes(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _load(path: str) -> Located:
    """YAML, or strict JSON by the file's name; the lines of a JSON file are looked up when a fault needs them."""
    with opened(Path(path), path) as (stream, _):
        data = stream.read()
    if not is_json(path):
        return load_yaml_located(data, path)
    try:
        value = parse_json(data)
    except JSONFault as fault:
        raise DataError(fault.slug, fault.reason, file=path, line=fault.line, offset=fault.offset) from None
    return Located(value, path, _Lines(data, path))


class _Lines(dict[tuple[str | int, ...], int]):
    """Lines of the entries of a JSON document. Most JSON is YAML, whose reader keeps them; else there are none."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__()
        self._source: tuple[bytes, str] | None = (data, name)

    def __contains__(self, path: object) -> bool:
        if self._source is not None:
            (data, name), self._source = self._source, None
            try:
                self.update(load_yaml_located(data, name).lines)
            except ConfigError:
                return False
        return super().__contains__(path)


def _fit(located: Located, rows: list[JSON]) -> None:
    schema = row_schema(shipped_schema(CASE_SCHEMA), CASE_SCHEMA)
    for position, row in enumerate(rows):
        if (misfit := schema.misfit(row)) is not None:
            _refuse(located, ("cases", position, *misfit.path), misfit.reason)


def _only(located: Located, document: dict[str, JSON], keys: tuple[str, ...]) -> None:
    """Raises DataError (slug bad-case) for a key that is not one of `keys`."""
    for key in document:
        if key not in keys:
            _refuse(located, (key,), f"unknown field; expected {', '.join(keys)}")


def _refuse(located: Located, path: tuple[str | int, ...], reason: str) -> NoReturn:
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    hint = "the page on the split check shows a case file"
    raise DataError("bad-case", reason, file=located.name, line=located.line(*path), field=field or None, hint=hint)


def _refuse_lock(located: Located, path: tuple[str, ...], reason: str) -> NoReturn:
    hint = "heldout split lock writes such files"
    field = ".".join(path)
    raise DataError("bad-lock", reason, file=located.name, line=located.line(*path), field=field or None, hint=hint)
