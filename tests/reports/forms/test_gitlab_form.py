"""GitLab's Code Quality: valid by its documentation, each issue with an identity of its own."""

from __future__ import annotations

import json
from collections import Counter

import jsonschema_rs
from support.data import data_path

from heldout.domain.reporting import Report
from heldout.reports.forms.gitlab import code_quality

SCHEMA = jsonschema_rs.validator_for(data_path("forms/gitlab-code-quality.schema.json").read_text(encoding="utf-8"))


def test_it_is_valid_and_nothing_is_left_out(report: Report) -> None:
    issues = json.loads("".join(code_quality(report)))
    assert not [*SCHEMA.iter_errors(issues)][:3]
    assert len(issues) == report.total
    assert len({issue["fingerprint"] for issue in issues}) == report.total
    levels = Counter(item.level.value for item in report.items)
    severities = Counter(issue["severity"] for issue in issues)
    assert severities["blocker"] == levels["error"]
    assert severities["minor"] == levels["warning"]
    assert severities["info"] == levels["note"]
