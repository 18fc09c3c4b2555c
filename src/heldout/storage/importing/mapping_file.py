"""A mapping file (`format: heldout/mapping@1`), and the presets that ship with Heldout, which are such files."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from heldout.domain.dataset import FORMATS
from heldout.domain.importing.mapping import (
    MAPPING_FORMAT,
    WHOLE,
    ExampleMap,
    ImportMap,
    Limits,
    MetricMap,
    RunMap,
    StepMap,
)
from heldout.domain.importing.places import Many, Place
from heldout.domain.paths import parse_path
from heldout.errors import UsageError
from heldout.storage.regular_files import opened
from heldout.storage.yaml.files import load_yaml_located
from heldout.storage.yaml.schema import Section, kind_of

EVAL_LOG: Final = "inspect-eval"
"""The format of Inspect's .eval files: a zip of samples."""
_HEADER: Final = ("run", "model", "system", "provenance")
_ITSELF: Final = "."


def presets() -> tuple[str, ...]:
    """Their names, sorted."""
    names = (item.name for item in files("heldout.storage.importing").joinpath("presets").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def preset_text(name: str) -> bytes:
    """The file of a preset. Raises UsageError (slug unknown-preset)."""
    if name not in presets():
        hint = f"presets: {', '.join(presets())}; or the name of a mapping file, which ends in .yaml"
        raise UsageError("unknown-preset", f"no preset is called {name!r}", hint=hint)
    return files("heldout.storage.importing").joinpath("presets", f"{name}.yaml").read_bytes()


def find_mapping(name: str) -> ImportMap:
    """A preset, or the mapping in a file: its name ends in .yaml or .yml. Raises ConfigError, DataError, UsageError."""
    if not name.endswith((".yaml", ".yml")):
        return parse_mapping(preset_text(name), f"{name}.yaml")
    with opened(Path(name), name) as (stream, _):
        return parse_mapping(stream.read(), name)


def parse_mapping(data: bytes, name: str) -> ImportMap:
    """Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, name)
    top = Section(located, located.value)
    found = top.needed_text("format")
    if found != MAPPING_FORMAT:
        top.fail("unknown-format", f"format is {found!r}, this Heldout reads {MAPPING_FORMAT!r} here", "format")
    header = top.section("header")
    examples, run = top.section("dataset"), top.section("run")
    result = ImportMap(
        name=top.needed_text("name"),
        about=top.text("about") or "",
        format=top.choice("read", [*FORMATS, EVAL_LOG]),
        rows=tuple(() if text == _ITSELF else parse_path(text) for text in _paths(top, "rows", _ITSELF) or (_ITSELF,)),
        only=_limits(top, "only"),
        apart=tuple(Place.parse(text) for text in _paths(top, "apart") or ()),
        header={} if header is None else _places(header, _HEADER),
        examples=None if examples is None else _examples(examples),
        run=None if run is None else _run(run),
    )
    if result.examples is None and result.run is None:
        top.fail("missing-key", "a mapping says what rows are as examples (`dataset`), as results (`run`), or both")
    top.done()
    return result


def with_place(mapping: ImportMap, part: str, path: str) -> ImportMap:
    """The mapping with another place for a part (`input`, `metadata.lang`), in both of its sections as they have it.

    Raises UsageError (slug bad-value).
    """
    from dataclasses import replace

    try:
        place = Place.parse(path)
    except ValueError as error:
        raise UsageError("bad-value", f"--set {part}: {path!r} is no field path: {error}") from None
    name, _, key = part.partition(".")
    changed = {}
    for section in ("examples", "run"):
        fields = getattr(mapping, section)
        if fields is None:
            continue
        if name == "metadata" and key:
            changed[section] = replace(fields, metadata={**fields.metadata, key: place})
        elif part in _SETTABLE and part in type(fields).__dataclass_fields__:
            changed[section] = replace(fields, **{part: place})
    if not changed:
        hint = f"parts: {', '.join(_SETTABLE)}, metadata.NAME"
        raise UsageError("bad-value", f"--set: no part is called {part!r}", hint=hint)
    return replace(mapping, **changed)


_SETTABLE: Final = ("key", "input", "expected", "split", "tags", "excluded", "route", "confidence")


def _paths(section: Section, key: str, *special: str) -> tuple[str, ...] | None:
    """A path, or a list of them."""
    if not section.has(key):
        return None
    value = section.raw(key)
    texts = section.texts(key) if isinstance(value, list) else (section.needed_text(key),)
    for text in texts or ():
        if text not in special:
            _check(section, text, key)
    return texts or None


def _check(section: Section, text: str, *at: str | int) -> None:
    try:
        parse_path(text)
    except ValueError as error:
        section.fail("bad-path", f"{text!r} is no field path: {error}", *at)


def _place(section: Section, key: str) -> Place | None:
    paths = _paths(section, key)
    return Place.parse(*paths) if paths else None


def _needed(section: Section, key: str) -> Place:
    place = _place(section, key)
    if place is None:
        section.needed_text(key)  # refuses, with a suggestion where the key is misspelt
        raise AssertionError
    return place


def _places(section: Section, known: tuple[str, ...] | None = None) -> dict[str, Place]:
    result = {}
    for key in known if known is not None else [key for key, _ in section.items()]:
        if (place := _place(section, key)) is not None:
            result[key] = place
    section.done()
    return result


def _limits(outer: Section, key: str) -> Limits:
    section = outer.section(key)
    result = []
    for path, value in section.items() if section else ():
        assert section is not None
        _check(section, path, path)
        result.append((Place.parse(path), tuple(value) if isinstance(value, list) else (value,)))
    return tuple(result)


def _metadata(section: Section) -> dict[str, Place]:
    """A mapping from name to place, or the place of an object that is taken as a whole."""
    if isinstance(section.raw("metadata"), dict):
        inner = section.section("metadata")
        assert inner is not None
        return _places(inner)
    place = _place(section, "metadata")
    return {} if place is None else {WHOLE: place}


def _examples(section: Section) -> ExampleMap:
    result = ExampleMap(
        input=_needed(section, "input"),
        without=section.texts("without") or (),
        metadata=_metadata(section),
        **{name: _place(section, name) for name in ("key", "expected", "split", "tags")},
    )
    section.done()
    return result


def _run(section: Section) -> RunMap:
    values, steps = section.section("values"), section.section("trajectory")
    retrieval, metrics = section.section("retrieval"), section.section("metrics")
    if metrics is None:
        section.fail("missing-key", "the key 'metrics' is needed here: where a row's results stand")
    retrieved = None if retrieval is None else _many(retrieval, "retrieved")
    dropped = None if retrieval is None else _place(retrieval, "dropped")
    if retrieval is not None:
        retrieval.done()
    result = RunMap(
        key=_needed(section, "key"),
        metrics=_metrics(metrics),
        values={} if values is None else _values(values),
        rates=frozenset(section.texts("rates") or ()),
        nan_is_missing=bool(section.flag("nan_is_missing")),
        missing=_limits(section, "missing"),
        trajectory=None if steps is None else _steps(steps),
        retrieved=retrieved,
        dropped=dropped,
        metadata=_metadata(section),
        **{name: _place(section, name) for name in ("split", "excluded", "route", "confidence", "provenance")},
    )
    section.done()
    return result


def _metrics(section: Section) -> MetricMap:
    named = section.section("named")
    result = MetricMap(
        named={} if named is None else _places(named),
        **{name: _place(section, name) for name in ("each", "name", "value", "listed")},
    )
    section.done()
    if not (result.named or result.each or result.listed):
        section.fail("missing-key", "one of the keys 'named', 'each' and 'listed' is needed here")
    return result


def _values(section: Section) -> dict[str, bool | float | None]:
    result: dict[str, bool | float | None] = {}
    for text, value in section.items():
        if value is not None and not isinstance(value, bool | int | float):
            section.fail("bad-value", f"expected true, false, a number or null, found {kind_of(value)}", text)
        result[text] = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    return result


def _many(section: Section, key: str) -> Many:
    text = section.needed_text(key)
    _check(section, text, key)
    return Many(parse_path(text))


def _steps(section: Section) -> StepMap:
    result = StepMap(
        steps=_many(section, "steps"),
        tool=_needed(section, "tool"),
        arguments=_place(section, "arguments"),
        agent=_place(section, "agent"),
    )
    section.done()
    return result
