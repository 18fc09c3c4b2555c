"""Approvals on disk: `datasets/<name>/reviews/change-<id>.yaml` (`heldout/change-approval@1`)."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from heldout.domain.deciding.governed import Approval
from heldout.storage.catalog import ROOT
from heldout.storage.yaml.files import dump_yaml, load_yaml_located
from heldout.storage.yaml.schema import Section

FORMAT: Final = "heldout/change-approval@1"
_NAME = re.compile(r"change-[0-9a-f]{16}\.yaml")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def approval_path(dataset: str, change_id: str) -> str:
    return f"{ROOT}/{dataset}/reviews/change-{change_id}.yaml"


def is_approval(path: str) -> bool:
    return "/reviews/" in path and _NAME.fullmatch(posixpath.basename(path)) is not None


def render_approval(approval: Approval) -> bytes:
    return dump_yaml(
        {
            "format": FORMAT,
            "dataset": approval.dataset,
            "change": approval.change,
            "reason": approval.reason,
            "by": list(approval.by),
        }
    )


def parse_approval(data: bytes, path: str) -> Approval:
    """Raises ConfigError with file, line and field."""
    located = load_yaml_located(data, path)
    section = Section(located, located.value)
    if section.needed_text("format") != FORMAT:
        section.fail("unknown-format", f"this Heldout reads {FORMAT!r}", "format")
    approval = Approval(
        section.needed_text("dataset"),
        section.needed_text("change"),
        section.needed_text("reason"),
        section.texts("by") or (),
    )
    section.done()
    if not _DIGEST.fullmatch(approval.change):
        section.fail("bad-value", 'expected "sha256:" and 64 hex digits', "change")
    if approval_path(approval.dataset, approval.id) != path:
        section.fail("review-misplaced", "the file's place does not fit the change it approves", "change")
    return approval
