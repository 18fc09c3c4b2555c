"""Canaries on disk: `datasets/<name>/canary.yaml` (`heldout/canary@1`)."""

from __future__ import annotations

from typing import Final

from heldout.domain.exposing.canary import GUID, Canary
from heldout.storage.catalog import ROOT
from heldout.storage.yaml.files import dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section

FORMAT: Final = "heldout/canary@1"


def canary_path(dataset: str) -> str:
    return f"{ROOT}/{dataset}/canary.yaml"


def render_canary(canary: Canary) -> bytes:
    return dump_yaml({"format": FORMAT, "dataset": canary.name, "canary": canary.text})


def parse_canary(data: bytes, path: str) -> Canary:
    """Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, path)
    section = Section(located, located.value)
    if section.needed_text("format") != FORMAT:
        section.fail("unknown-format", f"this Heldout reads {FORMAT!r}", "format")
    canary = Canary(section.needed_text("dataset"), section.needed_text("canary"))
    section.done()
    if not GUID.fullmatch(canary.text):
        section.fail("bad-value", "expected a version 4 UUID in small letters", "canary")
    if canary_path(canary.name) != path:
        section.fail("bad-value", "the file lies beside another dataset", "dataset")
    return canary
