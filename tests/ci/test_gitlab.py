"""The GitLab template's script in a shell, and its comment over HTTP to a server that plays GitLab's notes."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from story.conftest import CLEAN_TEST, TRAIN
from support.story import Team

from heldout.ci import gitlab_note

ROOT = Path(__file__).resolve().parents[2]
NOTES = "/api/v4/projects/3/merge_requests/5/notes"


class GitLab(ThreadingHTTPServer):
    """Notes of one merge request, two a page; the token belongs to user 9."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.notes: list[dict[str, Any]] = []
        self.asked: list[str] = []


class Answers(BaseHTTPRequestHandler):
    server: GitLab

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append(f"GET {path}")
        if self.headers["PRIVATE-TOKEN"] != "secret":
            return self._answer({"message": "401 Unauthorized"}, status=401)
        if path == "/api/v4/user":
            return self._answer({"id": 9})
        page = int(re.search(r"page=(\d+)$", query)[1])  # type: ignore[index]
        more = str(page + 1) if len(self.server.notes) > 2 * page else ""
        return self._answer(self.server.notes[2 * page - 2 : 2 * page], {"x-next-page": more})

    def do_POST(self) -> None:
        self.server.asked.append(f"POST {self.path}")
        self.server.notes.append({"id": 100, "author": {"id": 9}, "body": self._body()})
        self._answer(self.server.notes[-1], status=201)

    def do_PUT(self) -> None:
        self.server.asked.append(f"PUT {self.path}")
        (note,) = [item for item in self.server.notes if self.path.endswith(f"/{item['id']}")]
        note["body"] = self._body()
        self._answer(note)

    def _body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def _answer(self, data: object, headers: dict[str, str] | None = None, status: int = 200) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *values: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    server = GitLab()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def job(team: Team, gitlab: GitLab, **more: str) -> subprocess.CompletedProcess[str]:
    """The template's script, all but pip, as GitLab's runner runs it: one shell that stops at the first failure."""
    (template,) = YAML(typ="safe").load((ROOT / "ci/gitlab/heldout.yml").read_text(encoding="utf-8")).values()
    _, installing, *lines = template["script"]
    assert installing.startswith("pip install")
    variables = {name: str(value) for name, value in template["variables"].items()}
    env = {
        "GITLAB_CI": "true",
        "CI_API_V4_URL": f"http://127.0.0.1:{gitlab.server_port}/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "HELDOUT_GITLAB_TOKEN": "secret",
    }
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=team.path,
        env={**os.environ, **variables, **env, **more},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def leaking(clean: Team) -> Team:
    clean.git("switch", "-q", "-c", "work")
    clean.dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.save("More training data")
    return clean


def test_a_merge_request_gets_its_report_once(leaking: Team, gitlab: GitLab) -> None:
    """Somebody's comment that begins like ours, and one of the token's user about something else, stay as they are."""
    gitlab.notes += [
        {"id": 1, "author": {"id": 2}, "body": "<!-- heldout-report -->\nnot by us"},
        {"id": 2, "author": {"id": 9}, "body": "something else"},
        {"id": 3, "author": {"id": 2}, "body": "third"},
    ]
    done = job(leaking, gitlab)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"POST {NOTES}" in gitlab.asked
    assert gitlab.notes[3]["body"].startswith("<!-- heldout-report -->\n### ❌ Evaluation data leaks")
    assert "Evaluation data leaks. 1 of the 9 examples" in done.stdout, "the job's log says it too"
    quality = json.loads((leaking.path / "gl-code-quality-report.json").read_text())
    assert quality, "what GitLab shows beside the changed lines"
    assert {"description", "fingerprint", "location", "severity", "check_name"} <= quality[0].keys()

    again = job(leaking, gitlab)
    assert again.returncode == 1, again.stdout + again.stderr
    assert f"PUT {NOTES}/100" in gitlab.asked
    assert len(gitlab.notes) == 4
    assert [note["body"] for note in gitlab.notes[1:3]] == ["something else", "third"]
    assert gitlab.notes[0]["body"].endswith("not by us")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]", b"nonsense\r\n\r\n"])
def test_whatever_a_proxy_answers_is_no_traceback(
    answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut off, of another shape, or no HTTP at all."""
    (tmp_path / "report.md").write_text("<!-- heldout-report -->\n")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                with line:
                    line.recv(65536)
                    line.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        for name, value in {
            "CI_API_V4_URL": f"http://127.0.0.1:{server.getsockname()[1]}/api/v4", "CI_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "5", "HELDOUT_GITLAB_TOKEN": "secret",
            "HELDOUT_REPORT": str(tmp_path / "report.md"),
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        assert gitlab_note.main() == 1
        server.shutdown(socket.SHUT_RDWR)
    said = capsys.readouterr().err
    assert said.startswith("heldout: GitLab did not take the report: ")
    assert "secret" not in said


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_token_goes_to_one_address_alone(
    status: int, gitlab: GitLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that sends on elsewhere: not even a question follows, for it would carry the token."""

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Location", f"http://127.0.0.1:{gitlab.server_port}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *values: object) -> None:
            """Nothing on the terminal."""

    (tmp_path / "report.md").write_text(gitlab_note.MARKER)
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, value in {
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4", "CI_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "5", "HELDOUT_GITLAB_TOKEN": "secret",
            "HELDOUT_REPORT": str(tmp_path / "report.md"),
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        assert gitlab_note.main() == 1
        server.shutdown()
    assert gitlab.asked == []
    assert f"HTTP Error {status}" in capsys.readouterr().err


def test_a_token_that_is_refused_costs_no_verdict(leaking: Team, gitlab: GitLab) -> None:
    done = job(leaking, gitlab, HELDOUT_GITLAB_TOKEN="wrong")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "GitLab did not take the report: HTTP Error 401" in done.stderr
    assert "the report could not be posted" in done.stderr
    assert (leaking.path / "heldout-ci/report.md").read_text(encoding="utf-8").startswith("<!-- heldout-report -->")
