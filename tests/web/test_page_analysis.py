"""What a search knows, on the page: overlays, lines of play, two players compared, the search tree, proofs."""

import re
from pathlib import Path

import pytest
from browser import axe_violations, wait_for
from recorded_page import STEP, TREE, opened, place, wait_for_command
from recorded_server import PLAYERS

import tesuji
from tesuji.core.picture.drawing import draw


# -- analysis ----------------------------------------------------------------------------------------------------------
def test_nothing_is_shown_below_ten_visits_and_nothing_unproven_is_certain(browser):
    with opened(browser, "go:9") as (recorded, page):
        found = recorded.recorded_analysis()
        found["moves"][0] |= {"chance": 1.0, "value": 1.0}
        found["moves"][1] |= {"chance": 0.0, "value": -1.0}
        found["moves"][30] |= {"outcome": "loss", "visits": 3}
        few = [move["move"] for move in found["moves"] if move["visits"] < 10 and move["outcome"] == "unknown"]
        recorded.send("analysis", found)
        page.wait_for_selector(".heat")
        shown = page.locator(".heat").evaluate_all("all => all.map(one => one.dataset.move)")
        assert len(few) > 20 and not set(few) & set(shown) and found["moves"][30]["move"] in shown
        texts = " ".join(page.locator(".heat text").all_text_contents()) + page.inner_text("#panel-analysis")
        assert not re.search(r"\b100(\.0)?%?(?![\d,k])", texts) and "✗ loss" in texts
        assert page.locator(".heat.proven .ring").count() == 1


def test_overlays(browser):
    with opened(browser, "tictactoe", ("b2",)) as (recorded, page):
        page.click("#tab-analysis")
        recorded.send("analysis", recorded.recorded_analysis(proven={"a1": "draw"}))
        page.wait_for_selector(".heat")
        values = page.locator(".heat .value").all_text_contents()
        page.select_option("#overlay-kind", "loss")
        losses = page.locator(".heat .value").all_text_contents()
        assert "0" in losses and any(text.startswith("\N{MINUS SIGN}") for text in losses) and values != losses
        assert "=" in values and "=" in losses and page.locator(".heat.proven .visits").text_content() == "draw"
        page.select_option("#overlay-kind", "prior")
        assert page.locator(".heat .value").first.text_content() not in values
        page.select_option("#overlay-kind", "rave")
        assert page.locator(".heat").count() == 0 and page.locator("#overlay-note").is_visible()
        recorded.analysis_on = {"player": None, "parameters": {}}
        recorded.send("state", recorded.state())
        wait_for(page, "document.querySelector('#analyse').getAttribute('aria-pressed') === 'true'")
        page.select_option("#overlay-kind", "ownership")
        wait_for_command(page, recorded, "analyse")
        assert recorded.fields_of("analyse")["ownership"] is True
        wait_for(page, "document.querySelector('#overlay-note').textContent.includes('are being made')")
        recorded.send("analysis", recorded.recorded_analysis(ownership={"a1": 0.9, "c3": -0.8, "b3": 0.02}))
        page.wait_for_selector(".owner")
        assert page.locator(".owner").count() == 2
        page.select_option("#overlay-kind", "none")
        assert page.locator(".heat, .owner").count() == 0
        page.select_option("#palette", "safe")
        assert page.evaluate("document.documentElement.dataset.palette") == "safe"


@pytest.mark.parametrize("kind", ["ownership", "rave", "none"])
def test_a_hint_shows_its_move_whatever_the_overlay(browser, kind):
    """It may be kept from another game, and be about numbers that this game or player has not."""
    keep = f"localStorage.setItem('tesuji-preferences', JSON.stringify({{overlay: '{kind}'}}))"
    with opened(browser, "tictactoe") as (recorded, page):
        page.evaluate(keep)
        recorded.ownership = False
        page.reload()
        page.wait_for_selector("body.ready")
        page.click("#tab-analysis")
        assert page.locator("#overlay-kind option[value=ownership]").count() == 0
        assert page.input_value("#overlay-kind") == ("value" if kind == "ownership" else kind)
        hint = recorded.recorded_analysis(task="hint", final=True)
        hint["moves"][0]["visits"] = 3
        recorded.send("analysis", hint)
        page.wait_for_selector(f'.heat.best[data-move="{hint["best"]}"]')
        assert page.locator("#toast").inner_text().startswith(f"Hint: {hint['best']}")
        page.keyboard.press("o")
        assert page.input_value("#overlay-kind") in ("loss", "value", "none")


