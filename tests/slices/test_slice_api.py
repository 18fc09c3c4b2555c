"""Slices from Python and from `heldout load`: the same definitions, digests and examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from slices.conftest import PLAIN
from support.cli import heldout
from support.story import Team

import heldout as library

DEFINITION = library.Definition(
    (
        library.Condition("tag", None, "eq", "billing"),
        library.Condition("metadata", "turns", "lt", 30.0),
        library.Condition("metadata", "language", "in", values=("fr", "de", "de")),
    )
)
KEYS = [
    item["key"]
    for item in PLAIN
    if item["tags"] and item["metadata"]["turns"] < 30 and item["metadata"]["language"] in ("de", "fr")
]


@pytest.fixture(scope="module")
def frozen(shared: Team) -> Team:
    """plain@v1.1.0 has a required slice of two definitions; the first one is `german`."""
    for language in ("de", "[de, fr]"):
        where = (
            "--where",
            f"metadata.language in {language}",
            "--where",
            "tag eq billing",
            "--where",
            "metadata.turns lt 30",
        )
        if language == "de":
            assert heldout(shared.path, "slice", "new", "plain", "some", *where, "--required").code == 0
        else:
            path = shared.path / "datasets/plain/slices/some.yaml"
            head, word, rest = path.read_text().partition("history:")
            path.write_text(head.replace("    - de\n", "    - de\n    - fr\n") + word + rest)
        shared.git("add", "datasets")
        shared.save(f"Slice {language}")
    shared.git("tag", "-a", "plain@v1.1.0", "-m", "second")
    return shared


@pytest.mark.req("B17", "A4")
def test_a_definition_built_in_code_has_the_digest_of_the_file(frozen: Team) -> None:
    found = library.open(frozen.path).version("plain@v1.1.0").slice("some")
    assert (found.number, found.digest) == (2, DEFINITION.digest)
    assert found.definition == DEFINITION


@pytest.mark.req("B1", "B19")
def test_a_slice_of_a_version_has_counts_and_examples(frozen: Team) -> None:
    version = library.open(frozen.path).version("plain@v1.1.0")
    found = version.slice("some")
    assert [example.key for example in found.examples()] == KEYS
    assert (found.counts().matched, found.counts().total) == (len(KEYS), 40)
    assert version.count(DEFINITION) == found.counts()
    german = version.slice("some#1")
    assert {str(example.metadata["language"]) for example in german.examples()} == {"de"}
    assert german.digest != found.digest
    assert [item.name for item in version.slices()] == ["some"]


@pytest.mark.req("B25", "B26", "B27")
def test_a_report_is_held_to_the_required_slices(frozen: Team, tmp_path: Path) -> None:
    version = library.open(frozen.path).version("plain@v1.1.0")
    (needed,) = version.required_slices()
    assert (needed.name, needed.number, needed.digest) == ("some", 2, DEFINITION.digest)
    entry = {"number": 2, "digest": needed.digest, "passed": True}
    version.check_reported({"slices": {"some": entry}})
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"slices": [{"name": "some", **entry}], "passed": True}))
    version.check_reported(file)
    old = version.slice("some#1").digest
    for report, slug in (
        ({}, "slice-not-reported"),
        ({"slices": {"other": entry}}, "slice-not-reported"),
        ({"slices": {"some": {"passed": True}}}, "slice-not-reported"),
        ({"slices": {"some": {"number": 2, "digest": old}}}, "slice-of-other-definition"),
        ({"slices": {"some": {**entry, "passed": False}}, "passed": True}, "failed-slice-hidden"),
    ):
        with pytest.raises(library.SliceNotReported) as refused:
            version.check_reported(report)
        assert refused.value.slug == slug


def test_load_hands_out_a_slice(frozen: Team) -> None:
    done = frozen.heldout("load", "plain@v1.1.0", "--slice", "some")
    assert [json.loads(line)["key"] for line in done.out.splitlines()] == KEYS
    assert f"{len(KEYS)} of 40" in done.err
    old = frozen.heldout("load", "plain@v1.1.0", "--slice", "some#1", "--split", "test")
    rows = [json.loads(line) for line in old.out.splitlines()]
    assert {(row["split"], row["metadata"]["language"]) for row in rows} == {("test", "de")}
