"""Logs of exposures in committed trees, for the answers that depend on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heldout.domain.exposing.cover import ExposureCover
from heldout.domain.exposing.exposure import Exposure, ExposureCheck, ExposureLog, line_digest
from heldout.domain.settings import Settings
from heldout.errors import TamperedError
from heldout.storage.git.repository import Git
from heldout.storage.people.exposure_log import dataset_of_log, is_check, parse_check, parse_log


def is_exposure_file(path: str) -> bool:
    return dataset_of_log(path) is not None or is_check(path)


def exposure_cover(git: Git, files: Mapping[str, Sequence[str]], settings: Settings) -> ExposureCover:
    """`files` are the object ids that trees have at each path. Every state of a log counts: evidence only adds up.

    A first copy (HEAD's, where HEAD has one) that cannot be read makes answers unknown; a broken one on some branch
    does not. What the readable copies say counts all the same.
    """
    contents = git.read_blobs([oid for oids in files.values() for oid in oids])
    lines: dict[str, dict[str, Exposure]] = {}
    checks: list[ExposureCheck] = []
    damaged: list[tuple[str, str]] = []
    for path, oids in sorted(files.items()):
        name = dataset_of_log(path)
        for oid in oids:
            try:
                if name is None:
                    checks.append(parse_check(contents[oid], path))
                else:
                    log = parse_log(contents[oid], path)
                    lines.setdefault(name, {}).update({line_digest(line): line for line in log})
            except TamperedError as error:
                if name is not None and oid == oids[0]:
                    damaged.append((name, error.message))
    logs = {name: ExposureLog(found) for name, found in lines.items()}
    return ExposureCover(logs, tuple(checks), settings.exposure_contaminates, tuple(damaged))