def test_what_a_network_says(browser):
    """It is offered only where there is a network, asked for only while it is shown, and for every position anew."""
    with opened(browser, "hex:5:swap=on") as (recorded, page):
        page.click("#tab-analysis")
        kinds = page.locator("#overlay-kind option")
        assert "Network" not in kinds.all_text_contents()
        recorded.network = "hex13"
        recorded.send("game", recorded.game_event())
        recorded.send("state", recorded.state())
        wait_for(page, "document.querySelectorAll('#overlay-kind option').length === 7")
        said = {"network": "hex13 (learned on 13x13)", "mover": 0, "chance": 0.476, "win": 0.476, "draw": 0, "loss": 0.524}
        priors = {"c3": 0.6, "b2": 0.3, "d4": 0.08, "a1": 0.012, "e5": 0.004, "e1": 0.004}
        moves = [{"move": move, "prior": prior} for move, prior in priors.items()]
        recorded.answers["network"] = {**said, "score": None, "best": "c3", "moves": moves}
        assert "network" not in recorded.names_asked()
        page.select_option("#overlay-kind", "network")
        page.wait_for_selector(".heat")
        drawn = page.locator(".heat").evaluate_all(
            "all => all.map(one => [one.dataset.move, one.textContent, one.classList[1]])"
        )
        assert sorted(drawn) == [["a1", "1", "heat-4"], ["b2", "30", "heat-1"], ["c3", "60", "heat-0"], ["d4", "8", "heat-3"]]
        assert page.inner_text("#network-summary") == "Network hex13 (learned on 13x13) · Black 47.6%"
        assert "first choice" in page.inner_text("#legend") and axe_violations(page) == []
        moves = [{"move": "swap-pieces", "prior": 0.7}, {"move": "b2", "prior": 0.3}]
        answer = {
            "mover": 1,
            "chance": 0.6,
            "win": 0.5,
            "draw": 0.2,
            "loss": 0.3,
            "score": -1.25,
            "moves": moves,
            "best": "swap-pieces",
        }
        recorded.answers["network"] |= answer
        place(page, "c3").click()
        wait_for(page, "document.querySelectorAll('.heat').length === 1")
        values = "White 60.0% · win 50.0%, draw 20.0%, loss 30.0% · B+1.3 · Swap 70.0%"
        assert page.inner_text("#network-summary").endswith(values)
        assert recorded.names_asked().count("network") == 2
        recorded.network = None
        recorded.send("game", recorded.game_event())
        recorded.change()
        wait_for(page, "document.querySelector('#overlay-kind').value === 'value'")
        assert page.locator(".heat").count() == 0 and not page.locator("#network-summary").is_visible()
        assert "Network" not in kinds.all_text_contents() and recorded.names_asked().count("network") == 2


def test_lines_of_play_by_pointer_and_by_keyboard(browser):
    with opened(browser, "connect4:7x6", ("4",)) as (recorded, page):
        found = recorded.recorded_analysis()
        found["moves"][0] |= {"move": "4", "pv": ["4", "4", "5"]}
        found["moves"][1:] = [move for move in found["moves"][1:] if move["move"] != "4"]
        recorded.send("analysis", found)
        page.wait_for_selector(".heat")
        place(page, "4.5").hover()
        page.wait_for_selector(".line-move")
        spots = page.locator(".line-move").evaluate_all("all => all.map(one => one.getAttribute('transform'))")
        assert spots == ["translate(3 4)", "translate(3 3)", "translate(4 5)"]  # the second disc lies on the first
        page.mouse.move(0, 0)
        page.wait_for_selector(".line-move", state="detached")
        page.keyboard.press("l")
        page.wait_for_selector(".line-move")
        assert page.inner_text("#spoken") == "Line: 4 4 5"


def test_moves_from_one_square_to_another_are_arrows(browser):
    with opened(browser, "loa") as (recorded, page):
        recorded.send("analysis", recorded.recorded_analysis())
        page.wait_for_selector(".heat .way")
        assert page.locator(".heat .way").count() == page.locator(".heat[data-move]").count() == 6


