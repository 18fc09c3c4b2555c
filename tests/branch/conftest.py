"""Branches off the clean repository of the stories."""

from __future__ import annotations

from story.conftest import clean, clean_template, empty_template  # noqa: F401
