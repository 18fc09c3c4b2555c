"""Who the page answers to, and what it never does (a page on 127.0.0.1 is in reach of every web site)."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from support.banking import HOSTILE
from support.console import ROOT
from support.story import Team
from web.conftest import Client

from heldout.web.routes import ROUTES

GETS = sorted(path for method, path in ROUTES if method == "GET")
POSTS = sorted(path for method, path in ROUTES if method == "POST")
WEB = ROOT / "src/heldout/web"


@pytest.mark.parametrize("path", [*GETS, "/static/page.js", "/static/nothing", "/nothing"])
@pytest.mark.parametrize("cookie", ["", "heldout=1", "heldout-{port}=", "heldout-{port}=guess"])
def test_nothing_without_the_session(reading: Client, path: str, cookie: str) -> None:
    answer = reading.get(path, Cookie=cookie.format(port=reading.running.server.port))
    assert answer.status == 403
    assert b"banking77" not in answer.body


@pytest.mark.parametrize("path", POSTS)
def test_no_change_without_the_session(reading: Client, path: str) -> None:
    assert reading.post(path, {}, {"Cookie": None}).status == 403


def test_a_link_opens_the_page_once(reading: Client) -> None:
    link = reading.running.guard.new_link().removeprefix(reading.running.address)
    first = reading.get(link, Cookie=None)
    assert first.status == 200
    name, _, rest = first.headers["set-cookie"].partition("=")
    assert name == f"heldout-{reading.running.server.port}"
    assert rest.partition("; ")[2].split("; ") == ["HttpOnly", "SameSite=Strict", "Path=/"]
    again = reading.get(link, Cookie=None)
    assert (again.status, "set-cookie" in again.headers) == (403, False)
    assert reading.get("/enter?token=", Cookie=None).status == 403
    assert reading.get("/enter", Cookie=None).status == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "[::1]:{port}",
     "0.0.0.0:{port}", ""],
)  # fmt: skip
def test_a_name_that_was_rebound_is_another_host(reading: Client, host: str) -> None:
    shown = host.format(port=reading.running.server.port)
    assert reading.get("/datasets", Host=shown).status in (400, 421)
    link = reading.running.guard.new_link().removeprefix(reading.running.address)
    assert reading.get(link, Host=shown, Cookie=None).status in (400, 421), "not even with a fresh link"


def test_localhost_is_ours(reading: Client) -> None:
    assert reading.get("/datasets", Host=f"localhost:{reading.running.server.port}").status == 200


def test_two_hosts_are_none(reading: Client) -> None:
    with socket.create_connection(("127.0.0.1", reading.running.server.port)) as line:
        line.sendall(f"GET /datasets HTTP/1.1\r\nHost: {reading.host}\r\nHost: evil.example\r\n\r\n".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_reads_nothing(reading: Client, site: str) -> None:
    """same-site is another port of this machine."""
    assert reading.get("/api/findings", **{"Sec-Fetch-Site": site}).status == 403
    assert reading.get("/datasets", **{"Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": None},
        {"X-Heldout-Token": "guess"},
        {"X-Heldout-Token": None},
        {"Sec-Fetch-Site": "cross-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", POSTS)
def test_another_site_changes_nothing(reading: Client, path: str, headers: dict[str, str | None]) -> None:
    answer = reading.post(path, {}, headers)
    assert answer.status in (403, 415)
    assert answer.json["error"] == "refused"


def test_looking_changes_nothing(writing: Client, banking: Team) -> None:
    before = banking.status()
    known = writing.get("/api/findings").json["rows"][0]["id"]
    for path in GETS:
        for query in ("", "?dataset=banking77&slice=card-arrival", f"?id={known}"):
            writing.get(path + query)
    assert banking.status() == before


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/..%2fserver.py", "/static/%2e%2e/server.py", "/static//etc/passwd",
        "/static/....//server.py", "/../../etc/passwd", "/static/templates/base.html", "/static/page.css%00.js",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_static_files(reading: Client, path: str) -> None:
    assert reading.get(path).status == 404


@pytest.mark.parametrize("name", ["../../../etc/passwd", "..", "/etc/passwd", "banking77/../faq", "a%00b", "%2e%2e/x"])
def test_no_name_leads_out_of_the_datasets(reading: Client, name: str) -> None:
    assert reading.get(f"/api/slices/counts?dataset={name}").status in (404, 422)
    assert reading.get(f"/slices?dataset={name}&slice=x").status in (404, 422)
    assert reading.get(f"/slices?dataset=banking77&slice={name}").status in (404, 422)
    body = {"match": "all", "conditions": [], "sample": {"size": 3}, "seen": "", "dataset": "banking77", "slice": name}
    assert reading.post("/api/slices/save", body).status in (404, 422)
    assert reading.post("/api/slices/new", body).status == 422
    assert reading.post("/api/slices/new", {**body, "dataset": name, "slice": "fine"}).status in (404, 422)


def test_every_answer_forbids_what_the_page_does_not_need(reading: Client) -> None:
    for path in (*GETS, "/static/page.js", "/nothing", "/enter"):
        headers = reading.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "trusted-types 'none'" in policy, "no script of ours makes markup of text"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
        if not path.startswith("/static/"):
            assert headers["cache-control"] == "no-store", "held-out text stays out of the browser's cache"


def test_texts_travel_as_json_that_no_browser_takes_for_a_page(reading: Client) -> None:
    rows = reading.get("/api/findings?q=hostile").json["rows"]
    assert rows
    answer = reading.get(f"/api/finding?id={rows[0]['id']}")
    assert answer.headers["content-type"].startswith("application/json")
    assert "".join(piece for piece, _ in answer.json["a"]["words"]) == HOSTILE


def test_markup_in_names_and_descriptions_is_shown_as_text(writing: Client, banking: Team) -> None:
    text = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    place = banking.path / "datasets/faq/dataset.yaml"
    quoted = "'" + text.replace("'", "''") + "'"
    place.write_text(place.read_text().replace("Questions collected for training.", quoted))
    banking.write(
        "datasets/faq/slices/odd.yaml",
        f"format: heldout/slice@1\nname: odd\ndescription: {quoted}\ndefinition:\n  conditions:\n"
        f"  - {{subject: tag, operator: eq, value: {quoted}}}\n",
    )
    for path in ("/datasets", "/slices?dataset=faq&slice=odd", f"/changes?base={text.replace(' ', '%20')}"):
        answer = writing.get(path)
        assert answer.status == 200
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
    assert "alert(1)" in writing.get("/datasets").text


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("Content-Length: 99999999", 400),
        ("Content-Length: -1", 400),
        ("Content-Length: x", 400),
        ("Transfer-Encoding: chunked", 400),
    ],
)
def test_requests_of_odd_size_are_refused(reading: Client, head: str, status: int) -> None:
    with socket.create_connection(("127.0.0.1", reading.running.server.port)) as line:
        line.sendall(f"POST /api/undo HTTP/1.1\r\nHost: {reading.host}\r\n{head}\r\n\r\n".encode())
        assert line.recv(100).startswith(f"HTTP/1.1 {status}".encode())


def test_an_address_that_is_none_is_refused(reading: Client) -> None:
    with socket.create_connection(("127.0.0.1", reading.running.server.port)) as line:
        line.sendall(f"GET http://[ HTTP/1.1\r\nHost: {reading.host}\r\n\r\n".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("field", ["id", "reason", "expires"])
@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_text_that_no_file_can_hold_is_refused(reading: Client, field: str, text: str) -> None:
    finding = reading.get("/api/findings").json["rows"][0]["id"]
    answer = reading.post("/api/decide", {"id": finding, "reason": "checked", field: text})
    assert (answer.status, answer.json["error"]) == (422, "bad-request")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b"\xff", b'"text"'])
def test_what_is_no_json_object_is_refused(reading: Client, body: bytes) -> None:
    usual = {
        "Origin": f"http://{reading.host}", "X-Heldout-Token": reading.token, "Content-Type": "application/json",
    }  # fmt: skip
    answer = reading.ask("POST", "/api/decide", body, usual)
    assert (answer.status, answer.json["error"]) == (422, "bad-request")


def test_other_methods_are_none(reading: Client) -> None:
    assert reading.ask("PUT", "/datasets").status == 501
    assert reading.post("/datasets", {}).status == 405
    assert reading.get("/api/undo").status == 405
    head = reading.ask("HEAD", "/datasets")
    assert (head.status, head.body) == (200, b"")


def test_only_this_machine_is_listened_to(reading: Client) -> None:
    assert reading.running.server.server_address[0] == "127.0.0.1"


def test_nothing_is_loaded_from_elsewhere() -> None:
    """The one address in our files is a name: that of SVG."""
    found = {
        (file.name, address)
        for file in WEB.rglob("*")
        if file.suffix in (".html", ".css", ".js", ".svg")
        for address in re.findall(r"(?:https?:)?//[a-z][\w.-]*\.\w+[^\s\"')]*", file.read_text(encoding="utf-8"))
    }
    assert {address for _, address in found} <= {"http://www.w3.org/2000/svg"}


def test_no_script_of_ours_makes_markup_of_text() -> None:
    sinks = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    assert [file.name for file in Path(WEB / "static").glob("*.js") if sinks.search(file.read_text())] == []


def test_no_template_has_styles_or_handlers_inline() -> None:
    """The one file carries its style and script, which its policy names by their digests."""
    inline = re.compile(r"\sstyle=|\son[a-z]+=|<style|<script(?![^>]*(src=|application/json))|\|\s*safe\b|autoescape")
    templates = [file for file in (WEB / "templates").glob("*.html") if file.name != "one_file.html"]
    assert [file.name for file in templates if inline.search(file.read_text())] == []
