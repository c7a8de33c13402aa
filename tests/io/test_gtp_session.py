"""Whole sessions: thousands of lines of sense and nonsense, and processes whose input or output ends in every way."""

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from gtp_helpers import Session

from tesuji.cli.main import main
from tesuji.io.gtp import analysis

LINES = 3000
WIDTH, HEIGHT = 7, 6
COLUMNS = "ABCDEFG"
NOISE = [
    "",
    "   ",
    "\t",
    "# a comment",
    "#",
    "\x00\x01\x02",
    "=",
    "?",
    "= ok",
    "play",
    "play b",
    "play b b",
    "play w \u00e4\u6f22",
    "play b D99999999999",
    "play b -1",
    "1 2 3",
    "99999999999999999999 name",
    "12345",
    "undo 1",
    "gg-undo -5",
    "gg-undo 100000",
    "boardsize 19",
    "boardsize -7",
    "boardsize 7.0",
    "komi 6.5",
    "fixed_handicap 2",
    "set_free_handicap D4 Q16",
    "final_status_list dead",
    "final_score",
    "genmove",
    "genmove blue",
    "loadsgf /nowhere/at/all.sgf",
    "time_settings a b c",
    "time_left b 10 0 0",
    "tesuji-param nonsense 1",
    "tesuji-param exploration -1",
    "tesuji-params rave maybe",
    "gogui-play_sequence b",
    "gogui-setup b D4",
    "lz-analyze x y z",
    "kata-analyze b interval",
    "known_command",
    "list_stones",
    "showboard",
    "list_commands",
    "gogui-rules_board",
    "set_random_seed -1",
    "kata-time_settings fischer 1",
    "quit_not",
    "a" * 5000,
    "play " * 1000,
]
# Noise that is sense after all: the columns that Black and White play in turn, if all of them can.
SENSE = {
    "play b 4 # the middle": [3],
    "play b D1\x00\x07": [3],
    "gogui-play_sequence b D1 w Z9": None,
    "gogui-play_sequence b D1 w 5": [3, 4],
    "gogui-play_sequence b 1 w 1 b 7": [0, 0, 6],
    "gogui-play_sequence b 2 w b2 b 3 w 99": None,
}
NOISE[:0] = SENSE


