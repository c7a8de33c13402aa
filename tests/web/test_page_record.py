"""The record of a game on the page: graph, game tree, comments, files, links."""

import base64
import random
from pathlib import Path

from browser import axe_violations, wait_for, watched
from recorded_page import REFUSED, Held, opened, place, settle, some_moves, wait_for_command
from recorded_server import RecordedServer, serving

from tesuji.core.picture.drawing import draw


# -- files -------------------------------------------------------------------------------------------------------------
def test_the_menu_closes_when_something_is_chosen(browser):
    with opened(browser, "go:5") as (_recorded, page):
        page.click("[popovertarget=file-menu]")
        page.wait_for_selector("#file-menu", state="visible")
        page.click("#set-up")
        page.wait_for_selector("#file-menu", state="hidden")
        assert page.locator("#set-up-panel").is_visible()


# -- the record --------------------------------------------------------------------------------------------------------
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
        page.wait_for_selector('[data-node="5"]', state="detached")
        page.locator("#tree").evaluate("tree => tree.scrollTo(0, 0)")
        page.locator('[data-node="5"]').first.click()
        wait_for_command(page, recorded, "goto")
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
        wait_for_command(page, recorded, "restore")
        assert recorded.fields_of("restore") == {"undo": "as it was"}


def test_a_variation_that_becomes_the_main_line_moves_up(browser):
    recorded = RecordedServer("tictactoe", ("a1", "b1"))
    branch = recorded.nodes[2] | {"id": 3, "parent": 1, "move": "c1"}
    recorded.nodes = [recorded.nodes[0], recorded.nodes[1] | {"children": [2, 3]}, recorded.nodes[2], branch]
    where = "(id) => document.querySelector(`[data-node='${id}']`)?.getAttribute('transform')"
    with serving(recorded) as address, watched(browser, address) as page:
        page.wait_for_selector("[data-node='3']")
        main, other = page.evaluate(where, 2), page.evaluate(where, 3)
        recorded.nodes[1] |= {"children": [3, 2]}
        recorded.send("state", recorded.state())
        wait_for(page, f"({where})(3) === '{main}'")
        assert page.evaluate(where, 2) == other != main


def test_arrow_keys_do_not_wait_for_the_server(browser):
    """Each press moves, on the board too, and the server follows to where the person is by then."""
    with opened(browser, "go:9", some_moves("go:9", 30)) as (recorded, page):
        wait_for_command(page, recorded, "drawings", 2)
        settle(page)
        held = Held(recorded, "goto")
        for _ in range(20):
            page.keyboard.press("ArrowLeft")
        held.wait(page)
        wait_for(page, "document.querySelector('.node.here').dataset.node === '10'")
        here = recorded.positions[10]
        assert page.locator(".piece").count() == len(draw(here)["pieces"])
        assert page.locator(".place.legal").count() == 0  # what can be played there is not known yet
        held.free.set()
        wait_for(page, "document.body.dataset.turn === 'yours'")
        assert recorded.current == 10 and recorded.names_asked().count("goto") <= 3
        page.keyboard.press("ArrowRight")
        page.fill("#move-text", "pass")
        page.keyboard.press("Enter")  # it is meant for the position that is shown
        wait_for_command(page, recorded, "move")
        assert [name for name in recorded.names_asked() if name in ("goto", "move")][-2:] == ["goto", "move"]


def test_mistakes_are_listed(browser):
    with opened(browser, "tictactoe", ("a1", "b1")) as (recorded, page):
        page.fill("#analyse-game-playouts", "500")
        page.click("#analyse-game")
        wait_for_command(page, recorded, "analyse-game")
        assert recorded.fields_of("analyse-game")["playouts"] == 500
        mistakes = [{"node": 1, "ply": 1, "mover": 0, "move": "a1", "best": "b2", "loss": 0.21}]
        recorded.send("progress", {"task": "analyse-game", "done": 2, "of": 2, "text": "", "final": True, "mistakes": mistakes})
        page.get_by_role("button", name="1. x a1: loses 21%, better b2").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")


# -- files -------------------------------------------------------------------------------------------------------------
def test_files_in_and_out(browser, tmp_path):
    with opened(browser, "go:9", ("E5",)) as (recorded, page):
        recorded.answers |= {"sgf-open": {"games": 1, "notes": []}, "sgf-save": {"name": "game.sgf", "text": "(;FF[4])"}}
        page.set_input_files("#file-input", {"name": "a.sgf", "mimeType": "text/plain", "buffer": b"(;FF[4]C[\xc3\xa4])"})
        page.wait_for_selector("#toast p")
        assert recorded.fields_of("sgf-open") == {"base64": base64.b64encode(b"(;FF[4]C[\xc3\xa4])").decode(), "name": "a.sgf"}
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


def test_earlier_games_can_be_opened_again(browser):
    """After a new game, and without the server."""
    text = "(;GM[1]SZ[9];B[ee](;W[cc])(;W[gg]))"
    with opened(browser, "go:9", ("E5", "C7"), allowed=REFUSED) as (recorded, page):
        recorded.answers |= {"sgf-save": {"name": "go-9.sgf", "text": text}, "sgf-open": {"games": 1, "notes": []}}
        page.click("#new-game")
        page.get_by_role("button", name="Start", exact=True).click()
        wait_for(page, "document.querySelector('#toast').textContent.includes('Earlier games')")
        place(page, "A1").click()
        wait_for(page, "document.querySelectorAll('.piece').length === 1")
        recorded.answers["sgf-save"] = {"name": "go-9.sgf", "text": "(;GM[1]SZ[9];B[ai])"}
        page.click("[popovertarget=file-menu]")
        page.click("#earlier")
        games = page.locator(".earlier button")
        games.first.wait_for()
        assert games.count() == 2 and "2 moves" in games.nth(1).inner_text() and "1 move" in games.nth(0).inner_text()
        assert axe_violations(page) == []
        games.nth(1).click()
        wait_for_command(page, recorded, "sgf-open")
        assert recorded.fields_of("sgf-open")["text"] == text
        recorded.failures["sgf-save"] = (400, {"error": "gone"})
        page.click("[popovertarget=file-menu]")
        with page.expect_download() as download:
            page.click("#save-sgf")
        assert Path(download.value.path()).read_text() == "(;GM[1]SZ[9];B[ai])"


def test_game_information_is_shown_and_changed(browser):
    with opened(browser, "go:9", info={"black": "Lee", "date": "2016"}) as (recorded, page):
        assert "Lee" in page.locator(".player").first.inner_text() and "a person" in page.locator(".player").last.inner_text()
        page.click("[popovertarget=file-menu]")
        page.click("#game-info")
        dialog = page.locator("dialog[open]")
        assert dialog.get_by_label("Date").input_value() == "2016"
        dialog.get_by_label("White").fill("Fan")
        assert axe_violations(page) == []
        dialog.get_by_role("button", name="Apply").click()
        wait_for_command(page, recorded, "info")
        values = recorded.fields_of("info")["values"]
        assert (values["black"], values["white"], values["date"], values["event"]) == ("Lee", "Fan", "2016", "")


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
        wait_for_command(page, recorded, "open-link")
        assert recorded.fields_of("open-link") == {"fragment": "#game=go%3A9&moves=E5"}
