"""Every command of the page over real sockets, with an engine that searches tic-tac-toe."""

import json
import re

import pytest
from web_client import COMPUTER, PERSON, Client, RunningServer

from tesuji.players.presets import STRONGEST


def test_a_new_tab_is_told_everything(tab):
    names = [name for name, _ in tab.seen]
    assert names == ["hello", "game", "state"]
    hello = tab.seen[0][1]
    assert hello["default_game"] == "tictactoe"
    assert tab.game["player_names"] == ["x", "o"] and tab.game["players"] == 2
    assert tab.state["turn"] == "person" and len(tab.state["moves"]) == 9 and tab.state["tree"]["full"]


def test_a_game_says_whether_whose_points_are_is_known(tab):
    assert tab.game["ownership"] is False
    tab.post("new", game="go:3", sides=[PERSON, PERSON])
    assert tab.wait("game")["ownership"] is True


def test_two_people_play_a_game_to_its_end(tab):
    tab.play("a1", "b1", "a2", "b2")
    assert tab.state["can"] == {"undo": True, "redo": False, "resign": True, "pass": False, "swap": False}
    assert tab.state["message"] == "o plays b2" and tab.state["last_mover"] == 1
    tab.play("a3")
    assert tab.state["turn"] == "over" and tab.state["result"] == {"text": "x wins", "sgf": "B+1", "winner": 0, "outcome": 1}
    assert tab.state["moves"] == [] and "over" in tab.refused("move", move="c3")


def test_a_sentence_begins_with_a_capital_letter_unless_the_name_is_a_sign(tab):
    before = tab.state["generation"]
    tab.post("new", game="samegame:3x4:1", sides=[PERSON, PERSON])
    tab.until(lambda state: state["generation"] > before)
    move = tab.state["moves"][0]
    tab.play(move)
    assert tab.state["message"] == f"The player plays {move}"
    assert tab.post("players")["player_names"] == ["the player"]


def test_the_opponent_is_remembered(tab):
    """A puzzle, a file and a certificate are for people alone; the next game is offered with the opponent of before."""
    tab.post("new", game="tictactoe", sides=[PERSON, COMPUTER | {"player": "uct"}])
    tab.until(lambda state: state["sides"][1]["kind"] == "computer")
    tab.post("new", game="samegame:3x4:1", sides=[PERSON, PERSON])
    tab.wait("game")
    tab.post("sgf-open", text="(;GM[1]SZ[3];B[bb])", name="x.sgf")
    tab.until(lambda state: state["message"] == "x.sgf is open")
    assert [side["kind"] for side in tab.state["sides"]] == ["person", "person"]
    person, computer = tab.state["last_sides"]
    assert person == PERSON and (computer["level"], computer["playouts"], computer["player"]) == (5, 30, None)
    tab.post("new", game="tictactoe")
    tab.until(lambda state: state["sides"] == [person, computer])


def test_a_computer_answers(tab):
    tab.post("new", game="tictactoe", sides=[PERSON, COMPUTER])
    tab.until(lambda state: state["sides"][1]["kind"] == "computer")
    tab.post("move", move="b2")
    tab.until(lambda state: state["ply"] == 2 and state["turn"] == "person")
    assert tab.state["last_mover"] == 1


def test_the_computer_is_a_player_with_an_evaluator_of_its_own(pure, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        """import numpy as np
import tesuji


def evaluate(planes):
    return np.zeros((len(planes), 9)), np.full(len(planes), 0.5)


asking = tesuji.player("network", evaluator=tesuji.Evaluator(evaluate), batch=4)
"""
    )
    own = f"{path}:asking"
    server = RunningServer(sides=(PERSON, COMPUTER | {"player": own}), own_player=own)
    client = Client(server)
    try:
        client.post("move", move="b2")
        client.until(lambda state: state["ply"] == 2 and state["turn"] == "person")
        client.post("analyse", on=True, player=own)
        assert client.wait("analysis")["player"] == own
        client.post("close")
    finally:
        client.disconnect()
        server.close()


def test_the_computer_says_why_it_made_its_last_move(tab):
    tab.post("new", game="tictactoe", sides=[PERSON, COMPUTER | {"level": 10}])
    tab.until(lambda state: state["sides"][1]["kind"] == "computer")
    assert tab.state["why"] is None
    tab.post("move", move="b2")
    tab.until(lambda state: state["ply"] == 2 and state["turn"] == "person")
    assert tab.state["why"][0].startswith(f"The expected line is {tab.state['last_move']}")
    generation = tab.state["generation"]
    tab.post("goto", node=0)
    tab.until(lambda state: state["generation"] > generation)
    assert tab.state["why"] is None


