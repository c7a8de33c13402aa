"""How long the page takes from a click to what it shows, while the engine searches.

    python benchmarks/page_latency.py [--game go:9] [--threads N] [--clicks 30]

Needs Playwright and Chromium. Two people play; the analysis runs on N threads (all processors but one). Two times are measured
in the browser for every move: until the frame after the click is painted with the pointer's effect (Event Timing), and until
the frame with the new piece, which went through the server and the rules.

    python benchmarks/page_latency.py --keys 200 [--moves 500] [--rate 20]

presses arrow keys in a game of so many random moves of Go 19x19, so many a second, while the engine thinks, and measures from
each press to the next frame (Event Timing), and where the board was at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

from playwright.sync_api import sync_playwright

OBSERVE = """() => {
    window.inputs = []; window.pieces = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (entry.name === 'click') window.inputs.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    let clicked = 0;
    addEventListener('click', () => { clicked = performance.now(); }, true);
    new MutationObserver(() => {
        if (!clicked) return;
        const began = clicked;
        clicked = 0;
        requestAnimationFrame(() => requestAnimationFrame((now) => window.pieces.push(now - began)));
    }).observe(document.querySelector('.layer-pieces'), { childList: true });
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="go:9")  # never proven, so that the engine searches all the time
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--clicks", type=int, default=30)
    parser.add_argument("--keys", type=int, default=0)
    parser.add_argument("--moves", type=int, default=500)
    parser.add_argument("--rate", type=float, default=20.0)
    args = parser.parse_args()
    if args.keys:
        return measure_keys(args)
    words = [sys.executable, "-m", "tesuji", "play", args.game, "--no-browser", "--side", "both"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline() + server.stdout.readline())
        assert found is not None
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(found[0])
            page.wait_for_selector("body.ready")
            analyse(page, args.threads)
            page.wait_for_selector(".heat", timeout=300_000)
            page.evaluate(OBSERVE)
            for number in range(args.clicks):
                places = page.locator(".place.legal .hit")
                if places.count() == 0 or number % 20 == 19:
                    page.keyboard.press("Home")
                    page.wait_for_timeout(500)
                places = page.locator(".place.legal .hit")
                places.nth(number * 7 % places.count()).click(force=True)
                page.wait_for_timeout(400)
            inputs, pieces = page.evaluate("[window.inputs, window.pieces]")
            speed = page.inner_text("#summary-0")
            browser.close()
    finally:
        server.terminate()
        server.wait()
    # Event Timing leaves out what took less than 16 ms, so the missing ones are counted as 16.
    inputs += [16.0] * (args.clicks - len(inputs))
    print(json.dumps({"clicks": args.clicks, "threads": args.threads, "input_ms": spread(inputs), "piece_ms": spread(pieces)}))
    print(speed)


def measure_keys(args) -> None:
    """Half of the keys go back, half forward."""
    import random
    import tempfile

    import tesuji
    from tesuji.io.sgf import Record, record_tree, sgf_text

    game, chance = tesuji.game("go:19"), random.Random(1)
    state, record = game.new_state(), Record(game)
    while len(record.turns) < args.moves:
        legal = game.legal_moves(state)
        move = chance.choice([move for move in legal if game.board.point(state, move)] or legal)
        record.add(int(tesuji.rules.to_play(state)), move)
        tesuji.rules.play(state, move)
    with tempfile.NamedTemporaryFile("w", suffix=".sgf") as file:
        file.write(sgf_text([record_tree(record)]))
        file.flush()
        words = [sys.executable, "-m", "tesuji", "play", "--sgf", file.name, "--no-browser", "--side", "both"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline() + server.stdout.readline())
            assert found is not None
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 860})
                page.goto(found[0])
                page.wait_for_selector("body.ready", timeout=120_000)
                page.click("#tab-analysis")
                page.click("#analyse")
                page.wait_for_selector(".heat", timeout=600_000)
                page.click("#tab-game")
                page.evaluate(OBSERVE.replace("'click'", "'keydown'"))
                at = "Number(document.querySelector('.node.here text')?.textContent ?? 0)"
                before, key = page.evaluate(at), "ArrowLeft"
                for number in range(args.keys):
                    key = "ArrowLeft" if number < args.keys / 2 else "ArrowRight"
                    page.keyboard.press(key)
                    page.wait_for_timeout(1000 / args.rate)
                page.wait_for_timeout(100)
                after, inputs = page.evaluate(at), page.evaluate("window.inputs")
                browser.close()
        finally:
            server.terminate()
            server.wait()
    inputs += [16.0] * (args.keys - len(inputs))
    print(json.dumps({"keys": args.keys, "key_ms": spread(inputs), "began_at": before, "ended_at": after}))


def analyse(page, threads: int) -> None:
    """Switches the analysis on, with so many threads."""
    page.click("#tab-analysis")
    page.click("#analysis-parameters")
    page.get_by_label("threads", exact=True).fill(str(threads))
    page.get_by_role("button", name="Use", exact=True).click()
    page.click("#analyse")


def spread(times: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(times), 1), "largest": round(max(times), 1), "count": len(times)}


if __name__ == "__main__":
    main()
