"""Board descriptions and pictures: plain data that JSON holds, every legal move somewhere, pictures that stand alone."""

import json
import random
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import tesuji
from tesuji.core.game import Game
from tesuji.core.picture import drawing
from tesuji.core.picture.board import Board
from tesuji.core.picture.drawing import describe, draw
from tesuji.core.picture.svg import MARK, svg_of
from tesuji.games.registry import ENTRIES

EXAMPLES = [
    *[entry.small or entry.example for entry in ENTRIES],
    "hex:3x5",
    "hex:1",
    "hex:4:swap=on",
    "seki:0,2",
    "seki:2,3,0",
    "seki:20,1,8",
    "semeai:30,1,0.5",
    "go:19",
    "go:2",
    "connect4:3x3:3",
    "dotsandboxes:1x3",
    "samegame:15x3:2:9",
]
BUTTONS = {"pass", "elsewhere", "swap-pieces"}


def random_positions(name, seed=1, most=60):
    chance = random.Random(seed)
    position = tesuji.game(name).start
    yield position
    while not position.is_over and len(position.moves) < most:
        position = position.play(chance.choice(position.legal_moves))
        yield position


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_move_is_at_a_place_or_a_button(name):
    about = describe(tesuji.game(name))
    names = {place["name"] for place in about["places"]}
    assert len(names) == len(about["places"]) > 0
    assert about["surface"] in drawing.SURFACES and about["input"] in drawing.INPUTS
    left, top, width, height = about["view"]
    for place in about["places"]:
        assert place["shape"] in drawing.SHAPES
        assert left < place["x"] < left + width and top < place["y"] < top + height
    for position in random_positions(name):
        now = draw(position)
        assert json.loads(json.dumps([about, now])) == [about, now]
        assert [move["text"] for move in now["moves"]] == list(position.legal_moves)
        for move in now["moves"]:
            assert set(move["at"]) | set(move.get("area", [])) <= names
            assert bool(move["at"]) != (move["text"] in BUTTONS)
        assert {piece["at"] for piece in now["pieces"]} | {mark["at"] for mark in now["marks"]} <= names
        assert len({piece["at"] for piece in now["pieces"]}) == len(now["pieces"])
        assert all(piece["shape"] in drawing.PIECES for piece in now["pieces"])
        assert all(piece["colour"] in ("", *drawing.COLOURS) for piece in now["pieces"])
        assert now["over"] == position.is_over == bool(now["result"])
        if position.moves:
            assert now["last"]["text"] == position.moves[-1] and set(now["last"]["at"]) <= names


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_click_means_two_moves(name):
    """A place, or for moves from one square to another the pair, belongs to one move at most."""
    for position in random_positions(name, seed=2):
        now = draw(position)
        pairs = describe(position.game)["input"] == "from-to"
        places = [tuple(m["at"]) if pairs else place for m in now["moves"] if m["at"] for place in m.get("area", m["at"])]
        places = list(dict.fromkeys(places)) if pairs else places
        texts = [m["text"] for m in now["moves"] if m["at"]]
        assert len(places) == len(set(places))
        assert not pairs or len(places) == len(texts)


@pytest.mark.parametrize("name", ["tictactoe", "connect4:7x6", "go:4", "hex:3x5", "hex:4:swap=on", "loa"])
def test_pieces_are_those_of_the_board(name):
    game = tesuji.game(name)
    assert game.board is not None
    for position in random_positions(name, seed=3, most=30):
        stones = game.board.stones(position.state)
        players = [piece["player"] for piece in draw(position)["pieces"]]
        assert sorted(players) == sorted(stones.values())


def liberties(position):
    """The liberties of the two facing strings by the rules of Go, counted on what is drawn alone."""
    places = {p["name"]: (p["column"], p["row"]) for p in describe(position.game)["places"]}
    stones = {places[piece["at"]]: piece["player"] for piece in draw(position)["pieces"]}
    rows = max(row for _, row in places.values()) + 1
    found = []
    for start in ((0, 2), (0, rows - 3)):
        string, free, waiting = {start}, set(), [start]
        while waiting:
            column, row = waiting.pop()
            for near in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
                if near not in places.values() or near in string:
                    continue
                if near not in stones:
                    free.add(near)
                elif stones[near] == stones[start]:
                    string.add(near)
                    waiting.append(near)
        found.append(len(free))
    return found


