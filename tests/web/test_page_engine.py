"""The page with its real server and a real engine: one whole game of each type by mouse, one by keyboard alone.

The engine runs in pure Python with few playouts, so nothing is compiled; the page cannot tell the difference.
"""

import contextlib
import gzip
import json
import os
import re
import signal
import subprocess
import sys
from urllib.parse import urlencode, urlsplit

import pytest
from browser import axe_violations, shared_browser, wait_for, watched

pytest.importorskip("starlette", reason="the page needs starlette")
pytest.importorskip("uvicorn", reason="the page needs uvicorn")

COMPUTER = {"kind": "computer", "level": 10, "player": "uct", "parameters": {}, "playouts": 6}
SIDES = [{"kind": "person"}, COMPUTER]
GAMES = [
    "tictactoe",
    "connect4:4x3:3",
    "go:3",
    "hex:3",
    "hex:2:swap=on",
    "loa:8/2b5/8/2b1w3/8/8/3w4/8:b",
    "dotsandboxes:1x2",
    "samegame:3x4:1",
    "seki:1,1,1",
    "semeai:2,2",
]
MOST_TURNS = 60


@contextlib.contextmanager
def served():
    """The address of `tesuji play`, which is told to end at the end, and must."""
    words = [sys.executable, "-m", "tesuji", "play", "tictactoe", "--no-browser", "--side", "both"]
    environment = {**os.environ, "TESUJI_PURE": "1"}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment)
    try:
        found = re.search(r"http://\S+", process.stdout.readline() + process.stdout.readline())
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def page():
    """One page for all games: its address works once."""
    with served() as address, watched(shared_browser.open(), address) as found:
        assert urlsplit(found.url).path == "/" and "#" not in found.url
        yield found


def begin(page, game, sides=SIDES):
    """Opens a game by its link."""
    link = "#" + urlencode({"game": game, "sides": json.dumps(sides)})
    with page.expect_response("**/api/open-link"):
        page.evaluate("(link) => { location.hash = link; }", link)
    wait_for(page, f"document.querySelector('#game-name').title === {json.dumps(game)}")
    wait_for(page, "document.querySelector('#go-previous').disabled")


MY_TURN = """(() => {
    if (document.querySelector('#status.over') || !document.querySelector('#scoring').hidden) return 'end';
    return document.body.dataset.turn === 'yours' ? 'mine' : '';
})()"""


def play_to_the_end(page, move):
    """Makes moves until the game is over; in Go, agrees on the score then."""
    for _ in range(MOST_TURNS):
        wait_for(page, MY_TURN)
        if page.evaluate(MY_TURN) == "end":
            break
        before = page.evaluate("document.body.dataset.ply")
        move()
        wait_for(page, f"document.body.dataset.ply > {before}")
    if page.locator("#scoring").is_visible():
        page.locator("#agree:not([disabled])").click()  # dead stones are looked for in pure Python
    page.wait_for_selector("#status.over")
    assert page.inner_text("#message")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_mouse(page, game):
    begin(page, game)

    def move():
        passes = page.get_by_role("button", name="Pass", exact=True)
        if game.startswith("go") and passes.count() and page.evaluate("document.body.dataset.ply > 6"):
            return passes.click()
        if page.locator(".place.legal").count() == 0:
            return page.locator("#special-moves button").first.click()
        page.locator(".place.legal .hit").first.click(force=True)
        if game.startswith("loa"):
            box = page.locator(".target").first.bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return None

    play_to_the_end(page, move)


def test_a_whole_game_by_keyboard_alone(page):
    begin(page, "connect4:4x3:3")
    page.keyboard.press("Escape")
    page.keyboard.press("b")

    def move():
        for _ in range(4):
            if page.evaluate("document.activeElement.classList.contains('legal')"):
                break
            page.keyboard.press("ArrowLeft" if page.evaluate("document.activeElement.dataset.name[0] !== '1'") else "End")
            page.keyboard.press("b")
        else:
            page.keyboard.press("m")
            page.keyboard.type(page.evaluate("document.querySelector('.place.legal').dataset.name[0]"))
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        page.keyboard.press("b")

    play_to_the_end(page, move)


def test_undo_redo_and_a_reload(page):
    people = [{"kind": "person"}, {"kind": "person"}]
    begin(page, "tictactoe", people)
    page.click('.place[data-name="b2"] .hit')
    wait_for(page, "document.querySelectorAll('.piece').length === 1")
    page.click("#undo")
    wait_for(page, "document.querySelectorAll('.piece').length === 0")
    page.click("#redo")
    wait_for(page, "document.querySelectorAll('.piece').length === 1")
    page.reload()  # the state survives it
    page.wait_for_selector("body.ready")
    wait_for(page, "document.querySelectorAll('.piece').length === 1")


def test_analysis_search_tree_step_and_proof(page):
    begin(page, "tictactoe", [{"kind": "person"}, {"kind": "person"}])
    page.click('.place[data-name="b2"] .hit')
    wait_for(page, "document.querySelectorAll('.piece').length === 1")
    page.keyboard.press("a")
    page.wait_for_selector(".heat")
    page.click("#tab-search")
    page.click("#explore")
    page.wait_for_selector(".explorer th[scope=row]")
    assert page.locator(".explorer th[scope=row]").count() == 8
    assert axe_violations(page) == []
    page.keyboard.press("a")
    wait_for(page, "document.querySelector('#analyse').getAttribute('aria-pressed') === 'false'")
    for number, name in enumerate(("a1", "c3"), 2):  # less is left to prove
        page.click(f'.place[data-name="{name}"] .hit')
        wait_for(page, f"document.querySelectorAll('.piece').length === {number}")
    page.click("#tab-proof")
    page.click("#solve")
    page.wait_for_selector("#certificate-save:not([hidden])")
    assert page.inner_text("#proof-text") == "Proven: a draw with perfect play"
    with page.expect_download() as download:
        page.click("#certificate-save")
    with page.expect_file_chooser() as chooser:
        page.click("#certificate-open")
    chooser.value.set_files(download.value.path())
    page.wait_for_selector("#certificate:not([hidden])")
    page.click("#certificate-walk button")
    page.wait_for_selector("#walk p")
    before = page.locator(".piece").count()
    page.locator(".place.legal .hit").first.click(force=True)
    wait_for(page, f"document.querySelectorAll('.piece').length > {before}")
    assert axe_violations(page) == []
    page.click("#certificate-close")


