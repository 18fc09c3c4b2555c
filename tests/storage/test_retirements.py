"""Retirements on disk: one decision a file, which people may write themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.coverage import Retirement
from heldout.domain.names import VersionName, VersionNumber
from heldout.errors import ConfigError
from heldout.storage.people.retirements import is_retirement, parse_retirement, render_retirement, retirement_path

VERSION = VersionName("team/support", VersionNumber(1, 2, 0))
PATH = "datasets/team/support/reviews/retired-v1.2.0.yaml"
TEXT = """\
format: heldout/retirement@1
version: team/support@v1.2.0
source: "sha256:aa"
reason: nothing was trained on it
by: A Person <a@example.org>
"""
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.mark.req("A47")
@given(words, words, st.none() | words)
def test_a_retirement_reads_back_as_it_was_written(reason: str, by: str, reviewer: str | None) -> None:
    retirement = Retirement(VERSION, "sha256:aa", reason, by, reviewer)
    assert parse_retirement(render_retirement(retirement), PATH) == retirement


def test_what_is_written_is_what_people_would_write() -> None:
    written = parse_retirement(TEXT.encode(), PATH)
    assert written == Retirement(VERSION, "sha256:aa", "nothing was trained on it", "A Person <a@example.org>")
    assert render_retirement(written).decode() == TEXT.replace("A Person <a@example.org>", '"A Person <a@example.org>"')


def test_it_lies_beside_the_datasets_other_decisions() -> None:
    assert retirement_path(VERSION) == PATH
    assert is_retirement(PATH)
    assert not is_retirement("datasets/team/support/reviews/0123456789abcdef.yaml")
    assert not is_retirement("datasets/team/support/scans/x/retired-v1.2.0.yaml")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("heldout/retirement@1", "heldout/retirement@2"),
        ("team/support@v1.2.0", "team/support@v1.3.0"),  # another version than the file's name says
        ("team/support@v1.2.0", "support@v1.2.0"),  # another dataset than the folder says
        ("team/support@v1.2.0", "team/support"),
        ("reason: nothing was trained on it\n", ""),
        ("nothing was trained on it", '""'),
        ("nothing was trained on it", "7"),
        ("reason:", "reasons:"),
        (TEXT, "- a list\n"),
        (TEXT, ""),
    ],
)
def test_a_decision_that_cannot_be_read_is_refused_with_its_file(before: str, after: str) -> None:
    assert before in TEXT
    with pytest.raises(ConfigError) as caught:
        parse_retirement(TEXT.replace(before, after).encode(), PATH)
    assert caught.value.slug == "retirement-malformed"
    assert caught.value.file == PATH
