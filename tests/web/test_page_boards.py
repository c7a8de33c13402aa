"""The boards of all games in a browser: clicks that mean moves, whatever the size of the screen, and how a game ends."""

import pytest
from browser import DESKTOP, PHONE, axe_violations, wait_for, watched
from recorded_page import REFUSED, opened, place, some_moves, wait_for_command
from recorded_server import RecordedServer, serving

from tesuji.core.picture.drawing import draw

GAMES = {  # and how many moves have been made
    "tictactoe": 3,
    "connect4:7x6": 9,
    "go:9": 20,
    "seki:3,4": 2,
    "semeai:5,4": 2,
    "dotsandboxes:3x3": 14,
    "hex:7": 10,
    "hex:5:swap=on": 1,
    "loa": 6,
    "samegame:5x6:1": 1,
}


@pytest.mark.parametrize("name", GAMES)
def test_every_board(browser, name):
    """On a phone nothing is wider than the screen; axe objects to nothing; on a desktop a click is a move."""
    with opened(browser, name, some_moves(name, GAMES[name]), context={"viewport": PHONE}) as (recorded, page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.locator("svg.board").bounding_box()
        assert box["width"] > 300 and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] + 0.5
        for control in page.locator(":is(header, .buttons, .steps) button:visible, .player").all():
            spot = control.bounding_box()
            assert spot["x"] >= 0 and spot["x"] + spot["width"] <= PHONE["width"], control.inner_text()
        if ":swap" not in name and not name.startswith("go"):
            assert axe_violations(page) == []
        page.set_viewport_size(DESKTOP)
        now = draw(recorded.positions[-1])
        assert page.locator(".piece").count() == len(now["pieces"])
        move = next(move for move in now["moves"] if move["at"])
        for at in move["at"] if name == "loa" else move.get("area", move["at"])[-1:]:
            place(page, at).locator(".hit").click(force=True)
        wait_for(page, f"document.querySelector('#message').textContent.includes('{move['text']}')")
        assert recorded.fields_of("move") == {"move": move["text"]}


def test_moves_that_happen_nowhere_are_buttons(browser):
    with opened(browser, "hex:5:swap=on", ("c3",)) as (recorded, page):
        page.get_by_role("button", name="Swap").click()
        wait_for(page, "document.querySelector('#message').textContent.includes('swap')")
        assert recorded.positions[-1].moves == ("c3", "swap-pieces")


def test_a_move_from_one_square_to_another(browser):
    with opened(browser, "loa") as (recorded, page):
        place(page, "b8").click()
        assert page.locator(".target").count() == 3
        place(page, "e5").click()  # nothing of Black's can go there, and nothing stands there: the choice is dropped
        assert page.locator(".target").count() == 0
        place(page, "b8").click()
        place(page, "b6").click()
        wait_for(page, "document.querySelector('#message').textContent.includes('b8-b6')")
        assert recorded.positions[-1].moves == ("b8-b6",)


def test_a_place_of_two_moves_asks_which(browser):
    recorded = RecordedServer("tictactoe")
    state = recorded.state()
    state["position"]["moves"] = [{"text": "b2", "at": ["b2"]}, {"text": "b2+", "at": ["b2"]}]
    recorded.extra = {"position": state["position"]}
    with serving(recorded) as address, watched(browser, address, allowed=REFUSED) as page:
        place(page, "b2").click()
        assert not recorded.asked or "move" not in recorded.names_asked()
        page.get_by_role("dialog", name="Which move?").get_by_role("button", name="b2+").click()
        page.wait_for_selector("#alert p")
        assert recorded.fields_of("move") == {"move": "b2+"}


def test_a_game_without_a_board_is_text_and_buttons(browser):
    recorded = RecordedServer("tictactoe")
    position = recorded.state()["position"] | {"text": "a b c\n<b>not markup</b>", "pieces": []}
    position["moves"] = [{"text": move["text"], "at": []} for move in position["moves"]]
    board = recorded.game_event()["board"] | {"surface": "text", "input": "text", "places": [], "lines": [], "labels": []}
    recorded.game_event = lambda: RecordedServer.game_event(recorded) | {"board": board}
    recorded.extra = {"position": position}
    with serving(recorded) as address, watched(browser, address) as page:
        assert page.locator(".board-text").inner_text() == "a b c\n<b>not markup</b>"
        assert axe_violations(page) == []
        page.get_by_role("group", name="Moves").get_by_role("button", name="b2").click()
        wait_for(page, "document.querySelector('#message').textContent.includes('b2')")


def test_the_end_of_a_game_is_said(browser):
    with opened(browser, "tictactoe", ("a1", "a2", "b1", "b2")) as (_recorded, page):
        place(page, "c1").click()
        page.wait_for_selector("#status.over")
        assert page.inner_text("#message") == "x wins"
        assert page.locator(".player.won strong").inner_text() == "x"
        assert page.locator(".legal").count() == 0 and page.locator("#hint").is_disabled()


