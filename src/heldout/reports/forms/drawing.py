"""The choice of a form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from heldout.domain.reporting import Report
from heldout.reports.forms.form import Form


def drawn(report: Report, form: Form, version: str) -> Iterator[str]:
    """Pieces of the whole output, made while they are read; `version` is the program's.

    Raises ValueError for the forms that commands draw.
    """
    match form:
        case Form.TEXT | Form.JSON:
            raise ValueError(f"{form} is drawn by each command")
        case Form.JSONL:
            from heldout.reports.forms.jsonl import jsonl

            return jsonl(report)
        case Form.MARKDOWN:
            from heldout.reports.forms.markdown import markdown

            return markdown(report)
        case Form.GITHUB:
            from heldout.reports.forms.github import github

            return github(report)
        case Form.GITLAB:
            from heldout.reports.forms.gitlab import code_quality

            return code_quality(report)
        case Form.SARIF:
            from heldout.reports.forms.sarif import sarif

            return sarif(report, version)
        case Form.JUNIT:
            from heldout.reports.forms.junit import junit

            return junit(report)
        case Form.HTML:
            from heldout.reports.forms.html import page

            return page(report)
        case _:
            assert_never(form)
