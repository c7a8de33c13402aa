"""Clocks, teaching, markup, regions, dragging and turned boards on the page, before a recorded engine."""

import pytest
from browser import axe_violations, wait_for
from recorded_page import opened, place, settle, wait_for_command

CLOCK = {
    "control": "600+3x30",
    "period": 30,
    "running": 0,
    "sides": [{"main": 0, "left": 12.5, "stones": 1, "periods": 3}, {"main": 599, "left": 599, "stones": 1, "periods": 3}],
}


def test_clocks_run_on_the_page_and_a_game_is_begun_with_one(browser):
    with opened(browser, "go:9", clock=CLOCK) as (recorded, page):
        clocks = page.locator(".player .time")
        assert clocks.nth(1).inner_text() == "9:59"
        wait_for(page, "/^(0:1\\d|\\d\\.\\d) \\S 3$/.test(document.querySelector('.player .time').textContent)")
        page.evaluate("performance.now = ((now) => () => now + 20_000)(performance.now())")
        wait_for(page, "/^0:2\\d \\S 2$/.test(document.querySelector('.player .time').textContent)")
        assert axe_violations(page) == []
        page.click("#new-game")
        page.locator("dialog[open] .more > summary").first.click()
        page.get_by_label("Clock", exact=True).first.select_option("600+3x30")
        page.get_by_role("button", name="Start", exact=True).click()
        wait_for_command(page, recorded, "new")
        assert recorded.fields_of("new")["clock"] == "600+3x30"


def test_the_clock_of_who_is_to_move_fits_on_a_phone(browser):
    with opened(browser, "go:9", clock=CLOCK, context={"viewport": {"width": 390, "height": 844}}) as (_, page):
        for side in (0, 1):
            name, clock = (page.locator(".player").nth(side).locator(part).bounding_box() for part in ("strong", ".time"))
            card = page.locator(".player").nth(side).bounding_box()
            assert clock["x"] == name["x"] and clock["x"] + clock["width"] < card["x"] + card["width"]


def test_a_clock_that_stands_after_going_back_says_so(browser):
    with opened(browser, "go:9", ("A1",), clock=CLOCK | {"running": 1}) as (recorded, page):
        turn = page.locator(".player.active .turn")
        assert turn.inner_text() == "to move"
        height = page.locator("#players").bounding_box()["height"]
        recorded.extra["clock"] = CLOCK | {"running": None}
        recorded.change()
        wait_for(page, "document.querySelector('.player.active .turn').textContent === 'to move; clock stopped'")
        assert page.locator("#players").bounding_box()["height"] == height
        recorded.extra["clock"] = CLOCK | {"running": 1}
        recorded.change()
        wait_for(page, "document.querySelector('.player.active .turn').textContent === 'to move'")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_while_the_computer_thinks(browser, width):
    with opened(browser, "go:9", context={"viewport": {"width": width, "height": 800}}) as (recorded, page):
        parts = ("#board svg", "#undo", "#resign", "#move-text")
        before = [page.locator(part).bounding_box() for part in parts]
        recorded.sides = [{"kind": "computer", "level": 3}, {"kind": "person"}]
        recorded.extra = {"turn": "computer", "running": {"task": "move", "since": 0}}
        recorded.change()
        page.wait_for_selector("#pause:not([hidden])")
        assert page.inner_text("#stop") == "Move now"
        assert [page.locator(part).bounding_box() for part in parts] == before


def test_a_mistake_is_pointed_out_and_taken_back(browser):
    mistake = {"node": 1, "mover": 0, "move": "A1", "best": "E5", "loss": 0.23, "before": 0.62, "after": 0.39}
    with opened(browser, "go:9", ("A1",), teaching=0.1, mistake=mistake) as (recorded, page):
        page.wait_for_selector("#mistake:not([hidden])")
        assert (
            "A1 is a mistake" in page.locator("#mistake-text").inner_text()
            and "62%" in page.locator("#mistake-text").inner_text()
        )
        assert page.locator("#teach").is_checked() and page.locator(".line-move").count() == 1
        assert axe_violations(page) == []
        recorded.extra = {}
        page.click("#mistake-back")
        wait_for_command(page, recorded, "goto")
        assert recorded.fields_of("goto") == {"node": 0}
        page.wait_for_selector("#mistake", state="hidden")
        assert page.locator(".line-move").count() == 0
        page.check("#teach")
        page.fill("#teach-loss", "20")
        page.keyboard.press("Tab")
        wait_for_command(page, recorded, "teach", 2)
        assert recorded.fields_of("teach") == {"loss": 0.2}


