"""Wrong input is answered by a sentence; an engine that dies, a connection that is lost and a second tab change nothing."""

import json
import os
import random
import signal
import time

import pytest
from web_client import COMPUTER, LOCAL, PATIENCE, PERSON, Client, RunningServer

from tesuji.web.commands import COMMANDS
from tesuji.web.engine import SEARCHES_KEPT


@pytest.mark.parametrize(
    ("command", "fields", "part"),
    [
        ("move", {"move": "z9"}, "not a legal move"),
        ("move", {"move": ""}, "not a legal move"),
        ("move", {"move": 3}, "must be a text"),
        ("move", {}, "must be a text"),
        ("move", {"move": "a" * 5000}, "characters"),
        ("new", {"game": "chess"}, "there is no game"),
        ("new", {"game": "go:1000"}, "go:"),
        ("new", {"game": ["go:9"]}, "must be a text"),
        ("new", {"game": "tictactoe", "moves": ["a1", "a1"]}, "not a legal move"),
        ("new", {"game": "tictactoe", "moves": "a1"}, "list of moves"),
        ("new", {"game": "tictactoe", "handicap": 3}, "no handicap"),
        ("new", {"game": "tictactoe", "komi": 3}, "no komi"),
        ("new", {"game": "tictactoe", "sides": [PERSON]}, "list of two"),
        ("new", {"game": "tictactoe", "sides": [PERSON, {"kind": "computer", "level": 11}]}, "level"),
        ("new", {"game": "tictactoe", "sides": [PERSON, {"kind": "computer", "player": "deep blue"}]}, "there is no player"),
        ("new", {"game": "tictactoe", "sides": [PERSON, {"kind": "computer", "player": "mogo"}]}, "plays go"),
        ("new", {"game": "tictactoe", "sides": [PERSON, {"kind": "computer", "seconds": -1}]}, "seconds"),
        ("goto", {"node": 77}, "no such node"),
        ("goto", {"node": True}, "no such node"),
        ("goto", {"node": "0"}, "no such node"),
        ("delete", {"node": 0}, "cannot be deleted"),
        ("restore", {"undo": "nothing"}, "too long ago"),
        ("comment", {"node": 0, "text": "x" * 30_000}, "characters"),
        ("pause", {"paused": 1}, "true or false"),
        ("analyse", {"on": True, "parameters": {"speed": 3}}, "there is no parameter"),
        ("analyse", {"on": True, "player": "uct", "parameters": {"exploration": "high"}}, "not possible"),
        ("hint", {"playouts": 0}, "playouts"),
        ("hint", {"seconds": 1e300}, "seconds"),
        ("solve", {"player": "uct"}, "proves nothing"),
        ("compare", {"players": [{}]}, "two players"),
        ("analyse-game", {"threshold": 7}, "threshold"),
        ("setup", {"stones": {"a1": 0}, "to_move": 0}, "cannot be set up"),
        ("agree", {}, "no score to agree on"),
        ("play-on", {}, "only after two passes"),
        ("certificate", {}, "solve it first"),
        ("certificate-open", {"base64": "?", "name": "x"}, "not a certificate"),
        ("certificate-open", {"base64": "aGVsbG8=", "name": "x.cert"}, "x.cert is not a certificate"),
        ("certificate-walk", {"moves": []}, "no certificate is open"),
        ("sgf-open", {"text": "hello", "name": "x.sgf"}, "x.sgf: line 1"),
        ("sgf-open", {"text": "(;GM[1]SZ[9];B[zz];W[aa])", "name": "x.sgf"}, "line 1, column 13"),
        ("sgf-open", {"text": "(;GM[1]SZ[9];B[aa])", "name": "x.sgf", "number": 2}, "no game 2"),
        ("sgf-open", {"text": "(;GM[40])", "name": "x.sgf"}, "not a game that is known"),
        ("open-link", {"fragment": "#"}, "not a link"),
        ("open-link", {"fragment": "#game=tictactoe&moves=z9"}, "not a legal move"),
        ("open-link", {"fragment": "#game=tictactoe&sides=["}, "sides of this link"),
        ("open-link", {"fragment": 7}, "a link is a text"),
        ("players", {"game": "nothing"}, "there is no game"),
        ("redo", {}, "no move after"),
        ("undo", {}, "nothing to take back"),
    ],
)
def test_wrong_input_is_answered_by_a_sentence(tab, command, fields, part):
    assert part in tab.refused(command, **fields)
    tab.play("b2")  # and the tab is as it was
    assert tab.state["ply"] == 1