def test_dead_stones_are_marked_by_clicks(browser):
    """After two passes a click takes a whole string to be dead, or alive again."""
    moves = ("C3", "G7", "C4", "G6", "D4", "C7", "pass", "pass")
    scoring = {"dead": ["C7"], "text": "White wins by 3.5"}
    with opened(browser, "go:9", moves, turn="scoring", to_move=None, result=None, scoring=scoring) as (recorded, page):
        assert page.locator(".dead").count() == 1 and "White wins by 3.5" in page.inner_text("#scoring-text")
        place(page, "C4").click()
        wait_for(page, "document.querySelectorAll('.dead').length === 4")
        place(page, "C7").click()
        place(page, "E5").click()  # nothing stands there
        wait_for(page, "document.querySelectorAll('.dead').length === 3")
        page.click("#agree")
        wait_for(page, "document.querySelector('#toast') !== null")
        wait_for_command(page, recorded, "agree")
        assert sorted(recorded.fields_of("agree")["dead"]) == ["C3", "C4", "D4"]
        assert "move" not in recorded.names_asked()


def test_texts_on_small_places_have_one_line(browser):
    """On 19x19 a number and its visits could not be read: the number alone is larger. It changes with the window."""
    with opened(browser, "go:19", context={"viewport": PHONE}) as (recorded, page):
        recorded.send("analysis", recorded.recorded_analysis())
        page.wait_for_selector(".heat")
        assert page.locator(".heat .visits").count() == 0
        page.set_viewport_size({"width": 2400, "height": 1800})
        wait_for(page, "document.querySelectorAll('.heat .visits').length > 5")


def test_where_a_selected_piece_can_go_is_announced(browser):
    with opened(browser, "loa") as (recorded, page):
        moves = draw(recorded.positions[0])["moves"]
        start = moves[0]["at"][0]
        goals = {move["at"][-1] for move in moves if move["at"][0] == start}
        place(page, start).locator(".hit").click(force=True)
        page.wait_for_selector(".target")
        said = {name: place(page, name).get_attribute("aria-label") for name in [*goals, start]}
        assert all("can move here" in said[name] for name in goals) and "can move here" not in said[start]
        assert page.locator('[aria-label*="can move here"]').count() == len(goals)


def test_on_small_places_the_first_tap_aims_and_the_second_plays(browser):
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with opened(browser, "go:19", context=phone) as (recorded, page):
        place(page, "Q16").tap(force=True)
        wait_for(page, "document.querySelectorAll('.crosshair').length === 2")
        assert "Q16: tap again to play there." in page.inner_text("#toast")
        assert "move" not in recorded.names_asked()
        place(page, "Q4").tap(force=True)  # another place: the aim goes there
        assert "move" not in recorded.names_asked()
        place(page, "Q4").tap(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert recorded.fields_of("move") == {"move": "Q4"} and page.locator(".crosshair").count() == 0
    with opened(browser, "go:9", context=phone) as (recorded, page):  # whose places are large enough
        place(page, "E5").tap(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")


def test_a_finger_that_has_left_leaves_no_pale_piece(browser):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, "connect4", context=phone) as (_recorded, page):
        page.locator(".place").nth(3).tap(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1 && document.querySelector('.ghost')")
        assert not page.locator(".ghost").first.is_visible()
    with opened(browser, "go:19", context=phone) as (_recorded, page):
        place(page, "Q16").tap(force=True)
        wait_for(page, "document.querySelectorAll('.crosshair').length === 2")
        assert page.locator(".ghost").is_visible(), "where the next tap plays"


def test_a_phone_on_its_side_shows_the_whole_board(browser):
    with opened(browser, "hex:11", context={"viewport": {"width": 740, "height": 360}}) as (_recorded, page):
        page.evaluate("document.querySelector('.play').scrollIntoView()")
        board, buttons = (page.locator(name).bounding_box() for name in ("svg.board", ".buttons"))
        assert board["height"] <= 360 and board["x"] + board["width"] <= buttons["x"]
        assert 0 <= buttons["y"] and buttons["y"] + buttons["height"] <= 360


def test_the_board_can_be_turned_round(browser):
    with opened(browser, "hex:5") as (_recorded, page):
        before = {name: place(page, name).bounding_box() for name in ("a1", "e5")}
        page.keyboard.press("?")
        page.get_by_label("Board turned round").check()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
        after = {name: place(page, name).bounding_box() for name in ("a1", "e5")}
        assert after["a1"]["x"] > after["e5"]["x"] and after["a1"]["y"] > after["e5"]["y"]
        assert before["a1"]["y"] < before["e5"]["y"]
        page.keyboard.press("b")
        page.keyboard.press("ArrowDown")  # to what is seen below
        assert page.evaluate("document.activeElement.dataset.name") in ("c2", "d2", "d1")
        place(page, "a1").click(force=True)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert page.evaluate("localStorage.getItem('tesuji-preferences')").find('"turned":true') > 0
