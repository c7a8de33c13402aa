"""The page in a browser, before a recorded engine: boards, overlays, dialogs, files, keys, lost connections."""

import contextlib
import random
import re
from pathlib import Path

import pytest
from browser import PHONE, axe_violations, launched, wait_for, watched
from recorded_server import RecordedServer, serving

import tesuji
from tesuji.core.drawing import draw

GAMES = {
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
REFUSED = ("status of 400",)


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def some_moves(name, count):
    chance = random.Random(3)
    position = tesuji.game(name).start
    for _ in range(count):
        legal = [move["text"] for move in draw(position)["moves"] if move["at"]]
        position = position.play(chance.choice(legal))
    return position.moves


@contextlib.contextmanager
def opened(browser, name="tictactoe", moves=(), allowed=(), context=None, **state):
    recorded = RecordedServer(name, moves, **state)
    with serving(recorded) as address, watched(browser, address, allowed=allowed, **(context or {})) as page:
        yield recorded, page


def place(page, name):
    return page.locator(f'.place[data-name="{name}"]')


def module(page, name):
    """A module of the page, for a test of one of its functions."""
    return f"(await import('/static/{name}.js'))"


# -- boards --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", GAMES)
def test_a_move_by_mouse(browser, name):
    with opened(browser, name, some_moves(name, GAMES[name])) as (recorded, page):
        now = draw(recorded.positions[-1])
        assert page.locator(".piece").count() == len(now["pieces"])
        move = next(move for move in now["moves"] if move["at"])
        for at in move["at"] if name == "loa" else move.get("area", move["at"])[-1:]:
            place(page, at).locator(".hit").click(force=True)
        wait_for(page, f"document.querySelector('#message').textContent.includes('{move['text']}')")
        assert recorded.fields_of("move") == {"move": move["text"]}


@pytest.mark.parametrize("name", GAMES)
def test_no_board_is_wider_than_a_phone(browser, name):
    with opened(browser, name, some_moves(name, GAMES[name]), context={"viewport": PHONE}) as (_recorded, page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.locator("svg.board").bounding_box()
        assert box["width"] > 300 and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] + 0.5


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


# -- everybody -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, scheme):
    moves = some_moves("go:9", 8)
    with opened(browser, "go:9", moves, context={"color_scheme": scheme}) as (recorded, page):
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert axe_violations(page) == []
        page.keyboard.press("a")
        page.wait_for_selector(".heat")
        recorded.answers["tree"] = TREE
        for name in ("analysis", "search", "proof"):
            page.click(f"#tab-{name}")
            if name == "search":
                page.click("#explore")
                page.wait_for_selector(".explorer")
            assert axe_violations(page) == [], name
        for button in ("#help", "#new-game", "#sides"):
            page.click(button)
            page.wait_for_selector("dialog[open]")
            assert axe_violations(page) == [], button
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")


@pytest.mark.parametrize("name", ["hex:5", "loa", "connect4:4x4", "dotsandboxes:2x2", "samegame:4x4:1", "semeai:3,2,0.5"])
def test_axe_finds_nothing_on_any_board(browser, name):
    with opened(browser, name) as (_recorded, page):
        assert axe_violations(page) == []


def test_a_whole_game_by_keyboard_alone(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.keyboard.press("b")
        assert page.evaluate("document.activeElement.dataset.name") == "b2"
        page.keyboard.press("Enter")
        for keys in (["ArrowUp"], ["ArrowLeft"], ["ArrowDown", "ArrowDown"], ["ArrowUp"], ["ArrowRight", "ArrowRight"]):
            wait_for(page, f"document.querySelectorAll('.piece').length === {len(recorded.positions[-1].moves)}")
            before = len(recorded.positions)
            for key in keys:
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            wait_for(page, f"document.querySelectorAll('.piece').length === {before}")
        assert recorded.positions[-1].moves == ("b2", "b1", "a1", "a3", "a2", "c2")
        page.keyboard.press("m")
        page.keyboard.type("c3")
        page.keyboard.press("Enter")
        page.wait_for_selector("#status.over")
        assert page.inner_text("#spoken") == "x plays c3"
        page.keyboard.press("Escape")
        page.keyboard.press("Control+z")
        wait_for(page, "document.querySelectorAll('.piece').length === 6")
        page.keyboard.press("Control+y")
        wait_for(page, "document.querySelectorAll('.piece').length === 7")


def test_every_shortcut_is_in_the_overlay_and_does_something(browser):
    with opened(browser, "tictactoe", ("b2", "a1")) as (recorded, page):
        recorded.answers |= {"step": STEP, "sgf-save": {"name": "game.sgf", "text": "(;)"}}
        page.keyboard.press("?")
        shown = page.locator(".shortcuts th").all_inner_texts()
        table = page.evaluate(f"(async () => {module(page, 'keys')}.SHORTCUTS)()")
        assert len(shown) == len(table) == len({key for key, _, _ in table})
        page.keyboard.press("Escape")
        for key, _text, action in table:
            if action in ("open", "help", "new", "comment", "type"):
                continue
            page.keyboard.press(key.replace("ctrl", "Control"))
            page.locator("body").focus()
        assert {"undo", "redo", "hint", "analyse", "step", "pause", "sgf-save", "goto"} <= set(recorded.names_asked())
        assert not {"resign", "delete", "new"} & set(recorded.names_asked())  # no key destroys anything


def test_single_keys_can_be_switched_off(browser):
    with opened(browser) as (recorded, page):
        page.click("#help")
        page.get_by_label("Shortcuts with single keys").uncheck()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("a")
        page.keyboard.press("Control+z")
        page.wait_for_timeout(100)
        assert "analyse" not in recorded.names_asked()


# -- analysis ------------------------------------------------------------------------------------------------------------
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
        page.wait_for_timeout(50)
        assert recorded.fields_of("analyse")["ownership"] is True
        recorded.send("analysis", recorded.recorded_analysis(ownership={"a1": 0.9, "c3": -0.8, "b3": 0.02}))
        page.wait_for_selector(".owner")
        assert page.locator(".owner").count() == 2
        page.select_option("#overlay-kind", "none")
        assert page.locator(".heat, .owner").count() == 0
        page.select_option("#palette", "safe")
        assert page.evaluate("document.documentElement.dataset.palette") == "safe"


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
        page.click("summary")
        page.click("#compare-run")
        for slot, player in enumerate(("tesuji", "uct")):
            recorded.send("analysis", recorded.recorded_analysis(task="compare", slot=slot, player=player))
        page.wait_for_selector("#moves-1 tr")
        assert recorded.fields_of("compare")["players"] == [
            {"player": None, "parameters": {}},
            {"player": "uct", "parameters": {}},
        ]
        assert page.inner_text("#summary-1").startswith("uct")
        assert "usual for this game" in page.locator("#analysis-player option:checked").inner_text()


def test_an_update_leaves_the_focus_where_it_is(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#tab-analysis")
        recorded.send("analysis", recorded.recorded_analysis())
        page.wait_for_selector("#moves-0 button")
        page.locator("#moves-0 button").nth(2).focus()
        recorded.send("analysis", recorded.recorded_analysis(seed=2, player="second"))
        wait_for(page, "document.querySelector('#summary-0').textContent.startsWith('second')")
        assert page.evaluate("document.activeElement.closest('tr').dataset.index") == "2"


# -- the record ----------------------------------------------------------------------------------------------------------
def test_the_graph_has_gaps_and_leads_to_positions(browser):
    with opened(browser, "tictactoe", ("a1", "b1", "c1", "a2", "b2")) as (recorded, page):
        for node, chance in ((0, 0.5), (1, 0.4), (4, 0.7)):
            recorded.nodes[node]["analysis"] = {"chance": chance, "mover": node % 2, "loss": None}
        recorded.send("state", recorded.state())
        page.wait_for_selector(".graph-line")
        wait_for(page, "document.querySelectorAll('.graph-line').length === 2")
        box = page.locator(".graph").bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.21, box["y"] + 20)
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert recorded.fields_of("goto") == {"node": 1}


def test_two_thousand_nodes_are_laid_out_and_only_those_in_sight_are_drawn(browser):
    recorded = RecordedServer("tictactoe")
    chance = random.Random(1)
    nodes = [recorded.nodes[0] | {"children": []}]
    for number in range(1, 2000):
        parent = nodes[-1] if chance.random() < 0.9 else chance.choice(nodes)
        node = {
            "id": number,
            "parent": parent["id"],
            "children": [],
            "move": "b2",
            "mover": number % 2,
            "ply": parent["ply"] + 1,
        }
        nodes.append(node | {"comment": "", "name": "", "setup": False, "analysis": None})
        parent["children"].append(number)
    recorded.nodes = nodes
    recorded.answers["goto"] = {}
    with serving(recorded) as address, watched(browser, address) as page:
        page.wait_for_selector(".node")
        assert 3 < page.locator(".node").count() < 400
        spots = page.evaluate(
            """async (nodes) => {
                const { layout } = await import('/static/tree.js');
                return [...layout(new Map(nodes.map((node) => [node.id, node])), 0).spots.values()];
            }""",
            nodes,
        )
        assert len(spots) == len({tuple(spot) for spot in spots}) == 2000
        assert max(row for _, row in spots) < 1000  # rows are used again
        page.locator("#tree").evaluate("tree => tree.scrollTo(1e6, 1e6)")
        page.wait_for_timeout(100)
        page.locator("#tree").evaluate("tree => tree.scrollTo(0, 0)")
        page.locator('[data-node="5"]').first.click()
        page.wait_for_timeout(50)
        assert recorded.fields_of("goto") == {"node": 5}


def test_comments_and_variations(browser):
    with opened(browser, "tictactoe", ("a1", "b1")) as (recorded, page):
        page.fill("#comment", "<img src=x onerror=alert(1)>")
        page.keyboard.press("Tab")
        wait_for(page, "document.querySelector('.node-comment') !== null")
        assert recorded.fields_of("comment") == {"node": 2, "text": "<img src=x onerror=alert(1)>"}
        recorded.answers["delete"] = {"undo": "as it was"}
        page.click("#delete")
        page.get_by_role("button", name="Put it back").click()
        page.wait_for_timeout(50)
        assert recorded.fields_of("restore") == {"undo": "as it was"}


def test_mistakes_are_listed(browser):
    with opened(browser, "tictactoe", ("a1", "b1")) as (recorded, page):
        page.click("#analyse-game")
        mistakes = [{"node": 1, "ply": 1, "mover": 0, "move": "a1", "best": "b2", "loss": 0.21}]
        recorded.send("progress", {"task": "analyse-game", "done": 2, "of": 2, "text": "", "final": True, "mistakes": mistakes})
        page.get_by_role("button", name="1. x a1: loses 21%, better b2").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")


# -- the search and the proof --------------------------------------------------------------------------------------------
CHILD = {
    "move": "a1", "visits": 30, "value": 0.2, "chance": 0.6, "prior": 0.5, "rave": None, "lower": -1, "upper": 1,
    "outcome": "unknown", "proven": False, "pruned": False, "cut": False, "children": 8, "worth": 0.71, "chosen": True,
    "terms": [{"name": "mean", "value": 0.6}, {"name": "exploration", "value": 0.11}],
}  # fmt: skip
TREE = {
    "rule": "uct", "formula": "mean + exploration", "paper": "Kocsis and Szepesvári 2006", "player": "uct",
    "node": {"visits": 50, "value": 0.1, "chance": 0.55, "lower": -1, "upper": 1, "to_move": 0, "moves": []},
    "children": [CHILD, CHILD | {"move": "b1", "pruned": True, "chosen": False, "children": 0, "terms": [], "worth": None}],
}  # fmt: skip
AFTER = {"visits": 51, "value": 0.12, "lower": -1, "upper": 1}
STEP = {
    "playouts": 51, "text": "One simulation.", "expanded": True, "line": ["a1"], "playout": ["b1", "c1"], "outcome": 1,
    "path": [{"move": None, "mover": 0, "before": {"visits": 50, "value": 0.1}, "after": AFTER}], "end": None,
}  # fmt: skip


def test_the_tree_of_the_search_and_one_simulation(browser):
    with opened(browser, "tictactoe", ("b2",)) as (recorded, page):
        end = draw(tesuji.game("tictactoe").start.play("b2", "a1", "b1"))
        recorded.answers |= {"tree": TREE, "step": STEP | {"end": end}}
        page.click("#tab-search")
        page.click("#explore")
        page.wait_for_selector(".explorer")
        assert page.inner_text(".formula").startswith("mean + exploration")
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


def test_a_proof_is_shown_saved_and_walked(browser):
    proof = {"proven": True, "outcome": "draw", "lower": 0, "upper": 0, "text": "a draw with perfect play", "certificate": True}
    held = {"game": "tictactoe", "text": "a draw with perfect play", "nodes": 12, "valid": True, "loser": None}
    with opened(browser, "tictactoe", (), proof=proof, certificate=held) as (recorded, page):
        page.click("#tab-proof")
        assert page.inner_text("#proof-text") == "Proven: a draw with perfect play"
        assert page.locator(".interval").get_attribute("aria-label") == "The value lies between 0 and 0."
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
        page.click("#certificate-walk")
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        assert "It takes the middle." in page.inner_text("#walk")
        place(page, "a1").click()
        page.wait_for_selector("#certificate-back:not([hidden])")
        assert recorded.fields_of("certificate-walk") == {"moves": ["b2", "a1"]}
        assert "move" not in recorded.names_asked()


# -- files ---------------------------------------------------------------------------------------------------------------
def test_files_in_and_out(browser, tmp_path):
    with opened(browser, "go:9", ("E5",)) as (recorded, page):
        recorded.answers |= {"sgf-open": {"games": 1, "notes": []}, "sgf-save": {"name": "game.sgf", "text": "(;FF[4])"}}
        page.set_input_files("#file-input", {"name": "a.sgf", "mimeType": "text/plain", "buffer": b"(;FF[4]C[\xc3\xa4])"})
        page.wait_for_selector("#toast p")
        assert recorded.fields_of("sgf-open") == {"text": "(;FF[4]C[ä])", "name": "a.sgf"}
        page.set_input_files("#file-input", {"name": "b.cert", "mimeType": "text/plain", "buffer": b"\x00\x01"})
        wait_for(page, "document.querySelector('#toast').textContent.includes('b.cert')")
        assert recorded.fields_of("certificate-open") == {"base64": "AAE=", "name": "b.cert"}
        saved = {}
        for button in ("#save-sgf", "#save-svg", "#save-png"):
            page.click("[popovertarget=file-menu]")
            with page.expect_download() as download:
                page.click(button)
            saved[button] = Path(download.value.path()).read_bytes()
            page.evaluate("document.querySelector('#file-menu').hidePopover()")
        assert saved["#save-sgf"] == b"(;FF[4])"
        assert saved["#save-svg"].startswith(b'<svg data-tesuji="board"')
        assert saved["#save-png"].startswith(b"\x89PNG")


def test_a_dropped_file_is_opened(browser):
    with opened(browser, "go:9") as (recorded, page):
        recorded.answers["sgf-open"] = {"games": 1, "notes": ["two moves were left out"]}
        page.evaluate(
            """() => {
                const data = new DataTransfer();
                data.items.add(new File(["(;GM[1])"], "dropped.sgf"));
                dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
            }"""
        )
        wait_for(page, "document.querySelector('#toast').textContent.includes('two moves were left out')")
        assert recorded.fields_of("sgf-open")["name"] == "dropped.sgf"


def test_a_position_is_set_up(browser):
    with opened(browser, "go:9") as (recorded, page):
        page.click("[popovertarget=file-menu]")
        page.click("#set-up")
        page.evaluate("document.querySelector('#file-menu').hidePopover()")
        place(page, "C3").click()
        page.get_by_role("radio", name="White").check()
        place(page, "D4").click()
        place(page, "E5").click()
        place(page, "E5").click()
        page.select_option("#set-up-turn", "1")
        page.click("#set-up-apply")
        page.wait_for_selector("#set-up-panel", state="hidden")
        assert recorded.fields_of("setup") == {"stones": {"C3": 0, "D4": 1}, "to_move": 1}
        assert "move" not in recorded.names_asked()


def test_a_link_is_opened_and_taken_from_the_address(browser):
    recorded = RecordedServer("tictactoe")
    with serving(recorded) as address, watched(browser, address + "/#game=go%3A9&moves=E5") as page:
        wait_for(page, "location.hash === ''")
        page.wait_for_timeout(50)
        assert recorded.fields_of("open-link") == {"fragment": "#game=go%3A9&moves=E5"}


# -- dialogs -------------------------------------------------------------------------------------------------------------
def test_a_new_game(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#new-game")
        dialog = page.locator("dialog[open]")
        dialog.get_by_label("Game", exact=True).select_option("go")
        dialog.get_by_label("Size").select_option("13")
        dialog.get_by_label("Who plays").nth(1).select_option("computer")
        dialog.get_by_label("Level").nth(1).select_option("3")
        dialog.get_by_role("button", name="Start").click()
        page.wait_for_selector('[data-surface="wood"]')
        asked = recorded.fields_of("new")
        assert asked["game"] == "go:13" and asked["sides"][0] == {"kind": "person"}
        assert asked["sides"][1]["kind"] == "computer" and asked["sides"][1]["level"] == 3
        assert page.locator(".place").count() == 169


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
        page.wait_for_timeout(50)
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
        dialog.get_by_role("button", name="Use").click()
        page.click("#analyse")
        page.wait_for_selector(".heat")
        assert recorded.fields_of("analyse") == {"on": True, "player": None, "parameters": {"exploration": 0.7, "cuts": False}}


def test_resigning_is_asked_about(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        page.click("#resign")
        page.get_by_role("button", name="Go on playing").click()
        page.click("#resign")
        page.get_by_role("button", name="Yes, resign").click()
        page.wait_for_timeout(50)
        assert recorded.names_asked().count("resign") == 1


# -- what goes wrong -----------------------------------------------------------------------------------------------------
def test_a_wrong_move_is_said_and_stays_typed(browser):
    with opened(browser, "tictactoe", allowed=REFUSED) as (_recorded, page):
        page.fill("#move-text", "z9")
        page.click("#move-form button")
        page.wait_for_selector("#alert p")
        assert "'z9' is not a legal move" in page.inner_text("#alert")
        assert page.input_value("#move-text") == "z9"


def test_a_lost_connection_is_said_and_comes_back(browser):
    with opened(browser, "tictactoe", ("b2",), allowed=("ERR_",)) as (recorded, page):
        page.fill("#move-text", "a1")
        recorded.drop()
        page.wait_for_selector("#banner:not([hidden])")
        assert "connection to Tesuji is lost" in page.inner_text("#banner")
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
        page.wait_for_timeout(100)
        assert len(recorded.streams) == 1  # it did not connect again


def test_a_search_that_dies_is_said(browser):
    with opened(browser, "tictactoe") as (recorded, page):
        recorded.send("engine-died", {"text": "The engine has stopped; the next search starts a new one."})
        page.wait_for_selector("#alert p")
        assert "The engine has stopped" in page.inner_text("#alert")