def test_a_record_is_saved_and_opened(page, tmp_path):
    begin(page, "go:3", [{"kind": "person"}, {"kind": "person"}])
    page.click('.place[data-name="B2"] .hit')
    wait_for(page, "document.querySelectorAll('.piece').length === 1")
    page.click("#tab-game")
    page.fill("#comment", "the middle")
    page.locator("#comment").blur()
    page.wait_for_selector(".node-comment")
    page.click("[popovertarget=file-menu]")
    with page.expect_download() as download:
        page.click("#save-sgf")
    page.evaluate("document.querySelector('#file-menu').hidePopover()")
    file = tmp_path / "game.sgf"
    download.value.save_as(file)
    assert "the middle" in file.read_text()
    begin(page, "tictactoe")
    page.set_input_files("#file-input", file)
    wait_for(page, "document.querySelectorAll('.place').length === 9 && document.querySelector('[data-surface=wood]') !== null")


RECORD = "(;FF[4]GM[1]CA[{charset}]SZ[3];B[bb]C[{comment}])"


@pytest.mark.parametrize(
    ("name", "data", "comment"),
    [
        ("latin.sgf", RECORD.format(charset="ISO-8859-1", comment="schöner Zug").encode("latin-1"), "schöner Zug"),
        ("korean.sgf", RECORD.format(charset="EUC-KR", comment="바둑").encode("euc-kr"), "바둑"),
        ("chinese.SGF", RECORD.format(charset="GBK", comment="囲棋").encode("gbk"), "囲棋"),
        ("wide.sgf", RECORD.format(charset="UTF-16", comment="碁").encode("utf-16"), "碁"),
        ("packed.sgf.gz", gzip.compress(RECORD.format(charset="Shift_JIS", comment="碁").encode("shift_jis")), "碁"),
    ],
    ids=["latin-1", "euc-kr", "gbk", "utf-16", "gzip"],
)
def test_a_record_in_another_character_set_is_read(page, name, data, comment):
    begin(page, "tictactoe", [{"kind": "person"}, {"kind": "person"}])
    page.set_input_files("#file-input", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
    wait_for(page, "document.querySelector('[data-surface=wood]') !== null")
    page.click("#tab-game")
    wait_for(page, f"document.querySelector('#comment').value === {json.dumps(comment)}")


def test_parameters_of_a_real_player(page):
    begin(page, "tictactoe", [{"kind": "person"}, {"kind": "person"}])
    page.click("#tab-analysis")
    page.click("#analysis-parameters")
    page.wait_for_selector(".parameter")
    assert page.locator(".parameter").count() > 5
    assert axe_violations(page) == []
    page.get_by_role("button", name="Cancel").click()
    page.click("#new-game")
    page.wait_for_selector("dialog[open] fieldset")
    assert axe_violations(page) == []
    page.keyboard.press("Escape")


def test_a_whole_game_is_analysed_and_gets_a_variation(page):
    begin(page, "tictactoe", [{"kind": "person"}, {"kind": "person"}])
    page.click("#tab-game")
    for number, name in enumerate(("b2", "b1", "a1", "c3"), 1):
        page.click(f'.place[data-name="{name}"] .hit')
        wait_for(page, f"document.querySelectorAll('.piece').length === {number}")
    page.fill("#analyse-game-playouts", "300")
    page.click("#analyse-game")
    page.wait_for_selector("#mistakes:not([hidden])")
    assert page.locator("#mistakes-list button").first.inner_text().startswith("2. o b1: loses")
    page.locator("#mistakes-list button").first.click()
    wait_for(page, "document.querySelectorAll('.piece').length === 2")
    assert page.locator(".graph-line").count() == 1
    page.click('.place[data-name="c2"] .hit')  # a variation
    wait_for(page, "document.querySelectorAll('.node').length === 6")
    page.click("#promote")
    wait_for(page, "document.querySelector('#promote').disabled")
    page.click("#delete")
    wait_for(page, "document.querySelectorAll('.node').length === 5")
    page.get_by_role("button", name="Put it back").click()
    wait_for(page, "document.querySelectorAll('.node').length === 6")


def test_a_hint(page):
    begin(page, "tictactoe", [{"kind": "person"}, {"kind": "person"}])
    page.click("#hint")
    page.wait_for_selector(".heat")


def test_a_position_is_set_up(page):
    begin(page, "hex:3", [{"kind": "person"}, {"kind": "person"}])
    page.click("[popovertarget=file-menu]")
    page.click("#set-up")
    page.evaluate("document.querySelector('#file-menu').hidePopover()")
    page.click('.place[data-name="b2"] .hit')
    page.get_by_role("radio", name="White").check()
    page.click('.place[data-name="a1"] .hit')
    page.select_option("#set-up-turn", "0")
    page.click("#set-up-apply")
    page.wait_for_selector("#set-up-panel", state="hidden")
    wait_for(page, "document.querySelectorAll('.piece').length === 2 && document.body.dataset.turn === 'yours'")
    page.click('.place[data-name="b1"] .hit')
    wait_for(page, "document.querySelectorAll('.piece').length === 3")
