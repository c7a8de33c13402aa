"""How long the first reply of the computer takes on the page, with an empty cache of compiled code.

    python benchmarks/first_reply.py [GAME ...] [--rounds 3] [--level 5]

Needs Playwright and Chromium. Each time a server of its own starts; as soon as the page takes moves, the first legal move is
typed, and the time until the computer's move is on the page is measured. Compiling began when the page opened the game. Not for
games whose turn is several moves, as in Amazons: name the others.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import Page, sync_playwright

import tesuji
from tesuji.games.registry import ENTRIES

PLIES = "Number(document.querySelector('.node.here text')?.textContent ?? 0)"
LONGEST = 300.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--level", default="5")
    args = parser.parse_args()
    games = args.games or [entry.example for entry in ENTRIES if tesuji.game(entry.example).players == 2]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for game in games:
            times = [first_reply(browser.new_page(), game, args.level) for _ in range(args.rounds)]
            shown = " ".join(f"{seconds:.1f}" for seconds in sorted(times))
            print(f"{game:<16} median {statistics.median(times):5.1f} s   ({shown})", flush=True)
        browser.close()


def first_reply(page: Page, game: str, level: str) -> float:
    words = [sys.executable, "-m", "tesuji", "play", game, "--no-browser", "--level", level]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TESUJI_CACHE_DIR": folder}
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline() + server.stdout.readline())
            assert found is not None, "no address"
            page.goto(found[0])
            page.wait_for_selector("body.ready", timeout=LONGEST * 1000)
            page.fill("#move-text", tesuji.game(game).start.legal_moves[0])
            began = time.perf_counter()
            page.keyboard.press("Enter")
            while page.evaluate(PLIES) < 2:
                assert time.perf_counter() - began < LONGEST, f"{game}: no reply"
                page.wait_for_timeout(20)
            return time.perf_counter() - began
        finally:
            page.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
