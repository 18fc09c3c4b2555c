"""Post the report under a GitLab merge request, or replace what was posted before: `python -m heldout.ci.gitlab_note`.

Standard library only, and no `curl`: many CI images have neither it nor GitLab's own tool.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

MARKER = "<!-- heldout-report -->"
UNCHANGED = "<!-- heldout-report: unchanged -->"
_TIMEOUT_SECONDS = 30


class _StayHere(HTTPRedirectHandler):
    """Another address would get the token, and a comment that is sent on becomes a question whose answer looks fine."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = build_opener(_StayHere)


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """`notes` is the address of its comments; `api` GitLab's own, as CI_API_V4_URL has it."""

    api: str
    notes: str
    token: str

    @classmethod
    def of(cls, env: Mapping[str, str]) -> MergeRequest:
        """Raises KeyError where this is no job of a merge request, ValueError for an address that is not one."""
        api = env["CI_API_V4_URL"].rstrip("/")
        if not api.startswith(("https://", "http://")):
            raise ValueError(f"CI_API_V4_URL is no web address: {api}")
        notes = f"{api}/projects/{env['CI_PROJECT_ID']}/merge_requests/{env['CI_MERGE_REQUEST_IID']}/notes"
        return cls(api, notes, env["HELDOUT_GITLAB_TOKEN"])

    def ask(self, method: str, url: str, body: str | None = None) -> tuple[Any, str]:
        """The parsed answer, and the number of the next page ("" on the last one). Raises URLError."""
        data = None if body is None else json.dumps({"body": body}).encode()
        headers = {"PRIVATE-TOKEN": self.token, "Content-Type": "application/json"}
        with _OPENER.open(Request(url, data, headers, method=method), timeout=_TIMEOUT_SECONDS) as answer:
            return json.loads(answer.read()), answer.headers.get("x-next-page", "")

    def comments(self) -> Iterator[dict[str, Any]]:
        page = "1"
        while page:
            found, page = self.ask("GET", f"{self.notes}?per_page=100&page={page}")
            yield from found


def post(merge_request: MergeRequest, report: str, *, always: bool) -> str:
    """What was done, in a word. Only a comment of the token's own user is replaced."""
    me, _ = merge_request.ask("GET", f"{merge_request.api}/user")
    for note in merge_request.comments():
        if note["author"]["id"] == me["id"] and note["body"].startswith(MARKER):
            merge_request.ask("PUT", f"{merge_request.notes}/{note['id']}", report)
            return "replaced"
    if not always and UNCHANGED in report.splitlines()[:2]:
        return "nothing to post"
    merge_request.ask("POST", merge_request.notes, report)
    return "posted"


def main() -> int:
    report = Path(os.environ["HELDOUT_REPORT"]).read_text(encoding="utf-8")
    try:
        done = post(MergeRequest.of(os.environ), report, always=os.environ.get("HELDOUT_COMMENT") == "always")
    except (OSError, HTTPException, LookupError, TypeError, ValueError) as error:
        # Refused, cut off, too slow, or an answer of another shape: whatever it is, a report is no verdict.
        sys.stderr.write(f"heldout: GitLab did not take the report: {str(error) or type(error).__name__}\n")
        return 1
    sys.stderr.write(f"heldout: report {done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
