"""A page that has to wait says so; what need not wait does not."""

from __future__ import annotations

import threading

from web.conftest import Client


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
