"""From a record to a game tree: any game, with or without a number in SGF (see reading.py)."""

from __future__ import annotations

from tesuji import __version__
from tesuji.core import rules
from tesuji.core.board import Point
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.io.sgf.node import Node
from tesuji.io.sgf.reading import NO_NUMBER, PRIVATE, board_point
from tesuji.io.sgf.record import Record, Turn, stepper
from tesuji.io.sgf.values import LETTERS, escaped, letters_of

MOST_SIDE = len(LETTERS)


def record_tree(record: Record, check: bool = True) -> Node:
    """The record as a tree of one line. A UserError if a move is illegal, or the start is one that cannot be written.

    Without `check` the moves are known to be legal, which saves most of the time.
    """
    game = record.game
    root = _root(record)
    state = copy_state(record.start)
    step = stepper(game, quick=False, check=check)
    node = root
    for number, turn in enumerate(record.turns, 1):
        node = node.add(Node())
        if turn.move is None:
            _write_set_up(node, game, state, turn.position, turn.player)
            state = copy_state(turn.position)
        else:
            colour = "BW"[turn.player]
            if rules.is_over(state) or turn.move not in range(game.move_count):
                raise UserError(f"move {number} of the record, {turn.move}, is not possible in {game.name}")
            node.properties[colour] = [_move_value(game, state, turn.move)]
            if not step(state, turn.move):
                raise UserError(f"move {number} of the record, {turn.move}, is not legal in {game.name}")
            _write_time(node, colour, turn)
        if turn.comment:
            node.set_text("C", turn.comment)
    return root


def _root(record: Record) -> Node:
    game, board = record.game, record.game.board
    root = Node()
    root.properties = {
        "FF": ["4"],
        "GM": [str(game.sgf_number or NO_NUMBER)],
        "CA": ["UTF-8"],
        "AP": [f"tesuji:{escaped(__version__, composed=True)}"],
    }
    if board is not None:
        same = board.columns == board.rows
        root.properties["SZ"] = [str(board.columns) if same else f"{board.columns}:{board.rows}"]
    root.set_text(PRIVATE, game.name)
    komi = game.extra.get("komi")
    if komi is not None:
        root.set_text("KM", f"{komi:g}")
    if record.handicap:
        root.set_text("HA", str(record.handicap))
    if record.start.tobytes() != game.start.tobytes():
        _write_set_up(root, game, game.start, record.start, int(rules.to_play(record.start)))
    texts = {"RU": record.rules, "PB": record.black, "PW": record.white, "RE": record.result, "DT": record.date}
    for name, text in {**texts, "C": record.comment}.items():
        if text:
            root.set_text(name, text)
    return root


def _move_value(game: Game, state: State, move: int) -> str:
    if game.sgf_number and game.sgf_move is not None:
        return escaped(game.sgf_move(state, move))
    return escaped(game.text(state, move))


def _write_time(node: Node, colour: str, turn: Turn) -> None:
    if turn.seconds_left is not None:
        node.set_text(f"{colour}L", f"{turn.seconds_left:.3f}".rstrip("0").rstrip("."))
    if turn.stones_left is not None:
        node.set_text(f"O{colour}", str(turn.stones_left))


def _write_set_up(node: Node, game: Game, before: State, after: State, player: int) -> None:
    """The stones that make one position of the other, and who is to move."""
    board = game.board
    if board is None or board.set_up is None or max(board.columns, board.rows) > MOST_SIDE:
        raise UserError(
            f"a game of {game.name} that begins elsewhere than at its start cannot be written; begin with the moves"
        )
    old, new = board.stones(before), board.stones(after)
    changes = {
        "AB": [point for point, owner in new.items() if owner == rules.FIRST and old.get(point) != owner],
        "AW": [point for point, owner in new.items() if owner == rules.SECOND and old.get(point) != owner],
        "AE": [point for point in old if point not in new],
    }
    names = _point_names(game) if any(changes.values()) else {}
    for name, points in changes.items():
        if points:
            texts = (names.get(point) or _other_name(game, point) for point in sorted(points))
            node.properties[name] = sorted(texts)
    node.properties["PL"] = ["BW"[player]]


def _point_names(game: Game) -> dict[Point, str]:
    """How the game writes a move to a point, where that names the point too."""
    board = game.board
    if board is None or not game.sgf_number or game.sgf_move is None:
        return {}
    names: dict[Point, str] = {}
    for move in game.legal_moves(game.start):
        point = board.point(game.start, move)
        text = game.sgf_move(game.start, move)
        if point is not None and len(text) <= 3 and board_point(game, game.start, text) == point:
            names[point] = text
    return names


def _other_name(game: Game, point: Point) -> str:
    board = game.board
    assert board is not None
    if game.sgf_number and board_point(game, game.start, f"{LETTERS[point[0]]}{point[1] + 1}") == point:
        return f"{LETTERS[point[0]]}{point[1] + 1}"
    return letters_of(point, board.rows)
