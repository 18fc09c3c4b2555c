"""A frozen, pushed, clean version with two findings in its record, and ways to do what hooks would not let happen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from story.conftest import copy, empty_template  # noqa: F401
from support.story import Team, around, rows, sentence

from heldout.domain.canonical import digest_bytes
from heldout.domain.record import ScanRecord
from heldout.storage.records import parse_record, render_record

TRAIN = rows("t", 12)
TEST = {**rows("h", 5), "longer": around("t5"), "wider": around("t6")}
LEAKY = {**TEST, "copied": sentence("t1")}
V1 = "support@v1.0.0"


@pytest.fixture(scope="session")
def frozen_template(empty_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    base = tmp_path_factory.mktemp("frozen")
    team = copy(empty_template, base)
    team.dataset("support", train=TRAIN, test=TEST)
    team.save("Add support")
    team.push_data()
    team.git("tag", "-a", V1, "-m", "first")
    pushed = team.push("main", V1)
    assert pushed.code == 0, str(pushed)
    return base


@pytest.fixture
def frozen(frozen_template: Path, tmp_path: Path) -> Team:
    """support@v1.0.0, frozen, clean and pushed, data included; its record has two findings for people to look at."""
    return copy(frozen_template, tmp_path)


def only_record(team: Team, dataset: str = "support") -> tuple[str, ScanRecord, bytes]:
    """Path, record and findings of HEAD's one record."""
    (path,) = team.records(dataset=dataset)
    findings = (team.path / path).with_name("findings.jsonl").read_bytes()
    return path, parse_record((team.path / path).read_bytes(), path), findings


def forge(team: Team, old: str, record: ScanRecord, findings: bytes, *, counts: Mapping[str, int] | None = None) -> str:
    """Put a record with these findings, its digest and number of lines fitting, in the place of an old one."""
    made = replace(record, findings_digest=digest_bytes(findings), findings_lines=findings.count(b"\n"))
    if counts is not None:
        made = replace(made, counts={**made.counts, **counts})
    folder = made.folder()
    if f"{folder}/scan.yaml" != old:
        team.git("rm", "-q", "-r", str(Path(old).parent))
    team.write(f"{folder}/scan.yaml", render_record(made))
    team.write(f"{folder}/findings.jsonl", findings)
    team.git("add", "datasets")
    team.bypass("commit", "-q", "-m", "A record from elsewhere")
    return folder


def leak(team: Team, message: str = "More tests") -> None:
    """A new state of `support` that gives a held-out example away, with the honest record that the hook makes."""
    (old,) = team.records(dataset="support")
    team.git("rm", "-q", "-r", "--cached", str(Path(old).parent))  # so that HEAD has one record
    team.git("reset", "-q", "--", "datasets/support/scans")
    team.dataset("support", train=TRAIN, test=LEAKY)
    team.save(message)


def cached_object(team: Team, pointer: str) -> Path:
    """Where DVC keeps what a pointer names."""
    md5 = next(line.split()[-1] for line in (team.path / pointer).read_text().splitlines() if "md5: " in line)
    return team.path / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
