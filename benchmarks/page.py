"""The page with very many findings: start, first paint, filters, scrolling, a decision, and the size of what travels.

    python benchmarks/page.py --findings 100000 --runs 7

`heldout ui` runs as a process of its own, and Chromium (Debian's packages chromium and chromium-driver) opens it; times
are those of the browser's own clock, from the person's act to the rows on the screen. The repository holds records
only. Prints milliseconds and kilobytes; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.repository import many_findings
from bench.timing import quiet_environment, table

_WATCH = """
new MutationObserver(() => {
  if (!window.firstRows && document.querySelector('.row:not(.waiting)')) window.firstRows = performance.now();
}).observe(document, {childList: true, subtree: true});
"""
_ACT = """
const [act, value, done] = arguments;
const root = document.documentElement;
const start = performance.now();
const finish = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
if (act === 'scroll') {
  const list = document.getElementById('list');
  const last = Math.floor(value * Number(document.querySelector('.row').getAttribute('aria-setsize')));
  list.scrollTop = last * 30;
  const wait = () => document.querySelector(`[data-index="${last}"]:not(.waiting)`) ? finish() : setTimeout(wait, 2);
  wait();
} else {
  const seen = new MutationObserver(() => { seen.disconnect(); finish(); });
  seen.observe(root, {attributes: true, attributeFilter: ['data-searched']});
  if (act === 'accept') {
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}));
    document.querySelector('#decide textarea').value = value;
    document.getElementById('decide-form').requestSubmit();
  } else if (act === 'type') {
    const field = document.querySelector('[name=q]');
    field.value = value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  } else document.querySelector(value).click();
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--findings", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.findings, options.runs)


def measure(folder: Path, count: int, runs: int) -> None:
    env = quiet_environment(folder)
    place = folder / "project"
    many_findings(place, env, count)
    with _served(place, env):
        pass  # the first start compiles Python files, as an installation does
    print(f"{count:,} findings, median of {runs} runs", flush=True)
    with _served(place, env) as (link, started, process):
        address = link.partition("/enter")[0]
        ready = time.perf_counter()
        with urllib.request.urlopen(link) as entered:
            cookie = entered.headers["Set-Cookie"].partition(";")[0]
        _fetch(f"{address}/api/findings?limit=1", cookie)
        rows = [["", "ms", "least"], ["heldout ui prints its link", f"{started:,.0f}", ""]]
        rows.append(["then all findings are read", f"{(time.perf_counter() - ready) * 1e3:,.0f}", ""])
        driver = _browser(folder / "profile")
        try:
            name, _, value = cookie.partition("=")
            driver.execute_cdp_cmd("Network.setCookie", {"name": name, "value": value, "url": address})
            rows += _in_the_browser(driver, address, runs)
            rows += _at_the_server(address, cookie, runs)
            print(table(rows))
            print(_travelled(driver, address, cookie))
            print(f"the server's memory: {_peak(process.pid):,.0f} MiB at most")
        finally:
            driver.quit()


def _browser(profile: Path) -> Any:
    """As the tests start it."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from web.chromium import MISSING, chromium, installed

    if not installed():
        raise SystemExit(MISSING)
    return chromium(profile)


@contextmanager
def _served(place: Path, env: Mapping[str, str]) -> Iterator[tuple[str, float, subprocess.Popen[str]]]:
    start = time.perf_counter()
    command = [sys.executable, "-P", "-m", "heldout", "ui", "--no-browser", "--quiet"]
    process = subprocess.Popen(
        command, cwd=place, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        yield link, (time.perf_counter() - start) * 1e3, process
    finally:
        process.terminate()
        process.wait()


def _in_the_browser(driver: Any, address: str, runs: int) -> list[list[str]]:
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _WATCH})
    paint, rows = [], []
    for _ in range(runs):
        driver.get(f"{address}/leakage")
        _wait(lambda: driver.execute_script("return window.firstRows"))
        rows.append(float(driver.execute_script("return window.firstRows")))
        paint.append(float(driver.execute_script("return performance.getEntriesByType('paint').at(-1).startTime")))
    found = [_row("first paint", paint), _row("first rows on the screen", rows)]
    acts = {
        "holdout contamination only": ("click", "[name=holdout]"),
        "one severity": ("click", "#facets [value=block]"),
        "search keys: h9999 (its 120 ms pause included)": ("type", "h9999"),
        "search keys: all again": ("type", ""),
        "scroll to the middle": ("scroll", 0.5),
        "scroll to the end": ("scroll", 0.999),
        "accept a finding: its file written, the list as it is now": ("accept", "a benchmark"),
    }
    times: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(runs):
        driver.get(f"{address}/leakage")
        _wait(lambda: driver.execute_script("return window.firstRows"))
        for name, (act, value) in acts.items():
            times[name].append(float(driver.execute_async_script(_ACT, act, value)))
    return found + [_row(name, found) for name, found in times.items()]


def _wait(test: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise SystemExit("the page did not answer")
        time.sleep(0.01)


def _at_the_server(address: str, cookie: str, runs: int) -> list[list[str]]:
    """The same requests without a browser. A search for another text each time: the last filters are remembered."""
    queries = {
        "server: a page of 100 rows": "limit=100&offset={n}",
        "server: a new search of keys": "limit=100&q=h{n}",
        "server: a new filter of three columns": "limit=100&holdout=1&severity=block&kind=exact&q=t{n}",
    }
    times: dict[str, list[float]] = {name: [] for name in queries}
    for number in range(runs):
        for name, query in queries.items():
            start = time.perf_counter()
            _fetch(f"{address}/api/findings?{query.format(n=1000 + number)}", cookie)
            times[name].append((time.perf_counter() - start) * 1e3)
    return [_row(name, found) for name, found in times.items()]


def _travelled(driver: Any, address: str, cookie: str) -> str:
    driver.get(f"{address}/leakage")
    _wait(lambda: driver.execute_script("return window.firstRows"))
    entries = driver.execute_script(
        "return [performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource')]"
        ".map((e) => [new URL(e.name).pathname, e.encodedBodySize])"
    )
    whole = sum(size for _, size in entries) / 1024
    first = len(_fetch(f"{address}/api/findings?limit=100", cookie)) / 1024
    more = len(_fetch(f"{address}/api/findings?limit=100&offset=5000", cookie)) / 1024
    return (
        f"travels until the first rows are there: {whole:,.0f} KiB in {len(entries)} answers;"
        f" a filter {first:,.1f} KiB, a hundred rows more {more:,.1f} KiB"
    )


def _fetch(address: str, cookie: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": cookie})) as answer:
        data: bytes = answer.read()
    json.loads(data)
    return data


def _row(name: str, times: list[float]) -> list[str]:
    return [name, f"{statistics.median(times):,.0f}", f"{min(times):,.0f}"]


def _peak(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


if __name__ == "__main__":
    main()
