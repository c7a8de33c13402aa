"""`tesuji analyze --show`."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import LearnedNetwork, game_word, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network

KEYS = {"what", "title", "marks", "lines"}


def test_what_is_known_is_drawn_and_nothing_is_searched(tesuji):
    answer = tesuji("analyze", "hex:4", "--moves", "b2", "--show", "fill", "--show", "connections")
    assert answer.code == 0 and answer.err == ""
    lines = answer.out.splitlines()
    assert lines[:3] == ["Cells that may be filled in", "  a b c d", "1 o x x . 1"]
    assert "captured, in a window of up to four cells, for Black: b1 c1" in lines
    assert lines.index("") < lines.index("Connections from edge to edge"), "an empty line between them"
    assert "playouts" not in answer.out


def test_json(tesuji):
    found = tesuji("analyze", "hex:3", "--show", "mustplay", "--show", "connections=a1,b2", "--json").json
    assert set(found) == {"game", "to_move", "shown"} and (found["game"], found["to_move"]) == ("hex:3", "Black")
    moves, connections = found["shown"]
    assert set(moves) == KEYS | {"mustplay", "consider", "winner", "how"}
    assert moves["what"] == "mustplay" and moves["marks"] == {"b2": {"text": "!", "kind": "winning", "player": "Black"}}
    assert moves["winner"] == "Black" and isinstance(moves["lines"], list)
    assert set(connections) == KEYS | {"between", "connections"}
    assert connections["connections"][0] == {"player": "Black", "kind": "full", "carrier": ["b1", "a2"], "key": None}
    (inferior,) = tesuji("analyze", "hex:3", "--show", "inferior", "--json").json["shown"]
    assert inferior["marks"]["c1"] == {"text": "d", "kind": "dominated", "player": "Black", "by": "b2"}


def test_with_a_limit_there_is_a_search_too(tesuji):
    words = ("analyze", "hex:3", "--show", "fill", "--player", "uct:policy=uniform", "--playouts", "5")
    out = tesuji(*words).out
    assert "nothing can be filled in" in out and "5 playouts" in out
    found = tesuji(*words, "--json").json
    assert found["playouts"] == 5 and [one["what"] for one in found["shown"]] == ["fill"]
    assert "shown" not in tesuji("analyze", "hex:3", "--playouts", "5", "--player", "uct:policy=uniform", "--json").json


def test_a_tree_needs_a_search(tesuji, tmp_path):
    words = ("--player", "uct:policy=uniform,playouts=5", "--tree", str(tmp_path / "tree.json"))
    assert "saved: " in tesuji("analyze", "hex:3", "--show", "fill", *words).out


def test_bad_input(tesuji):
    nothing = "there is nothing to show of seki:3,4 but what a search finds"
    assert tesuji("analyze", "seki:3,4", "--show", "fill").error == nothing
    assert tesuji("analyze", "go:5", "--show", "fill").error == "'fill' cannot be shown of go:5; there are: network"
    assert "there are: connections, inferior, fill, mustplay" in tesuji("analyze", "hex:5", "--show", "all").error
    assert "no cell of this board" in tesuji("analyze", "hex:5", "--show", "connections=f6,top").error
    assert "may be a swap" in tesuji("analyze", "hex:5:swap=on", "--show", "fill", "--json").error
    assert "the game is over" in tesuji("analyze", "hex:1", "--moves", "a1", "--show", "fill").error
    assert "--show cannot go with --jsonl" in tesuji("analyze", "hex:5", "--jsonl", "--show", "fill").error


# -- what a network says -----------------------------------------------------------------------------------------------------
def network_of(folder, name, outputs=3, seed=1, boards=("9x9",), file="", **changes):
    """The file of a network with weights by chance."""
    game = find_game(name)
    encoding = game.encoding
    shape = NetworkShape(encoding.planes, encoding.policy_planes, encoding.others, 8, 2, 1, 4, 8, outputs)
    learned = {"boards": list(boards)}
    content = LearnedNetwork(
        game_word(game), encoding.names, encoding.policy_planes, random_network(shape, seed)._replace(**changes), learned
    )
    path = folder / f"{file or name.partition(':')[0]}.network"
    save_network(path, content)
    return str(path)


def test_what_the_network_of_the_package_says(tesuji):
    answer = tesuji("analyze", "go:9", "--moves", "E5 C3", "--show", "network")
    assert answer.code == 0 and answer.err == ""
    title, board, lines = answer.out.splitlines()[0], answer.out.splitlines()[1:11], answer.out.splitlines()[11:]
    assert title == "What the network go9 says"
    assert board[4].split()[0] == "5" and board[4].split()[5] == "X" and board[6].split()[3] == "O"
    assert board[9].split() == list("ABCDEFGHJ")
    numbers = [int(word) for line in board[:9] for word in line.split()[1:] if word.isdigit()]
    assert 90 <= sum(numbers) <= 105
    assert lines[0].startswith("Black: ") and lines[1].startswith("moves: ")


def test_what_a_network_says_in_json(tesuji):
    (found,) = tesuji("analyze", "hex:5", "--moves", "b2", "--show", "network", "--json").json["shown"]
    assert set(found) == KEYS | {"network", "mover", "value", "score", "moves"}
    assert (found["network"], found["mover"], found["score"]) == ("hex13", "White", None)
    assert found["title"] == "What the network hex13 (learned on 13x13) says"
    value, priors = found["value"], {one["move"]: one["prior"] for one in found["moves"]}
    assert value["win"] + value["draw"] + value["loss"] == pytest.approx(1)
    assert value["chance"] == pytest.approx(value["win"] + value["draw"] / 2)
    assert len(priors) == 24 and sum(priors.values()) == pytest.approx(1)
    assert list(priors.values()) == sorted(priors.values(), reverse=True)
    marks = {name: round(100 * prior) for name, prior in priors.items() if prior >= 0.005}
    assert {name: int(mark["text"]) for name, mark in found["marks"].items()} == marks


@pytest.mark.parametrize("name", ["connect4:4x3:3", "loa:8/2b5/8/2b1w3/8/8/3w4/8:b", "dotsandboxes:1x2", "tictactoe"])
def test_a_network_of_a_file(tesuji, tmp_path, name):
    """Moves may be columns, edges, or ways from one place to another."""
    path = network_of(tmp_path, name, outputs=4)
    (found,) = tesuji("analyze", name, "--show", "network", "--network", path, "--json").json["shown"]
    assert isinstance(found["score"], float) and len(found["moves"]) == len(find_game(name).start.legal_moves)
    out = tesuji("analyze", name, "--show", "network", "--network", path, "--playouts", "5", "--player", "uct").out
    assert f"What the network {path[len(str(tmp_path)) + 1 : -len('.network')]} (learned on 9x9) says" in out
    assert "score " in out and "5 playouts" in out


COINS = """
import numpy as np
from tesuji import Encoding, Game, implements, rules, state_type

