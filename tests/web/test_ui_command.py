"""`heldout ui` as a process: what it prints, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import jsonschema_rs
import pytest
from support.cli import heldout
from support.console import ROOT
from support.git import Repo


def test_it_prints_a_link_serves_it_and_ends_with_ctrl_c(banking_template: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "heldout", "ui", "--no-browser"],
        cwd=banking_template / "work", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=os.environ,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        link = urlsplit(process.stdout.readline().strip())
        assert (link.hostname, link.path) == ("127.0.0.1", "/enter")
        connection = http.client.HTTPConnection("127.0.0.1", link.port or 0, timeout=30)
        connection.request("GET", f"{link.path}?{link.query}")
        entered = connection.getresponse()
        assert entered.status == 200
        cookie = str(entered.getheader("Set-Cookie")).partition(";")[0]
        entered.read()
        connection.request("GET", "/datasets", headers={"Cookie": cookie})
        page = connection.getresponse()
        assert page.status == 200
        assert b"banking77" in page.read()
        connection.close()
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the page is at http://127.0.0.1:" in said
    assert "Traceback" not in said


def test_a_script_reads_where_it_is(banking_template: Path) -> None:
    """One line when the page is served; no browser takes the link, which opens the page once."""
    process = subprocess.Popen(
        [sys.executable, "-m", "heldout", "ui", "--json", "--quiet"],
        cwd=banking_template / "work", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "BROWSER": "false"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        schema = json.loads((ROOT / "docs/schemas/ui-1.schema.json").read_text(encoding="utf-8"))
        jsonschema_rs.validate(schema, told)
        with urlopen(told["url"], timeout=30) as entered:
            assert entered.status == 200
            assert urlsplit(entered.url).netloc == urlsplit(told["address"]).netloc
    finally:
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=30)
    assert (process.returncode, rest, said) == (130, "", "")


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = heldout(repo.path, "ui", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert done.code == 2
    assert "port-taken" in done.err


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_port_that_is_none(tmp_path: Path, port: str) -> None:
    assert heldout(Repo.create(tmp_path / "repo").path, "ui", "--port", port).code == 2


def test_outside_a_repository(tmp_path: Path) -> None:
    done = heldout(tmp_path, "ui", "--no-browser")
    assert (done.code, "not-a-repository" in done.err) == (2, True)
