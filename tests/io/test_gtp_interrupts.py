"""What comes in while a search is under way: GoGui's interrupt ends it, any line ends an analysis, and nothing else does."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Iterator

import pytest

from tesuji.games.registry import find_game
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.server import serve
from tesuji.players.presets import find_player

pytestmark = pytest.mark.usefixtures("pure_gtp")

LONG = "uct:playouts=1000000000,memory=4,solver=off"
PATIENCE = 60.0  # seconds until a test has failed


class Controller:
    """The other end of a GTP engine that runs in a thread: lines go in at any time, answers come out."""

    def __init__(self, game: str, player: str):
        self.input: queue.Queue[bytes] = queue.Queue()
        self.output: queue.Queue[str] = queue.Queue()
        self.engine = Engine(find_game(game), find_player(player), seed=1)
        self.written = ""
        self.thread = threading.Thread(target=serve, args=(self.engine, lambda _count: self.input.get(), self.output.put))
        self.thread.start()

    def send(self, *lines: str) -> None:
        self.input.put("".join(f"{line}\n" for line in lines).encode())

    def until(self, pattern: str) -> str:
        """What is written up to the end of what the pattern finds."""
        while (found := re.search(pattern, self.written, re.DOTALL)) is None:
            self.written += self.output.get(timeout=PATIENCE)
        self.written, text = self.written[found.end() :], self.written[: found.end()]
        return text

    def answer(self) -> str:
        return self.until(r"\n\n")

    def wait_for_search(self) -> None:
        """Until the search under way has done something."""
        while self.engine.search is None or self.engine.search.playouts == 0:
            assert self.thread.is_alive()
            threading.Event().wait(0.005)

    def close(self) -> None:
        self.send("# interrupt")
        self.input.put(b"")
        self.thread.join(PATIENCE)


@pytest.fixture
def controller() -> Iterator[Controller]:
    one = Controller("connect4", LONG)
    yield one
    one.close()
    assert not one.thread.is_alive()


@pytest.mark.parametrize("command", ["genmove b", "reg_genmove b", "tesuji-search", "tesuji-pv b", "lz-genmove_analyze b 5"])
def test_gogui_interrupts_whatever_searches(controller, command):
    controller.send(f"1 {command}")
    controller.wait_for_search()
    controller.send("# interrupt")
    assert controller.answer().startswith("=1")
    controller.send("2 name")
    assert controller.answer() == "=2 Tesuji\n\n"


def test_an_interrupt_that_comes_too_late_ends_nothing(controller):
    controller.send("1 name", "# interrupt")
    assert controller.answer() == "=1 Tesuji\n\n"
    controller.send("2 tesuji-param playouts 50", "3 genmove b", "4 tesuji-search")
    answers = [controller.answer() for _ in range(3)]
    assert answers[0] == "=2 \n\n" and re.fullmatch(r"=3 [A-G]1\n\n", answers[1])
    assert controller.engine.search is not None


def test_an_interrupt_ends_only_what_came_before_it(controller):
    controller.send("1 genmove b", "# interrupt", "2 tesuji-param playouts 30", "3 genmove w")
    assert re.fullmatch(r"=1 [A-G]1\n\n", controller.answer())
    assert controller.answer() == "=2 \n\n"
    assert re.fullmatch(r"=3 [A-G][12]\n\n", controller.answer())
    assert len(controller.engine.played.moves()) == 2


def test_another_command_waits_for_a_move_under_way(controller):
    """By GTP, commands are answered in turn: only the interrupt is heard at once."""
    controller.send("1 genmove b")
    controller.wait_for_search()
    controller.send("2 name", "", "# a remark", "# interrupt")
    assert re.fullmatch(r"=1 [A-G]1\n\n", controller.answer())
    assert controller.answer() == "=2 Tesuji\n\n"


@pytest.mark.parametrize("line", ["", "stop", "# interrupt", "play b D1", "genmove b", "unknown"])
def test_any_line_ends_an_analysis(controller, line):
    controller.send("1 lz-analyze b 5")
    controller.until("info move [^\n]*\n")
    if line == "genmove b":
        controller.send("2 tesuji-param playouts 40")  # that it ends
    controller.send(f"3 {line}" if line and not line.startswith("#") else line, "4 name")
    text = controller.until("=4 Tesuji\n\n")
    analysis, _, rest = text.partition("\n\n")
    assert all(part.startswith("info move ") for part in analysis.splitlines() if part)
    answers = {"stop": "=3 ", "play b D1": "=3 ", "genmove b": "=3 ", "unknown": "\\?3 unknown command"}
    assert re.search(answers.get(line, ""), rest) and ("=3" in rest or "?3" in rest) == (line in answers)


def test_sabaki_analyses_one_position_after_another(controller):
    for number, move in enumerate(("D1", "D2", "C1"), 1):
        colour = "bw"[(number - 1) % 2]
        controller.send(f"{number}0 lz-analyze {colour} 5")
        assert controller.until("info move ").startswith(f"={number}0\n")
        controller.send(f"{number}1 play {colour} {move}")
        controller.until(f"={number}1 \n\n")
    assert len(controller.engine.played.moves()) == 3


def test_the_end_of_input_ends_an_analysis_but_not_a_move():
    one = Controller("connect4", "uct:playouts=60,memory=4,solver=off")
    one.send("1 genmove b", "2 lz-analyze 5")
    one.input.put(b"")
    assert re.fullmatch(r"=1 [A-G]1\n\n", one.answer())
    assert one.answer().startswith("=2\ninfo move ")
    one.thread.join(PATIENCE)
    assert not one.thread.is_alive()
