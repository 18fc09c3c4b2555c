"""A picture as SVG: dark or light as the reader's system is, without a font, a script or a time in it.

What colours say is said by numbers, signs or shapes, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from heldout.reports.pictures.model import Picture, Shape
from heldout.reports.pictures.shapes import Drawing, bars, matrix, timeline

_STYLE = """\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:13px;fill:#1f2328}
.page{fill:#fff}.muted{fill:#59636e}.title{font-size:16px;font-weight:600}.mid{text-anchor:middle}
.end{text-anchor:end}.line{stroke:#d1d9e0;fill:none}.on-bad{fill:#fff;font-weight:600}
.bad{fill:#b3261e}.good{fill:#d8efdf}.plain{fill:#8ba3bd}.unknown{fill:#fff3c4;stroke:#8a6d00;stroke-dasharray:3 2}
.faint{fill:#eff2f5;stroke:#8c959f}circle.good{stroke:#1a7f37}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.muted{fill:#9198a1}.line{stroke:#3d444d}.on-bad{fill:#0d1117}
.bad{fill:#ff8a80}.good{fill:#1c4428}.plain{fill:#4f6b8a}.unknown{fill:#3d3200;stroke:#d4a72c}
.faint{fill:#21262d;stroke:#656c76}
}"""
_SHAPES = {Shape.MATRIX: matrix, Shape.BARS: bars, Shape.TIMELINE: timeline}
_LEFT, _TOP, _LEGEND, _LINE = 24, 76, 34, 19
_SENTENCES = 200
"""Said in a description; a screen reader reads them one after the other."""


def picture_svg(picture: Picture) -> str:
    """One document, the same for the same picture."""
    drawn = _SHAPES[picture.shape](picture, _LEFT, _TOP)
    legend = list(_legend(picture, drawn.height + _LEGEND))
    notes_at = drawn.height + _LEGEND + 30
    texts = [
        picture.title + " " * (len(picture.title) // 3),
        *picture.notes,
        " ".join(name for name, _ in picture.states) + " " * 12,
    ]
    width = max(drawn.width + _LEFT, int(max(map(len, texts)) * 7.6) + 2 * _LEFT, 420)
    height = notes_at + _LINE * len(picture.notes) + 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img" aria-labelledby="t d">',
            f'<title id="t">{_text(picture.title)}</title>',
            f'<desc id="d">{_text(_description(picture))}</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            f'<text class="title" x="{_LEFT}" y="32">{_text(picture.title)}</text>',
            f'<text class="muted" x="{_LEFT}" y="54">Numbers count {_text(picture.measure)}.</text>',
            *(_element(item) for item in drawn.elements),
            *legend,
            *(
                f'<text class="muted" x="{_LEFT}" y="{notes_at + _LINE * number}">{_text(note)}</text>'
                for number, note in enumerate(picture.notes)
            ),
            "</svg>",
            "",
        ]
    )


def _element(item: tuple[str, dict[str, object], str, str]) -> str:
    """(name, attributes, text, what is shown to who points at it)"""
    name, attributes, text, title = item
    head = " ".join([name, *(f"{key}={quoteattr(_clean(str(value)))}" for key, value in attributes.items())])
    inside = (f"<title>{_text(title)}</title>" if title else "") + _text(text)
    return f"<{head}>{inside}</{name}>" if inside else f"<{head}/>"


def _legend(picture: Picture, y: int) -> Iterator[str]:
    x = _LEFT
    for name, tone in picture.states:
        sign = Drawing.sign(tone, x + 7, y - 5) if picture.shape is Shape.TIMELINE else Drawing.box(tone, x, y - 12, 14)
        yield _element(sign)
        yield _element(("text", {"x": x + 20, "y": y}, name, ""))
        x += 44 + int(len(name) * 7)


def _description(picture: Picture) -> str:
    said = list(picture.sentences())
    more = [f"And {len(said) - _SENTENCES} more."] if len(said) > _SENTENCES else []
    return " ".join([*said[:_SENTENCES], *more]) or "Nothing to show."


def _text(value: str) -> str:
    return escape(_clean(value))


def _clean(value: str) -> str:
    """XML has no place for control characters, halves of surrogates and two more, not even escaped."""
    return "".join(
        "\ufffd"
        if char in "\ufffe\uffff" or (char < " " and char not in "\t\n") or "\ud800" <= char <= "\udfff"
        else char
        for char in value
    )
