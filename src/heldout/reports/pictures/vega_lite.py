"""A picture as a Vega-Lite 5 specification, for notebooks and pages, and as a template of `dvc plots`."""

from __future__ import annotations

from typing import Any, Final

from heldout.reports.pictures.model import Picture, Shape, Tone

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
DVC_DATA: Final = "<DVC_METRIC_DATA>"
"""What `dvc plots` replaces by the rows of a data file, once for each revision that it compares."""

_COLOURS = {
    Tone.BAD: "#c0392b",
    Tone.GOOD: "#7fb88f",
    Tone.PLAIN: "#6d8fb3",
    Tone.UNKNOWN: "#d4a72c",
    Tone.FAINT: "#8c959f",
}  # Each stands out from white and from near black, since a specification cannot ask which of them it is drawn on.
_SIGNS = {
    Tone.BAD: "triangle-up",
    Tone.GOOD: "circle",
    Tone.PLAIN: "circle",
    Tone.UNKNOWN: "diamond",
    Tone.FAINT: "cross",
}
Spec = dict[str, Any]


def vega_lite(picture: Picture) -> Spec:
    """The specification with its data inside."""
    return _spec(picture, {"values": picture.table()})


def dvc_template(picture: Picture) -> Spec:
    """The same without data, for `dvc plots show rows.json --template`; each revision is drawn below the other."""
    spec = _spec(picture, {"values": DVC_DATA})
    data, schema, title = spec.pop("data"), spec.pop("$schema"), spec.pop("title")
    spec.pop("description", None)
    config = spec.pop("config")
    facet = {"field": "rev", "type": "nominal", "title": None}
    return {"$schema": schema, "title": title, "data": data, "facet": {"row": facet}, "spec": spec, "config": config}


def _spec(picture: Picture, data: Spec) -> Spec:
    drawn = {Shape.MATRIX: _matrix, Shape.BARS: _bars, Shape.TIMELINE: _timeline}[picture.shape](picture)
    head = {
        "$schema": SCHEMA,
        "title": {"text": picture.title, "subtitle": list(picture.notes)} if picture.notes else picture.title,
        "description": " ".join(picture.sentences()) or picture.title,
        "data": data,
    }
    return {**head, **drawn, "config": {"view": {"stroke": None}}}


def _state(picture: Picture) -> Spec:
    names = [name for name, _ in picture.states]
    colours = [_COLOURS[tone] for _, tone in picture.states]
    return {
        "field": "state",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": colours},
        "legend": {"orient": "bottom"},
    }


def _axis(field: str, order: tuple[str, ...], title: str) -> Spec:
    return {"field": field, "type": "nominal", "sort": list(order), "title": title or None}


_TOOLTIP = [{"field": name, "type": "nominal"} for name in ("row", "column", "value", "state", "text")]


def _matrix(picture: Picture) -> Spec:
    y = _axis("row", picture.rows, picture.row_title)
    x = {**_axis("column", picture.columns, picture.column_title), "axis": {"orient": "top", "labelAngle": -60}}
    number = "isValid(datum.value) ? format(datum.value, ',') : '?'"
    return {
        "width": {"step": 44},
        "height": {"step": 28},
        "transform": [{"calculate": number, "as": "number"}],
        "encoding": {"x": x, "y": y, "tooltip": _TOOLTIP},
        "layer": [
            {"mark": {"type": "rect", "stroke": "#8c959f"}, "encoding": {"color": _state(picture)}},
            {
                "mark": {"type": "text", "color": "#1f2328"},
                "encoding": {"text": {"field": "number", "type": "nominal"}},
            },
        ],
    }


def _bars(picture: Picture) -> Spec:
    return {
        "width": 420,
        "height": {"step": 24},
        "mark": "bar",
        "encoding": {
            "y": _axis("row", picture.rows, picture.row_title),
            "x": {"field": "value", "type": "quantitative", "stack": "zero", "title": picture.measure},
            "color": _state(picture),
            "order": {"field": "column", "type": "nominal"},
            "tooltip": _TOOLTIP,
        },
    }


def _timeline(picture: Picture) -> Spec:
    names = [name for name, _ in picture.states]
    shape = {
        "field": "state",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [_SIGNS[tone] for _, tone in picture.states]},
        "legend": {"orient": "bottom"},
    }
    days = {"field": "day", "type": "temporal", "title": picture.column_title, "axis": {"format": "%Y-%m-%d"}}
    y = _axis("row", picture.rows, picture.row_title)
    name = {"field": "column", "type": "nominal"}
    return {
        "width": 600,
        "height": {"step": 60},
        "encoding": {"x": days, "y": y, "tooltip": _TOOLTIP},
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "size": 160},
                "encoding": {"color": _state(picture), "shape": shape},
            },
            {"mark": {"type": "text", "dy": -14, "color": "#6e7781"}, "encoding": {"text": name}},
        ],
    }
