"""The page before a recorded engine, and what several tests of it need."""

import contextlib
import random
import threading

from browser import watched
from recorded_server import RecordedServer, serving

import tesuji
from tesuji.core.picture.drawing import draw

REFUSED = ("status of 400",)  # on the console, when a command is refused
CHILD = {
    "move": "a1", "visits": 30, "value": 0.2, "chance": 0.6, "prior": 0.5, "rave": None, "lower": -1, "upper": 1,
    "outcome": "unknown", "proven": False, "pruned": False, "cut": False, "children": 8, "worth": 0.71, "chosen": True,
    "terms": [{"name": "mean", "value": 0.6}, {"name": "exploration", "value": 0.11}],
}  # fmt: skip
TREE = {
    "rule": "uct", "formula": "mean + exploration", "about": "Kocsis and Szepesvári 2006", "player": "uct",
    "node": {"visits": 50, "value": 0.1, "chance": 0.55, "lower": -1, "upper": 1, "to_move": 1, "moves": []},
    "children": [CHILD, CHILD | {"move": "b1", "pruned": True, "chosen": False, "children": 0, "terms": [], "worth": None}],
}  # fmt: skip
AFTER = {"visits": 51, "value": 0.12, "lower": -1, "upper": 1}
STEP = {
    "playouts": 51, "text": "One simulation.", "expanded": True, "line": ["a1"], "playout": ["b1", "c1"], "outcome": 1,
    "path": [{"move": None, "mover": 0, "before": {"visits": 50, "value": 0.1}, "after": AFTER}], "end": None,
}  # fmt: skip


def some_moves(name, count):
    """Random moves, each at a place of the board."""
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


def choose_game(page, name):
    """In the dialog for a new game."""
    page.locator(f'dialog[open] .card:has(input[value="{name}"])').click()


def open_more(page):
    """What the dialog for a new game keeps under More."""
    page.locator("dialog[open] .more > summary").first.click()


def place(page, name):
    return page.locator(f'.place[data-name="{name}"]')


def wait_for_command(page, recorded, name, count=1, seconds=60.0):
    """Until the page has sent a command so many times."""
    for _ in range(round(seconds * 50)):
        if recorded.names_asked().count(name) >= count:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never asked: {name}")


def settle(page):
    """Until the page has taken in whatever was sent to it: a further command and its answer come after that."""
    sent = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}"
    page.evaluate(f"fetch('/api/games', {sent}).then(() => 0)")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


class Held:
    """Answers of a recorded server that wait until they are let go."""

    def __init__(self, recorded, *names):
        self.recorded, self.names = recorded, names
        self.free, self.waiting = threading.Event(), 0
        self._answer = recorded.answer
        recorded.answer = self.answer

    def answer(self, name, fields):
        if name in self.names and not self.free.is_set():
            self.waiting += 1
            found = self._answer(name, fields)
            assert self.free.wait(60)
            return found
        return self._answer(name, fields)

    def wait(self, page, count=1):
        for _ in range(3000):
            if self.waiting >= count:
                return
            page.wait_for_timeout(20)
        raise AssertionError("nothing was asked")
