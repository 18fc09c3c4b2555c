"""Where the files of a corpus are: links, names that are no text, and servers that tell more or less of a file."""

from __future__ import annotations

import os
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fsspec import register_implementation
from fsspec.implementations.memory import MemoryFileSystem
from support.corpora import expected, found_in, holdouts, jsonl, scanned, sentences

from heldout.errors import DataError, HeldoutError
from heldout.storage.corpora.files import find_files

HELD = sentences(1, 8)
CLEAN = sentences(2, 8)


@contextmanager
def served(told: dict[str, str]) -> Iterator[tuple[str, list[bytes]]]:
    """The URL of one file that may be exchanged, and how the server tells of it."""
    body = [b""]

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body[0])))
            for name, value in told.items():
                self.send_header(name, value)
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            self.wfile.write(body[0])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/a.jsonl", body
    server.shutdown()
    server.server_close()


@pytest.mark.req("E40")
@pytest.mark.parametrize(
    ("told", "later"),
    [
        ({}, {}),
        ({"ETag": '"1"'}, {"ETag": '"2"'}),
        ({"Last-Modified": "Tue, 01 Dec 2026 10:00:00 GMT"}, {"Last-Modified": "Tue, 01 Dec 2026 10:00:01 GMT"}),
        ({"Content-MD5": "a"}, {"Content-MD5": "b"}),
    ],
    ids=lambda told: "-".join(told) or "nothing",
)
def test_a_file_that_changed_on_its_server_is_read_again(
    tmp_path: Path, told: dict[str, str], later: dict[str, str]
) -> None:
    """Other bytes of the same size, which only what the server tells can give away, or nothing does."""
    clean, found = jsonl(CLEAN), jsonl([HELD[3]])
    headers = dict(told)
    with served(headers) as (url, body):
        body[0] = clean
        assert not scanned([url], holdouts(HELD), state=tmp_path).record.contaminated
        again = scanned([url], holdouts(HELD), state=tmp_path)
        assert again.resumed == (1 if told else 0), "what nothing tells from another file is not remembered"
        body[0] = found[:-1] + b" " * (len(clean) - len(found)) + b"\n"
        headers.update(later)
        changed = scanned([url], holdouts(HELD), state=tmp_path)
    assert (changed.resumed, changed.record.contaminated) == (0, True)


@pytest.mark.req("E40")
@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/html"}, {"Content-Type": "application/json"}])
def test_pages_with_links_are_rows_of_a_corpus_on_the_web(headers: dict[str, str]) -> None:
    """fsspec takes a text with links for a folder. And what a URL asks of its server, a signature, is no name."""
    pages = ['<a href="next.html">the next page</a> ' + CLEAN[0], f"see http://127.0.0.1/a.jsonl/b {HELD[2]}", HELD[1]]
    with served(headers) as (url, body):
        body[0] = jsonl(pages)
        for query in ("", "?download=true", "?X-Amz-Signature=0123abc/456&x=[*]"):
            scan = scanned([url + query], held := holdouts(HELD))
            assert found_in(scan) == expected({"a.jsonl": pages}, held)
            assert find_files([url + query]).title == "a"
            assert b"0123abc" not in b"".join(scan.files().values())


@pytest.mark.parametrize("link", ["loop", "sub/loop", "sub/../sub/other"])
def test_a_glob_does_not_go_in_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str) -> None:
    """Or each file would be forty."""
    corpus = tmp_path / "crawl"
    (corpus / "sub").mkdir(parents=True)
    for name in ("a.jsonl", "sub/b.jsonl"):
        (corpus / name).write_bytes(jsonl(CLEAN))
    (corpus / link).symlink_to(corpus)
    monkeypatch.chdir(tmp_path)
    for argument in ("crawl/**/*.jsonl", f"{corpus}/**", (corpus / "**/*.jsonl").as_uri().replace("%2A", "*")):
        with pytest.raises(DataError) as caught:
            find_files([argument])
        assert (caught.value.slug, Path(caught.value.file).name) == ("not-a-file", Path(link).name)
    assert [file.path for file in find_files(["crawl/*.jsonl", "crawl/sub/*.jsonl"]).files] == ["a.jsonl", "b.jsonl"]


def test_a_glob_goes_through_links_that_lead_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/a.jsonl").write_bytes(jsonl([HELD[0]]))
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl/one").symlink_to(tmp_path / "disk")
    scan = scanned([f"{tmp_path}/crawl/**/*.jsonl"], held := holdouts(HELD))
    assert found_in(scan) == expected({"one/a.jsonl": [HELD[0]]}, held)


def test_the_host_of_a_file_url_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a b.jsonl").write_bytes(jsonl(CLEAN))
    for url in (f"file://localhost{tmp_path}/a%20b.jsonl", f"file://{tmp_path}/a%20b.jsonl"):
        assert [file.path for file in find_files([url]).files] == ["a b.jsonl"]


@pytest.mark.parametrize("name", [b"a\xff.jsonl", b"\xe4/a.jsonl"])
def test_a_name_that_is_no_text_is_refused(tmp_path: Path, name: bytes) -> None:
    """No record could write down what was read."""
    place = os.path.join(os.fsencode(tmp_path), b"crawl", name)
    os.makedirs(os.path.dirname(place))
    Path(os.fsdecode(place)).write_bytes(jsonl(HELD))
    for argument in (tmp_path / "crawl", f"{tmp_path}/crawl/**", os.fsdecode(place)):
        with pytest.raises(HeldoutError) as caught:
            scanned([str(argument)], holdouts(HELD), state=tmp_path / "state")
        assert caught.value.slug == "bad-file-name"
        str(caught.value).encode()


def test_a_folder_above_may_be_called_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"\xfc")))
    top.mkdir()
    (top / "a.jsonl").write_bytes(jsonl(HELD))
    monkeypatch.chdir(top)
    assert scanned(["a.jsonl"], holdouts(HELD), state=tmp_path / "state").record.contaminated
    assert scanned(["a.jsonl"], holdouts(HELD), state=tmp_path / "state").resumed == 1


class OfHost(MemoryFileSystem):
    """A file system whose paths do not say which host they are on, as those of sftp, smb, ftp and github."""

    protocol = "ofhost"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(**options)
        assert host == "there"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return "/" + path.removeprefix("ofhost://").partition("/")[2].strip("/") if "://" in path else path.rstrip("/")

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, str]:
        host = path.removeprefix("ofhost://").partition("/")[0]
        return {"host": host} if host else {}


@pytest.mark.req("E40")
@pytest.mark.parametrize("given", ["{}/d", "{}/d/", "{}/d/*.jsonl", "{}/d/a.jsonl {}/d/b.jsonl"])
def test_files_are_read_from_where_the_url_says(tmp_path: Path, given: str) -> None:
    """A folder or glob gives the URLs of its files, hosts, archives and all."""
    register_implementation("ofhost", OfHost, clobber=True)
    rows = {"a.jsonl": HELD[:2], "b.jsonl": [CLEAN[0], HELD[5]]}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name, texts in rows.items():
            archive.writestr(f"d/{name}", jsonl(texts))
            OfHost("there").pipe(f"/d/{name}", jsonl(texts))
    held = holdouts(HELD)
    for base, chain in (
        ("ofhost://there", ""),
        ("zip:/", f"::{tmp_path}/all.zip"),
        ("zip:/", f"::file://{tmp_path}/all.zip"),
    ):
        scan = scanned([argument.format(base) + chain for argument in given.split()], held)
        assert found_in(scan) == expected(rows, held)