def test_two_computers_play_alone_and_can_be_held(tab):
    tab.post("new", game="tictactoe", sides=[COMPUTER, COMPUTER])
    tab.until(lambda state: state["turn"] == "over")
    assert tab.state["result"]["text"] in ("x wins", "o wins", "a draw")
    tab.post("goto", node=0)
    tab.until(lambda state: state["node"] == 0)
    assert tab.state["turn"] == "paused" and tab.state["paused"]
    tab.post("pause", paused=False)
    tab.until(lambda state: state["turn"] == "over")


def test_undo_goes_back_to_the_persons_turn_and_redo_forth(tab):
    tab.post("new", game="tictactoe", sides=[PERSON, COMPUTER])
    tab.until(lambda state: state["sides"][1]["kind"] == "computer")
    tab.post("move", move="b2")
    tab.until(lambda state: state["ply"] == 2)
    node = tab.state["node"]
    tab.post("undo")
    tab.until(lambda state: state["node"] == 0)
    assert tab.state["turn"] == "person"
    tab.post("redo")
    tab.until(lambda state: state["node"] == node)
    assert "nothing to take back" in (tab.post("goto", node=0) and tab.wait() and tab.refused("undo"))


def test_variations_comments_and_their_order(tab):
    tab.play("a1", "b1")
    tab.post("goto", node=1)
    tab.wait()
    tab.play("c1")
    nodes = tab.state["nodes"]
    assert nodes[1]["children"] == [2, 3] and nodes[3]["move"] == "c1"
    tab.post("promote", node=3)
    tab.wait()
    assert tab.state["nodes"][1]["children"] == [3, 2]
    tab.post("comment", node=3, text="<b>a corner</b>")
    tab.wait()
    assert tab.state["nodes"][3]["comment"] == "<b>a corner</b>"
    undo = tab.post("delete", node=3)["undo"]
    tab.until(lambda state: state["node"] == 1)
    assert 3 not in tab.state["nodes"]
    tab.post("restore", undo=undo)
    tab.wait()
    assert tab.state["nodes"][3]["comment"] == "<b>a corner</b>" and tab.state["nodes"][1]["children"] == [3, 2]


def test_positions_are_drawn_before_they_are_gone_to(tab):
    tab.play("a1", "b1")
    found = tab.post("drawings", nodes=[0, 1, 2])["drawings"]
    assert [len(found[number]["pieces"]) for number in "012"] == [0, 1, 2] and found["1"]["moves"] == []
    assert "no such node" in tab.refused("drawings", nodes=[9])
    assert "20 nodes at most" in tab.refused("drawings", nodes=[0] * 21)


def test_resigning(tab):
    tab.play("a1")
    tab.post("resign")
    tab.wait()
    assert tab.state["turn"] == "over" and tab.state["result"]["text"] == "x wins by resignation"
    assert "nothing to resign" in tab.refused("resign") and tab.state["can"]["undo"]
    tab.post("undo")
    tab.wait()
    assert tab.state["turn"] != "over" and tab.state["ply"] == 1, "the resignation is taken back, and no move"


def test_a_command_for_another_position_is_refused_and_changes_nothing(tab):
    status, answer = tab.try_to("move", move="a1", generation=tab.state["generation"] - 1)
    assert status == 409 and answer["stale"] and "changed" in answer["error"]
    tab.play("b2")
    assert tab.state["ply"] == 1


def test_a_hint(tab):
    tab.post("hint", playouts=200)
    found = tab.wait("analysis", lambda values: values["final"])
    assert found["task"] == "hint" and found["generation"] == tab.state["generation"]
    assert found["best"] in tab.state["moves"] and sum(move["visits"] for move in found["moves"]) >= 150
    assert {"visits", "chance", "prior", "rave", "lower", "upper", "outcome", "pv"} <= set(found["moves"][0])


def test_live_analysis_follows_the_position(tab):
    tab.play("a1", "b2")
    tab.post("analyse", on=True, player="uct")
    first = tab.wait("analysis")
    assert first["task"] == "analyse" and first["player"] == "uct" and not first["proven"]
    tab.play("c1")
    after = tab.wait("analysis")
    assert after["generation"] == tab.state["generation"] > first["generation"]
    assert len(after["moves"]) == 6
    tab.post("analyse", on=False)
    tab.until(lambda state: state["running"] is None)
    assert tab.state["analysis_on"] is None
    assert tab.state["nodes"][2]["analysis"]["player"] == "uct"  # results stay on the nodes


