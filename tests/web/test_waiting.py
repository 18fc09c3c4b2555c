"""A page that has to wait says so; what need not wait does not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.git import Repo
from web.conftest import Client

from heldout.web.run import start


def test_while_somebody_reads_a_page_says_what_is_waited_for(reading: Client) -> None:
    listed = reading.get("/api/findings").json["total"]
    busy, done = threading.Event(), threading.Event()

    def hold() -> None:
        with reading.running.project.workspace():
            busy.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    busy.wait()
    try:
        for path in ("/datasets", "/slices", "/changes"):
            assert "waiting.js" in reading.get(path).text
        assert "banking77 <b>v1.0.0</b>" in " ".join(reading.get("/leakage").text.split())
        assert reading.get("/api/findings").json["total"] == listed, "what was found a moment ago"
    finally:
        done.set()
        thread.join()
    assert "waiting.js" not in reading.get("/datasets").text


def test_any_number_of_requests_at_once(reading: Client) -> None:
    """Filters, texts and pages from sixteen threads: each gets its own answer."""
    rows = reading.get("/api/findings?limit=16&holdout=1").json["rows"]
    wrong: list[str] = []

    def ask(finding: str) -> None:
        for path in (f"/api/finding?id={finding}", f"/api/findings?q={finding}", "/leakage"):
            answer = reading.get(path)
            if answer.status != 200 or (path != "/leakage" and finding not in answer.text):
                wrong.append(path)

    threads = [threading.Thread(target=ask, args=(row["id"],)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("commits", [0, 1])
def test_a_repository_without_anything_has_pages_too(tmp_path: Path, commits: int) -> None:
    repo = Repo.create(tmp_path / "empty")
    for _ in range(commits):
        repo.commit("Start")
    running = start(repo.path)
    client = Client(running)
    client.enter()
    try:
        for path in ("/datasets", "/slices", "/leakage", "/changes"):
            answer = client.get(path)
            assert answer.status == 200, answer.text
        assert "no dataset yet" in client.get("/datasets").text
        found = client.get("/api/findings").json
        assert (found["total"], found["recorded"], found["rows"]) == (0, False, [])
        assert client.get("/api/changes").status == (200 if commits else 422)
    finally:
        running.stop()
