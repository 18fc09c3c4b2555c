"""The plugin as pytest loads it, in runs of their own: what passes, what fails and how it is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.evaluated import CLEAN, CONTAMINATED, REASON_CONTAMINATED, REASON_UNKNOWN, SECRET, UNKNOWN

MARKED = f"""
import pytest

@pytest.fixture
def spent(request):
    print("a model was asked")

@pytest.fixture(autouse=True)
def always():
    print("a model was asked")

@pytest.mark.clean_holdout("{CLEAN}")
def test_clean(spent): pass

@pytest.mark.clean_holdout("{CONTAMINATED}")
def test_contaminated(spent): print("ran all the same")

@pytest.mark.clean_holdout("{UNKNOWN}")
class TestUnknown:
    def test_unknown(self, spent): print("ran all the same")

    @pytest.mark.clean_holdout("{CLEAN}", "{CONTAMINATED}")
    def test_both(self): print("ran all the same")
"""


def run(folder: Path, source: str, *options: str, repo: Path | None = None) -> tuple[int, str]:
    """A pytest of its own; exit code and output."""
    (folder / "test_evaluation.py").write_text(source, encoding="utf-8")
    (folder / "pytest.ini").touch()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", *options]
    if repo is not None:
        command += ["--heldout-repo", str(repo)]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.req("B50")
def test_marked_tests_fail_unless_clean(evaluated: Path, tmp_path: Path) -> None:
    code, out = run(tmp_path, MARKED, repo=evaluated)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "1 passed, 3 failed" in out or "3 failed, 1 passed" in out
    assert "error" not in out.lower().replace("no error", "")
    assert REASON_CONTAMINATED in out
    assert "next: heldout findings support@v1.0.0 --holdout-only" in out
    assert REASON_UNKNOWN in out
    assert "next: heldout scan --all" in out
    assert "ran all the same" not in out
    assert out.count("a model was asked") == 2, "by both fixtures of the clean test, and by no other test's"
    assert SECRET not in out
    assert "let past" not in out


def test_the_header_counts_who_asks(evaluated: Path, tmp_path: Path) -> None:
    _, out = run(tmp_path, MARKED, "-v", "--heldout-allow", "unknown", repo=evaluated)
    assert f"heldout: repository {evaluated}, let past: unknown" in out
    assert f"heldout: needed clean: {CONTAMINATED} (2 tests), {CLEAN} (2 tests), {UNKNOWN} (2 tests)" in out


def test_what_is_allowed_runs_and_is_listed(evaluated: Path, tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    options = ("--heldout-allow", "contaminated", "--heldout-allow", "unknown", f"--junit-xml={report}")
    code, out = run(tmp_path, MARKED, *options, repo=evaluated)
    assert code == pytest.ExitCode.OK
    assert f"heldout: {CONTAMINATED} contaminated, let past in 2 tests" in out
    assert f"heldout: {UNKNOWN} unknown, let past in 2 tests" in out
    said = [item.attrib["value"] for item in ET.parse(report).iter("property") if item.attrib["name"] == "heldout"]
    assert sorted(set(said)) == [
        f"{CONTAMINATED} contaminated, let past",
        f"{CLEAN} clean",
        f"{UNKNOWN} unknown, let past",
    ]


def test_workers_of_xdist_say_the_same(evaluated: Path, tmp_path: Path) -> None:
    code, out = run(tmp_path, MARKED, "-n", "2", "--heldout-allow", "unknown", repo=evaluated)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "2 failed, 2 passed" in out
    assert f"heldout: {UNKNOWN} unknown, let past in" in out


FIXTURE = f"""
def test_clean(clean_holdout):
    examples = list(clean_holdout("{CLEAN}").examples(split="test"))
    assert [example.key for example in examples] == ["8", "9"]

def test_contaminated(clean_holdout):
    version = clean_holdout("{CONTAMINATED}")
    print("ran all the same on", len(list(version.examples(split="test"))))

def test_misspelt(clean_holdout):
    clean_holdout("suport@v1.0.0")
    print("ran all the same")
"""


def test_the_fixture_hands_out_clean_versions_only(evaluated: Path, tmp_path: Path) -> None:
    code, out = run(tmp_path, FIXTURE, "--heldout-allow", "contaminated", repo=evaluated)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 2 passed" in out
    assert "ran all the same on 3" in out
    assert "suport" in out
    assert out.count("ran all the same") == 1, "a misspelt version is no verdict that could be allowed"
    assert "Traceback" not in out
    code, out = run(tmp_path, FIXTURE, "-k", "contaminated", repo=evaluated)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert REASON_CONTAMINATED in out
    assert "ran all the same" not in out


def test_the_repository_is_found_by_the_ini_file_or_around_the_root(evaluated: Path, tmp_path: Path) -> None:
    code, out = run(tmp_path, FIXTURE, "-k", "clean", "-o", f"heldout_repo={os.path.relpath(evaluated, tmp_path)}")
    assert code == pytest.ExitCode.OK, out
    code, out = run(tmp_path, FIXTURE, "-k", "clean")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "repository" in out


def test_a_marker_without_a_version_fails(tmp_path: Path) -> None:
    source = "import pytest\n@pytest.mark.clean_holdout\ndef test_nothing(): print('ran all the same')\n"
    code, out = run(tmp_path, source)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "the marker clean_holdout names no version" in out
    assert "ran all the same" not in out


def test_runs_that_do_not_ask_load_nothing_and_say_nothing(tmp_path: Path) -> None:
    source = """
import sys

def test_nothing():
    mine = {name for name in sys.modules if name.split(".")[0] == "heldout"}
    assert mine == {"heldout", "heldout.integrations", "heldout.integrations.pytest_plugin"}
    assert not {"dvc", "numpy", "pyarrow", "git", "rich", "typer"} & sys.modules.keys()
"""
    code, out = run(tmp_path, source, "-v")
    assert code == pytest.ExitCode.OK, out
    assert "heldout:" not in out
