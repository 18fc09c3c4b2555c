"""The same answers from Python."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.story import Team
from versions.conftest import NEXT_TEST, NEXT_TRAIN

import heldout
from heldout.domain.answer import Verdict


def test_versions_in_order(versions: Team) -> None:
    repository = heldout.open(versions.path)
    assert [version.name for version in repository.versions("support")] == ["support@v1.0.0", "support@v2.0.0"]
    assert repository.path == versions.path
    version = repository.version("support@v2.0.0")
    assert (version.dataset, version.commit) == ("support", versions.head())


@pytest.mark.req("B48", "B50")
def test_examples_pass_the_gate(versions: Team) -> None:
    version = heldout.open(versions.path).version("support@v2.0.0")
    assert version.answer().verdict is Verdict.CLEAN
    found = list(version.examples(split="test"))
    assert [(item.key, item.input, item.expected) for item in found] == [
        (key, text, label) for key, (text, label) in NEXT_TEST.items()
    ]
    assert len(list(version.examples())) == len(NEXT_TEST) + len(NEXT_TRAIN)


@pytest.mark.req("B50")
def test_a_contaminated_version_is_refused_at_the_call(versions: Team) -> None:
    version = heldout.open(versions.path).version("support@v1.0.0")
    with pytest.raises(heldout.HoldoutRefused, match="2 held-out examples are given away") as refused:
        version.examples(split="test")
    assert not isinstance(refused.value, heldout.CoverageUnknown)
    assert len(list(version.examples(split="test", require="complete"))) == 7


@pytest.mark.req("B44", "B50")
def test_unknown_is_refused_too(versions: Team) -> None:
    subject = heldout.open(versions.path).subject("support")
    for require in ("clean", "complete"):
        with pytest.raises(heldout.CoverageUnknown, match="not a frozen version"):
            subject.examples(require=require)  # type: ignore[arg-type]
    assert len(list(subject.examples(split="test", require=None))) == len(NEXT_TEST)


def test_a_requirement_that_is_none_is_a_mistake(versions: Team) -> None:
    with pytest.raises(ValueError, match="require is"):
        heldout.open(versions.path).version("support@v2.0.0").examples(require="cleen")  # type: ignore[arg-type]


def test_findings_members_and_diff(versions: Team) -> None:
    first, second = heldout.open(versions.path).versions()
    assert {row.finding.a.key for row in first.findings(holdout_only=True)} >= {"copied", "close"}
    assert len(second.members()) == len(NEXT_TEST) + len(NEXT_TRAIN)
    assert first.diff(second).counts()["moved"] == 2


@pytest.mark.parametrize("name", ["support", "support@v9.0.0", "support@HEAD", "absent@v1.0.0"])
def test_a_name_that_is_no_version(versions: Team, name: str) -> None:
    with pytest.raises(heldout.HeldoutError) as refused:
        heldout.open(versions.path).version(name)
    assert refused.value.slug == "unknown-version"


def test_importing_the_package_imports_none_of_it() -> None:
    code = "import sys, heldout; print([name for name in sys.modules if name.startswith('heldout.')], dir(heldout))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] [")
    assert "'open'" in done.stdout
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        heldout.opne  # type: ignore[attr-defined]  # noqa: B018
