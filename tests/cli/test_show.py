"""`tesuji analyze --show`."""

from __future__ import annotations

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
    assert tesuji("analyze", "go:5", "--show", "fill").error == "there is nothing to show of go:5 but what a search finds"
    assert "there are: connections, inferior, fill, mustplay" in tesuji("analyze", "hex:5", "--show", "all").error
    assert "no cell of this board" in tesuji("analyze", "hex:5", "--show", "connections=f6,top").error
    assert "may be a swap" in tesuji("analyze", "hex:5:swap=on", "--show", "fill", "--json").error
    assert "the game is over" in tesuji("analyze", "hex:1", "--moves", "a1", "--show", "fill").error
    assert "--show cannot go with --jsonl" in tesuji("analyze", "hex:5", "--jsonl", "--show", "fill").error