STATE = state_type("shown", [("first", np.int32), ("last", np.int32), ("to_play", np.int32), ("lead", np.int32)])

@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]

@implements(rules.is_over, STATE)
def is_over(state):
    return state["first"] > state["last"]

@implements(rules.moves, STATE)
def moves(state, out):
    out[0], out[1] = 0, 1
    return 2

@implements(rules.play, STATE)
def play(state, move):
    if move == 0:
        state["first"] += 1
    else:
        state["last"] -= 1
    state["lead"] += 1 - 2 * state["to_play"]
    state["to_play"] = 1 - state["to_play"]

@implements(rules.outcome, STATE)
def outcome(state):
    return state["lead"]

@implements(rules.planes, STATE)
def planes(state, planes):
    for i in range(state["first"], state["last"] + 1):
        planes[0, i, 0] = 1

@implements(rules.place, STATE)
def place(state, move):
    return move

START = np.zeros(1, STATE)[0]
START["last"] = 3
game = Game(
    name="coins", initial=START, outcomes=(-4, 4), move_count=2, max_plies=4, encoding=Encoding(1, 4, ("there",)),
    move_text=lambda state, move: ("left", "right")[move],
)
"""


def test_a_network_of_a_game_of_ones_own(tesuji, tmp_path):
    """It has no board: what is said is in the lines."""
    file = tmp_path / "coins.py"
    file.write_text(COINS)
    path = network_of(tmp_path, f"{file}:game", file="coins")
    out = tesuji("analyze", f"{file}:game", "--show", "network", "--network", path).out.splitlines()
    assert out[1:3] == ["first: 0", "last: 3"] and "moves: " in out[-1] and "left" in out[-1] and "%" in out[-2]
    (found,) = tesuji("analyze", f"{file}:game", "--show", "network", "--network", path, "--json").json["shown"]
    assert found["marks"] == {} and {one["move"] for one in found["moves"]} == {"left", "right"}
    assert "no network for coins.py comes with the package" in tesuji("analyze", f"{file}:game", "--show", "network").error


def test_the_network_of_the_player_is_shown(tesuji, tmp_path):
    path = network_of(tmp_path, "go:5", seed=7)
    shipped, of_player, named = (
        tesuji("analyze", "go:5", "--show", "network", *more, "--json").json["shown"][0]
        for more in ((), ("--player", "network", "--network", path), ("--network", path))
    )
    assert (shipped["network"], of_player["network"]) == ("go9", "go") and named == of_player


def test_networks_that_cannot_be_shown(tesuji, tmp_path):
    def error(game, *words):
        return tesuji("analyze", game, "--show", "network", *words).error

    path, none = network_of(tmp_path, "go:5"), "no network for connect4 comes with the package"
    assert error("connect4") == f"{none}: name the file of one by --network FILE ('tesuji learn network' writes them)"
    assert "'network' cannot be shown of hex:3x4; there are: " in error("hex:3x4")
    assert "there is nothing to show of seki" in error("seki", "--network", path)
    assert error("hex:5", "--network", path).endswith("is a network for go, not for hex")
    assert error("go:5", "--network", f"{path}x").endswith("cannot be read: No such file or directory")
    (tmp_path / "cut").write_bytes((tmp_path / "go.network").read_bytes()[:-1])
    assert error("go:5", "--network", str(tmp_path / "cut")).endswith("is cut short or damaged; it cannot be used")
    assert "name the file of one" in error("go:5", "--network", f"{path}+{path}")
    huge = network_of(tmp_path, "go:5", entry=np.full((135, 8), 1e6, np.float32), layers=np.full((4, 72, 8), 1e6, np.float32))
    assert error("go:5", "--network", huge) == "the numbers of the network go overflow in this position: it says nothing"
    assert "network is about the whole position" in tesuji("analyze", "go:5", "--show", "network=C3").error
