"""Scan records on disk: scan.yaml (`heldout/scan@1`), written and read without loss, and its findings.jsonl."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heldout.domain.canonical import digest_bytes
from heldout.domain.kind import ALWAYS_COUNTED
from heldout.domain.record import Capped, Compared, Examples, ScanRecord
from heldout.errors import TamperedError
from heldout.storage.yaml.files import dump_yaml, load_yaml
from heldout.storage.yaml.scalars import plain_value

if TYPE_CHECKING:
    from heldout.domain.finding import Finding

FORMAT = "heldout/scan@1"
RECORD_FILE = "scan.yaml"
FINDINGS_FILE = "findings.jsonl"


def sources_of(record: ScanRecord) -> tuple[str, ...]:
    """The versions of a record in the order in which its findings number them."""
    return (record.source, *sorted(item.source for item in record.compared))


def render_record(record: ScanRecord) -> bytes:
    return dump_yaml(
        {
            "format": FORMAT,
            "subject": {"dataset": record.dataset, "source": record.source, "content": record.content},
            "method": {
                "id": record.method_id,
                "digest": record.method_digest,
                "parameters": dict(record.method_parameters),
            },
            "examples": {
                "total": record.examples.total,
                "scanned": record.examples.scanned,
                "no_text": record.examples.no_text,
                "no_text_named": list(record.examples.no_text_named),
                "payload_missing": record.examples.payload_missing,
                "rows_skipped": record.examples.rows_skipped,
                "by_split": dict(sorted(record.examples.by_split.items())),
            },
            "holdout": {"splits": list(record.holdout_splits), "members": record.holdout_members},
            "incomplete": list(record.incomplete),
            "compared": [
                {"dataset": item.dataset, "source": item.source, "complete": item.complete}
                for item in sorted(record.compared, key=lambda item: item.source)
            ],
            "counts": dict(record.counts),
            "capped": {
                "buckets": record.capped.buckets,
                "pairs": record.capped.pairs,
                "containments": record.capped.containments,
            },
            "findings": {"digest": record.findings_digest, "lines": record.findings_lines},
        }
    )


def parse_record(data: bytes, name: str) -> ScanRecord:
    """Raises TamperedError (slug record-unreadable): only Heldout writes records, so an odd one was changed by hand."""
    try:
        rest, compared = _without_compared(data)
        return _record(load_yaml(rest, name), compared)
    except Exception as error:
        raise TamperedError(
            "record-unreadable", f"{name} is not a scan record: {error}", hint="take the file from its commit in Git"
        ) from error


_COMPARED = rb'- dataset: ([A-Za-z][A-Za-z0-9/_-]*)\n  source: "(sha256:[0-9a-f]{64})"\n  complete: (true|false)\n'
_COMPARED_ITEM = re.compile(_COMPARED)
_COMPARED_LIST = re.compile(
    rb"^compared:\n((?:%s)+)(?=[a-z]+:)" % re.sub(rb"\((?!\?)", b"(?:", _COMPARED), re.MULTILINE
)


def _without_compared(data: bytes) -> tuple[bytes, tuple[Compared, ...]]:
    """The record with an empty `compared` list, and that list where it stands exactly as written by `render_record`.

    The records of n versions name n * n / 2 comparisons. Of 300 versions, YAML took 700 ms, and this takes 40.
    """
    found = _COMPARED_LIST.search(data)
    if found is None:
        return data, ()
    head, *items = found[1].split(b"- dataset: ")
    compared = tuple(_compared(b"- dataset: " + item) for item in items)
    if head or None in compared:
        return data, ()
    return data[: found.start()] + b"compared: []\n" + data[found.end() :], tuple(filter(None, compared))


@lru_cache(maxsize=8192)
def _compared(item: bytes) -> Compared | None:
    """None for a dataset that YAML would not take for a text."""
    match = _COMPARED_ITEM.fullmatch(item)
    if match is None or not isinstance(plain_value(match[1].decode()), str):
        return None
    return Compared(match[1].decode(), match[2].decode(), match[3] == b"true")


def _record(content: Any, compared: tuple[Compared, ...]) -> ScanRecord:
    if content["format"] != FORMAT:
        raise ValueError(f"format is {content['format']!r}, expected {FORMAT!r}")
    subject, method, findings, capped = (content[key] for key in ("subject", "method", "findings", "capped"))
    return ScanRecord(
        dataset=_text(subject["dataset"]),
        source=_text(subject["source"]),
        content=_text(subject["content"]),
        method_id=_text(method["id"]),
        method_digest=_text(method["digest"]),
        method_parameters=_mapping(method["parameters"]),
        examples=_examples(content["examples"]),
        holdout_splits=_texts(content["holdout"]["splits"]),
        holdout_members=_number(content["holdout"]["members"]),
        incomplete=_texts(content["incomplete"]),
        compared=compared or tuple(map(_comparison, _list(content["compared"]))),
        counts=_counts(content["counts"]),
        capped=Capped(**{name: _number(value) for name, value in capped.items()}),
        findings_digest=_text(findings["digest"]),
        findings_lines=_number(findings["lines"]),
    )


def _comparison(item: dict[str, Any]) -> Compared:
    dataset, source, complete = item["dataset"], item["source"], item["complete"]
    if type(complete) is not bool:
        raise ValueError(f"expected true or false, found {complete!r}")
    return Compared(_text(dataset), _text(source), complete)


def _examples(content: dict[str, Any]) -> Examples:
    named, by_split = _texts(content["no_text_named"]), _mapping(content["by_split"])
    numbers = {name: _number(value) for name, value in content.items() if name not in ("no_text_named", "by_split")}
    return Examples(**numbers, no_text_named=named, by_split={key: _number(value) for key, value in by_split.items()})


def _counts(counts: dict[str, int]) -> dict[str, int]:
    """An answer asks these before it reads findings, so one that is missing must not pass for none found."""
    wanted = [*(kind.value for kind in ALWAYS_COUNTED), "holdout_contamination"]
    if missing := [name for name in wanted if name not in counts]:
        raise ValueError(f"counts lacks {', '.join(missing)}")
    return {name: _number(value) for name, value in counts.items()}


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"expected a whole number, found {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {value!r}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, found {value!r}")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a mapping, found {value!r}")
    return value


def check_place(record: ScanRecord, path: str) -> None:
    """Refuse a record whose folder is not its id, or not its dataset's: content-addressed files name themselves."""
    if path != f"{record.folder()}/{RECORD_FILE}":
        raise TamperedError(
            "record-misplaced",
            f"{path} holds the record {record.id} of {record.dataset}: its contents do not fit its place",
            hint="take the file from its commit in Git",
        )


def load_findings(record: ScanRecord, read: Callable[[], bytes | None]) -> tuple[Finding, ...]:
    """The findings of a record, checked against its digest. Raises TamperedError (slug findings-changed)."""
    data = read()
    if data is None or digest_bytes(data) != record.findings_digest:
        state = "missing" if data is None else "not the file that the record names"
        raise TamperedError(
            "findings-changed",
            f"{record.folder()}/{FINDINGS_FILE} is {state}",
            hint="take the file from its commit in Git, or scan again",
        )
    from heldout.storage.finding_lines import parse_findings

    try:
        findings, _ = parse_findings(data, sources_of(record))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        # The bytes fit the digest, so the record was made by hand too.
        raise TamperedError(
            "findings-changed",
            f"{record.folder()}/{FINDINGS_FILE} holds no findings: {error!r}",
            hint="heldout verify makes the record again and compares it",
        ) from error
    return findings
