"""The overlap as a picture (E39): splits are rows, each pair of splits with findings is a column that joins two rows.

Every number is one of the report's. The picture draws itself dark or light as the reader's system is, names no font of
its own and holds nothing that depends on when or where it was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from heldout.domain.leaks.leak import LeakKind, LeakRate, side_name
from heldout.domain.leaks.picture import Lane, Picture
from heldout.reports.leaks.report import percent

_ROW, _LANE, _TOP, _LEFT, _BAR = 64, 148, 104, 24, 120
_NAME_LIMIT = 28  # characters of a split's name that are drawn
_LABELS = {
    LeakKind.EXACT: "exact",
    LeakKind.NEAR: "near",
    LeakKind.CONTAINMENT: "contained",
}
_KEY = (
    "beside a dot: records of this row's split that the other split touches",
    "bold: the smaller split of the two, the one to act on",
)
_STYLE = """\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:13px;fill:#1f2328}
.page{fill:#ffffff}.muted{fill:#59636e}.title{font-size:16px;font-weight:600}.act{font-weight:700;fill:#b3261e}
.row{stroke:#d1d9e0;stroke-width:1}.bar{fill:#8ba3bd}.join{stroke:#b3261e;stroke-width:2}.dot{fill:#b3261e}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.muted{fill:#9198a1}.act{fill:#ff8a80}
.row{stroke:#3d444d}.bar{fill:#4f6b8a}.join{stroke:#ff8a80}.dot{fill:#ff8a80}
}"""


def leak_svg(picture: Picture) -> str:
    """One SVG document, with a title and a description for those who cannot see it."""
    names = max(len(_short(name)) for name, _, _ in picture.splits) * 8
    bars = _LEFT + max(names, 96) + 12
    first = bars + _BAR + 72
    width = first + max(len(picture.lanes) * _LANE, 240)
    height = _TOP + _ROW * len(picture.splits) + 56
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">',
        '<title id="t">Overlap of splits</title>',
        f'<desc id="d">{_text("; ".join(_sentences(picture)))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="title" x="{_LEFT}" y="32">Overlap of splits</text>',
        f'<text class="muted" x="{_LEFT}" y="54">records in any finding: {picture.contaminated}</text>',
        *_rows(picture, bars, width),
        *(line for number, lane in enumerate(picture.lanes) for line in _lane(picture, lane, first + number * _LANE)),
    ]
    notes = _KEY if picture.lanes else ("no two splits share a record",)
    for number, note in enumerate(notes):
        lines.append(f'<text class="muted" x="{_LEFT}" y="{height - 34 + 18 * number}">{note}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _rows(picture: Picture, bars: int, width: int) -> Iterator[str]:
    largest = max(size for _, size, _ in picture.splits)
    for number, (name, size, inside) in enumerate(picture.splits):
        y = _middle(number)
        length = max(1, size * _BAR // largest)
        yield f'<line class="row" x1="{_LEFT}" y1="{y + 32}" x2="{width - 16}" y2="{y + 32}"/>'
        yield f'<text x="{_LEFT}" y="{y + 5}">{_text(_short(name))}</text>'
        if inside:
            yield f'<text class="muted" x="{_LEFT}" y="{y + 22}">{inside} repeated</text>'
        yield f'<rect class="bar" x="{bars}" y="{y - 7}" width="{length}" height="14" rx="2"/>'
        yield f'<text x="{bars + length + 8}" y="{y + 5}">{size}</text>'


def _lane(picture: Picture, lane: Lane, x: int) -> Iterator[str]:
    rows = {name: _middle(number) for number, (name, _, _) in enumerate(picture.splits)}
    top, bottom = rows[lane.a], rows[lane.b]
    smaller = min(lane.into_a.of, lane.into_b.of)
    for number, (kind, count) in enumerate(lane.pairs):
        yield f'<text class="muted" x="{x - 8}" y="{_TOP - 10 - 17 * (len(lane.pairs) - 1 - number)}">' + (
            f"{count} {_LABELS[kind]}</text>"
        )
    yield f'<line class="join" x1="{x}" y1="{top}" x2="{x}" y2="{bottom}"/>'
    for y, rate in ((top, lane.into_a), (bottom, lane.into_b)):
        style = ' class="act"' if rate.of == smaller else ""
        yield f'<circle class="dot" cx="{x}" cy="{y}" r="6"/>'
        yield f'<text{style} x="{x + 14}" y="{y - 2}">{rate.records}/{rate.of}</text>'
        yield f'<text{style} x="{x + 14}" y="{y + 15}">{percent(rate.share)}%</text>'


def _middle(number: int) -> int:
    return _TOP + _ROW * number + _ROW // 2


def _sentences(picture: Picture) -> Iterator[str]:
    yield from (f"{_name(name)} has {size} records" for name, size, _ in picture.splits)
    for lane in picture.lanes:
        yield from (_sentence(rate) for rate in (lane.into_a, lane.into_b))


def _sentence(rate: LeakRate) -> str:
    return f"{_name(rate.source)} touches {rate.records} of {rate.of} records of {_name(rate.target)}"


def _name(split: str) -> str:
    return side_name(split, "")[:-1]


def _short(split: str) -> str:
    name = _name(split)
    return name if len(name) <= _NAME_LIMIT else f"{name[: _NAME_LIMIT - 1]}…"


def _text(value: str) -> str:
    """XML has no place for these two code points, not even escaped."""
    return escape(value.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))
