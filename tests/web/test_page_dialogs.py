"""Dialogs of the page, and what it says when something goes wrong."""

import re
import threading

from browser import axe_violations, wait_for, watched
from recorded_page import REFUSED, choose_game, open_more, opened, settle, wait_for_command
from recorded_server import RecordedServer, serving


# -- dialogs -----------------------------------------------------------------------------------------------------------
def test_a_new_game(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        choose_game(page, "go")
        dialog.get_by_label("Size").select_option("13")
        dialog.get_by_label("You play").select_option("first")
        dialog.get_by_label("Level").first.select_option("3")
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector('[data-surface="wood"]')
        asked = recorded.fields_of("new")
        assert asked["game"] == "go:13" and asked["sides"][0] == {"kind": "person"}
        assert asked["sides"][1]["kind"] == "computer" and asked["sides"][1]["level"] == 3
        assert page.locator(".place").count() == 169


def test_another_size_can_be_written(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#new-game")
        choose_game(page, "hex")
        dialog = page.locator("dialog[open]")
        dialog.get_by_label("Size").select_option(label="Other ...")
        dialog.get_by_label("Other ...").fill("8x6")
        dialog.get_by_label("You play").select_option("second")
        dialog.get_by_label("Level").first.select_option("4")
        assert not dialog.locator(".sides").is_visible()
        open_more(page)
        assert dialog.get_by_label("Who plays").nth(0).input_value() == "computer"
        dialog.get_by_label("Who plays").nth(1).select_option("computer")
        assert dialog.get_by_label("You play").input_value() == "computers"
        dialog.get_by_label("Who plays").nth(1).select_option("person")
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector('[data-surface="hex"]')
        asked = recorded.fields_of("new")
        assert asked["game"] == "hex:8x6" and [side["kind"] for side in asked["sides"]] == ["computer", "person"]
        assert asked["sides"][0]["level"] == 4


def test_the_fields_of_the_game_before_go_at_once(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        answer, known = recorded.answer, threading.Event()

        def slow_answer(name, fields):
            if name == "players" and fields.get("game", "").startswith("go"):
                assert known.wait(60)
            return answer(name, fields)

        recorded.answer = slow_answer
        page.click("#new-game")
        choose_game(page, "go")
        wait_for(page, "document.querySelector('dialog .sides legend').textContent === 'Black'")
        assert page.locator("dialog option[value=uct]").count() == 0
        known.set()
        wait_for(page, "document.querySelectorAll('dialog option[value=uct]').length === 2")


def test_the_buttons_of_a_long_dialog_stand_clear_of_its_edge(browser):
    with opened(browser, "go:9", context={"viewport": {"width": 500, "height": 360}}) as (_recorded, page):
        page.click("#new-game")
        dialog = page.locator("dialog[open]").bounding_box()
        button = page.get_by_role("button", name="Start", exact=True).bounding_box()
        assert dialog["y"] + dialog["height"] - button["y"] - button["height"] >= 8


def test_the_opponent_of_before_is_offered_again(browser):
    computer = {"kind": "computer", "level": 3, "player": None, "parameters": {}, "seconds": 0.5, "playouts": None}
    with opened(browser, "tictactoe", last_sides=[{"kind": "person"}, computer]) as (recorded, page):
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        choose_game(page, "samegame")
        wait_for(page, "document.querySelectorAll('dialog .sides fieldset').length === 1")
        choose_game(page, "tictactoe")
        wait_for(page, "document.querySelectorAll('dialog .sides fieldset').length === 2")
        dialog.get_by_role("button", name="Start").click()
        wait_for_command(page, recorded, "new")
        assert recorded.fields_of("new")["sides"] == [{"kind": "person"}, computer]
        recorded.sides = [{"kind": "person"}, {"kind": "person"}]
        recorded.change()
        wait_for(page, "document.querySelector('dialog[open]') === null")
        page.click("#sides")
        dialog.get_by_label("Who plays").nth(1).select_option("computer")
        dialog.get_by_role("button", name="Apply").click()
        wait_for_command(page, recorded, "sides")
        assert recorded.fields_of("sides")["sides"][1] == computer


def test_what_is_chosen_before_the_players_of_another_game_are_known_stays(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        answer, known = recorded.answer, threading.Event()

        def slow_answer(name, fields):
            if name == "players" and fields.get("game", "").startswith("go"):
                assert known.wait(60)
            return answer(name, fields)

        recorded.answer = slow_answer
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        choose_game(page, "go")
        open_more(page)
        dialog.get_by_label("Who plays").nth(1).select_option("computer")
        dialog.locator("fieldset").get_by_label("Level").nth(1).select_option("3")
        dialog.get_by_label("Who plays").nth(1).select_option("person")
        dialog.get_by_label("Who plays").nth(0).select_option("computer")
        known.set()
        wait_for(page, "document.querySelectorAll('dialog .sides legend')[1].textContent === 'White'")
        settle(page)
        assert dialog.get_by_label("Who plays").nth(0).input_value() == "computer"
        dialog.get_by_label("Who plays").nth(1).select_option("computer")
        assert dialog.locator("fieldset").get_by_label("Level").nth(1).input_value() == "3"


def test_a_new_game_of_a_users_own(browser):
    """Its name is a path, which is no family of built-in games."""
    recorded = RecordedServer("tictactoe")
    built_in, event = recorded.games(), recorded.game_event()
    name = "folder/my game.py:game"
    entry = {"name": name, "form": name, "example": name, "summary": "Mine", "pattern": name, "options": []}
    recorded.games = lambda: [entry, *built_in]
    recorded.game_event = lambda: event | {"name": name, "family": "mine"}
    recorded.answers["new"] = {}
    with serving(recorded) as address, watched(browser, address) as page:
        page.click("#new-game")
        page.locator("dialog[open]").get_by_role("button", name="Start").click()
        page.wait_for_selector("dialog[open]", state="detached")
        wait_for_command(page, recorded, "new")
        assert recorded.fields_of("new")["game"] == name


def test_parameters_come_from_their_declarations(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        page.click("#analysis-parameters")
        dialog = page.locator("dialog[open]")
        dialog.get_by_label("exploration", exact=True).fill("0.7")
        dialog.get_by_label("playouts", exact=True).fill("5")
        dialog.get_by_label("cuts", exact=True).uncheck()
        assert page.locator(".parameter.changed").count() == 3 or page.keyboard.press("Tab") is None
        dialog.get_by_role("button", name="Reset playouts").click()
        dialog.get_by_role("button", name="Apply").click()
        page.click("#analyse")
        page.wait_for_selector(".heat")
        assert recorded.fields_of("analyse") == {"on": True, "player": None, "parameters": {"exploration": 0.7, "cuts": False}}


def test_parameters_are_grouped_and_can_be_searched(browser):
    with opened(browser, "tictactoe") as (_recorded, page):
        page.click("#tab-analysis")
        page.click("#analysis-parameters")
        page.wait_for_selector(".parameter")
        assert page.locator(".group h3").count() == 2
        page.get_by_label("Find a parameter").fill("proven")
        assert page.locator(".parameter:visible").all_inner_texts()[0].startswith("solver")
        assert page.locator(".parameter:visible").count() == page.locator(".group:visible").count() == 1
        assert axe_violations(page) == []


def test_the_players_of_a_game_have_parameters_too(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.sides = [{"kind": "person"}, {"kind": "computer", "level": 7, "player": "uct", "parameters": {"cuts": False}}]
        recorded.send("state", recorded.state())
        wait_for(page, "document.querySelector('#players').textContent.includes('level 7')")
        page.click("#sides")
        dialog = page.locator("dialog[open]")
        dialog.locator("details.more").nth(1).locator("summary").click()
        page.wait_for_selector(".parameter")
        assert recorded.fields_of("parameters") == {"player": "uct", "parameters": {"cuts": False}}
        assert page.locator(".parameter.changed").count() == 1
        assert axe_violations(page) == []
        dialog.get_by_label("exploration", exact=True).fill("0.7")
        dialog.get_by_role("button", name="Reset cuts").click()
        dialog.get_by_label("Playouts per move").nth(1).fill("250")
        dialog.get_by_role("button", name="Apply").click()
        page.wait_for_selector("dialog[open]", state="detached")
        wait_for_command(page, recorded, "sides")
        side = {"kind": "computer", "level": 7, "player": "uct", "parameters": {"exploration": 0.7}}
        side |= {"seconds": 1, "playouts": 250}
        assert recorded.fields_of("sides") == {"sides": [{"kind": "person"}, side]}


def test_a_puzzle_has_one_player(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        page.wait_for_selector("dialog[open] .sides fieldset", state="attached")
        assert dialog.locator(".sides fieldset legend").all_text_contents() == ["x", "o"]
        choose_game(page, "samegame")
        wait_for(page, "document.querySelectorAll('dialog .sides fieldset').length === 1")
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector("dialog[open]", state="detached")
        wait_for_command(page, recorded, "new")
        assert recorded.fields_of("new")["sides"] == [{"kind": "person"}, {"kind": "person"}]


def test_resigning_is_asked_about(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#resign")
        page.get_by_role("button", name="Go on playing").click()
        page.click("#resign")
        page.get_by_role("button", name="Yes, resign").click()
        wait_for_command(page, recorded, "resign")
        assert recorded.names_asked().count("resign") == 1


# -- what goes wrong ---------------------------------------------------------------------------------------------------
def test_a_wrong_move_is_said_and_stays_typed(browser):
    with opened(browser, "tictactoe", allowed=REFUSED) as (_recorded, page):
        page.fill("#move-text", "z9")
        page.click("#move-form button")
        page.wait_for_selector("#alert p")
        assert "'z9' is not a legal move" in page.inner_text("#alert")
        assert page.input_value("#move-text") == "z9"
        page.keyboard.type("b2")
        assert page.input_value("#move-text") == "b2", "what was refused is typed over"


def test_a_lost_connection_is_said_and_comes_back(browser):
    with opened(browser, "tictactoe", ("b2",), allowed=("ERR_",)) as (recorded, page):
        page.fill("#move-text", "a1")
        recorded.drop()
        page.wait_for_selector("#banner:not([hidden])")
        assert "Connection lost" in page.inner_text("#banner")
        page.wait_for_selector("#banner", state="hidden")
        assert page.input_value("#move-text") == "a1" and page.locator(".piece").count() == 1


def test_a_reload_keeps_the_tab(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        name = page.evaluate("sessionStorage.getItem('tesuji-tab')")
        page.reload()
        page.wait_for_selector("body.ready")
        assert page.evaluate("sessionStorage.getItem('tesuji-tab')") == name and re.fullmatch("[A-Za-z0-9]{16,64}", name)
        assert {fields["tab"] for _, fields in recorded.asked} == {name}


def test_a_second_tab_takes_the_game_over(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.send("replaced", {})
        page.wait_for_selector("#banner:not([hidden])")
        assert "open in another tab" in page.inner_text("#banner")
        settle(page)
        assert len(recorded.streams) == 1  # it did not connect again


def test_a_search_that_dies_is_said(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.send("engine-died", {"text": "The engine has stopped; the next search starts a new one."})
        page.wait_for_selector("#alert p")
        assert "The engine has stopped" in page.inner_text("#alert")
