"""The forms by name. Commands offer them as an option, so this is imported by every start and imports nothing."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """`TEXT` and `JSON` are each command's own, the rest are drawn from the one model."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    GITHUB = "github"
    GITLAB = "gitlab"
    SARIF = "sarif"
    JUNIT = "junit"
    HTML = "html"