def test_a_wrong_move_in_a_game_that_is_played_is_named_without_its_number(tab):
    tab.play("b2")
    assert tab.refused("move", move="z9").startswith("'z9' is not a legal move of tictactoe here")


def test_a_mistake_in_a_variation_ends_that_variation(tab):
    record = "(;GM[1]SZ[5](;B[aa];W[bb](;B[cc])(;B[aa];W[dd]))(;B[dd]))"
    answer = tab.post("sgf-open", text=record, name="x.sgf")
    assert len(answer["notes"]) == 1 and "the variation ends before it" in answer["notes"][0]
    tab.until(lambda state: state["message"] == "x.sgf is open")
    assert sorted(node["move"] for node in tab.state["nodes"].values() if node["move"]) == ["A5", "B4", "C3", "D2"]


def test_unknown_properties_and_analyses_of_a_file_survive(tab):
    record = "(;GM[1]SZ[5]XX[one][two]PB[A\\]]EV[Cup];B[aa]SBKV[60]TR[aa]YY[three];W[bb]LZ[0.7.4 70.0 1.2k\ninfo])"
    tab.post("sgf-open", text=record, name="x.sgf")
    tab.until(lambda state: state["message"] == "x.sgf is open")
    first, second = tab.state["nodes"][1]["analysis"], tab.state["nodes"][2]["analysis"]
    assert (first["mover"], first["chance"]) == (1, 0.4)
    assert (second["mover"], second["playouts"]) == (0, 1200) and abs(second["chance"] - 0.3) < 1e-9
    text = tab.post("sgf-save")["text"].replace("\n", "")
    for part in ("XX[one][two]", "PB[A\\]]", "EV[Cup]", "SBKV[60]TR[aa]YY[three]", "LZ[0.7.4 70.0 1.2kinfo]"):
        assert part in text


def test_a_proof_in_a_file_is_not_believed(tab):
    value = json.dumps(
        {"mover": 1, "chance": 0.9, "playouts": 50, "proven": True, "outcome": "win", "player": "uct", "best": "B4"}
    )
    tab.post("sgf-open", text=f"(;GM[1]SZ[5];B[aa]TESUJIVALUE[{value}])", name="x.sgf")
    tab.until(lambda state: state["message"] == "x.sgf is open")
    found = tab.state["nodes"][1]["analysis"]
    assert found["chance"] == 0.9 and found["best"] == "B4" and not found["proven"] and found["outcome"] == "unknown"


# -- connections -------------------------------------------------------------------------------------------------------
def test_the_state_survives_a_lost_connection(server):
    tab = Client(server)
    tab.play("a1", "b2")
    before = tab.state
    tab.disconnect()
    again = Client(server, tab.name)
    assert again.state["tree"]["full"] and again.state["nodes"] == before["nodes"]
    assert again.state["generation"] == before["generation"] and again.state["text"] == before["text"]
    again.play("c3")
    again.disconnect()


def test_a_second_window_on_the_same_tab_takes_over(server):
    first = Client(server)
    second = Client(server, first.name)
    first.wait("replaced")
    assert first._events.get(timeout=PATIENCE)[0] == "end"
    second.play("a1")
    second.disconnect()


def test_tabs_know_nothing_of_each_other(server):
    first, second = Client(server), Client(server)
    first.play("a1")
    assert second.state["ply"] == 0 and second.post("link")["fragment"] != first.post("link")["fragment"]
    first.disconnect()
    second.disconnect()


def test_a_tab_that_is_not_known(server):
    status, _, body = server.request("POST", "/api/games", json.dumps({"tab": "unknown0unknown0unknown0"}))
    assert status == 400 and "load the page again" in json.loads(body)["error"]
    for name in (None, 7, "short", "a" * 65, "../../etc/passwd/etc", "ä" * 20):
        assert server.request("POST", "/api/games", json.dumps({"tab": name}))[0] == 400


