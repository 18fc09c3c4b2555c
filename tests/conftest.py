"""What every test runs in: a home, Git and DVC that know nothing of the person at the keyboard, and a fixed clock."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Slow machines are no failures. In CI the same examples are drawn every time, so that red means a change did it.
settings.register_profile(
    "local", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

GIT_CONFIG = """\
[user]
	name = Test Person
	email = test@example.org
[init]
	defaultBranch = main
[commit]
	gpgsign = false
[tag]
	gpgsign = false
[gc]
	auto = 0
[advice]
	detachedHead = false
"""
FIXED_DATE = "2026-01-01T12:00:00+00:00"


@pytest.fixture(scope="session", autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Session-wide, since fixtures of any scope start Git. A test that needs another home sets it by monkeypatch."""
    home = tmp_path_factory.mktemp("home")
    config = home / "gitconfig"
    config.write_text(GIT_CONFIG, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("GIT_", "DVC_", "HELDOUT_")):
                patch.delenv(name)
        for name, value in _environment(home, config).items():
            patch.setenv(name, value)
        yield


def _environment(home: Path, config: Path) -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return {
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA", "STATE")},
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": FIXED_DATE,
        "GIT_COMMITTER_DATE": FIXED_DATE,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "DVC_GLOBAL_CONFIG_DIR": str(home / "dvc-global"),
        "DVC_SYSTEM_CONFIG_DIR": str(home / "dvc-system"),
        "DVC_SITE_CACHE_DIR": str(home / "dvc-site"),
        "DVC_NO_ANALYTICS": "1",
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # `heldout`, `git heldout` and `dvc` are those of the environment under test
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]),
    }


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test is a failure: what could not run there has shown nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("\nskipped in CI, which counts as failed", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
