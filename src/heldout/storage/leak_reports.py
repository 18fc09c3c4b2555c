"""Reading kept reports of `heldout leak`: the JSON form, or the text form, which is EvalLeak's own as well."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from heldout.domain.example import JSON
from heldout.domain.leaks.diff import LeakSnapshot
from heldout.domain.leaks.leak import SIGNS, LeakKind, side_name
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.regular_files import opened

FORMAT: Final = "heldout/leak-report@1"
_TITLES: Final = (
    (LeakKind.EXACT, re.compile(r"exact cross-split duplicates:")),
    (LeakKind.NEAR, re.compile(r"near cross-split duplicates \((.*)\):")),
    (LeakKind.CONTAINMENT, re.compile(r"containment \((min_length=\d+)\):")),
    (LeakKind.INTRA_SPLIT, re.compile(r"intra-split duplicates:")),
)
_FINDINGS: Final = {
    LeakKind.EXACT: re.compile(r"(\S.* == .*) digest=[0-9a-f]{12}"),
    LeakKind.NEAR: re.compile(r"(\S.* ~ .*) jaccard~?=[0-9.]+"),
    LeakKind.CONTAINMENT: re.compile(r"(\S.* inside .*) position=(?:prefix|suffix|interior)"),
    LeakKind.INTRA_SPLIT: re.compile(r"(\S.* == .*) digest=[0-9a-f]{12}"),
}
_OTHER_TITLES: Final = ("split record counts:", "contamination rate per split pair", "overlaps per source:")
_NORMALISATION: Final = "normalisation: "


def read_report(path: str) -> LeakSnapshot:
    """A report by its path. Raises DataError (slug bad-report, and those of files) for what is none."""
    with opened(Path(path), path) as (stream, _):
        data = stream.read()
    if data.lstrip()[:1] == b"{":
        return _from_json(data, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError("bad-encoding", "the report is not UTF-8 text", file=path, offset=error.start) from error
    return _from_text(text, path)


def _from_text(text: str, path: str) -> LeakSnapshot:
    """Indentation and empty lines are free. A line in a detector's section that is no finding is refused."""
    findings: dict[LeakKind, dict[str, str]] = {}
    settings: dict[str, str] = {}
    section: LeakKind | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        title = next(((kind, found) for kind, form in _TITLES if (found := form.fullmatch(line))), None)
        if title is not None:
            section = title[0]
            findings[section] = {}
            if title[1].groups():
                settings[section.value] = title[1][1]
        elif line.startswith((*_OTHER_TITLES, "total contaminated records:")):
            section = None
        elif line.startswith(_NORMALISATION) and section is None:
            settings["normalisation"] = line.removeprefix(_NORMALISATION)
        elif section is not None and line and line != "none":
            finding = _FINDINGS[section].fullmatch(line)
            if finding is None:
                _refuse(path, f"this is no finding of the section {section.value!r}", number)
            findings[section][finding[1]] = line
    if not findings:
        _refuse(path, "it has none of a report's sections", 1)
    return LeakSnapshot(findings, settings)


def _from_json(data: bytes, path: str) -> LeakSnapshot:
    try:
        value = parse_json(data)
    except JSONFault as fault:
        raise DataError(fault.slug, fault.reason, file=path, line=fault.line, offset=fault.offset) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        _refuse(path, f"its `format` is not {FORMAT!r}", 1)
    try:
        findings: dict[LeakKind, dict[str, str]] = {LeakKind(str(kind)): {} for kind in _list(value["detectors"])}
        for item in _list(value["findings"]):
            kind = LeakKind(str(_object(item)["kind"]))
            identity = f"{_side(item, 'a')} {SIGNS[kind]} {_side(item, 'b')}"
            findings[kind][identity] = identity + _score(_object(item))
        near = _object(value["near"])
        settings = {
            "normalisation": ", ".join(map(str, _list(value["normalisation"]))) or "none",
            "near": str(near["rule"]),
            "containment": f"min_length={value['min_length']}",
        }
    except (KeyError, ValueError, TypeError) as error:
        _refuse(path, f"it is not in the form of {FORMAT}: {error!r}", 1)
    return LeakSnapshot(
        findings, {name: text for name, text in settings.items() if name in {*findings, "normalisation"}}
    )


def _score(item: Mapping[str, JSON]) -> str:
    """What the text form shows after the two records; empty where the finding lacks it."""
    if "jaccard" in item:
        return f" jaccard={_object(item['jaccard'])['rounded']:.3f}"
    if "position" in item:
        return f" position={item['position']}"
    return f" digest={str(item['digest']).removeprefix('sha256:')[:12]}"


def _side(item: JSON, name: str) -> str:
    side = _object(_object(item)[name])
    return side_name(str(side["split"]), str(side["id"]))


def _object(value: JSON) -> dict[str, JSON]:
    if not isinstance(value, dict):
        raise TypeError("an object is expected")
    return value


def _list(value: JSON) -> list[JSON]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def _refuse(path: str, message: str, line: int) -> NoReturn:
    hint = "heldout leak report TRAIN EVAL > report.txt writes one; --json is read too"
    raise DataError("bad-report", message, file=path, line=line, hint=hint)
