"""How the key comes to the page and where it stays: by the address of the terminal, for all tabs of that browser."""

import contextlib

import pytest
from browser import wait_for, watched
from web_client import LOCAL, RunningServer

REFUSED = ("status of 403", "ERR_", "net::")  # on the console, while the server is away or is another one
BANNER = "document.querySelector('#banner').textContent"


@pytest.fixture
def fresh(pure):
    with contextlib.closing(RunningServer()) as found:
        yield found


def own_address(server):
    return f"http://{LOCAL}:{server.port}/"


def pieces(page):
    return page.locator(".piece").count()


def test_the_address_of_the_terminal_leaves_no_trace(browser, fresh):
    with watched(browser, fresh.address) as page:
        assert page.url == own_address(fresh)
        assert page.context.cookies() == []
        assert page.evaluate("localStorage.getItem('tesuji-key')") == fresh.keys.key
        assert page.evaluate("Object.values(sessionStorage).join()").find(fresh.keys.token) == -1
        assert page.evaluate("history.length") <= 2  # the address is replaced: one cannot go back to it


def test_a_reload_keeps_the_game_and_a_second_tab_has_its_own(browser, fresh):
    with watched(browser, fresh.address) as page:
        page.locator('.place[data-name="b2"] .hit').click(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        page.reload()
        page.wait_for_selector("body.ready")
        assert pieces(page) == 1
        for address in (own_address(fresh), fresh.address, own_address(fresh) + "#game=hex:3"):  # typed, again, a bookmark
            second = page.context.new_page()
            second.goto(address)
            second.wait_for_selector("body.ready")
            assert second.url == own_address(fresh) and pieces(second) == 0
            if "hex" in address:
                wait_for(second, "document.querySelector('#game-name').title === 'hex:3'")
            second.close()


def test_another_browser_gets_a_sentence_and_nothing_else(browser, fresh):
    fresh.bearer()
    context = browser.new_context()
    try:
        page = context.new_page()
        for address, words in ((fresh.address, "used already"), (own_address(fresh), "printed in the terminal")):
            page.goto(address)
            wait_for(page, f"{BANNER}.includes('{words}')")
        assert page.evaluate("localStorage.getItem('tesuji-key')") is None and not fresh.hub.tabs
    finally:
        context.close()


def test_after_a_restart_the_new_address_opens_the_old_tabs_too(browser, pure):
    with contextlib.ExitStack() as stack:
        first = RunningServer()
        page = stack.enter_context(watched(browser, first.address, allowed=REFUSED))
        page.locator('.place[data-name="b2"] .hit').click(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        first.close()
        second = stack.enter_context(contextlib.closing(RunningServer(port=first.port)))
        wait_for(page, f"{BANNER}.includes('printed in the terminal')", 60)
        assert not second.hub.tabs  # the old key opens nothing
        other = page.context.new_page()
        other.goto(second.address)
        other.wait_for_selector("body.ready")
        wait_for(page, "document.querySelector('#banner').hidden", 60)
        wait_for(page, "document.querySelectorAll('.piece').length === 1", 60)
        for _ in range(600):  # the page shows the move before the new server has it
            if any(tab.position.moves == ("b2",) for tab in second.hub.tabs.values()):
                break
            page.wait_for_timeout(100)
        else:
            pytest.fail("the new server never got the game")