def test_what_the_network_says_of_a_position(tab):
    assert tab.game["network"] is None, "tic-tac-toe has none"
    assert "no network for tictactoe comes with the package" in tab.refused("network")
    tab.post("new", game="go:3", sides=[PERSON, PERSON])
    tab.wait("state", lambda state: state["text"].startswith("   A B C") and not state["last_move"])
    assert tab.game["network"] == "go9"
    tab.play("B2")
    found = tab.post("network")
    assert found["generation"] == tab.state["generation"] and found["network"] == "go9 (learned on 9x9)"
    assert (found["mover"], found["score"]) == (1, None) and found["best"] == found["moves"][0]["move"]
    assert found["win"] + found["draw"] / 2 == pytest.approx(found["chance"])
    assert {one["move"] for one in found["moves"]} == set(tab.state["moves"])
    assert sum(one["prior"] for one in found["moves"]) == pytest.approx(1)
    tab.play("pass", "pass")
    assert tab.post("network") == {"ok": True, "generation": tab.state["generation"], "moves": []}


def test_the_search_tree_can_be_opened_while_it_is_searched(tab):
    tab.post("analyse", on=True, player="uct-rave")
    tab.wait("analysis")
    found = tab.post("tree", moves=[])
    assert found["rule"] == "rave" and "mean" in found["formula"] and len(found["children"]) == 9
    child = found["children"][0]
    assert {term["name"] for term in child["terms"]} <= {"mean", "first play", "RAVE", "exploration"}
    assert abs(sum(term["value"] for term in child["terms"]) - child["worth"]) < 1e-9
    assert sum(child["chosen"] for child in found["children"]) == 1
    assert abs(child["chance"] - (1 + child["value"]) / 2) < 1e-9  # for who is to move: the first player
    below = tab.post("tree", moves=[child["move"]])
    assert below["node"]["to_move"] == 1 and len(below["children"]) == 8
    assert abs(below["children"][0]["chance"] - (1 - below["children"][0]["value"]) / 2) < 1e-9  # and here the second
    tab.post("stop")
    tab.until(lambda state: state["running"] is None)


def test_a_proven_child_in_the_search_tree_has_an_outcome_for_the_mover(tab):
    tab.post("new", game="tictactoe", sides=[PERSON, PERSON], moves=["a1", "b2", "a2", "c2"])  # a3 wins
    tab.until(lambda state: state["ply"] == 4)
    tab.post("solve", generation=tab.state["generation"])
    tab.until(lambda state: state["proof"] is not None)
    outcomes = {child["move"]: child["outcome"] for child in tab.post("tree", moves=[])["children"]}
    assert outcomes["a3"] == "win" and set(outcomes.values()) <= {"win", "draw", "loss", "unknown"}


def test_the_tree_of_a_position_that_nobody_searched(tab):
    assert "analyse it first" in tab.refused("tree", moves=[])


def test_one_simulation_step_by_step(tab):
    tab.play("a1", "b2", "a2", "b3")
    for number in range(1, 4):
        found = tab.post("step", player="uct")
        assert found["playouts"] == number and found["path"][0]["after"]["visits"] == number
        assert len(found["line"]) == len(found["path"]) - 1
        assert found["end"]["over"] and found["outcome"] == found["score"]


def test_a_whole_game_is_analysed(tab):
    tab.play("b2", "a2", "a1")
    tab.post("analyse-game", player="tesuji", playouts=400, threshold=0.4)
    last = tab.wait("progress", lambda values: values["task"] == "analyse-game" and values["final"])
    assert last["done"] == last["of"] == 4
    assert [mistake["move"] for mistake in last["mistakes"]] == ["a2"]  # the edge loses against the centre
    tab.until(lambda state: state["running"] is None)
    analysed = [node["analysis"] for node in tab.state["nodes"].values()]
    assert all(analysed) and analysed[2]["loss"] > 0.4 > analysed[1]["loss"]


def test_two_players_are_compared(tab):
    tab.post("compare", players=[{"player": "uct"}, {"player": "uct-rave"}], playouts=150)
    for _ in range(2):
        tab.wait("analysis", lambda values: values["final"])
    finals = {values["slot"]: values for name, values in tab.seen if name == "analysis" and values["final"]}
    assert finals[0]["player"] == "uct" and finals[1]["player"] == "uct-rave"


