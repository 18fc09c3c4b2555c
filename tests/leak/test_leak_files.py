"""Kept reports are read or refused, whatever a file says; and crowds of equal records cost no more than their lines."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli import heldout

from heldout.domain.leaks.leak import LeakKind, LeakRecord, LeakSettings
from heldout.errors import DataError
from heldout.services.leaks.matching import find_leaks
from heldout.services.leaks.read import LeakInput
from heldout.services.progress import SILENT
from heldout.storage.leak_reports import read_report

SAMPLE = [str(path) for path in sorted((Path(__file__).parent / "sample").glob("*.manifest"))]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("reports")
    return [heldout(folder, "leak", "report", *SAMPLE, *form).out.encode() for form in ((), ("--json",))]


def refusal(place: Path) -> DataError | None:
    try:
        read_report(str(place))
    except DataError as error:
        return error
    return None


@pytest.mark.req("E43", "E7")
@given(seed=st.integers(0, 2**32))
def test_a_damaged_report_is_read_or_refused(
    seed: int, reports: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    drawn = random.Random(seed)
    data = bytearray(drawn.choice(reports))
    for _ in range(drawn.randint(1, 4)):
        at = drawn.randrange(len(data))
        data[at : at + drawn.randint(0, 8)] = drawn.choice(
            [b"", b"null", b"{", b"\n", b"\xff", b"[1]", b"9" * 30, b'"']
        )
    place = tmp_path_factory.getbasetemp() / "damaged"
    place.write_bytes(data)
    refused = refusal(place)
    assert refused is None or refused.file == str(place)


@pytest.mark.req("E43")
@pytest.mark.parametrize("part", ["kind", "a", "b", "jaccard", "digest", "position"])
@pytest.mark.parametrize("value", [None, 1, [], {}, "x", {"split": 1}])
def test_a_json_report_with_a_wrong_part_is_read_or_refused(
    part: str, value: object, reports: list[bytes], tmp_path: Path
) -> None:
    data = json.loads(reports[1])
    for finding in data["findings"]:
        finding[part] = value
    (tmp_path / "report").write_text(json.dumps(data))
    refused = refusal(tmp_path / "report")
    assert refused is None or refused.slug == "bad-report"


@pytest.mark.req("E30", "E31", "E19")
def test_crowds_are_counted_without_being_spelled_out() -> None:
    """20,000 equal records in each of two splits: 400 million exact pairs and 400 million repeats, by hand."""
    records = [LeakRecord(split, str(number), "f", number) for split in "ab" for number in range(20_000)]
    leaks = find_leaks(LeakInput(records, ["one text"] * len(records)), LeakSettings(), SILENT)
    assert leaks.count(LeakKind.EXACT) == 400_000_000
    assert leaks.count(LeakKind.INTRA_SPLIT) == 2 * 20_000 * 19_999 // 2
    assert leaks.contaminated() == 40_000
    assert [rate.records for rate in leaks.rates()] == [20_000, 20_000]
    assert next(leaks.findings(LeakKind.EXACT)).identity == "a/0 == b/0"


@pytest.mark.req("E39")
@pytest.mark.parametrize("target", ["", "."])
def test_a_picture_needs_a_files_name(target: str, tmp_path: Path) -> None:
    ran = heldout(tmp_path, "leak", "report", *SAMPLE, "--svg", target)
    assert (ran.code, ran.out) == (2, "")
    assert "[bad-value]" in ran.err


@pytest.mark.req("E14", "A49")
@pytest.mark.parametrize("way", ["--estimate", "--exact-join", "--nfkc"])
def test_records_without_any_text_are_no_trouble(way: str, tmp_path: Path) -> None:
    for name, text in (("a", "!!"), ("b", "??")):
        (tmp_path / f"{name}.manifest").write_text(f"split: {name}\nid: 1\ntext: {text}\n")
    ran = heldout(tmp_path, "leak", "report", "a.manifest", "b.manifest", way)
    assert ran.code == 1
    assert "a/1 == b/1" in ran.out
    assert "2 records are empty after normalisation" in ran.err
