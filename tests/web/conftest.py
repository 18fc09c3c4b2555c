"""The page's real server over a real repository: banking77 as published and mended, and data that copies it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from story.conftest import copy
from support.banking import banking_team
from support.story import Team

from heldout.web.run import Running, start


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Client:
    """A browser's requests without a browser: the cookie, and what a page of ours sends along."""

    running: Running
    cookie: str = ""
    token: str = ""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.running.server.port}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        """A header of None is left out."""
        usual: dict[str, str | None] = {"Host": self.host, "Cookie": self.cookie or None}
        wanted = {name: value for name, value in {**usual, **(headers or {})}.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.running.server.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in wanted.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        found = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        connection.close()
        return found

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, value: Any, headers: Mapping[str, str | None] | None = None) -> Answer:
        usual: dict[str, str | None] = {
            "Origin": f"http://{self.host}",
            "X-Heldout-Token": self.token,
            "Content-Type": "application/json",
            "Sec-Fetch-Site": "same-origin",
        }
        return self.ask("POST", path, json.dumps(value).encode(), {**usual, **(headers or {})})

    def enter(self) -> Answer:
        link = self.running.guard.new_link()
        answer = self.get(link.removeprefix(self.running.address))
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.token = self.running.guard.page_token
        return answer


@pytest.fixture(scope="session")
def banking_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("banking")
    banking_team(base)
    return base


@pytest.fixture(scope="module")
def reading(banking_template: Path) -> Iterator[Client]:
    """A server that a module's tests share, and write nothing through."""
    running = start(banking_template / "work")
    client = Client(running)
    client.enter()
    yield client
    running.stop()


@pytest.fixture
def banking(banking_template: Path, tmp_path: Path) -> Team:
    """A copy that a test may change."""
    return copy(banking_template, tmp_path)


@pytest.fixture
def writing(banking: Team) -> Iterator[Client]:
    running = start(banking.path)
    client = Client(running)
    client.enter()
    yield client
    running.stop()
