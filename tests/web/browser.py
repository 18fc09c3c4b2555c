"""A browser in which the page is open, for tests that act as a person does."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

from support.console import ROOT
from support.data import DATA
from support.story import Team

from heldout.web.run import Running

PAGES = {
    "datasets": "/datasets",
    "slices": "/slices?dataset=banking77&slice=card-arrival",
    "new-slice": "/slices?dataset=faq",
    "leakage": "/leakage?holdout=1",
    "changes": "/changes?base=banking77@v1.0.0",
}
READY = {
    "datasets": "return document.querySelector('.matrix') !== null",
    "slices": "return !document.querySelector('[aria-busy]')",
    "new-slice": "return !document.querySelector('[aria-busy]')",
    "leakage": "return document.querySelector('#detail .text') !== null",
    "changes": "return document.querySelector('#governed article') !== null",
}
SHOTS = ROOT / "artifacts" / "screenshots"
AXE = gzip.decompress((DATA / "axe" / "axe.min.js.gz").read_bytes()).decode()


class Browser:
    """A browser in which the page is open."""

    def __init__(self, driver: Any, running: Running, team: Team) -> None:
        self.driver = driver
        self.running = running
        self.team = team

    def enter(self) -> None:
        self.driver.get(self.running.guard.new_link())
        self.until("return location.pathname === '/datasets'")

    def open(self, name: str) -> None:
        self.driver.get(self.running.address + PAGES[name])
        self.until(READY[name])

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: str | Callable[[], Any], seconds: float = 30) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        test = (lambda _: self.js(condition)) if isinstance(condition, str) else (lambda _: condition())
        return WebDriverWait(self.driver, seconds, 0.05).until(test, f"never: {condition}")

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0]).textContent", selector))

    def keys(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def searched(self, act: Callable[[], Any]) -> None:
        """Do something that asks the server for another list, and wait for it."""
        before = int(self.js("return document.documentElement.dataset.searched ?? 0"))
        act()
        self.until(lambda: int(self.js("return document.documentElement.dataset.searched ?? 0")) > before)

    def shot(self, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SHOTS / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the browser's console says: a policy that was broken, a script that failed."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


def faults(browser: Browser) -> list[str]:
    """Serious and critical faults by axe-core's own grading, everything it tests turned on."""
    browser.driver.execute_script(AXE)
    found = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations), (e) => done([{id: String(e),"
        " impact: 'critical', nodes: []}]))"
    )
    return [
        f"{fault['impact']} {fault['id']}: {[node['html'][:120] for node in fault['nodes'][:3]]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
