"""What the page tells those who do not know a game: its rules, why a click did nothing, how it was won, and what comes then."""

import pytest
from browser import wait_for
from recorded_page import REFUSED, opened, place, settle, wait_for_command

OPEN = "document.querySelector('#guide').open"


def said(page, text):
    wait_for(page, f"document.querySelector('#toast').textContent.includes('{text}')")


def test_the_rules_stand_beside_the_board_until_the_first_move(browser):
    with opened(browser, "hex:5") as (_recorded, page):
        assert page.evaluate(OPEN)
        guide = page.inner_text("#guide")
        assert "Rules of Hex" in guide and "Black top and bottom, White left and right" in guide
        assert "Click a free cell" in guide and "Black wins" in guide
        assert page.locator("#guide .small-board circle").count() > 9
        place(page, "c3").click(force=True)
        wait_for(page, f"!{OPEN}")
        page.click("#guide-title")
        place(page, "c2").click(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 2")
        settle(page)
        assert page.evaluate(OPEN)  # who opens it keeps it


def test_a_game_that_goes_on_begins_without_the_rules(browser):
    with opened(browser, "tictactoe", ("b2",)) as (_recorded, page):
        assert not page.evaluate(OPEN)
        page.keyboard.press("?")
        help_text = page.inner_text("dialog[open]")
        for part in ("Rules of Tic-tac-toe", "Get three of your signs in a row", "Settings", "Keys", "Coordinates"):
            assert part in help_text


@pytest.mark.parametrize(
    ("name", "moves", "clicks", "words"),
    [
        ("tictactoe", ("b2",), ("b2",), "This place is taken."),
        ("loa", (), ("d4",), "Click a piece of Black first"),
        ("loa", (), ("a3",), "This is not a piece of Black, whose turn it is."),
        ("loa", (), ("b1", "e5"), "The piece on b1 cannot move to e5."),
        ("tictactoe", ("b2", "a1", "b1", "a2", "b3"), ("c3",), "The game is over"),
    ],
)
def test_why_a_click_did_nothing(browser, name, moves, clicks, words):
    with opened(browser, name, moves) as (_recorded, page):
        for name in clicks:
            place(page, name).click(force=True)
        said(page, words)


def test_a_click_while_the_computer_thinks_says_so(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.sides = [{"kind": "computer", "level": 3}, {"kind": "person"}]
        recorded.change()
        wait_for(page, "document.body.dataset.turn === 'theirs'")
        place(page, "b2").click(force=True)
        said(page, "turn of the computer, which plays x")


def test_a_game_that_knows_why_a_move_is_illegal_is_asked(browser):
    with opened(browser, "go:4", ("A2", "D4", "B1"), allowed=REFUSED) as (recorded, page):
        place(page, "A1").click(force=True)
        wait_for(page, "document.querySelector('#alert').textContent.includes('A1')")
        assert recorded.fields_of("move") == {"move": "A1"} and page.locator(".piece").count() == 3


def test_the_end_shows_the_winning_row_and_what_can_be_done(browser):
    moves = ("b2", "b1", "a1", "c2", "c3")
    with opened(browser, "tictactoe", moves[:-1]) as (recorded, page):
        recorded.sides = [{"kind": "person"}, {"kind": "computer", "level": 3}]
        before = page.locator("#undo").bounding_box()
        place(page, "c3").click(force=True)
        page.wait_for_selector("#end:not([hidden])")
        assert page.locator(".won-ring").count() == 3
        assert page.locator("#undo").bounding_box() == before  # nothing has moved
        assert "wins the game" in place(page, "a1").get_attribute("aria-label")
        page.click("#review")
        wait_for_command(page, recorded, "analyse-game")
        assert page.get_attribute("#tab-game", "aria-selected") == "true"
        assert page.inner_text("#rematch") == "Rematch, sides exchanged"
        page.click("#rematch")
        wait_for_command(page, recorded, "new")
        assert recorded.fields_of("new") == {
            "game": "tictactoe",
            "sides": [{"kind": "computer", "level": 3}, {"kind": "person"}],
        }
        wait_for(page, "document.querySelector('#end').hidden")


def test_why_a_move_was_made_moves_nothing(browser):
    with opened(browser, "tictactoe", ("b2",)) as (recorded, page):
        before = page.locator("svg.board").bounding_box()
        recorded.send("state", recorded.state() | {"why": ["The expected line is a1."]})
        page.wait_for_selector("#why:not([hidden])")
        assert page.locator("svg.board").bounding_box() == before


def test_territory_is_shown_at_the_end_of_a_game_of_go(browser):
    moves = ("C3", "D3", "C2", "D2", "C4", "D4", "C1", "D1", "C5", "D5", "pass", "pass")
    with opened(browser, "go:5:komi=0.5", moves) as (_recorded, page):
        assert page.locator(".territory.colour-black").count() == 10
        assert page.locator(".territory.colour-white").count() == 5
        assert "territory of Black" in place(page, "A1").get_attribute("aria-label")
        assert page.inner_text("#rematch") == "Play again"