def test_a_whole_game_is_analysed_while_two_players_are_compared(tab):
    """Each task reports on its own position, and the nodes keep what was found there."""
    tab.play("b2", "a2", "a1")
    tab.post("goto", node=0)  # the moves lead on from there, and the second player analyses the game, too
    tab.wait()
    unproven = {"parameters": {"solver": "off"}}
    tab.post("compare", players=[{"player": "uct", **unproven}, {"player": "uct-rave", **unproven}], playouts=10**9)
    for slot in (0, 1):
        tab.wait("analysis", lambda values, slot=slot: values["slot"] == slot)
    tab.post("analyse-game", player="uct-rave", playouts=60, **unproven)
    tab.wait("progress", lambda values: values["task"] == "analyse-game" and values["final"])
    tab.post("stop")
    found = [tab.wait("analysis", lambda values: values["final"]) for _ in range(2)]
    assert {values["slot"] for values in found} == {0, 1}
    for values in found:
        assert values["task"] == "compare" and values["mover"] == 0
        assert {move["move"] for move in values["moves"]} == set(tab.state["moves"])
    tab.until(lambda state: state["running"] is None)
    nodes = tab.state["nodes"]
    assert [nodes[number]["analysis"]["mover"] for number in range(4)] == [0, 1, 0, 1]
    for number in range(3):  # the best move, in the position of the node, is none that was made before
        assert nodes[number]["analysis"]["best"] not in [nodes[before]["move"] for before in range(number + 1)]


def test_solving_a_certificate_and_walking_it(tab):
    tab.play("b2", "a2")
    tab.post("solve")
    found = tab.wait("analysis", lambda values: values["final"])
    assert found["task"] == "solve" and found["proven"] and found["outcome"] == "win" and found["lower"] == 1
    tab.until(lambda state: state["proof"] is not None)
    assert tab.state["proof"]["text"] == "x wins with perfect play"
    saved = tab.post("certificate")
    assert saved["name"] == "tictactoe.cert"
    tab.post("certificate-open", base64=saved["base64"], name="mine.cert")
    tab.until(lambda state: state["certificate"] is not None)
    assert tab.state["certificate"]["loser"] == 1 and tab.state["certificate"]["moves"] == ["b2", "a2"]
    shown = tab.post("certificate-walk", moves=[])
    assert shown["phase"] == "yours" and shown["to_move"] == 1 and shown["claim"] == "x wins with perfect play"
    while shown["phase"] == "yours":
        assert len(shown["added"]) == 1
        shown = tab.post("certificate-walk", moves=[*shown["moves"], shown["legal"][0]])
    assert shown["over"] and "x wins" in shown["why"]
    assert "nothing against x" in tab.refused("certificate-walk", moves=[], side=0)
    tab.post("certificate-close")
    tab.until(lambda state: state["certificate"] is None)
    assert "no certificate is open" in tab.refused("certificate-walk", moves=[])
    tab.post("certificate-open", base64=saved["base64"], name="mine.cert", positions=None, memory=None)
    tab.until(lambda state: state["certificate"] is not None)
    tab.post("new", game="connect4:5x4", sides=[PERSON, PERSON])  # whose board is another
    tab.until(lambda state: state["certificate"] is None)


def test_a_proof_is_walked_without_leaving_the_game_and_both_halves_of_a_draw(tab):
    tab.play("b2", "a1", "c3", "a3")
    tab.post("solve")
    tab.until(lambda state: state["proof"] is not None)
    before = tab.state["link"]
    assert tab.post("proof-open")["certificate"]["walkers"] == [0, 1]
    tab.until(lambda state: state["certificate"] is not None)
    assert tab.state["link"] == before and tab.state["ply"] == 4
    for side in (0, 1):
        shown = tab.post("certificate-walk", moves=[], side=side)
        while shown["phase"] == "yours":
            shown = tab.post("certificate-walk", moves=[*shown["moves"], shown["legal"][0]], side=side)
        assert shown["moves"] and shown["claim"] == f"{'ox'[side]} gets at least a draw with perfect play"


def test_a_search_for_a_proof_is_stopped(tab):
    tab.post("solve", player="tesuji", parameters={"probe_children": False, "transpositions": False})
    tab.until(lambda state: state["running"] is not None)
    tab.post("stop")
    tab.until(lambda state: state["running"] is None)


