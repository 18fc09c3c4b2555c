"""The clean repository of the stories, pushed; pull requests are made of it."""

from __future__ import annotations

from story.conftest import clean, clean_template, empty_template  # noqa: F401
