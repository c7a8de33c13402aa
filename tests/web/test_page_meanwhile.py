"""The page while an answer is on its way, while the connection is lost, and beside other tabs."""

import threading

from browser import wait_for
from recorded_page import REFUSED, STEP, TREE, Held, choose_game, opened, place, settle

import tesuji
from tesuji.core.picture.drawing import draw


# -- slow answers ------------------------------------------------------------------------------------------------------
def test_a_tree_that_comes_after_a_move_is_not_shown(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.answers |= {"tree": TREE | {"generation": 1}, "step": STEP | {"generation": 1}}
        held = Held(recorded, "tree", "step")
        page.click("#tab-search")
        page.click("#explore")
        held.wait(page)
        recorded.answer("move", {"move": "b2"})
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        held.free.set()
        settle(page)
        page.click("#step")
        settle(page)
        assert page.locator(".explorer").count() == 0 and page.locator(".line-move").count() == 0
        recorded.answers |= {"tree": TREE, "step": STEP}
        page.click("#explore")
        page.wait_for_selector(".explorer")


def test_a_step_of_a_walk_that_comes_after_its_end_is_not_shown(browser):
    held_by = {"game": "tictactoe", "text": "a draw", "nodes": 12, "valid": True, "loser": None}
    with opened(browser, "tictactoe", certificate=held_by) as (recorded, page):
        position = tesuji.game("tictactoe").start.play("b2")
        recorded.answers["certificate-walk"] = {
            "moves": ["b2"], "added": ["b2"], "to_move": 1, "phase": "yours", "why": "", "claim": "a draw",
            "legal": list(position.legal_moves), "position": draw(position), "over": False,
        }  # fmt: skip
        held = Held(recorded, "certificate-walk")
        page.click("#tab-proof")
        page.click("#certificate-walk button")
        held.wait(page)
        page.click("#certificate-close")
        held.free.set()
        settle(page)
        assert page.locator(".piece").count() == 0


def test_a_slow_answer_does_not_take_an_open_dialog_away(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        held = Held(recorded, "parameters")
        page.click("#tab-analysis")
        page.click("#analysis-parameters")
        held.wait(page)
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        choose_game(page, "go")
        held.free.set()
        settle(page)
        assert dialog.locator(".card input:checked").input_value() == "go"
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector('[data-surface="wood"]')


def test_a_new_game_that_is_started_before_its_players_are_known_names_none_of_the_old_game(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.sides = [{"kind": "computer", "level": 4, "player": "uct", "parameters": {"cuts": False}}, {"kind": "person"}]
        recorded.send("state", recorded.state())
        wait_for(page, "document.querySelector('#players').textContent.includes('level 4')")
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        dialog.wait_for()
        held = Held(recorded, "players")
        choose_game(page, "go")
        held.wait(page)
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector('[data-surface="wood"]')
        held.free.set()
        side = recorded.fields_of("new")["sides"][0]
        assert side["level"] == 4 and side["player"] is None and side["parameters"] == {}


def test_the_next_move_can_be_typed_before_the_last_one_is_made(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        held = Held(recorded, "move")
        page.fill("#move-text", "b2")
        page.keyboard.press("Enter")
        held.wait(page)
        page.fill("#move-text", "a1")
        held.free.set()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        settle(page)
        assert page.input_value("#move-text") == "a1"
        page.keyboard.press("Enter")
        wait_for(page, "document.querySelectorAll('.piece').length === 2 && document.querySelector('#move-text').value === ''")


def test_a_comment_is_kept_when_another_position_comes_while_it_is_written(browser):
    with opened(browser, "tictactoe", ("b2",)) as (recorded, page):
        page.fill("#comment", "a good start")
        recorded.answer("move", {"move": "a1"})
        wait_for(page, "document.querySelectorAll('.piece').length === 2")
        wait_for(page, "document.querySelector('.node-comment') !== null")
        assert recorded.fields_of("comment") == {"node": 1, "text": "a good start"}
        assert page.input_value("#comment") == ""


def test_a_comment_that_could_not_be_sent_stays_in_its_box(browser):
    with opened(browser, "tictactoe", ("b2",), allowed=REFUSED) as (recorded, page):
        recorded.failures["comment"] = (400, {"error": "not now"})
        page.fill("#comment", "a good start")
        page.click("#tab-game")
        page.wait_for_selector("#alert p")
        recorded.send("state", recorded.state() | {"message": "something else"})
        wait_for(page, "document.querySelector('#message').textContent === 'something else'")
        assert page.input_value("#comment") == "a good start"


def test_a_refusal_is_not_taken_away_by_the_answer_to_an_earlier_command(browser):
    with opened(browser, "tictactoe", allowed=REFUSED) as (recorded, page):
        held = Held(recorded, "hint")
        page.click("#hint")
        held.wait(page)
        page.fill("#move-text", "z9")
        page.keyboard.press("Enter")
        page.wait_for_selector("#alert p")
        held.free.set()
        settle(page)
        assert "'z9' is not a legal move" in page.inner_text("#alert")


def test_parameters_of_the_player_that_was_chosen_last_are_listed(browser):
    """The answer for the first player overtakes that for the second."""
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.sides = [{"kind": "person"}, {"kind": "computer", "level": 7}]
        recorded.send("state", recorded.state())
        wait_for(page, "document.querySelector('#players').textContent.includes('level 7')")
        answer, free = recorded.answer, threading.Event()

        def slow(name, fields):
            status, found = answer(name, fields)
            if name == "parameters" and fields["player"] == "uct":
                assert free.wait(60)
            if name == "parameters" and fields["player"] == "uct-rave":
                found["parameters"] = found["parameters"][:1]
            return status, found

        recorded.answer = slow
        page.click("#sides")
        dialog = page.locator("dialog[open]")
        dialog.locator("details.more").nth(1).locator("summary").click()
        page.wait_for_selector(".parameter")
        dialog.get_by_label("Player", exact=True).nth(1).select_option("uct")
        dialog.get_by_label("Player", exact=True).nth(1).select_option("uct-rave")
        wait_for(page, "document.querySelectorAll('.parameter').length === 1")
        free.set()
        settle(page)
        assert page.locator(".parameter").count() == 1


# -- the connection ----------------------------------------------------------------------------------------------------
def test_what_was_begun_outlives_a_lost_connection(browser):
    """A position that is being set up, the player that was chosen to analyse with, and the list of mistakes."""
    with opened(browser, "go:5", allowed=("ERR_",)) as (recorded, page):
        recorded.send("progress", {"task": "analyse-game", "done": 1, "of": 1, "text": "", "final": True, "mistakes": []})
        page.click("#tab-analysis")
        page.select_option("#analysis-player", "uct")
        page.click("[popovertarget=file-menu]")
        page.click("#set-up")
        place(page, "C3").click()
        page.wait_for_selector(".piece")
        recorded.drop()
        page.wait_for_selector("#banner:not([hidden])")
        page.wait_for_selector("#banner", state="hidden")
        page.wait_for_selector("#toast p")
        assert page.locator(".piece").count() == 1 and page.locator("#set-up-panel").is_visible()
        assert page.input_value("#analysis-player") == "uct"
        page.click("#tab-game")
        assert page.locator("#mistakes").is_visible()


def test_another_game_after_a_lost_connection_takes_the_place_of_what_was_begun(browser):
    with opened(browser, "go:5", allowed=("ERR_",)) as (recorded, page):
        page.click("[popovertarget=file-menu]")
        page.click("#set-up")
        place(page, "C3").click()
        page.wait_for_selector(".piece")
        recorded.drop()
        recorded.generation += 5
        page.wait_for_selector("#banner", state="hidden")
        wait_for(page, "document.querySelectorAll('.piece').length === 0")
        assert page.locator("#set-up-panel").is_hidden()


def test_a_server_that_does_not_know_the_game_any_more_is_told_it(browser):
    with opened(browser, "tictactoe", ("b2",), allowed=("ERR_",)) as (recorded, page):
        recorded.extra["link"] = "#game=tictactoe&moves=b2"
        recorded.send("state", recorded.state())
        settle(page)
        hello = recorded.hello
        recorded.hello = lambda: hello() | {"is_new": True}
        recorded.extra["link"] = "#game=tictactoe"
        recorded.drop()
        wait_for(page, "document.querySelector('#toast').textContent.includes('no longer has this game')")
        assert recorded.fields_of("open-link") == {"fragment": "#game=tictactoe&moves=b2"}


HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
LOCKS = "navigator.locks.query().then((all) => all.held.filter((one) => one.name.startsWith('tesuji-stream')).length)"


def test_a_hidden_tab_with_nothing_to_wait_for_leaves_its_stream_to_others(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        assert page.evaluate(LOCKS) == 1
        recorded.extra["running"] = {"task": "solve", "since": 0}
        recorded.send("state", recorded.state())
        page.wait_for_selector("#stop:not([hidden])")
        page.clock.install()
        page.evaluate(HIDE, True)
        page.clock.run_for(60_000)
        assert page.evaluate(LOCKS) == 1  # it waits for the proof
        recorded.extra["running"] = None
        recorded.send("state", recorded.state())
        page.wait_for_selector("#stop", state="hidden")
        page.clock.run_for(10_000)
        wait_for(page, LOCKS.replace(".length", ".length === 0"))
        recorded.load("tictactoe", ("b2",))
        recorded.generation += 1
        page.evaluate(HIDE, False)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert page.evaluate(LOCKS) == 1 and page.locator("#banner").is_hidden() and page.locator("#toast p").count() == 0


def test_a_tab_for_which_no_connection_is_left_says_so_and_goes_on_later(browser):
    with opened(browser, "tictactoe") as (_recorded, page):
        others = [page.context.new_page() for _ in range(4)]
        for other in others:
            other.goto(page.url)
            other.wait_for_selector("body.ready")
        crowded = page.context.new_page()
        crowded.goto(page.url)
        crowded.wait_for_selector("text=Other tabs with this page are busy")
        others[0].fill("#move-text", "b2")  # the others go on
        others[0].keyboard.press("Enter")
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        others[0].close()
        crowded.wait_for_selector("body.ready")
        crowded.wait_for_selector("#banner", state="hidden")