def test_a_game_goes_into_a_file_and_comes_back(tab):
    tab.play("a1", "b1")
    tab.post("goto", node=1)
    tab.wait()
    tab.play("c1")
    tab.post("comment", node=2, text="a [bracket] and a \\ stroke")
    tab.wait()
    saved = tab.post("sgf-save")
    assert saved["name"] == "tictactoe.sgf"
    tab.post("new", game="connect4:4x4", sides=[PERSON, PERSON])
    tab.wait("game")
    answer = tab.post("sgf-open", text=saved["text"], name="mine.sgf")
    assert answer["games"] == 1 and answer["notes"] == []
    tab.until(lambda state: state["message"] == "mine.sgf is open")
    moves = {node["id"]: (node["parent"], node["move"], node["comment"]) for node in tab.state["nodes"].values()}
    assert moves == {
        0: (None, None, ""),
        1: (0, "a1", ""),
        2: (1, "b1", "a [bracket] and a \\ stroke"),
        3: (1, "c1", ""),
    }
    assert tab.post("sgf-save")["text"] == saved["text"]


def test_what_a_file_says_of_the_game_is_written_again(tab):
    about = "PB[Lee \\] Sedol]PW[Fan Hui]DT[2016-03-09]EV[A match]RO[1]PC[Seoul]GN[First]RU[Chinese]RE[B+R]HA[2]US[me]"
    record = f"(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[0.5]{about}AB[bb][dd]PL[W];W[cc]WL[59])"
    tab.post("sgf-open", text=record, name="games/lee.sgf.gz")
    tab.until(lambda state: state["ply"] == 1)
    assert tab.state["info"]["black"] == "Lee ] Sedol" and tab.state["info"]["place"] == "Seoul"
    saved = tab.post("sgf-save")
    assert saved["name"] == "lee.sgf"
    for part in re.findall(r"[A-Z]+(?:\[(?:[^\\\]]|\\.)*\])+", about + "WL[59]KM[0.5]"):
        assert part in saved["text"], part
    tab.post("info", values={"white": "Me [1p]", "event": ""})
    tab.until(lambda state: state["info"]["white"] == "Me [1p]")
    text = tab.post("sgf-save")["text"]
    assert "PW[Me [1p\\]]" in text and "EV" not in text
    assert "must be an object" in tab.refused("info", values={"file": "x"})
    tab.post("new", game="go:5", sides=[PERSON, PERSON])
    tab.until(lambda state: not state["info"])
    assert tab.post("sgf-save")["name"] == "go-5.sgf"


def test_a_position_is_set_up(tab):
    tab.post("new", game="hex:3", sides=[PERSON, PERSON])
    tab.wait("game")
    assert tab.game["can_set_up"]
    tab.post("setup", stones={"a1": 0, "b2": 1}, to_move=0)
    tab.until(lambda state: state["setup"])
    assert len(tab.state["moves"]) == 7 and tab.state["to_move"] == 0
    link = tab.post("link")["fragment"]
    text = tab.state["text"]
    tab.post("new", game="tictactoe")
    tab.wait("game")
    tab.post("open-link", fragment=link)
    tab.wait("game")
    tab.wait("state")
    assert tab.state["text"] == text
    assert "no place" in tab.refused("setup", stones={"z9": 0}, to_move=0)


def test_a_link_restores_game_moves_and_sides(tab):
    tab.post("new", game="connect4:4x4:3", sides=[PERSON, {**COMPUTER, "level": 3}], moves=["1", "2"])
    tab.wait("game")
    tab.wait("state")
    link = tab.state["link"]
    assert link == tab.post("link")["fragment"] and link.startswith("#game=connect4%3A4x4%3A3")
    before = tab.state
    tab.post("new", game="tictactoe", sides=[PERSON, PERSON])
    tab.wait("game")
    tab.post("open-link", fragment=link)
    tab.wait("game")
    tab.wait("state")
    assert tab.state["text"] == before["text"] and tab.state["sides"] == before["sides"]


def test_lists_for_dialogs(tab):
    games = tab.post("games")["games"]
    assert {game["name"] for game in games} >= {"go", "hex", "tictactoe"} and all(game["picture"] for game in games)
    players = tab.post("players", game="go:9")["players"]
    names = [player["name"] for player in players]
    assert "mogo" in names and "loa" not in names and [p["name"] for p in players if p["default"]] == ["go"]
    parameters = {p["name"]: p for p in players[names.index("uct")]["parameters"]}
    assert parameters["exploration"]["kind"] == "number" and parameters["selection"]["brings"]
    changed = tab.post("parameters", player="uct", parameters={"selection": "rave", "exploration": 0.2})
    found = {p["name"]: p for p in changed["parameters"]}
    assert "rave_bias" in found and found["exploration"]["value"] == 0.2 and "rave_bias" not in parameters
    assert changed["string"] == "uct:selection=rave,exploration=0.2"


