"""What a run's bundle (`heldout/results@1`, of `heldout results report --json`) says of its slices' rates."""

from __future__ import annotations

from typing import Final

from heldout.domain.results.power import RunRates, SliceRate
from heldout.storage.documents import fraction, json_document, needed_section, top_of, whole
from heldout.storage.yaml.schema import Section

BUNDLE: Final = "heldout/results@1"


def read_rates(path: str) -> tuple[RunRates, ...]:
    """One for each metric that is a rate and has slices; scores have no counts. Raises ConfigError, DataError."""
    top = top_of(json_document(path), BUNDLE)
    method = needed_section(top, "method")
    if method.raw("against") == "rest":
        method.fail("bad-value", "its slices were marked against the rest of the run, not against the run", "against")
    tested, q = whole(method, "tested", 0), float(fraction(method, "q"))
    slices = _rates(top, "slice_metrics")
    return tuple(
        RunRates(metric, whole_run, tested, q, tuple(rate for name, rate in slices if name == metric))
        for metric, whole_run in _rates(top, "metrics")
        if whole_run.observed
    )


def _rates(top: Section, key: str) -> list[tuple[str, SliceRate]]:
    found = []
    for entry in top.sections(key) if top.raw(key) else ():
        if not entry.has("successes"):
            continue
        scope, observed, successes = (
            entry.needed_text("scope"),
            whole(entry, "observed", 0),
            whole(entry, "successes", 0),
        )
        if successes > observed:
            entry.fail("bad-value", f"{successes} of {observed} observed cases cannot be successes", "successes")
        marked = entry.raw("fdr_marked")
        metric = entry.needed_text("metric")
        found.append((metric, SliceRate(scope, observed, successes, marked if isinstance(marked, bool) else None)))
    return found
