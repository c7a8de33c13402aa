"""A real browser for tests of the page: Debian's Chromium, driven by Playwright. Without either, the tests are skipped."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

CANDIDATES = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 740}


class NoBrowser(Exception):
    """Why there is none."""


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("Playwright is not installed") from None
    path = next((found for name in CANDIDATES if (found := shutil.which(name))), None)
    if path is None:
        raise NoBrowser("there is no Chromium: 'make browser' installs Debian's")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


class SharedBrowser:
    """One browser for tests that follow one another: to start it takes longer than most of them.

    It is closed before other tests, since Playwright leaves a running event loop in its thread, where theirs could not run.
    """

    def __init__(self) -> None:
        self._stack: contextlib.ExitStack | None = None
        self._browser: Any = None

    def open(self) -> Any:
        """The browser; a skip with the reason if there is none."""
        if self._stack is None:
            with contextlib.ExitStack() as stack:
                try:
                    self._browser = stack.enter_context(launched())
                except NoBrowser as error:
                    pytest.skip(str(error))
                self._stack = stack.pop_all()
        return self._browser

    def close(self) -> None:
        stack, self._stack = self._stack, None
        if stack is not None:
            stack.close()


shared_browser = SharedBrowser()


@contextlib.contextmanager
def watched(
    browser: Any, address: str, *, allowed: tuple[str, ...] = (), elsewhere: tuple[str, ...] = (), **context: Any
) -> Iterator[Any]:
    """The page at an address. Any error on the console or in the page, and any request to another host, fails at the end.

    `allowed`: parts of console messages that the test provokes, as a refused command does; `elsewhere`: hosts that it asks.
    """
    context = {"viewport": DESKTOP, "reduced_motion": "reduce", **context}
    shown = browser.new_context(**context)
    page = shown.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    hosts = {urlsplit(known).netloc for known in (address, *elsewhere)}

    def on_console(message: Any) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in allowed):
            wrong.append(f"console: {message.text}")

    def on_request(request: Any) -> None:
        there = urlsplit(request.url)
        if there.scheme not in ("data", "blob") and there.netloc not in hosts:
            wrong.append(f"request to {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: wrong.append(f"page: {error}"))
    page.on("request", on_request)
    try:
        page.goto(address)
        page.wait_for_selector("body.ready")
        yield page
        assert not wrong, wrong
    finally:
        shown.close()


def wait_for(page: Any, condition: str, seconds: float = 60.0) -> None:
    """Waits until a JavaScript expression is true. Playwright's own way would need `eval`, which the page's policy forbids."""
    for _ in range(round(seconds * 50)):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {condition}")


def axe_violations(page: Any, *rules: str) -> list[str]:
    """What axe-core objects to, in a line each; with names of rules, by these alone."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = axe.Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes'][:3]]}" for one in found]