class FourInARow:
    """The reference: a list of columns, and a history to take back from. Written without the package."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.columns = [[] for _ in range(WIDTH)]
        self.history = []
        self.over = False

    @property
    def turn(self):
        return len(self.history) % 2

    def can_play(self, player, column):
        return not self.over and player == self.turn and len(self.columns[column]) < HEIGHT

    def can_play_all(self, columns):
        """Whether Black, White, Black, ... can play in these columns; the board is the same after it."""
        played = 0
        for player, column in enumerate(columns):
            if not self.can_play(player % 2, column):
                break
            self.play(column)
            played += 1
        for _ in range(played):
            self.undo()
        return played == len(columns)

    def play(self, column):
        self.columns[column].append(self.turn)
        self.history.append(column)
        self.over = self.wins(column, len(self.columns[column]) - 1) or len(self.history) == WIDTH * HEIGHT

    def undo(self):
        self.columns[self.history.pop()].pop()
        self.over = False

    def at(self, column, row):
        if 0 <= column < WIDTH and 0 <= row < len(self.columns[column]):
            return self.columns[column][row]
        return None

    def wins(self, column, row):
        player = self.at(column, row)
        for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                step = 1
                while self.at(column + sign * step * across, row + sign * step * up) == player:
                    length += 1
                    step += 1
            if length >= 4:
                return True
        return False

    def stones(self):
        names = ("black", "white")
        return {
            f"{COLUMNS[c]}{r + 1}": names[player] for c, column in enumerate(self.columns) for r, player in enumerate(column)
        }


def test_thousands_of_lines_leave_a_live_engine_and_a_correct_board(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(analysis, "FIRST_LOOK", 0.001)
    chance = random.Random(20130801)
    session = Session("connect4", "tesuji:playouts=3,memory=1")
    board = FourInARow()
    accepted = sequences = 0
    for number in range(LINES):
        kind = chance.random()
        if kind < 0.5:
            player, column = chance.choice((board.turn, chance.randrange(2))), chance.randrange(WIDTH)
            vertex = chance.choice(
                (str(column + 1), f"{COLUMNS[column]}{chance.randint(1, HEIGHT)}", f"{COLUMNS[column].lower()}1")
            )
            colour = chance.choice((("b", "Black"), ("w", "WHITE")))[0] if chance.random() < 0.05 else "bw"[player]
            legal = board.can_play("bw".index(colour.lower()[0]), column)
            answer = session.raw(f"{number} play {colour} {vertex}")
            assert answer.startswith(f"={number} " if legal else f"?{number} "), answer
            if legal:
                board.play(column)
                accepted += 1
        elif kind < 0.62:
            answer = session.raw("undo")
            assert answer.startswith("=" if board.history else "?")
            if board.history:
                board.undo()
        elif kind < 0.64:
            answer = session.raw(f"genmove {'bw'[board.turn]}")
            assert answer.startswith("?" if board.over else "=")
            if not board.over:
                board.play(COLUMNS.index(answer.split()[1][0]))
        elif kind < 0.65:
            line = chance.choice(("lz-analyze 1", "kata-analyze 1", "reg_genmove b", "tesuji-search-gfx", "printsgf"))
            session.raw(line)
        elif kind < 0.66 or (board.over and kind < 0.8):
            session.ok(chance.choice(("clear_board", "boardsize 7")))
            board.clear()
        elif kind < 0.9:
            line = chance.choice(NOISE[:-2] if chance.random() < 0.9 else NOISE)
            answer = session.raw(line)
            if line in SENSE:
                columns = SENSE[line]
                legal = columns is not None and board.can_play_all(columns)
                assert answer.startswith("=" if legal else "?"), (line, answer)
                for column in columns if legal else []:
                    board.play(column)
                sequences += legal and len(columns) > 1
        else:
            session.raw("".join(chr(chance.randrange(1, 400)) for _ in range(chance.randrange(1, 60))).replace("\n", " "))
        assert [node.number for node in session.engine.played.moves()] == board.history, (number, session.lines[-1])
        if number % 50 == 0:
            assert session.stones() == board.stones(), number
    assert session.stones() == board.stones()
    assert sequences > 5 and accepted > 300 and session.ok("name") == "Tesuji"


# -- processes -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def start():
    started = []

    def run(*words, **options):
        environment = {**os.environ, "TESUJI_PURE": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tesuji", "gtp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            **options,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def finished(process, data=b""):
    """(answers, errors, exit code) of a process that gets this input and then its end."""
    out, errors = process.communicate(data, timeout=60)
    return out.decode(), errors.decode(), process.returncode


def read_answer(process):
    """The lines up to the empty one that ends an answer, or the rest of one."""
    lines = []
    while lines[-1:] != [b"\n"]:
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    return b"".join(lines).decode()


def send(process, line):
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()


def test_the_end_of_input_is_a_quit(start):
    assert finished(start("tictactoe"), b"") == ("", "", 0)
    assert finished(start("tictactoe"), b"1 name\n2 version") == ("=1 Tesuji\n\n=2 " + version() + "\n\n", "", 0)


def version():
    import tesuji

    return tesuji.__version__


def test_quit_ends_while_the_input_stays_open(start):
    process = start("tictactoe")
    send(process, "quit")
    assert read_answer(process) == "= \n\n"
    assert process.wait(60) == 0 and process.stderr.read() == b""


def test_bytes_that_are_no_text(start):
    data = (
        b"\xff\xfe\x00\x80 name\r\n1 name\r\n\xf0\x28\x8c\x28\n\r\r\n2 play b b2\r\n"
        + b"x" * (3 << 20)
        + b"\n3 list_stones b\n"
    )
    out, errors, code = finished(start("tictactoe"), data)
    assert (errors, code) == ("", 0)
    assert out.count("\n\n") == 6 and "=1 Tesuji\n\n" in out and "too long" in out and out.endswith("=3 B2\n\n")


def test_a_flood_of_lines(start):
    asked = ("name", "undo", "play b 4", "nonsense", "known_command x", "play w 3")
    lines = [f"{i} {asked[i % 6] if i % 50 == 0 else 'protocol_version'}" for i in range(20_000)]
    out, errors, code = finished(start("connect4"), "\n".join(lines).encode())
    assert (errors, code) == ("", 0)
    assert [int(n) for n in re.findall(r"^[=?](\d+) ", out, re.MULTILINE)] == list(range(20_000))


def test_a_closed_output_ends_it_quietly(start):
    process = start("tictactoe")
    process.stdout.close()
    with pytest.raises(OSError):
        for _ in range(1000):
            send(process, "showboard")
            time.sleep(0.01)
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stdin = process.stdout = None


def test_an_analysis_runs_until_a_line_comes(start):
    process = start("connect4", "--solver", "off")
    send(process, "1 lz-analyze 5")
    assert process.stdout.readline() == b"=1\n"
    assert process.stdout.readline().startswith(b"info move ")
    assert process.stdout.readline().startswith(b"info move ")
    send(process, "")
    read_answer(process)
    send(process, "2 kata-analyze 5")
    assert process.stdout.readline() == b"=2\n"
    send(process, "3 name")
    assert read_answer(process).startswith("info move ")
    assert read_answer(process) == "=3 Tesuji\n\n"


def test_the_end_of_input_ends_an_analysis(start):
    out, errors, code = finished(start("connect4", "--solver", "off"), b"lz-analyze 5\n")
    assert (errors, code) == ("", 0) and out.startswith("=\ninfo move ") and out.endswith("\n\n")


def test_gogui_interrupts_a_long_move(start):
    process = start("connect4", "--solver", "off", "--seconds", "1000")
    send(process, "1 genmove b")
    time.sleep(0.3)
    send(process, "# interrupt")
    assert re.fullmatch(r"=1 [A-G]1\n\n", read_answer(process))
    send(process, "2 genmove w\n# interrupt\n3 name")
    assert re.fullmatch(r"=2 [A-G][12]\n\n", read_answer(process))
    assert read_answer(process) == "=3 Tesuji\n\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_ctrl_c_ends_the_search_and_not_the_engine(start):
    process = start("connect4", "--solver", "off", "--seconds", "1000")
    send(process, "name")
    read_answer(process)
    send(process, "1 lz-genmove_analyze b 5")
    assert process.stdout.readline() == b"=1\n"
    assert process.stdout.readline().startswith(b"info move ")  # it searches
    process.send_signal(signal.SIGINT)
    assert re.search(r"^play [A-G]1\n\n\Z", read_answer(process), re.MULTILINE)
    send(process, "2 name")
    assert read_answer(process) == "=2 Tesuji\n\n"


def test_what_a_game_prints_is_no_gtp(start, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "from tesuji.core import rules\n"
        "from tesuji.core.dispatch import implements, state_type\n"
        "from tesuji.core.game import Game\n"
        "STATE = state_type('mine', [('left', np.int64)])\n"
        "start = np.zeros(1, STATE)[0]\n"
        "start['left'] = 3\n"
        "def text(state, move):\n"
        "    print('noise')\n"
        "    return f'take{move}'\n"
        "game = Game(name='mine', initial=start, outcomes=(-1, 1), move_count=2, max_plies=3, move_text=text)\n"
        "@implements(rules.to_play, STATE)\n"
        "def to_play(state):\n    return (3 - state['left']) % 2\n"
        "@implements(rules.moves, STATE)\n"
        "def moves(state, out):\n    out[0] = 0\n    out[1] = 1\n    return 2\n"
        "@implements(rules.play, STATE)\n"
        "def play(state, move):\n    state['left'] -= 1\n"
        "@implements(rules.is_over, STATE)\n"
        "def is_over(state):\n    return state['left'] <= 0\n"
        "@implements(rules.outcome, STATE)\n"
        "def outcome(state):\n    return 1\n"
    )
    out, errors, code = finished(start(f"{path}:game", "--playouts", "5"), b"all_legal b\nplay b take1\ngenmove w\n")
    assert code == 0 and "noise" in errors, errors
    assert re.fullmatch(r"= take0 take1\n\n= \n\n= take[01]\n\n", out), out


def test_wrong_options_are_wrong_input(start, capsys, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    answers = [finished(start("nothing"))]
    for words in (
        ("tictactoe", "--player", "nobody"),
        ("tictactoe", "--resign", "2"),
        ("tictactoe", "--player", "crazystone"),
        ("tictactoe", "--player", "uct:backup=mix"),
        ("tictactoe", "--memory", "0"),
    ):
        code = main(["gtp", *words])
        answers.append((*capsys.readouterr(), code))
    for out, errors, code in answers:
        assert (out, code) == ("", 2) and errors.startswith("tesuji: ") and errors.count("\n") == 1
