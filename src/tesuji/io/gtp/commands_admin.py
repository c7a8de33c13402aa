"""Administrative commands, parameters, and questions about the position that other programs are used to."""

from __future__ import annotations

import time
from itertools import pairwise

import tesuji
from tesuji.core.parameters import Parameter
from tesuji.io.gtp.commands import available, command, find, needs_board
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import move_text, need_vertex, parse_move, vertex_text
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError
from tesuji.io.gtp.record import PLAY


@command("protocol_version")
def protocol_version(_engine: Engine, _words: list[str]) -> str:
    return "2"


@command("name")
def name(_engine: Engine, _words: list[str]) -> str:
    return "Tesuji"


@command("version")
def version(_engine: Engine, _words: list[str]) -> str:
    return tesuji.__version__


@command("known_command", "COMMAND")
def known_command(engine: Engine, words: list[str]) -> str:
    return "true" if find(engine, words[0]) is not None else "false"


@command("list_commands")
def list_commands(engine: Engine, _words: list[str]) -> str:
    return "\n".join(available(engine))


@command("quit", "[ANYTHING...]")
def quit_engine(_engine: Engine, _words: list[str]) -> str:
    return ""  # the server ends after this answer


@command("cputime")
@command("gomill-cpu_time")
def cputime(_engine: Engine, _words: list[str]) -> str:
    return f"{time.process_time():.3f}"


# -- parameters ----------------------------------------------------------------------------------------------------------
@command("tesuji-param", "[NAME] [VALUE]")
def tesuji_param(engine: Engine, words: list[str]) -> str:
    """All parameters, one, or a new value for one."""
    if len(words) == 2:
        engine.set_parameter(*words)
        return ""
    known = {parameter.name: (parameter, value) for parameter, value in engine.parameters()}
    if words:
        key = words[0].replace("-", "_")
        if key not in known:
            raise GtpError(f"there is no parameter {words[0][:40]!r}; there are: {', '.join(known)}")
        parameter, value = known[key]
        return parameter.format(value)
    return "\n".join(f"{parameter.name} {parameter.format(value)}" for parameter, value in known.values())


@command("tesuji-params", "[NAME] [VALUE]")
def tesuji_params(engine: Engine, words: list[str]) -> str:
    """GoGui's parameter dialog: one line a parameter with its type, and the same command sets one."""
    if len(words) == 1:
        raise GtpError("syntax error: tesuji-params [NAME VALUE]")
    if words:
        engine.set_parameter(*words)
        return ""
    return "\n".join(_dialog_line(parameter, value) for parameter, value in engine.parameters())


def _dialog_line(parameter: Parameter, value: object) -> str:
    if isinstance(parameter.default, bool):
        return f"[bool] {parameter.name} {int(bool(value))}"
    kind = "/".join(["list", *parameter.choices]) if parameter.choices else "string"
    return f"[{kind}] {parameter.name} {parameter.format(value)}"  # type: ignore[arg-type]


# -- the position --------------------------------------------------------------------------------------------------------
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
    return " ".join(vertex_text(point) for point in sorted(stones, key=lambda p: (-p[1], p[0])) if stones[point] == wanted)


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