def test_markup_is_shown_and_put_on_the_board(browser):
    marks = [
        {"kind": "triangle", "at": ["A1"], "text": ""},
        {"kind": "label", "at": ["B2"], "text": "A"},
        {"kind": "arrow", "at": ["A1", "C3"], "text": ""},
    ]
    with opened(browser, "go:9", ("A1",), markup=marks) as (recorded, page):
        page.wait_for_selector(".markup")
        assert page.locator(".markup").count() == 2 and page.locator(".markup-arrow").count() == 1
        assert page.locator(".markup.on-dark").count() == 1
        page.get_by_role("button", name="Letter").click()
        place(page, "E5").click()
        wait_for_command(page, recorded, "mark")
        assert recorded.fields_of("mark") == {"node": 1, "at": "E5", "kind": "label", "text": "B"}
        page.get_by_role("button", name="Letter").click()
        place(page, "E5").click()
        wait_for_command(page, recorded, "move")
        assert axe_violations(page) == []


def test_some_points_alone_are_analysed(browser):
    with opened(browser, "go:9") as (recorded, page):
        page.click("#tab-analysis")
        page.click("#region")
        place(page, "A1").click()
        place(page, "C3").hover()
        page.mouse.down()
        place(page, "D4").hover()
        page.mouse.up()
        assert page.locator(".region").count() == 5 and "5 points" in page.locator("#region-note").inner_text()
        place(page, "A1").click()
        page.click("#region")
        wait_for_command(page, recorded, "analyse")
        assert set(recorded.fields_of("analyse")["region"]) == {"C3", "C4", "D3", "D4"}
        assert axe_violations(page) == [] and "move" not in recorded.names_asked()
        page.click("#region-clear")
        wait_for_command(page, recorded, "analyse", 2)
        assert "region" not in recorded.fields_of("analyse")


@pytest.mark.parametrize("turned", [False, True])
def test_a_piece_is_dragged(browser, turned):
    with opened(browser, "loa") as (recorded, page):
        if turned:
            page.evaluate("document.documentElement.dataset.turned = 'on'")
        place(page, "b1").hover()
        page.mouse.down()
        place(page, "c1").hover()
        page.mouse.move(5, 5)
        page.mouse.up()
        settle(page)
        assert "move" not in recorded.names_asked(), "dropped beside the board"
        place(page, "b1").hover()
        page.mouse.down()
        place(page, "b3").hover()
        page.mouse.up()
        wait_for_command(page, recorded, "move")
        assert recorded.fields_of("move") == {"move": "b1-b3"}


def test_a_piece_that_alone_can_move_need_not_be_chosen(browser):
    with opened(browser, "amazons:6", ("b1-b5",)) as (recorded, page):
        page.wait_for_selector(".chosen")
        place(page, "c5").click()
        wait_for_command(page, recorded, "move")
        assert recorded.fields_of("move") == {"move": "c5"}


def test_a_hex_board_can_be_a_diamond(browser):
    with opened(browser, "hex:5", ("c3",)) as (recorded, page):
        flat = page.locator("svg.board").bounding_box()
        page.click("#help")
        page.get_by_label("Hex boards as a diamond").check()
        page.keyboard.press("Escape")
        wait_for(page, "document.querySelector('.piece') !== null")
        first, last = (place(page, name).bounding_box() for name in ("a1", "e5"))
        assert abs(first["y"] - last["y"]) < 5 < last["x"] - first["x"], "acute corners left and right"
        place(page, "a1").click()
        wait_for_command(page, recorded, "move")
        assert recorded.fields_of("move") == {"move": "a1"} and flat