@pytest.mark.parametrize("name", ["seki:3,4", "seki:0,2", "seki:2,3,0", "seki:6,1,8", "semeai:5,4", "semeai:2,7,0.5"])
@pytest.mark.parametrize("seed", range(5))
def test_seki_and_semeai_are_real_go_positions(name, seed):
    for position in random_positions(name, seed=seed):
        state = position.state
        if "outside" in state.dtype.names:
            expected = [int(count) + int(state["shared"]) for count in state["outside"]]
        else:
            expected = [int(count) for count in state["liberties"]]
        assert liberties(position) == expected


def test_a_captured_string_is_faded():
    position = tesuji.game("semeai:2,1").start.play("w1")
    assert position.winner == "Black"
    faded = [piece for piece in draw(position)["pieces"] if piece.get("faded")]
    assert len(faded) == 5 and {piece["player"] for piece in faded} == {1}


def test_a_drop_takes_a_click_anywhere_in_its_column():
    move = draw(tesuji.game("connect4:7x6").start.play("4"))["moves"][3]
    assert move["at"] == ["4.2"] and move["area"] == [f"4.{row}" for row in range(1, 7)]


def test_moves_from_one_square_to_another():
    position = tesuji.game("loa").start.play("b8-b6")
    assert draw(position)["last"] == {"text": "b8-b6", "player": 0, "at": ["b8", "b6"]}


def test_hex_names_its_borders():
    about = describe(tesuji.game("hex:5"))
    assert [(side["player"], side["name"]) for side in about["borders"]] == [
        (0, "top"),
        (0, "bottom"),
        (1, "left"),
        (1, "right"),
    ]


def own_game(board, move_text=lambda state, move: f"m{move}"):
    initial = tesuji.game("tictactoe").initial
    return Game("own", np.copy(initial)[()], (-1, 1), 9, 9, board=board, move_text=move_text)


def test_a_game_with_a_board_alone_is_a_grid():
    board = tesuji.game("tictactoe").board
    assert board is not None
    game = own_game(Board(3, 3, board.stones, board.point))
    now = draw(game.start.play("m4"))
    assert describe(game)["surface"] == "plain" and len(describe(game)["places"]) == 9
    assert [(piece["at"], piece["player"]) for piece in now["pieces"]] == [("b2", 0)]
    assert now["moves"][0] == {"text": "m0", "at": ["a1"]}


def test_a_game_without_a_board_is_its_text_and_buttons():
    game = own_game(None)
    about, now = describe(game), draw(game.start)
    assert about["surface"] == about["input"] == "text" and about["places"] == []
    assert now["text"] == game.drawing(game.new_state())
    assert [move["at"] for move in now["moves"]] == [[]] * 9
    assert "stones" in svg_of(game.start)


@pytest.mark.parametrize("name", EXAMPLES)
def test_pictures_stand_alone(name):
    for position in list(random_positions(name, seed=4, most=12))[::4]:
        text = position._repr_svg_()
        assert text.startswith(MARK)
        root = ElementTree.fromstring(text)
        assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
            "svg", "title", "text", "rect", "circle", "line", "polygon",
        }  # fmt: skip
        assert "href" not in text and "style" not in text and "nan" not in text
        assert position._repr_svg_() == text


def test_texts_of_a_game_are_escaped():
    game = own_game(None, move_text=lambda state, move: "<b>&")
    nasty = Game("<script>", game.initial, (-1, 1), 9, 9, draw=lambda state: "<script>alert(1)</script>")
    assert "<script>" not in svg_of(nasty.start)


def test_the_position_before_the_last_move():
    start = tesuji.game("tictactoe").start
    assert start.before is None
    assert tesuji.Position(start.game, start.play("b2", "a1").before) == start.play("b2")
    assert start.play("b2").play().before.tobytes() == start.state.tobytes()
