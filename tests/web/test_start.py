"""`tesuji play` as a command: when it serves the page, what it prints, how it ends."""

import argparse
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException

import pytest
from web_client import Client, RunningServer

from tesuji.cli import play
from tesuji.cli.main import build_parser, main
from tesuji.cli.page import make_opening
from tesuji.core.errors import UserError
from tesuji.games.options import FORMS
from tesuji.games.registry import ENTRIES, find_game
from tesuji.web.hub import Hub
from tesuji.web.server import FIRST_PORT, LOCAL, Opener, listen


def parsed(*words):
    args = argparse.Namespace(game=None)
    build_parser(["play", *words]).parse_args(["play", *words], args)
    return args


class Terminal(io.StringIO):
    def __init__(self, path=os.devnull):
        super().__init__()
        self._file = open(path)  # noqa: SIM115

    def fileno(self):
        return self._file.fileno()


def test_the_page_is_used_unless_there_are_lines_to_read(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", Terminal())  # nothing to read, as in a service
    assert play.uses_page(parsed("tictactoe")) and play.uses_page(parsed("tictactoe", "--port", "9000"))
    assert not play.uses_page(parsed("tictactoe", "--terminal")) and not play.uses_page(parsed("tictactoe", "--json"))
    file = tmp_path / "moves"
    file.write_text("b2\n")
    for stream in (Terminal(file), io.StringIO("b2\n")):
        monkeypatch.setattr(sys, "stdin", stream)
        assert not play.uses_page(parsed("tictactoe"))
        assert play.uses_page(parsed("tictactoe", "--no-browser"))


def test_options_of_both_contradict_each_other():
    for words in (("--terminal", "--port", "9000"), ("--json", "--no-browser"), ("--terminal", "--host", "0.0.0.0")):
        with pytest.raises(UserError, match="leave one out"):
            play.uses_page(parsed("tictactoe", *words))


def test_without_the_server_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(play, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert not play.uses_page(parsed("tictactoe"))
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(UserError, match="pip install starlette uvicorn"):
        play.uses_page(parsed("tictactoe", "--no-browser"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--port", "0"), "not a port"),
        (("--port", "99999"), "not a port"),
        (("--port", "x"), "not a port"),
        (("--no-browser", "--moves", "z9"), "not a legal move"),
        (("--no-browser", "--player", "mogo"), "plays go"),
        (("--no-browser", "--host", "192.0.2.1"), "cannot be used|no free port"),
    ],
)
def test_wrong_options_are_one_line(words, part, capsys):
    assert main(["play", "tictactoe", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and re.search(part, error), error


def test_a_start_loads_only_what_the_game_needs():
    """The policies of all games are needed to know every parameter: only if the command line may name one."""
    code = (
        "import sys; from tesuji.cli.main import build_parser; from tesuji.players.presets import find_player\n"
        "words = sys.argv[1:]; args = build_parser(words).parse_args(words); find_player('tesuji')\n"
        "print(any('knowledge.hex.' in name or 'knowledge.loa.' in name for name in sys.modules), vars(args).get('player'))"
    )
    for words, expected in (
        (["play", "connect4:7x6", "--level", "5", "--player", "uct"], "False uct"),
        (["play", "connect4:7x6", "--exploration=0.3"], "True None"),
    ):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


def test_a_port_that_is_taken(capsys):
    with listen(LOCAL, None) as taken:
        port = taken.getsockname()[1]
        assert main(["play", "tictactoe", "--no-browser", "--port", str(port)]) == 2
        assert "cannot be used" in capsys.readouterr().err
        with listen(LOCAL, None) as other:  # a second one finds another
            assert other.getsockname()[1] != port and port >= FIRST_PORT


def test_what_the_command_line_asks_for():
    args = parsed(
        "tictactoe", "--side", "second", "--level", "3", "--moves", "b2 a1", "--player", "uct:exploration=0.2,playouts=9"
    )
    opening = make_opening(args, find_game("tictactoe"))
    assert opening.moves == ["b2", "a1"] and opening.own_player is None
    computer, person = opening.sides
    assert person.is_person
    assert (computer.level, computer.choice.player, computer.limits.playouts) == (3, "uct", 9)
    assert computer.choice.parameters == {"exploration": "0.2"}


def test_a_record_of_another_game_than_the_one_that_is_named_is_refused(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5];B[aa])")
    opening = make_opening(parsed("go:9:superko=positional", "--sgf", str(path)), find_game("go:9:superko=positional"))
    tree, _about = Hub(opening).first_tree()
    assert tree.game.name == "go:5:superko=positional" and tree.position().moves == ("A5",), "its size, and our rules"
    with pytest.raises(UserError, match="is a game of go:5, not of hex:5"):
        make_opening(parsed("hex:5", "--sgf", str(path)), find_game("hex:5"))


def test_seed_and_suggestions_reach_the_page(pure):
    """With a seed the computer answers the same in every game; a hint comes before each move of a person."""
    args = parsed("tictactoe", "--seed", "7", "--suggest", "--player", "uct:playouts=20,solver=off", "--level", "9")
    answers = []
    for _ in range(2):
        made = make_opening(args, find_game("tictactoe"))
        server = RunningServer(sides=made.sides, seed=made.seed, suggests=made.suggests)
        tab = Client(server)
        tab.wait("analysis", lambda values: values["task"] == "hint" and values["final"])
        for move in ("b2", None):
            tab.post("move", move=move or next(text for text in ("a1", "a3", "c1", "c3") if text in tab.state["moves"]))
            generation = tab.state["generation"]
            tab.until(lambda state, before=generation: state["turn"] == "person" and state["generation"] > before)
        tab.wait("analysis", lambda values: values["task"] == "hint" and values["final"])
        answers.append([node["move"] for node in tab.state["nodes"].values()])
        tab.disconnect()
        server.close()
    assert answers[0] == answers[1] and len(answers[0]) == 5


def test_no_browser_without_a_screen(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not Opener("http://127.0.0.1:1/").can_open


def test_every_game_can_be_chosen_in_a_dialog():
    """The pattern with all defaults, and with each extreme, is a game."""
    assert set(FORMS) == {entry.name for entry in ENTRIES}
    for form in FORMS.values():
        usual = {option.name: option.default for option in form.options}
        find_game(form.pattern.format(**usual))
        for option in form.options:
            for value in option.values or (f"{option.low:g}", f"{option.high:g}"):
                if option.name not in ("length", "komi"):
                    find_game(form.pattern.format(**{**usual, option.name: value}))


def test_dialogs_and_game_strings_have_the_same_defaults():
    for name, form in FORMS.items():
        usual = {option.name: option.default for option in form.options}
        plain = f"{name}:{usual['size']}" if "size" in usual else name
        assert find_game(form.pattern.format(**usual)).name == find_game(plain).name


def started(*words):
    command = [sys.executable, "-m", "tesuji", "play", "tictactoe", "--no-browser", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    process = subprocess.Popen(command, text=True, env={**os.environ, "TESUJI_PURE": "1"}, **pipes)
    text = ""
    while "/enter#" not in text:
        line = process.stdout.readline()
        assert line, text
        text += line
    return process, text


def children_of(pid):
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(name))
    return found


def answers(port, key):
    """Whether the server that gave this key is there. Another may have got the port since."""
    connection = HTTPConnection(LOCAL, port, timeout=60)
    try:
        connection.request("GET", "/events", headers={"Authorization": f"Bearer {key}"})
        return connection.getresponse().status == 400  # the name of a tab is missing
    except (OSError, HTTPException):
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_ends_everything(number, code):
    process, text = started()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/enter#(\S+)", text)
    connection = HTTPConnection(LOCAL, int(found[1]), timeout=60)
    headers = {"Authorization": f"Bearer {found[2]}", "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    connection.request("POST", "/key", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    key = json.load(response)["key"]
    assert answers(int(found[1]), key)
    arguments = open(f"/proc/{process.pid}/cmdline").read()  # noqa: SIM115
    children = []
    for _ in range(1200):
        children = children_of(process.pid)
        if children:
            break
        time.sleep(0.05)
    assert children, "the first engine is started at once"
    assert found[2] not in arguments + "".join(open(f"/proc/{pid}/cmdline").read() for pid in children)  # noqa: SIM115
    process.send_signal(number)
    assert process.wait(60) == code
    assert not [pid for pid in children if os.path.isdir(f"/proc/{pid}")]
    assert not answers(int(found[1]), key)


def test_another_address_is_a_warning():
    process, text = started("--host", "0.0.0.0")
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert "Warning" in text and "other machines" in text and "not encrypted" in text
