"""The page as a person meets it: in Chromium, by mouse and by keyboard alone, light and dark, and read by axe-core.

Screenshots go to artifacts/screenshots at the repository's top: CI keeps them, and people look at them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from story.conftest import copy
from support.story import Team
from web.browser import PAGES, READY, Browser, faults
from web.chromium import MISSING, chromium, installed, set_theme
from web.conftest import Client

from heldout.web.run import start

pytestmark = pytest.mark.skipif(not installed(), reason=MISSING)


@pytest.fixture(scope="module")
def profile_and_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def looking(profile_and_driver: Any, banking_template: Path) -> Iterator[Browser]:
    """Shared by tests that only look."""
    running = start(banking_template / "work")
    browser = Browser(profile_and_driver, running, Team(banking_template / "work"))
    browser.enter()
    yield browser
    running.stop()


@pytest.fixture
def acting(profile_and_driver: Any, banking_template: Path, tmp_path: Path) -> Iterator[Browser]:
    """A repository of its own, that a test may change."""
    team = copy(banking_template, tmp_path)
    running = start(team.path)
    browser = Browser(profile_and_driver, running, team)
    browser.enter()
    yield browser
    running.stop()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_page_loads_and_axe_finds_no_serious_fault(looking: Browser, name: str, theme: str) -> None:
    set_theme(looking.driver, theme)
    looking.complaints()
    looking.open(name)
    lightness = looking.js(
        "const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number);"
        "return r + g + b"
    )
    assert (lightness < 200) == (theme == "dark")
    looking.shot(f"{name}-{theme}")
    assert looking.complaints() == []
    assert faults(looking) == []


def test_dialogs_and_narrow_windows_are_accessible_too(looking: Browser) -> None:
    set_theme(looking.driver, "light")
    looking.open("leakage")
    for key, dialog in (("a", "#decide"), ("?", "#help")):
        looking.keys(key)
        looking.until(f"return document.querySelector('{dialog}').open")
        looking.shot(f"dialog-{dialog[1:]}")
        assert faults(looking) == []
        looking.keys("\ue00c")
        looking.until(f"return !document.querySelector('{dialog}').open")
    looking.driver.set_window_size(700, 900)
    for name in PAGES:
        looking.open(name)
        looking.shot(f"narrow-{name}")
        assert faults(looking) == []
        wide = looking.js("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels wider than the window"
    looking.driver.set_window_size(1440, 900)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_as_one_file(looking: Browser, theme: str, tmp_path: Path) -> None:
    """Opened from disk: its own policy lets its style and script run, and filters work without a server."""
    place = tmp_path / "page.html"
    looking.team.succeeds("report", "--html", str(place), "--with-text", "--limit", "8")
    set_theme(looking.driver, theme)
    looking.complaints()
    looking.driver.get(place.as_uri())
    looking.one("[name=holdout]").click()
    assert looking.text("#shown") == "181 shown"
    looking.one("[name=q]").send_keys("faq-00")
    assert looking.text("#shown") == "5 shown"
    looking.one("[name=q]").send_keys("\ue003" * 6)
    looking.shot(f"one-file-{theme}")
    assert looking.complaints() == []
    assert faults(looking) == []
    looking.enter()


def test_the_theme_button_overrides_the_system(looking: Browser) -> None:
    set_theme(looking.driver, "light")
    looking.open("datasets")
    background = "return getComputedStyle(document.body.parentElement).backgroundColor"
    light = looking.js(background)
    looking.one("#theme").click()
    looking.one("#theme").click()
    assert looking.text("#theme") == "Theme: dark"
    dark = looking.js(background)
    assert dark != light
    looking.open("slices")
    assert looking.js(background) == dark, "remembered, and there before the first paint"
    looking.one("#theme").click()
    assert looking.js(background) == light


@pytest.mark.req("B23")
def test_a_slice_is_previewed_and_saved(acting: Browser) -> None:
    acting.open("slices")
    save = acting.one("#save")
    assert not save.is_enabled(), "nothing was previewed"
    acting.one("#add-condition").click()
    row = "#conditions li:last-child "
    acting.one(row + "[name=key]").send_keys("intent")
    acting.one(row + "[name=value]").send_keys("card_linking")
    acting.one("#preview").click()
    acting.until("return !document.querySelector('#preview-result').hidden")
    assert "working copy" in acting.text("#preview-result")
    assert acting.js("return document.querySelectorAll('.examples li').length") == 8
    assert acting.team.status() == []
    acting.shot("slice-preview")
    acting.one(row + "[name=value]").send_keys("x")
    assert not save.is_enabled(), "what was previewed is not what stands there any more"
    acting.one(row + "[name=value]").send_keys("\ue003")
    acting.one("#preview").click()
    acting.until(save.is_enabled)
    save.click()
    acting.until("return document.getElementById('toast').textContent.includes('recorded as number 2')")
    acting.until(READY["slices"])
    acting.shot("slice-saved")
    assert acting.team.status() == [" M datasets/banking77/slices/card-arrival.yaml"]
    place = acting.team.path / "datasets/banking77/slices/card-arrival.yaml"
    text = place.read_text()
    assert "# asked for by support" in text
    assert "value: card_linking" in text
    assert "#2" in acting.text(".history")
    _describe(acting)
    described = "Cards on their way: <b>or lost</b>"
    assert place.read_text() == text.replace(
        "description: Cards that are on their way, or ought to be.\nrequired: true\n",
        f'description: "{described}"\n',
    ), "nothing else is another line"
    assert acting.js("return document.querySelector('[name=description]').value") == described
    assert "required" not in acting.text("#editor header")
    assert faults(acting) == []


def _describe(acting: Browser) -> None:
    """Another description, and no suite has to report the slice: the definition and its number stay what they are."""
    name = acting.one("#slice-form [name=slice]")
    assert (name.get_attribute("value"), name.get_attribute("readonly")) == ("card-arrival", "true")
    acting.one("#slice-form [name=description]").clear()
    acting.one("#slice-form [name=description]").send_keys("Cards on their way: <b>or lost</b>")
    acting.one("#slice-form [name=required]").click()
    assert not acting.one("#save").is_enabled()
    acting.one("#preview").click()
    acting.until(acting.one("#save").is_enabled)
    said = acting.text("#preview-result")
    assert "number 2 of this slice already, which it keeps" in said
    assert "Saving also changes the description and whether suites have to report it" in said
    acting.shot("slice-described")
    acting.one("#save").click()
    acting.until("return document.getElementById('toast').textContent.includes('the definition keeps number 2')")
    acting.until(READY["slices"])


def test_a_fault_in_the_form_is_shown_at_its_field(acting: Browser) -> None:
    acting.open("slices")
    value = acting.one("#conditions li:first-child [name=value]")
    value.send_keys(" and more")
    acting.one("#preview").click()
    acting.until("return document.querySelector('#conditions [aria-invalid]') !== null")
    assert acting.js("return document.activeElement === arguments[0]", value)
    assert "condition 1" in acting.text("#form-error")
    acting.shot("slice-fault")
    assert faults(acting) == []


@pytest.mark.req("B47")
def test_contamination_only(looking: Browser) -> None:
    looking.driver.get(looking.running.address + "/leakage")
    looking.until(READY["leakage"])
    assert looking.text("#summary").startswith("942 in ")
    looking.searched(looking.one("[name=holdout]").click)
    assert looking.text("#summary") == "181 of 942 in 157 families, 181 contaminate a holdout"
    looking.searched(lambda: looking.one("[name=q]").send_keys("faq-00"))
    assert looking.text("#summary").startswith("5 of 942")
    assert looking.js("return document.querySelectorAll('.row').length") == 5
    assert "q=faq-00&holdout=1" in looking.driver.current_url


def test_a_list_of_any_length_holds_only_the_rows_in_sight(looking: Browser) -> None:
    looking.driver.get(looking.running.address + "/leakage")
    looking.until(READY["leakage"])
    looking.js("const list = document.getElementById('list'); list.scrollTop = list.scrollHeight")
    looking.until("return document.querySelector('[data-index=\"941\"]:not(.waiting)') !== null")
    assert looking.js("return document.querySelectorAll('.row').length") < 100
    assert looking.js("return document.querySelector('[data-index=\"941\"]').getAttribute('aria-setsize')") == "942"


def test_markup_in_an_example_is_shown_and_never_run(looking: Browser) -> None:
    looking.driver.get(looking.running.address + "/leakage?q=hostile")
    looking.until(READY["leakage"])
    looking.shot("hostile-text")
    assert "<script>document.title='owned'</script><img src=x" in looking.text("#detail .text")
    assert looking.js("return document.querySelectorAll('#detail script, #detail img').length") == 0
    assert "owned" not in looking.driver.title
    assert looking.complaints() == []


def test_by_keyboard_alone_a_finding_is_accepted_and_taken_back(acting: Browser) -> None:
    """Tab to the list, j, a, a reason, Enter; then u. The file under reviews/ comes and goes."""
    acting.open("leakage")
    acting.one("body").send_keys("\ue004")
    assert acting.js("return document.activeElement.className") == "skip"
    for _ in range(60):
        if acting.js("return document.activeElement.id") == "list":
            break
        acting.keys("\ue004")
    assert acting.js("return document.activeElement.id") == "list"
    selected = "return document.querySelector('[aria-selected=true]').dataset.index"
    acting.keys("j", "j", "j", "j", "j", "j", "k")
    acting.until(f"{selected} === '5'")
    active = "return document.getElementById(document.getElementById('list').getAttribute('aria-activedescendant'))"
    label = acting.js(f"{active}.textContent")
    assert "contaminates a holdout" in label
    assert "held out" in label
    acting.until(f"return {active.removeprefix('return ')}.textContent.includes('near')")
    chosen = acting.js(f"{active}.querySelector('.a .held').textContent")
    acting.until(lambda: chosen in acting.text("#detail .side code"))
    acting.keys("a")
    acting.until("return document.querySelector('#decide').open")
    assert acting.js("return document.activeElement.name") == "reason"
    acting.keys("the same greeting, no answer in it")
    acting.shot("accept-dialog")
    acting.searched(lambda: acting.keys("\ue007"))
    files = list(acting.team.path.glob("datasets/*/reviews/*.yaml"))
    assert len(files) == 1
    assert chosen in files[0].read_text()
    assert "the same greeting, no answer in it" in files[0].read_text()
    acting.until("return document.querySelector('#detail .decided') !== null")
    assert "awaits reviewer" in acting.text("#detail .decided")
    assert acting.js("return document.activeElement.id") == "list", "focus is where it was"
    assert files[0].stem == acting.text("#detail header code")
    acting.shot("accepted")
    acting.searched(lambda: acting.keys("u"))
    acting.until("return document.querySelector('#detail .decided') === null")
    assert not files[0].exists()
    assert acting.team.status() == []


def test_keys_can_be_turned_off(looking: Browser) -> None:
    """For people who speak to their machine: a word must not be seven commands."""
    looking.open("leakage")
    looking.keys("?")
    looking.one("#single-keys").click()
    looking.one("#help-close").click()
    looking.one("#list").click()
    before = looking.js("return document.querySelector('[aria-selected=true]').dataset.index")
    looking.keys("j", "a")
    assert looking.js("return document.querySelector('[aria-selected=true]').dataset.index") == before
    assert not looking.js("return document.querySelector('#decide').open")
    looking.js("localStorage.clear()")


def test_the_link_in_the_address_bar_is_gone_after_the_first_page(looking: Browser) -> None:
    looking.enter()
    assert "token" not in looking.driver.current_url
    assert looking.js("return document.cookie").find(f"heldout-{looking.running.server.port}") == -1, "HttpOnly"


def test_another_origin_cannot_read_or_write(looking: Browser, writing: Client) -> None:
    """A page of another port, in the same browser with the cookie in its jar."""
    other = writing.running
    looking.driver.get(other.guard.new_link())
    looking.until("return location.pathname === '/datasets'")
    target = looking.running.address
    tried = looking.driver.execute_async_script(
        "const [target, done] = arguments;"
        "const tries = [fetch(target + '/api/findings', {credentials: 'include'}),"
        " fetch(target + '/api/undo', {method: 'POST', credentials: 'include', body: '{}', mode: 'no-cors'})];"
        "Promise.all(tries.map((t) => t.then((r) => r.status, (e) => e.name))).then(done)",
        target,
    )
    assert tried == ["TypeError", "TypeError"], "the policy of our own pages already forbids to ask elsewhere"
    looking.enter()
