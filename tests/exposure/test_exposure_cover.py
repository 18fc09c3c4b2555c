"""The rules, without a repository: what a check knows, what it does not, and what a policy makes of it."""

from __future__ import annotations

from datetime import date

import pytest

from heldout.domain.exposing.cover import ExposureCover, joined
from heldout.domain.exposing.exposure import (
    Exposure,
    ExposureCheck,
    ExposureLog,
    How,
    appended,
    chain_faults,
    line_digest,
    rechained,
)
from heldout.errors import ConfigError, TamperedError
from heldout.storage.people.exposure_log import check_path, parse_check, parse_log, render_check, render_log
from heldout.storage.settings_file import parse_settings

A, B, C = ("sha256:" + letter * 64 for letter in "abc")
SPOILING = frozenset({How.PROMPT})


def said(text: str, how: How = How.PROMPT) -> Exposure:
    return Exposure(0, None, date(2026, 11, 2), how, "Ann <a@example.org>", "note", (("test", "k" + text[7], text),))


def log_of(*lines: Exposure) -> tuple[Exposure, ...]:
    log: tuple[Exposure, ...] = ()
    for line in lines:
        log = appended(log, line)
    return log


def cover(log: tuple[Exposure, ...], *checks: ExposureCheck) -> ExposureCover:
    return ExposureCover({"s": ExposureLog({line_digest(line): line for line in log})}, checks, SPOILING)


@pytest.mark.req("D14")
def test_a_check_of_an_earlier_log_leaves_later_lines_unknown() -> None:
    log = log_of(said(A), said(B))
    early = ExposureCheck("s", "v", line_digest(log[0]), (("test", "ka", A),))
    known = cover(log, early)
    assert [hit.held.key for hit in known.contaminations("s", "v")] == ["ka"]
    (gap,) = known.gaps("s", "v")
    assert "1 exposed example" in gap.text
    assert not list(cover(log, early, ExposureCheck("s", "v", line_digest(log[1]), ())).gaps("s", "v"))


@pytest.mark.req("D14")
def test_a_check_names_no_other_version_and_no_other_dataset() -> None:
    log = log_of(said(A))
    known = cover(log, ExposureCheck("s", "v", line_digest(log[0]), (("test", "ka", A),)))
    assert known.contaminations("s", "w") == ()
    assert list(known.gaps("s", "w"))
    assert known.contaminations("t", "v") == ()
    assert not list(known.gaps("t", "v"))


def test_kinds_that_do_not_count_ask_for_nothing() -> None:
    known = cover(log_of(said(A, How.DEBUGGING)))
    assert known.contaminations("s", "v") == ()
    assert not list(known.gaps("s", "v"))


@pytest.mark.req("D58")
def test_branches_that_are_not_merged_count_together() -> None:
    start = log_of(said(A))
    one, other = appended(start, said(B)), appended(start, said(C))
    both = joined(cover(one), cover(other))
    assert both is not None
    assert {text for line in both.spoiling_lines("s") for text in line.inputs} == {A, B, C}
    assert set(both.logs["s"].leaves()) == {one, other}
    merged = rechained(one, other)
    assert not list(chain_faults(merged))
    assert [line.members[0][2] for line in merged] == [A, B, C]
    assert rechained(one, one) == one


@pytest.mark.req("D58")
def test_what_is_written_is_read_back_and_nothing_else_is() -> None:
    log = log_of(said(A), said(B))
    data = render_log(log)
    assert parse_log(data, "datasets/s/exposures.jsonl") == log
    spaced = data.replace(b'"number":1', b'"number": 1')
    for wrong in (data[:-1], data + b"\n", data + data, b"{}\n", b"no\n", spaced, data.replace(b"test", b"t\xff")):
        with pytest.raises(TamperedError, match=r"exposures\.jsonl, line"):
            parse_log(wrong, "datasets/s/exposures.jsonl")
    check = ExposureCheck("s", "v", line_digest(log[1]), (("test", "ka", A),))
    path = check_path("s", "v", check.log)
    assert parse_check(render_check(check), path) == check
    with pytest.raises(TamperedError):
        parse_check(render_check(check), check_path("s", "w", check.log))


def test_policy_is_read_and_misspelt_kinds_are_refused() -> None:
    found = parse_settings(b"exposure: {contaminates: [prompt, fine-tuning]}\n").exposure_contaminates
    assert found == {How.PROMPT, How.FINE_TUNING}
    assert parse_settings(b"exposure: {contaminates: []}\n").exposure_contaminates == frozenset()
    for wrong in (b"exposure: {contaminates: [prompts]}\n", b"exposure: {contaminate: []}\n", b"exposure: no\n"):
        with pytest.raises(ConfigError):
            parse_settings(wrong)
