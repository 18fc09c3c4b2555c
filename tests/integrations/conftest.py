"""Loaders run here with what the development environment has. Tests of real harnesses are `test_with_*.py`: they run by
`make test-integrations`, in an environment of their own, and HELDOUT_INTEGRATIONS says so."""

import os
from pathlib import Path

import pytest
from support.evaluated import evaluated_repository

WANTED = os.environ.get("HELDOUT_INTEGRATIONS") == "1"

collect_ignore_glob = [] if WANTED else ["test_with_*.py"]
"""Wanted and not installed, they fail: nothing is passed over in silence."""


def pytest_report_header() -> str | None:
    return None if WANTED else "tests/integrations: no harness is tested in this run; make test-integrations does"


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody writes into it."""
    return evaluated_repository(tmp_path_factory.mktemp("evaluated"))
