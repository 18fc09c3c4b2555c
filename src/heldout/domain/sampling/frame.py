"""The population that an estimate is about, and the frame: every unit of it that could be drawn, by stratum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from heldout.domain.canonical import canonical_json, digest
from heldout.domain.example import JSON
from heldout.domain.paths import Missing

ALL: Final = "all"
"""The one stratum of a frame that has none."""


def unit_name(value: JSON | Missing) -> str | None:
    """A unit's id by what stands in a file, the same in every file: a text as it is, the number 7 as `7`; else None."""
    if value is None or value == "" or isinstance(value, Missing | list | dict | bool):
        return None
    return value if isinstance(value, str) else canonical_json(value).decode("utf-8")


@dataclass(frozen=True, slots=True)
class Population:
    """Without one a rate has no defined target. Windows are texts such as `2026-06-01/2026-06-30`."""

    product: str
    workflows: tuple[str, ...]
    languages: tuple[str, ...]
    channels: tuple[str, ...]
    risk_window: str
    traffic_window: str
    excluded: tuple[str, ...]
    unit: str = "case"

    def as_json(self) -> dict[str, JSON]:
        return {
            "product": self.product,
            "workflows": list(self.workflows),
            "languages": list(self.languages),
            "channels": list(self.channels),
            "risk_window": self.risk_window,
            "traffic_window": self.traffic_window,
            "excluded": list(self.excluded),
            "unit": self.unit,
        }


@dataclass(frozen=True)
class Frame:
    """`strata` maps names to ids, both sorted; every id once. `source` says where the units come from.

    It holds names of units only, never a text or a label.
    """

    population: Population
    source: Mapping[str, str]
    strata: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, population: Population, source: Mapping[str, str], members: Iterable[tuple[str, str]]) -> Frame:
        """`members` are (id, stratum), in any order."""
        strata: dict[str, list[str]] = {}
        for name, stratum in members:
            strata.setdefault(stratum, []).append(name)
        return cls(population, dict(source), {stratum: tuple(sorted(strata[stratum])) for stratum in sorted(strata)})

    @property
    def size(self) -> int:
        return sum(map(len, self.strata.values()))

    @cached_property
    def stratum_of(self) -> dict[str, str]:
        return {name: stratum for stratum, names in self.strata.items() for name in names}

    def as_json(self) -> dict[str, JSON]:
        return {
            "population": self.population.as_json(),
            "source": dict(self.source),
            "strata": {stratum: list(names) for stratum, names in self.strata.items()},
        }

    @cached_property
    def digest(self) -> str:
        return digest(self.as_json())


def repeated(names: Iterable[str]) -> str | None:
    """The first name that comes a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
