"""Questions about the position: what is on the board, what may be played, what was; and the score, and which stones are dead.

The score is that of the position without its dead stones, where somebody can tell them (`engine.status`), passed to its end
where passes end the game: after two passes the result, before that an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable

from tesuji.core.picture.board import Point
from tesuji.io.gtp.commands import command, needs_board, needs_status
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import move_text, need_vertex, parse_move, vertex_text
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError
from tesuji.play.tree import MoveNode

STATUSES = ("alive", "dead", "seki")


@command("showboard")
def showboard(engine: Engine, _words: list[str]) -> str:
    position = engine.played.position
    drawing = engine.game.drawing(position.state)
    turn = "the game is over" if position.is_over else f"{position.to_move} to move"
    return f"\n{drawing}\n{turn}"


@command("query_boardsize", needs=needs_board)
def query_boardsize(engine: Engine, _words: list[str]) -> str:
    board = engine.game.board
    assert board is not None
    return str(max(board.columns, board.rows))


@command("get_komi", needs=lambda engine: "komi" in engine.game.extra)
def get_komi(engine: Engine, _words: list[str]) -> str:
    return f"{float(engine.game.extra['komi']):g}"


@command("list_stones", "COLOUR", needs=needs_board)
def list_stones(engine: Engine, words: list[str]) -> str:
    wanted = engine.colour(words[0])
    stones = engine.played.stones()
    return " ".join(
        vertex_text(engine.game, point) for point in sorted(stones, key=lambda p: (-p[1], p[0])) if stones[point] == wanted
    )


@command("color", "VERTEX", needs=needs_board)
def colour_of_point(engine: Engine, words: list[str]) -> str:
    owner = engine.played.stones().get(need_vertex(engine.game, words[0]))
    return "empty" if owner is None else COLOUR_NAMES[owner]


@command("is_legal", "COLOUR MOVE...")
def is_legal(engine: Engine, words: list[str]) -> str:
    mover = engine.colour(words[0])
    try:
        parse_move(engine.game, engine.turned_to(mover).state, " ".join(words[1:]))
    except GtpError:
        return "0"
    return "1"


@command("all_legal", "COLOUR")
def all_legal(engine: Engine, words: list[str]) -> str:
    state = engine.turned_to(engine.colour(words[0])).state
    return " ".join(move_text(engine.game, state, move) for move in engine.game.legal_moves(state))


@command("move_history")
def move_history(engine: Engine, _words: list[str]) -> str:
    """The moves, the last one first, as GNU Go gives them."""
    return "\n".join(reversed([_played(engine, node) for node in engine.played.moves()]))


@command("last_move")
def last_move(engine: Engine, _words: list[str]) -> str:
    if engine.played.node.number is None:
        raise GtpError("no previous move known")
    return _played(engine, engine.played.node)


def _played(engine: Engine, node: MoveNode) -> str:
    """A move with its colour."""
    assert node.mover is not None and node.number is not None
    state = engine.played.tree.position(node.parent).state
    return f"{COLOUR_NAMES[node.mover]} {move_text(engine.game, state, node.number)}"


# -- the score ---------------------------------------------------------------------------------------------------------
@command("final_score")
def final_score(engine: Engine, _words: list[str]) -> str:
    """The score as GTP has it, and nothing else: controllers read the margin out of it."""
    end = engine.final()
    return str(end.outcome) if engine.game.players == 1 else end.result


@command("tesuji-final_score")
def final_score_with_rule(engine: Engine, words: list[str]) -> str:
    """The score, and where there is a choice of rules, in brackets, the one that it was made by."""
    rule = engine.final().rule(judged=engine.status is not None)
    return final_score(engine, words) + (f" ({rule})" if rule else "")


@command("final_status_list", "STATUS", needs=needs_status)
def final_status_list(engine: Engine, words: list[str]) -> str:
    """The stones of that status, a string of stones a line."""
    wanted = words[0].lower()
    if wanted not in STATUSES:
        raise GtpError(f"invalid status: {' or '.join(STATUSES)}")
    assert engine.status is not None
    status = engine.status(engine.game, engine.state)
    stones = engine.played.stones()
    points = [point for point in stones if status.get(point, "alive") == wanted]
    return "\n".join(" ".join(vertex_text(engine.game, point) for point in group) for group in strings(stones, points))


def strings(stones: dict[Point, int], points: Iterable[Point]) -> list[list[Point]]:
    """The points, all of them occupied, in groups of connected stones of one colour."""
    left = set(points)
    groups = []
    for start in sorted(left):
        if start not in left:
            continue
        left.remove(start)
        group, edge = [start], [start]
        while edge:
            column, row = edge.pop()
            for near in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if near in left and stones.get(near) == stones.get(start):
                    left.remove(near)
                    group.append(near)
                    edge.append(near)
        groups.append(sorted(group))
    return groups
