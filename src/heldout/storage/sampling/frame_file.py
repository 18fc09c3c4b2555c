"""Populations (`heldout/population@1`, YAML) and frames (`heldout/sample-frame@1`, JSON Lines).

A frame's first line has the population and where the units come from; then a line for each unit: `id` and `stratum`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.sampling.frame import Frame, Population
from heldout.errors import DataError
from heldout.storage.documents import (
    json_line,
    json_lines,
    needed_section,
    needed_texts,
    top_of,
    yaml_document,
)
from heldout.storage.yaml.files import Located
from heldout.storage.yaml.schema import Section, kind_of

POPULATION: Final = "heldout/population@1"
FRAME: Final = "heldout/sample-frame@1"
_PARTS: Final = ("product", "workflows", "languages", "channels", "risk_window", "traffic_window", "excluded", "unit")


def read_population(path: str) -> Population:
    """Raises ConfigError with file, line and field."""
    return population_of(yaml_document(path, POPULATION))


def population_of(section: Section) -> Population:
    """Every part of it has to be said; only `excluded` may be an empty list, and `unit` is a case by default."""
    for key in _PARTS:  # known, so that none of them is taken for a misspelling of another
        section.has(key)
    texts = {key: section.needed_text(key) for key in ("product", "risk_window", "traffic_window")}
    lists = {key: needed_texts(section, key) for key in ("workflows", "languages", "channels")}
    for key, found in lists.items():
        if not found:
            section.fail("bad-value", f"a population names its {key}", key, hint="write what the frame covers")
    excluded, unit = needed_texts(section, "excluded"), section.text("unit") or "case"
    section.done()
    return Population(
        product=texts["product"],
        workflows=lists["workflows"],
        languages=lists["languages"],
        channels=lists["channels"],
        risk_window=texts["risk_window"],
        traffic_window=texts["traffic_window"],
        excluded=excluded,
        unit=unit,
    )


def read_frame(path: str) -> Frame:
    """Raises ConfigError and DataError (slugs repeated-unit, no-rows)."""
    lines = json_lines(path)
    first = next(lines, None)
    if first is None:
        raise DataError("no-rows", "the file is empty", file=path, hint="heldout sample frame writes frames")
    top = top_of(first[1], FRAME)
    population, source = population_of(needed_section(top, "population")), source_of(needed_section(top, "source"))
    top.done()
    seen: dict[str, int] = {}
    members = []
    for number, located in lines:
        name, stratum = _unit(located)
        if name in seen:
            message = f"the unit {name!r} is in the frame already, at line {seen[name]}"
            raise DataError("repeated-unit", message, file=path, line=number, hint="every unit can be drawn once")
        seen[name] = number
        members.append((name, stratum))
    if not members:
        raise DataError("no-rows", "the frame has no unit", file=path, hint="heldout sample frame writes frames")
    return Frame.of(population, source, members)


def _unit(located: Located) -> tuple[str, str]:
    """Most lines are as they should be, and a frame may have a million; the others are told what is wrong."""
    value = located.value
    if type(value) is dict and len(value) == 2:
        name, stratum = value.get("id"), value.get("stratum")
        if type(name) is str and type(stratum) is str and name and stratum:
            return name, stratum
    row = Section(located, value)
    found = row.needed_text("id"), row.needed_text("stratum")
    row.done()
    return found


def source_of(section: Section) -> dict[str, str]:
    return {key: value for key, value in section.items() if isinstance(value, str)}


def frame_lines(frame: Frame) -> Iterator[bytes]:
    """Units by stratum and id, so that equal frames are equal files."""
    header: dict[str, JSON] = {
        "format": FRAME,
        "population": frame.population.as_json(),
        "source": dict(frame.source),
    }
    yield json_line(header)
    for stratum, names in frame.strata.items():
        for name in names:
            yield json_line({"id": name, "stratum": stratum})


def frame_of(section: Section) -> Frame:
    """A frame as a study embeds it. Raises ConfigError (slug repeated-unit)."""
    population, source = population_of(needed_section(section, "population")), needed_section(section, "source")
    members, seen = [], set[str]()
    strata = needed_section(section, "strata")
    for stratum, names in strata.items():
        if not isinstance(names, list):
            strata.fail("wrong-type", f"expected a list of ids, found {kind_of(names)}", stratum)
        for name in names:
            if not isinstance(name, str):
                strata.fail("wrong-type", f"expected an id, found {kind_of(name)}", stratum)
            if name in seen:
                strata.fail("repeated-unit", f"the unit {name!r} is in the frame twice", stratum)
            seen.add(name)
            members.append((name, stratum))
    section.done()
    return Frame.of(population, source_of(source), members)