def test_other_players_may_take_over(tab):
    tab.play("a1")
    tab.post("sides", sides=[PERSON, COMPUTER])
    tab.until(lambda state: state["ply"] == 2)
    assert tab.state["turn"] == "person"


def test_the_usual_player_to_analyse_with_compares_moves(tab, monkeypatch):
    """Where the strongest player is an alpha-beta player, which does not."""
    monkeypatch.setitem(STRONGEST, "loa", "mia2006")
    listed = tab.post("players", game="loa")["players"]
    usual = {name: [player["name"] for player in listed if player[name]] for name in ("default", "analyses")}
    assert usual == {"default": ["mia2006"], "analyses": ["tesuji"]}
    to_play = tab.post("parameters", game="loa", player=None, parameters={})["string"]
    to_analyse = tab.post("parameters", game="loa", player=None, parameters={}, to="analyse")["string"]
    assert to_play.startswith("mia2006") and to_analyse.startswith("tesuji")
    assert '"to" must be' in tab.refused("parameters", game="loa", player=None, parameters={}, to="win")


def test_a_swap_is_told_in_words(tab):
    tab.post("new", game="hex:5:swap=on", sides=[PERSON, PERSON], moves=["c3"])
    tab.until(lambda state: state["can"]["swap"])
    tab.play("swap-pieces")
    assert tab.state["message"] == "White swaps"


def test_a_tab_is_told_whether_the_server_knew_it(server, tab):
    """That a stream was opened before says nothing: it may have broken before anything came."""
    for is_new in (True, False):
        again = Client(server, tab.name)
        assert tab.seen[0][1]["is_new"] and again.seen[0][1]["is_new"] == is_new
        again.disconnect()
        tab.post("games")


# -- numbers -----------------------------------------------------------------------------------------------------------
SIDES = '[{{"kind": "person"}}, {{"kind": "computer", "{name}": {number}}}]'
NUMBERED = [
    ("new", '"game": "go:3", "komi": {number}'),
    ("new", '"handicap": {number}'),
    *(("sides", f'"sides": {SIDES.replace("{name}", name)}') for name in ("level", "seconds", "playouts")),
    ("sides", '"sides": [{{"kind": "person"}}, {{"kind": "computer", "parameters": {{"exploration": {number}}}}}]'),
    ("goto", '"node": {number}'),
    ("hint", '"seconds": {number}'),
    ("solve", '"playouts": {number}'),
    ("analyse-game", '"threshold": {number}'),
    ("tree", '"slot": {number}'),
    ("sgf-open", '"text": "(;GM[1]SZ[3])", "number": {number}'),
    ("setup", '"stones": {{"a1": {number}}}'),
    ("setup", '"stones": {{}}, "to_move": {number}'),
    (
        "open-link",
        '"fragment": "#game=go:3&sides=[{{\\"kind\\":\\"computer\\",\\"seconds\\":{number}}},{{\\"kind\\":\\"person\\"}}]"',
    ),
]


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "9" * 5000, "1e400", "-1e400", "NaN", "Infinity", str(2**64)])
def test_a_number_that_no_type_holds_is_refused_wherever_one_is_read(server, tab, number):
    for name, text in NUMBERED:
        fields = text.format(number=number)
        body = f'{{"tab": "{tab.name}", "generation": {tab.state["generation"]}, {fields}}}'
        status, _, answer = server.request("POST", f"/api/{name}", body)
        error = json.loads(answer)["error"]
        assert status == 400 and len(error) < 200 and "\n" not in error, (name, text, error)


def test_a_record_with_an_illegal_move_is_opened_up_to_there(tab):
    answer = tab.post("sgf-open", text="(;GM[1]SZ[5]RU[Japanese];B[cc];W[cd];B[cc];W[aa])", name="wrong.sgf")
    tab.until(lambda state: state["ply"] == 2)
    rules, mistake = answer["notes"]
    assert "Japanese" in rules and "area scoring" in rules
    assert "B[cc] is not a legal move of go:5" in mistake and "the game is open up to there" in mistake
    assert "B[zz]" in tab.refused("sgf-open", text="(;GM[1]SZ[5];B[zz];W[aa])", name="wrong.sgf")
    assert tab.post("sgf-open", text="(;GM[1]SZ[5]RU[chinese];B[cc])", name="right.sgf")["notes"] == []
