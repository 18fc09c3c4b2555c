"""Chromium as tests drive it: Debian's, headless, with a profile of its own, and nothing of it on the network."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--force-device-scale-factor=1",
)  # fmt: skip
MISSING = "needs Chromium and its driver: apt-get install chromium chromium-driver"


def installed() -> bool:
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


def chromium(profile: Path, *, width: int = 1440, height: int = 900) -> Any:
    """A driver of a new browser. Its log of the console can be read as `get_log("browser")`."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    driver.set_window_size(width, height)
    driver.set_script_timeout(60)
    return driver


def set_theme(driver: Any, theme: str) -> None:
    """What the system prefers: light or dark."""
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