def test_the_tab_that_was_left_longest_ago_is_forgotten_first(pure):
    running = RunningServer()
    try:
        running.do(lambda: setattr(running.hub, "_most_tabs", 2))
        first, second = Client(running), Client(running)
        status, _, body = running.request("GET", "/events?tab=" + "c" * 20)
        assert status == 400 and b"the most at a time" in body
        first.disconnect()
        for _ in range(100):
            if not running.hub.tabs[first.name].outbox.is_connected:
                break
            second.post("games")
        third = Client(running)
        assert set(running.hub.tabs) == {second.name, third.name}
        second.disconnect()
        third.disconnect()
    finally:
        running.close()


def test_the_end_of_the_server_is_told(pure):
    running = RunningServer()
    tab = Client(running)
    running.close()
    assert "ended" in tab.wait("bye")["text"]


# -- the engine --------------------------------------------------------------------------------------------------------
def test_an_engine_that_dies_is_told_and_started_again(server):
    tab = Client(server)
    tab.post(
        "new", game="tictactoe", sides=[PERSON, {**COMPUTER, "level": 10, "seconds": 100, "playouts": None, "player": "uct"}]
    )
    tab.until(lambda state: state["sides"][1]["kind"] == "computer")
    tab.post("move", move="b2")
    tab.wait("analysis")  # it thinks
    engine = server.hub.engines.known(tab.name)
    os.kill(engine.pid, signal.SIGKILL)
    assert "as it was" in tab.wait("engine-died")["text"]
    tab.until(lambda state: state["turn"] == "paused")
    assert tab.state["ply"] == 1 and tab.state["running"] is None
    tab.post("sides", sides=[PERSON, COMPUTER])
    tab.until(lambda state: state["ply"] == 2)  # another engine has moved
    assert server.hub.engines.known(tab.name).pid != engine.pid
    tab.disconnect()


def test_stop_makes_the_computer_move_at_once(tab):
    tab.post(
        "new", game="tictactoe", sides=[{**COMPUTER, "level": 10, "seconds": 3000, "playouts": None, "player": "uct"}, PERSON]
    )
    tab.wait("analysis")
    assert tab.state["turn"] == "computer" and "computer's turn" in tab.refused("move", move="a1")
    tab.post("stop")
    tab.until(lambda state: state["ply"] == 1)


def test_no_more_engines_than_allowed(pure):
    running = RunningServer()
    try:
        running.hub.engines.most = 1
        first, second = Client(running), Client(running)
        first.post("analyse", on=True, player="uct")
        first.wait("analysis")
        second.post("hint", playouts=10)
        assert "the most at a time" in second.wait("error")["text"]
        first.post("analyse", on=False)
        first.until(lambda state: state["running"] is None)
        end = time.monotonic() + PATIENCE
        while running.hub.engines.known(first.name).is_busy and time.monotonic() < end:
            time.sleep(0.02)  # the engine ends its work, and is then given up to the other tab
        second.post("hint", playouts=10)
        second.wait("analysis", lambda values: values["final"])
        assert len(running.hub.engines.pids) == 1
        first.disconnect()
        second.disconnect()
    finally:
        running.close()


