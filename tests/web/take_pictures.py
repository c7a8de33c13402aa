"""Takes pictures of the page in a browser.

    python tests/web/take_pictures.py readme        # docs/images/page-*.png, with a real engine: what `make pictures` runs
    python tests/web/take_pictures.py all FOLDER    # every game, light and dark, phone and desktop
    python tests/web/take_pictures.py panels FOLDER # panels and dialogs, with a real engine

The last two are for looking at after a change of the page's style. The analyses of `all` are recorded: nothing is compiled.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import DESKTOP, PHONE, NoBrowser, launched, wait_for, watched
from recorded_server import RecordedServer, serving

import tesuji
from tesuji.core.picture.drawing import draw

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
README_SIZE = {"width": 1120, "height": 750}
GO_MOVES = "E5 C6 G4 C4 D4 C3 D3 D5 E4 E7 G6 D7"
CONNECT4_MOVES = "4 4 4 5 3 4"
GAMES = {
    "go:9": 24,
    "go:19": 60,
    "hex:11": 20,
    "hex:5:swap=on": 1,
    "loa": 8,
    "connect4:7x6": 12,
    "tictactoe": 3,
    "dotsandboxes:4x4": 24,
    "samegame:10x10:1": 3,
    "seki:3,4": 2,
    "semeai:5,4": 2,
}


# -- those of the README ---------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def playing(*words: str) -> Iterator[str]:
    """The address of `tesuji play`."""
    command = [sys.executable, "-m", "tesuji", "play", *words, "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline() + process.stdout.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    finally:
        process.kill()
        process.wait()


def take_of_analysis(browser: Any, name: str, scheme: str, visits: int, *words: str) -> None:
    """The position after some moves, with an analysis of so many visits of its best move."""
    with playing(*words) as address, watched(browser, address, viewport=README_SIZE, color_scheme=scheme) as page:
        page.click("#tab-analysis")
        page.click("#analyse")
        best = "Number((document.querySelector('.moves .col-visits:not(th)')?.textContent || '0').replaceAll(',', ''))"
        wait_for(page, f"{best} > {visits}", 300)
        page.mouse.move(5, 5)
        page.screenshot(path=IMAGES / f"{name}.png")
        print(IMAGES / f"{name}.png")


def take_readme() -> None:
    with launched() as browser:
        take_of_analysis(browser, "page-go", "light", 8_000, "go:9", "--moves", GO_MOVES)
        take_of_analysis(browser, "page-connect4", "dark", 100_000, "connect4:7x6", "--moves", CONNECT4_MOVES)


# -- all -------------------------------------------------------------------------------------------------------------------
def some_moves(position: Any, count: int) -> tuple[str, ...]:
    chance = random.Random(5)
    for _ in range(count):
        legal = [move["text"] for move in draw(position)["moves"]]
        placed = [move["text"] for move in draw(position)["moves"] if move["at"]]
        position = position.play(chance.choice(placed or legal))
    return position.moves


def own_games(folder: Path) -> dict[str, int]:
    """A game of someone's own with a board and one without: the example, and that of the tutorial."""
    tutorial = (ROOT / "docs" / "your-own-game.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", tutorial, re.DOTALL)
    assert code is not None
    (folder / "coins.py").write_text(code[1], encoding="utf-8")
    return {f"{ROOT / 'examples' / 'col.py'}:game": 6, f"{folder / 'coins.py'}:game": 3}


def take_all(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with launched() as browser, tempfile.TemporaryDirectory() as own:
        for name, count in {**GAMES, **own_games(Path(own))}.items():
            moves = some_moves(tesuji.game(name).start, count)
            for size, viewport in (("desktop", DESKTOP), ("phone", PHONE)):
                for scheme in ("light", "dark"):
                    recorded = RecordedServer(name, moves)
                    with (
                        serving(recorded) as address,
                        watched(browser, address, viewport=viewport, color_scheme=scheme) as page,
                    ):
                        title = re.sub(r"[^\w.-]+", "-", name.rpartition("/")[2])
                        page.wait_for_timeout(50)
                        page.screenshot(path=folder / f"{title}-{size}-{scheme}.png", full_page=size == "phone")
                        page.click("#tab-analysis")
                        page.click("#analyse")
                        wait_for(page, "document.querySelector('.moves tbody tr') !== null")
                        page.evaluate("scrollTo(0, 0)")
                        page.screenshot(path=folder / f"{title}-{size}-{scheme}-analysis.png", full_page=size == "phone")


def take_panels(folder: Path) -> None:
    """Dialogs, panels and what lies on the board, by a real engine."""
    folder.mkdir(parents=True, exist_ok=True)
    people = ("--side", "both", "--moves", CONNECT4_MOVES)
    with launched() as browser:
        for size, viewport, scheme in (("desktop", DESKTOP, "light"), ("phone", PHONE, "dark")):
            look = {"viewport": viewport, "color_scheme": scheme}
            with playing("connect4:7x6", *people) as address, watched(browser, address, **look) as page:

                def take(name: str, page: Any = page, size: str = size) -> None:
                    page.wait_for_timeout(100)
                    page.screenshot(path=folder / f"panel-{name}-{size}.png", full_page=size == "phone")

                page.click("#analyse-game")
                page.wait_for_selector("#mistakes:not([hidden])", timeout=120_000)
                take("game")
                page.click("#tab-analysis")
                page.click("details summary")
                page.click("#compare-run")
                wait_for(page, "document.querySelectorAll('.compared').length > 4", 60)
                page.wait_for_selector("#stop", state="hidden", timeout=60_000)
                page.mouse.move(5, 5)
                take("compare")
                page.click("#tab-search")
                page.click("#explore")
                page.wait_for_selector(".explorer th[scope=row]")
                page.click("#step")
                page.wait_for_selector("#step-result td")
                take("search")
                page.click("#tab-proof")
                page.click("#solve")
                wait_for(page, "document.querySelector('#proof-text').textContent !== ''", 60)
                take("proof")
                page.click("#solve")
                page.click("#new-game")
                page.wait_for_selector("dialog[open] fieldset")
                page.get_by_label("Who plays").nth(1).select_option("computer")
                page.locator("details.more summary").nth(1).click()
                page.wait_for_selector(".more .parameter")
                take("new")
                page.keyboard.press("Escape")
                page.click("#help")
                take("help")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("readme", "all", "panels"))
    parser.add_argument("folder", nargs="?", type=Path)
    args = parser.parse_args()
    if args.what == "readme":
        take_readme()
    elif args.folder is None:
        parser.error(f"{args.what}: into which folder?")
    elif args.what == "panels":
        take_panels(args.folder)
    else:
        take_all(args.folder)


if __name__ == "__main__":
    try:
        main()
    except NoBrowser as error:
        raise SystemExit(str(error)) from None