def test_what_was_computed_for_another_position_is_dropped(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.send("analysis", recorded.recorded_analysis() | {"generation": 99})
        recorded.send("analysis", recorded.recorded_analysis(player="kept"))
        wait_for(page, "document.querySelector('#summary-0').textContent.startsWith('kept')")
        recorded.send("analysis", recorded.recorded_analysis(player="stale") | {"generation": 0})
        place(page, "a1").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert page.locator(".heat").count() == 0 and page.inner_text("#summary-0") == ""


def test_two_players_side_by_side(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        page.click("#panel-analysis summary")
        page.select_option("#compare-unit", "playouts")
        page.fill("#compare-amount", "2500")
        page.click("#compare-run")
        recorded.compared = []
        for slot, player in enumerate(("tesuji", "uct")):
            found = recorded.recorded_analysis(task="compare", slot=slot, player=player, seed=1 + slot)
            recorded.compared.append(found)
            recorded.send("analysis", found)
        page.wait_for_selector("#moves-1 tr")
        assert recorded.fields_of("compare")["players"] == [
            {"player": None, "parameters": {}},
            {"player": "uct", "parameters": {}},
        ]
        assert recorded.fields_of("compare")["playouts"] == 2500 and "seconds" not in recorded.fields_of("compare")
        assert page.inner_text("#compare-note").startswith("Each player makes 2,500 playouts.")
        assert page.inner_text("#summary-1").startswith("◗ right: uct")
        assert "(default)" in page.locator("#analysis-player option:checked").inner_text()
        halves = page.locator('.compared[data-move="b2"] .value').all_text_contents()
        one, two = (next(move for move in recorded.compared[slot]["moves"] if move["move"] == "b2") for slot in (0, 1))
        assert halves == [f"{100 * move['chance']:.0f}" for move in (one, two)] and halves[0] != halves[1]
        assert page.locator(".compared .best").count() == 2  # the choice of each
        assert page.locator("#compare-note").is_visible() and page.locator(".heat circle").count() == 0
        recorded.send("analysis", recorded.recorded_analysis(task="solve"))
        wait_for(page, "document.querySelectorAll('.heat circle').length > 0")
        assert page.locator(".compared").count() == 0 and page.locator("#moves-1").is_hidden()


def test_compared_players_have_parameters(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        page.click("#panel-analysis summary")
        page.select_option("#compare-0", "uct-rave")
        for slot, value in ((0, "0.7"), (1, "0.1")):
            page.click(f"#compare-parameters-{slot}")
            dialog = page.locator("dialog[open]")
            dialog.get_by_label("exploration", exact=True).fill(value)
            if slot:
                dialog.get_by_label("cuts", exact=True).uncheck()
            dialog.get_by_role("button", name="Apply").click()
            changed = f"Parameters ({1 + slot} changed)"
            wait_for(page, f"document.querySelector('#compare-parameters-{slot}').textContent === '{changed}'")
        assert axe_violations(page) == []
        page.click("#compare-run")
        wait_for_command(page, recorded, "compare")
        assert recorded.fields_of("compare")["players"] == [
            {"player": "uct-rave", "parameters": {"exploration": 0.7}},
            {"player": "uct", "parameters": {"exploration": 0.1, "cuts": False}},
        ]
        assert recorded.fields_of("parameters") == {"player": "uct", "parameters": {}, "to": "analyse"}
        page.select_option("#compare-1", "")  # another player has its own
        assert page.inner_text("#compare-parameters-1") == "Parameters"
        page.click("#compare-parameters-0")
        assert page.locator("dialog[open]").get_by_label("exploration", exact=True).input_value() == "0.7"


def test_players_that_cannot_analyse_are_not_offered(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        better = {"name": "deep", "summary": "", "default": True, "alphabeta": True, "analyses": False, "parameters": []}
        others = [player | {"default": False} for player in PLAYERS]
        recorded.answers["players"] = {"players": [better, *others], "player_names": ["x", "o"]}
        page.reload()
        wait_for(page, "document.querySelectorAll('#analysis-player option').length === 3")
        assert page.locator("#analysis-player option:checked").inner_text() == "tesuji (default)"


def test_an_update_leaves_the_focus_where_it_is(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        recorded.send("analysis", recorded.recorded_analysis())
        page.wait_for_selector("#moves-0 button")
        page.locator("#moves-0 button").nth(2).focus()
        recorded.send("analysis", recorded.recorded_analysis(seed=2, player="second"))
        wait_for(page, "document.querySelector('#summary-0').textContent.startsWith('second')")
        assert page.evaluate("document.activeElement.closest('tr').dataset.index") == "2"


# -- the search and the proof ------------------------------------------------------------------------------------------
def test_the_tree_of_the_search_and_one_simulation(browser):
    with opened(browser, "tictactoe", ("b2",)) as (recorded, page):
        end = draw(tesuji.game("tictactoe").start.play("b2", "a1", "b1"))
        recorded.answers |= {"tree": TREE, "step": STEP | {"end": end}}
        page.click("#tab-search")
        page.click("#explore")
        page.wait_for_selector(".explorer")
        assert page.inner_text(".formula").startswith("mean + exploration")
        assert "Values are o's chances" in page.inner_text("#explorer") and "outcomes for x" in page.inner_text("#explorer")
        assert page.locator(".explorer tbody td").nth(1).inner_text() == "60.0%"
        heads = page.locator(".explorer thead th").all_inner_texts()
        assert {"mean", "exploration", "Worth", "Prior"} <= set(heads)
        assert page.locator("tr.pruned .badge").inner_text() == "pruned"
        page.locator(".explorer").get_by_role("button", name="a1").click()
        wait_for(page, "document.querySelectorAll('.crumbs li').length === 2")
        assert recorded.fields_of("tree") == {"moves": ["a1"]}
        page.click("#step")
        page.wait_for_selector("#step-result td")
        assert "50 → 51" in page.inner_text("#step-result")
        page.get_by_role("button", name="Show the end of the playout").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 3")
        page.get_by_role("button", name="Back to the position").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")


def test_a_walk_through_a_certificate_is_a_mode_of_its_own(browser):
    """Typed moves and buttons are the walk's, status and caption too; the game waits."""
    opened_one = {"game": "go:3", "text": "Black wins", "nodes": 12, "valid": True, "loser": 1}
    with opened(browser, "go:3", certificate=opened_one) as (recorded, page):
        position = tesuji.game("go:3").start.play("B2")
        shown = draw(position) | {"caption": "liberties of the walk"}
        recorded.answers["certificate-walk"] = {
            "moves": ["B2"], "added": ["B2"], "to_move": 1, "phase": "yours", "why": "It takes the middle.",
            "claim": "Black wins", "legal": list(position.legal_moves), "position": shown, "over": False,
        }  # fmt: skip
        page.click("#tab-proof")
        page.click("#certificate-walk button")
        page.wait_for_selector("#walk-bar:not([hidden])")
        assert page.inner_text("#message") == "It takes the middle." and page.inner_text("#caption") == "liberties of the walk"
        players = page.locator(".player")
        assert "active" in players.nth(1).get_attribute("class") and "active" not in players.nth(0).get_attribute("class")
        assert "you" in players.nth(1).inner_text() and "the certificate" in players.nth(0).inner_text()
        assert page.locator("#resign").is_disabled() and page.locator("#hint").is_disabled()
        page.fill("#move-text", "A1")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Pass").click()
        wait_for_command(page, recorded, "certificate-walk", 3)
        assert recorded.fields_of("certificate-walk") == {"moves": ["B2", "pass"]}
        page.click("#tab-game")
        for key in ("ArrowRight", "h", "p", "End"):
            page.keyboard.press(key)
        page.click("#tab-proof")
        page.click("#certificate-back")
        wait_for_command(page, recorded, "certificate-walk", 4)
        assert axe_violations(page) == []
        page.click("#walk-leave")
        page.wait_for_selector("#walk-bar", state="hidden")
        assert page.locator("#resign").is_enabled() and page.locator(".piece").count() == 0
        assert set(recorded.names_asked()) <= {"players", "certificate-walk"}


def test_a_proof_is_shown_saved_and_walked(browser):
    proof = {"proven": True, "outcome": "draw", "lower": 0, "upper": 0, "text": "a draw with perfect play", "certificate": True}
    held = {"game": "tictactoe", "text": "a draw with perfect play", "nodes": 12, "valid": True, "loser": None}
    with opened(browser, "tictactoe", (), proof=proof, certificate=held) as (recorded, page):
        page.click("#tab-proof")
        assert page.inner_text("#proof-text") == "Proven: a draw with perfect play"
        assert page.locator(".interval").get_attribute("aria-label") == "Proven so far: draw."
        recorded.answers["certificate"] = {"name": "x.cert", "base64": "AAECAw=="}
        with page.expect_download() as download:
            page.click("#certificate-save")
        assert Path(download.value.path()).read_bytes() == bytes(range(4))
        start = tesuji.game("tictactoe").start.play("b2")
        walk = {
            "moves": ["b2"],
            "added": ["b2"],
            "to_move": 1,
            "phase": "yours",
            "why": "It takes the middle.",
            "claim": "a draw",
        }
        recorded.answers["certificate-walk"] = walk | {"legal": list(start.legal_moves), "position": draw(start), "over": False}
        page.click("#certificate-walk button")
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert "It takes the middle." in page.inner_text("#walk")
        idle = "Your a1 does not matter to the proof; whatever you play now, there is an answer: a draw."
        recorded.answers["certificate-walk"] |= {"added": [], "why": idle}
        place(page, "a1").click()
        wait_for(page, f"document.querySelector('#walk').innerText.includes('{idle}')")
        assert recorded.fields_of("certificate-walk") == {"moves": ["b2", "a1"]}
        assert "move" not in recorded.names_asked()


def test_a_search_for_a_proof_says_how_far_it_is(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-proof")
        recorded.send("state", recorded.state() | {"running": {"task": "solve", "since": 0}})
        wait_for(page, "document.querySelector('#proof-text').textContent === 'Solving ...'")
        recorded.send("analysis", recorded.recorded_analysis() | {"task": "solve", "seconds": 12.4, "lower": 0, "upper": 1})
        wait_for(page, "document.querySelector('#proof-text').textContent.startsWith('Solving: 91,234 playouts, 12 s.')")
        assert page.inner_text("#proof-text").endswith("Proven so far: between draw and x wins.")


def test_what_is_left_of_compiling_is_shown_and_moves_nothing(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.sides = [{"kind": "person"}, {"kind": "computer", "level": 3}]
        recorded.change()
        before = page.locator("#undo").bounding_box()
        recorded.send("progress", {"task": "compile", "done": 4.0, "of": 16.0, "text": "compiling", "final": False})
        wait_for(page, "!document.querySelector('#activity-bar').hidden")
        assert page.evaluate("document.querySelector('#activity-bar').value") == 4
        text = page.inner_text("#activity-text")
        assert "about 12 s left" in text and "plays weaker" in text
        assert page.locator("#undo").bounding_box() == before
        recorded.send("progress", {"task": "compile", "done": 1, "of": 1, "text": "compiled", "final": True})
        wait_for(page, "document.querySelector('#activity-bar').hidden")
        assert page.inner_text("#activity-text") == ""
        assert page.locator("#undo").bounding_box() == before


def test_an_analysis_that_waits_for_the_compiler_says_so(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        assert "Press “Analyse”" in page.inner_text("#analysis-none")
        compiling = {"task": "compile", "done": 4.0, "of": 16.0, "text": "compiling", "final": False}
        recorded.send("progress", compiling)
        recorded.analysis_on = {"player": None, "parameters": {}}
        recorded.change()
        wait_for(page, "document.querySelector('#analysis-none').textContent.includes('when the search has been compiled')")
        recorded.send("progress", compiling | {"final": True})
        wait_for(page, "document.querySelector('#analysis-none').textContent === 'The analysis begins ...'")
        recorded.send("analysis", recorded.recorded_analysis())
        page.wait_for_selector("#analysis-none", state="hidden")


def test_points_are_written_as_players_do_and_only_where_they_are_points(browser):
    with opened(browser, "go:5") as (recorded, page):
        page.click("#tab-analysis")
        for score, text in ((2.34, " · B+2.3 · "), (-6.5, " · W+6.5 · "), (None, None)):
            recorded.send("analysis", recorded.recorded_analysis(score=score, player=f"p{score}"))
            wait_for(page, f"document.querySelector('#summary-0').textContent.startsWith('p{score}')")
            summary = page.inner_text("#summary-0")
            assert (text in summary) if text else ("+" not in summary and "62.0%" in summary)


def test_a_proof_is_walked_right_after_it_was_found(browser):
    proof = {"proven": True, "outcome": "draw", "lower": 0, "upper": 0, "text": "a draw with perfect play", "certificate": True}
    certificate = {"game": "tictactoe", "text": "a draw", "nodes": 12, "valid": True, "loser": None, "walkers": [0, 1]}
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-proof")
        assert page.locator("#proof-walk").is_hidden()
        recorded.send("state", recorded.state() | {"proof": proof})
        page.wait_for_selector("#proof-walk:not([hidden])")
        position = tesuji.game("tictactoe").start
        recorded.answers["proof-open"] = {"certificate": certificate}
        recorded.answers["certificate-walk"] = {
            "moves": [], "added": [], "to_move": 0, "phase": "yours", "why": "", "claim": "a draw",
            "legal": list(position.legal_moves), "position": draw(position), "over": False,
        }  # fmt: skip
        recorded.extra["certificate"] = certificate
        recorded.change()
        page.wait_for_selector("#certificate:not([hidden])")
        halves = page.locator("#certificate-walk button")
        assert halves.all_inner_texts() == ["Walk as x", "Walk as o"]
        halves.nth(1).click()
        wait_for_command(page, recorded, "certificate-walk")
        assert recorded.fields_of("certificate-walk") == {"moves": [], "side": 1}
        wait_for(page, "document.querySelectorAll('.player .who')[1].textContent === 'you'")
