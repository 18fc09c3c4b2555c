"""One report for every form: of nothing, of one finding, of each awkward name, of thirty thousand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.forms import AWKWARD, MANY, findings

from heldout.domain.reporting import Report


@pytest.fixture(scope="session", params=[0, 1, len(AWKWARD), MANY])
def report(request: pytest.FixtureRequest) -> Report:
    """Its items are made once: nine forms read them several times."""
    made = findings(request.param)
    return replace(made, items=tuple(made.items))
