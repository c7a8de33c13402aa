"""The page for everybody: by keyboard alone, with a screen reader, in light and dark."""

import pytest
from browser import axe_violations, wait_for
from recorded_page import STEP, TREE, opened, settle, some_moves, wait_for_command


@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_axe_finds_nothing(browser, scheme, rules):
    """Light and dark differ in colours alone."""
    moves = some_moves("go:5", 8)
    with opened(browser, "go:5", moves, context={"color_scheme": scheme}) as (recorded, page):
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert axe_violations(page, *rules) == []
        page.keyboard.press("a")
        page.wait_for_selector(".heat")
        recorded.answers["tree"] = TREE
        for name in ("analysis", "search", "proof"):
            page.click(f"#tab-{name}")
            if name == "search":
                page.click("#explore")
                page.wait_for_selector(".explorer")
            assert axe_violations(page, *rules) == [], name
        for button in ("#help", "#new-game", "#sides"):
            page.click(button)
            page.wait_for_selector("dialog[open]")
            assert axe_violations(page, *rules) == [], button
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")


def test_a_whole_game_by_keyboard_alone(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.keyboard.press("b")
        assert page.evaluate("document.activeElement.dataset.name") == "b2"
        page.keyboard.press("Enter")
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        ways = (["ArrowUp"], ["ArrowLeft"], ["ArrowDown", "ArrowDown"], ["ArrowUp"], ["ArrowRight", "ArrowRight"])
        for number, keys in enumerate(ways, 2):
            for key in keys:
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            wait_for(page, f"document.querySelectorAll('.piece').length === {number}")
        assert recorded.positions[-1].moves == ("b2", "b1", "a1", "a3", "a2", "c2")
        page.keyboard.press("m")
        page.keyboard.type("c3")
        page.keyboard.press("Enter")
        page.wait_for_selector("#status.over")
        assert page.inner_text("#spoken") == "x plays c3"
        page.keyboard.press("Escape")
        page.keyboard.press("Control+z")
        wait_for(page, "document.querySelectorAll('.piece').length === 6")
        page.keyboard.press("Control+Shift+z")
        wait_for(page, "document.querySelectorAll('.piece').length === 7")


def test_a_new_game_by_keyboard_alone(browser):
    """The focus is in the first field, not on the title."""
    with opened(browser, "tictactoe") as (recorded, page):
        page.keyboard.press("g")
        page.wait_for_selector("dialog[open]")
        assert page.evaluate("document.activeElement.value") == "tictactoe"
        page.keyboard.press("ArrowRight")
        wait_for(page, "document.querySelector('dialog .card input:checked').value === 'connect4'")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Start":
                break
        page.keyboard.press("Enter")
        page.wait_for_selector('[data-surface="rack"]')
        assert recorded.fields_of("new")["game"] == "connect4:7x6"


def test_every_shortcut_is_in_the_overlay_and_does_something(browser):
    with opened(browser, "tictactoe", ("b2", "a1")) as (recorded, page):
        recorded.answers |= {"step": STEP, "sgf-save": {"name": "game.sgf", "text": "(;)"}}
        page.keyboard.press("?")
        shown = page.locator(".shortcuts th").all_inner_texts()
        table = page.evaluate("(async () => (await import('/static/keys.js')).SHORTCUTS)()")
        assert len(shown) == len(table) == len({key for key, _ in table})
        page.keyboard.press("Escape")
        for key, action in table:
            if action in ("open", "help", "new", "comment", "type") or key == "ctrl+shift+z":  # a second key of redo
                continue
            page.keyboard.press(key.replace("ctrl", "Control"))
            page.locator("body").focus()
            if action == "undo":  # until the page has heard of it there is nothing to redo
                page.wait_for_selector("#redo:not([disabled])", state="attached")
        wait_for_command(page, recorded, "sgf-save")
        assert {"undo", "redo", "hint", "analyse", "step", "pause", "sgf-save", "goto"} <= set(recorded.names_asked())
        assert not {"resign", "delete", "new"} & set(recorded.names_asked())  # no key destroys anything


def test_single_keys_can_be_switched_off(browser):
    with opened(browser) as (recorded, page):
        page.click("#help")
        page.get_by_label("Shortcuts with single keys").uncheck()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("a")
        page.keyboard.press("Control+z")
        settle(page)
        assert "analyse" not in recorded.names_asked()
