"""`heldout sample replay`: a stored study computed again from what went into it; nothing that came out is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from heldout.domain.example import JSON
from heldout.domain.sampling.study import Difference, Replayed
from heldout.services.sampling import qualify
from heldout.services.sampling.checking import require_fit
from heldout.services.sampling.estimate import Sample, estimate, study_of
from heldout.storage.documents import json_bytes
from heldout.storage.new_files import require_absent, write_new
from heldout.storage.sampling.study_file import ESTIMATE, StoredStudy


def replay(path: str, target: Path | None = None) -> Replayed:
    """Compute the study again and compare every entry, decisions and statements included; `target` takes the new one.

    Raises what the study's inputs are refused with (`heldout.services.sampling.checking`), and UsageError (slug
    output-exists): a stored study is never written over.
    """
    if target is not None:
        require_absent([target])
    stored = StoredStudy(path)
    again = _estimate_again(stored) if stored.kind == ESTIMATE else _qualify_again(stored)
    if target is not None:
        write_new(target, json_bytes(again))
    return Replayed(path, stored.kind, tuple(_differences(stored.value, again, "")))


def _estimate_again(stored: StoredStudy) -> dict[str, JSON]:
    given = Sample(stored.frame(), stored.design(), stored.draw(), stored.labels())
    sample = Sample.checked(given, design_file=stored.path, draw_file=stored.path)
    return study_of(sample, estimate(sample.design, sample.draw, sample.labels))


def _qualify_again(stored: StoredStudy) -> dict[str, JSON]:
    frame, design = stored.frame(), stored.design()
    require_fit(frame, design, stored.path)
    return qualify.study_of(frame, qualify.qualify(design, stored.truth()))


def _differences(stored: JSON, again: JSON, path: str) -> Iterator[Difference]:
    if isinstance(stored, dict) and isinstance(again, dict):
        for key in sorted({*stored, *again}):
            at = f"{path}.{key}" if path else key
            if key not in again or key not in stored:
                yield Difference(at, stored.get(key, "nothing"), again.get(key, "nothing"))
            else:
                yield from _differences(stored[key], again[key], at)
    elif isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for number, (one, other) in enumerate(zip(stored, again, strict=True)):
            yield from _differences(one, other, f"{path}[{number}]")
    elif stored != again or type(stored) is not type(again):
        yield Difference(path, stored, again)
