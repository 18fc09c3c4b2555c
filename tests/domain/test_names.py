"""Names of datasets and versions, with GTO's own parser as the judge."""

from __future__ import annotations

import re

import pytest
from gto.constants import check_string_is_valid, tag_re
from hypothesis import assume, given
from hypothesis import strategies as st

from heldout.domain.names import RESERVED, Subject, VersionName, VersionNumber, name_problem, split_tag

# GTO installs with DVC. Its rule for names, and what ours adds: a name is a path of folders that a dataset does not
# have inside.
letters = st.text("aZ09-_/ .é", max_size=8)
names = st.one_of(letters, st.text(max_size=6), st.sampled_from(("support", "a/b", "team/support-2_x", "a/scans/b")))
numbers = st.integers(0, 10**12)


@given(names)
def test_a_name_is_one_of_gto_that_makes_a_path(name: str) -> None:
    # `$` in GTO's pattern lets a line feed follow.
    gto_takes_it = check_string_is_valid(name) and not name.endswith("\n")
    a_path = "" not in name.split("/") and not RESERVED.intersection(name.lower().split("/"))
    assert (name_problem(name) is None) == (gto_takes_it and a_path)


@given(names, numbers, numbers, numbers)
def test_a_version_is_a_tag_that_gto_reads_alike(name: str, major: int, minor: int, patch: int) -> None:
    assume(name_problem(name) is None)
    version = VersionName(name, VersionNumber(major, minor, patch))
    theirs = re.search(tag_re, str(version))
    assert theirs is not None
    assert (theirs["artifact"], theirs["version"]) == (name, f"v{major}.{minor}.{patch}")
    assert (theirs["major"], theirs["minor"], theirs["patch"]) == (str(major), str(minor), str(patch))
    assert split_tag(str(version)) == (name, version.number)


# From GTO's documentation (dvc.org/doc/gto), what a tag means there; and what it is here.
@pytest.mark.parametrize(
    ("tag", "ours"),
    [
        ("awesome-model@v0.0.1", ("awesome-model", VersionNumber(0, 0, 1))),
        ("nested/name@v1.2.3", ("nested/name", VersionNumber(1, 2, 3))),
        ("awesome-model@v1.0.0!", None),  # deregistered: GTO's own mark, which we let pass
        ("awesome-model@v1.0.0!#2", None),
        ("awesome-model@deprecated", None),
        ("awesome-model#prod#1", None),  # a stage
        ("subfolder=model@v1.0.0", None),  # an artifact of a dvc.yaml in a subfolder
        ("v1.0.0", None),
        ("@v1.0.0", None),
        ("release 1@v1.0.0", None),
        ("awesome-model@v1.0", ("awesome-model", None)),
        ("awesome-model@1.0.0", ("awesome-model", None)),
        ("awesome-model@v01.0.0", ("awesome-model", None)),
        ("awesome-model@v1.0.0-rc.1", ("awesome-model", None)),  # GTO takes pre-releases; a frozen version is none
        ("awesome-model@v1.0.0\n", ("awesome-model", None)),
        ("a@b@v1.0.0", None),
        (
            "awesome-model@v1.0.1\u0661",
            ("awesome-model", None),
        ),  # a digit, but not one that Git, GTO and we spell alike
    ],
)
def test_tags_of_gto(tag: str, ours: object) -> None:
    assert split_tag(tag) == ours


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers))
def test_versions_order_by_number_not_by_text(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    assert (VersionNumber(*one) < VersionNumber(*other)) == (one < other)
    assert VersionNumber.parse(str(VersionNumber(*one))) == VersionNumber(*one)


@pytest.mark.parametrize(
    ("text", "dataset", "revision", "version"),
    [
        ("support", "support", None, None),
        ("support@v1.2.0", "support", "v1.2.0", VersionName("support", VersionNumber(1, 2, 0))),
        ("support@HEAD~1", "support", "HEAD~1", None),
        ("support@main@{yesterday}", "support", "main@{yesterday}", None),
        ("support@", "support", "", None),
    ],
)
def test_subjects(text: str, dataset: str, revision: str | None, version: VersionName | None) -> None:
    subject = Subject.parse(text)
    assert (subject.dataset, subject.revision, subject.version) == (dataset, revision, version)
    assert str(subject) == text
