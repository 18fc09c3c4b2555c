"""Draws (`heldout/sample-draw@1`, JSON) and their labels (`heldout/sample-labels@1`, JSON Lines).

The first line of labels names the draw by its digest, who labels and by which rubric; then a line for each unit: `id`,
`label` (1 or true: failure; 0 or false; null: not yet) and, where it applies, `prohibited: true`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.sampling.drawing import Draw, Selected
from heldout.domain.sampling.estimate import Label, Labels
from heldout.errors import DataError
from heldout.storage.documents import (
    fraction_of,
    json_bytes,
    json_document,
    json_line,
    json_lines,
    top_of,
)
from heldout.storage.yaml.schema import Section, kind_of

DRAW: Final = "heldout/sample-draw@1"
LABELS: Final = "heldout/sample-labels@1"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def read_draw(path: str) -> Draw:
    """As it stands; whether it is what frame and design draw is for services to find out."""
    top = top_of(json_document(path), DRAW)
    return draw_of(top)


def draw_of(section: Section) -> Draw:
    selected_at = section.needed_text("selected_at")
    if not is_time(selected_at):
        section.fail("bad-value", "expected a time in UTC such as 2026-08-01T12:00:00Z", "selected_at")
    draw = Draw(
        frame=section.needed_text("frame"),
        design=section.needed_text("design"),
        procedure=section.needed_text("procedure"),
        selected_at=selected_at,
        selected=tuple(map(_selected, section.sections("selected"))),
    )
    section.done()
    return draw


def is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _selected(entry: Section) -> Selected:
    name, stratum = entry.needed_text("id"), entry.needed_text("stratum")
    if entry.raw("probability") is None:
        message = f"the inclusion probability of {name!r} is unknown"
        entry.fail("no-probability", message, "probability", hint="heldout sample draw writes it")
    probability = fraction_of(entry, entry.raw("probability"), "probability")
    entry.done()
    if not 0 < probability <= 1:
        entry.fail("no-probability", f"{name!r} has the inclusion probability {probability}", "probability")
    return Selected(name, stratum, probability)


def render_draw(draw: Draw) -> bytes:
    return json_bytes({"format": DRAW, **draw.as_json()})


def read_labels(path: str) -> Labels:
    """Raises ConfigError and DataError with file and line; slug repeated-unit for a unit that is labelled twice."""
    lines = json_lines(path)
    first = next(lines, None)
    if first is None:
        raise DataError("no-rows", "the file is empty", file=path, hint="heldout sample label writes such files")
    top = top_of(first[1], LABELS)
    draw, labelled_by, rubric = (top.needed_text(key) for key in ("draw", "labelled_by", "rubric"))
    top.done()
    rows: dict[str, Label] = {}
    for number, located in lines:
        label = label_of(Section(located, located.value), number)
        if label.name in rows:
            message = f"{label.name!r} is labelled already, at line {rows[label.name].line}"
            raise DataError("repeated-unit", message, file=path, line=number, hint="keep one label a unit")
        rows[label.name] = label
    return Labels(draw, labelled_by, rubric, tuple(rows.values()), path)


def label_of(row: Section, line: int | None = None) -> Label:
    name, value = row.needed_text("id"), row.raw("label")
    prohibited = bool(row.flag("prohibited"))
    row.done()
    if value is not None and not (isinstance(value, bool | int) and value in (0, 1)):
        row.fail("bad-value", f"expected 1 (failure), 0 or null, found {kind_of(value)}", "label")
    return Label(name, None if value is None else bool(value), prohibited, line)


def labels_of(section: Section, file: str) -> Labels:
    """Labels as a study embeds them."""
    draw, labelled_by, rubric = (section.needed_text(key) for key in ("draw", "labelled_by", "rubric"))
    rows = tuple(label_of(entry) for entry in section.sections("labels"))
    section.done()
    return Labels(draw, labelled_by, rubric, rows, file)


def label_lines(labels: Labels) -> Iterator[bytes]:
    header: dict[str, JSON] = {"format": LABELS, **labels.header()}
    yield json_line(header)
    for row in labels.rows:
        yield json_line(row.as_json())