def test_an_engine_that_has_died_makes_no_other_give_way(pure):
    running = RunningServer()
    try:
        engines = running.hub.engines
        engines.most = 2
        tabs = [Client(running) for _ in range(3)]
        for tab in tabs[:2]:
            tab.post("hint", playouts=10)
            tab.wait("analysis", lambda values: values["final"])
        os.kill(engines.known(tabs[1].name).pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while engines.known(tabs[1].name) is not None and time.monotonic() < end:
            time.sleep(0.02)
        tabs[2].post("hint", playouts=10)
        tabs[2].wait("analysis", lambda values: values["final"])
        assert engines.known(tabs[0].name) is not None
        for tab in tabs:
            tab.disconnect()
    finally:
        running.close()


def test_engines_of_tabs_that_are_closed_together_are_all_ended(pure):
    running = RunningServer()
    try:
        tabs = [Client(running) for _ in range(2)]

        def forget():
            for tab in tabs:
                running.hub.forget(tab.name)
            return len(running.hub.dropping)

        assert running.do(forget) == 2  # a task to which nobody refers may vanish before it has begun
        for tab in tabs:
            tab.disconnect()
    finally:
        running.close()


def test_a_search_takes_its_share_of_the_memory_at_most(server):
    from tesuji.play.side import PlayerChoice
    from tesuji.web.choice import PLAY, make_player

    game = server.opening.game
    choice = PlayerChoice(None, {"memory": 1e8})
    assert make_player(choice, game, PLAY, None, 50.0).settings_for(game)["memory"] == 50.0
    assert server.hub.engines.search_memory * SEARCHES_KEPT * server.hub.engines.most == pytest.approx(600.0)


def test_no_process_is_left_behind(pure):
    running = RunningServer()
    tab = Client(running)
    tab.post("analyse", on=True, player="uct")
    tab.wait("analysis")
    pids = running.hub.engines.pids
    running.close()
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# -- in bulk -----------------------------------------------------------------------------------------------------------
def nonsense(chance, deep=0):
    """Any value that JSON has, and some texts that mean something somewhere."""
    kind = chance.randrange(9 if deep < 3 else 6)
    if kind < 3:
        texts = ["", "a1", "tictactoe", "go:9", "uct", "computer", "../x", "\ud800", "\x00", "9" * 50, "é" * 30, "#game=go:5"]
        return chance.choice(texts)
    if kind == 3:
        return chance.choice([0, 1, -1, 2**70, 1e300, 0.5, 77])
    if kind < 6:
        return chance.choice([None, True, False])
    if kind < 8:
        return [nonsense(chance, deep + 1) for _ in range(chance.randrange(4))]
    names = ["kind", "player", "parameters", "a1", "level", "seconds"]
    return {chance.choice(names): nonsense(chance, deep + 1) for _ in range(chance.randrange(4))}


FIELDS = ["move", "moves", "game", "sides", "node", "text", "stones", "to_move", "player", "players", "parameters", "fragment"]
FIELDS += [
    "base64",
    "name",
    "number",
    "on",
    "paused",
    "seconds",
    "playouts",
    "dead",
    "undo",
    "threshold",
    "slot",
    "side",
    "komi",
    "clock",
    "region",
    "loss",
    "kind",
    "at",
]


def test_malformed_commands_in_bulk(server):
    chance, tab = random.Random(18), Client(server)
    server.app._bucket._rate = 1e9
    names = sorted(set(COMMANDS) - {"close"})
    for _ in range(250):
        fields = {chance.choice(FIELDS): nonsense(chance) for _ in range(chance.randrange(5))}
        if chance.random() < 0.5:
            fields["generation"] = server.hub.tabs[tab.name].generation
        body = json.dumps({"tab": tab.name, **fields})
        if chance.random() < 0.2:
            body = body[: chance.randrange(len(body))]
        status, _, answer = server.request("POST", f"/api/{chance.choice(names)}", body)
        assert status in (200, 400, 409, 413), (status, body, answer)
        found = json.loads(answer)
        assert found.get("ok") or "\n" not in found["error"]
    tab.disconnect()
    again = Client(server)
    again.play("a1")
    again.disconnect()


def test_malformed_requests_in_bulk(server):
    import socket

    chance = random.Random(19)
    start = [b"GET ", b"POST ", b"\x16\x03\x01", b"", b"PRI * HTTP/2.0\r\n\r\n", b"get / http/1.1\r\n"]
    middle = [b"/ HTTP/1.1\r\n", b"/static/x HTTP/1.1\r\nHost: x\r\n", b"\r\n\r\n", b"\x00\xff" * 50, b"Host: " + b"a" * 70000]
    for _ in range(150):
        with socket.create_connection((LOCAL, server.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(chance.choice(start) + chance.choice(middle) + b"\r\n")
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(100)
            except OSError:
                continue
            assert not answer.startswith(b"HTTP/1.1 200")
    assert server.request("GET", "/nowhere")[0] == 404


def test_connections_that_are_opened_and_dropped(server):
    import socket

    opened = [socket.create_connection((LOCAL, server.port), timeout=PATIENCE) for _ in range(100)]
    for number, connection in enumerate(opened):
        if number % 2:
            connection.sendall(b"GET /events?tab=" + b"d" * 20 + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port)
        connection.close()
    assert server.status_soon("/nowhere") == 404
