"""Questions about the position: what is on the board, what may be played, what was; and the score, and which stones are dead.

The score is that of the position without its dead stones, where somebody can tell them (`engine.status`), passed to its end
where passes end the game: after two passes the result, before that an estimate.
"""

from __future__ import annotations

from itertools import pairwise

from tesuji.core import rules
from tesuji.io.gtp.commands import command, needs_board, needs_status
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import move_text, need_vertex, parse_move, vertex_text
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError
from tesuji.io.gtp.record import PLAY, strings
from tesuji.knowledge.scoring import rule_text

STATUSES = ("alive", "dead", "seki")


@command("showboard")
def showboard(engine: Engine, _words: list[str]) -> str:
    record = engine.record
    drawing = engine.game.drawing(record.state)
    turn = "the game is over" if record.is_over else f"{engine.game.player_names[record.to_move]} to move"
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
    stones = engine.record.stones()
    return " ".join(
        vertex_text(engine.game, point) for point in sorted(stones, key=lambda p: (-p[1], p[0])) if stones[point] == wanted
    )


@command("color", "VERTEX", needs=needs_board)
def colour_of_point(engine: Engine, words: list[str]) -> str:
    owner = engine.record.stones().get(need_vertex(engine.game, words[0]))
    return "empty" if owner is None else COLOUR_NAMES[owner]


@command("is_legal", "COLOUR MOVE...")
def is_legal(engine: Engine, words: list[str]) -> str:
    mover = engine.colour(words[0])
    try:
        parse_move(engine.game, engine.record.ready_for(mover).state, " ".join(words[1:]))
    except GtpError:
        return "0"
    return "1"


@command("all_legal", "COLOUR")
def all_legal(engine: Engine, words: list[str]) -> str:
    entry = engine.record.ready_for(engine.colour(words[0]))
    return " ".join(move_text(engine.game, entry.state, move) for move in engine.game.legal_moves(entry.state))


@command("move_history")
def move_history(engine: Engine, _words: list[str]) -> str:
    """The moves, the last one first, as GNU Go gives them."""
    entries = engine.record.entries
    lines = [
        f"{COLOUR_NAMES[entry.mover]} {move_text(engine.game, before.state, entry.move)}"
        for before, entry in pairwise(entries)
        if entry.kind == PLAY
    ]
    return "\n".join(reversed(lines))


@command("last_move")
def last_move(engine: Engine, _words: list[str]) -> str:
    record = engine.record
    if record.last.kind != PLAY:
        raise GtpError("no previous move known")
    return f"{COLOUR_NAMES[record.last.mover]} {move_text(engine.game, record.entries[-2].state, record.last.move)}"


# -- the score ---------------------------------------------------------------------------------------------------------
@command("final_score")
def final_score(engine: Engine, _words: list[str]) -> str:
    """The score as GTP has it, and nothing else: controllers read the margin out of it."""
    end = engine.final()
    return str(int(rules.outcome(end.state))) if engine.game.players == 1 else end.result


@command("tesuji-final_score")
def final_score_with_rule(engine: Engine, words: list[str]) -> str:
    """The score, and where there is a choice of rules, in brackets, the one that it was made by."""
    rule = rule_text(engine.game, engine.final().dead, engine.status is not None)
    return final_score(engine, words) + (f" ({rule})" if rule else "")


@command("final_status_list", "STATUS", needs=needs_status)
def final_status_list(engine: Engine, words: list[str]) -> str:
    """The stones of that status, a string of stones a line."""
    wanted = words[0].lower()
    if wanted not in STATUSES:
        raise GtpError(f"invalid status: {' or '.join(STATUSES)}")
    assert engine.status is not None
    status = engine.status(engine.game, engine.state)
    stones = engine.record.stones()
    points = [point for point in stones if status.get(point, "alive") == wanted]
    return "\n".join(" ".join(vertex_text(engine.game, point) for point in group) for group in strings(stones, points))
