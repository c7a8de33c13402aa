"""What GoGui asks for: analyze commands, setting up, its rules commands by which it plays games other than Go.

GoGui's boards are square. A board that is not is shown in the lower left corner of one that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.picture.board import Point
from tesuji.io.gtp.commands import command, find, needs_board, needs_set_up
from tesuji.io.gtp.engine import Engine, best_chance, black_advantage
from tesuji.io.gtp.moves import line_texts, move_text, moves_are_points, need_vertex, parse_move, parse_vertex, vertex_text
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import MoveReport, Result

ANALYZE_COMMANDS = (
    "gfx/Search/tesuji-search-gfx",
    "dboard/Move Values/tesuji-values",
    "sboard/Move Visits/tesuji-visits",
    "varc/Expected Line/tesuji-pv %c",
    "hstring/Search Table/tesuji-search",
    "param/Search Parameters/tesuji-params",
    "plist/Legal Moves/all_legal %c",
    "string/Why This Move/tesuji-why",
    "string/Final Score/final_score",
    "plist/Dead Stones/final_status_list dead",
)
SHOWN_ON_POINTS = ("gfx", "dboard", "sboard", "plist")  # of no use where a move is no point
SIGNS = ("X", "O")
MOST_SHOWN = 12


def needs_points(engine: Engine) -> bool:
    """A board program can let a user play by pointing at the place where a stone goes, and in no other way."""
    return needs_board(engine) and moves_are_points(engine.game)


@command("gogui-analyze_commands")
def analyze_commands(engine: Engine, _words: list[str]) -> str:
    lines = [line for line in ANALYZE_COMMANDS if find(engine, line.split("/")[2].split()[0]) is not None]
    if not moves_are_points(engine.game):
        lines = [line for line in lines if line.split("/")[0] not in SHOWN_ON_POINTS]
    return "\n".join(lines)


@command("gogui-interrupt")
def interrupt(_engine: Engine, _words: list[str]) -> None:
    """Being there tells GoGui that the line '# interrupt' ends the command under way."""


@command("gogui-title")
def title(engine: Engine, _words: list[str]) -> str:
    return f"Tesuji ({engine.player.name}, {engine.game.name})"


# -- positions -----------------------------------------------------------------------------------------------------------
@command("gogui-play_sequence", "[COLOUR-MOVE...]")
def play_sequence(engine: Engine, words: list[str]) -> None:
    """All of the moves, or none."""
    if len(words) % 2:
        raise GtpError("syntax error: gogui-play_sequence takes pairs of a colour and a move")
    begin = engine.played.tree.current
    try:
        for colour_text, move in zip(words[::2], words[1::2], strict=True):
            position = engine.turned_to(engine.colour(colour_text))
            engine.played.play_from(position, parse_move(engine.game, position.state, move))
    except UserError:
        engine.played.take_back(begin)
        raise


@command("gogui-setup", "[COLOUR-VERTEX...]", needs=needs_set_up)
def setup(engine: Engine, words: list[str]) -> None:
    """Puts stones on the board; the colour e or empty takes one off."""
    if len(words) % 2:
        raise GtpError("syntax error: gogui-setup takes pairs of a colour and a vertex")
    stones = engine.played.stones()
    for colour_text, vertex in zip(words[::2], words[1::2], strict=True):
        point = need_vertex(engine.game, vertex)
        if colour_text.lower() in ("e", "empty"):
            stones.pop(point, None)
        else:
            stones[point] = engine.colour(colour_text)
    engine.played.set_up(stones, engine.played.to_move)


@command("gogui-setup_player", "COLOUR", needs=needs_set_up)
def setup_player(engine: Engine, words: list[str]) -> None:
    engine.played.set_up(engine.played.stones(), engine.colour(words[0]))


@command("gogui-undo_setup", needs=needs_set_up)
def undo_setup(engine: Engine, _words: list[str]) -> None:
    node = engine.played.node
    if node.setup is None or node.is_turn or node.parent is None:
        raise GtpError("cannot undo: no stones were set up last")
    engine.played.take_back(node.parent)


# -- what the search thinks ------------------------------------------------------------------------------------------------
def _result(engine: Engine) -> Result:
    """What the kept search knows of this position, or what a search within the limits of one move finds."""
    kept = engine.kept_result()
    if kept is not None:
        return kept
    if engine.played.position.is_over:
        raise GtpError("the game is over")
    search, limits = engine.think(engine.played.position, engine.played.to_move)
    return engine.run(search, limits)


def _tried(engine: Engine) -> tuple[Result, dict[Point, MoveReport]]:
    """The moves that put a stone on a point and were tried, the best first."""
    board = engine.game.board
    assert board is not None
    if not moves_are_points(engine.game):
        raise GtpError("moves of this game are not points")
    result = _result(engine)
    shown = {}
    for report in result.moves:
        point = board.point(engine.state, report.move)
        if point is not None and report.visits > 0:
            shown.setdefault(point, report)
    return result, shown


def _rows(engine: Engine, text: dict[Point, str], empty: str) -> str:
    """A text for each point, from the top row down."""
    board = engine.game.board
    assert board is not None
    size = range(max(board.columns, board.rows))
    return "\n".join(" ".join(text.get((column, row), empty) for column in size) for row in reversed(size))


@command("tesuji-search-gfx", needs=needs_board)
def search_gfx(engine: Engine, _words: list[str]) -> str:
    """The expected line as stones, visits as labels, chances as squares for Black and White, and a line of text."""
    result, shown = _tried(engine)
    lines = []
    best = result.moves[0].pv if result.moves else []
    colours = ("b", "w") if result.to_move == 0 else ("w", "b")
    moves = [f"{colours[i % 2]} {text}" for i, text in enumerate(line_texts(engine.game, engine.state, best)[:MOST_SHOWN])]
    if moves:
        lines.append("VAR " + " ".join(moves))
    if shown:
        values = [f"{vertex_text(engine.game, p)} {black_advantage(result, r.value):.3f}" for p, r in shown.items()]
        lines.append("INFLUENCE " + " ".join(values))
        lines.append("LABEL " + " ".join(f"{vertex_text(engine.game, p)} {r.visits}" for p, r in shown.items()))
    chance = best_chance(result)
    lines.append(f"TEXT {result.playouts} playouts, {COLOUR_NAMES[result.to_move]} wins {100 * chance:.1f}%")
    return "\n".join(lines)


@command("tesuji-values", needs=needs_board)
def values(engine: Engine, _words: list[str]) -> str:
    """Every tried move's value on its point, from -1 (White wins) to 1 (Black wins)."""
    result, shown = _tried(engine)
    return "\n" + _rows(engine, {p: f"{black_advantage(result, r.value):.3f}" for p, r in shown.items()}, "0.000")


@command("tesuji-visits", needs=needs_board)
def visits(engine: Engine, _words: list[str]) -> str:
    _, shown = _tried(engine)
    return "\n" + _rows(engine, {p: str(r.visits) for p, r in shown.items()}, '""')


@command("tesuji-pv", "[COLOUR]")
def pv(engine: Engine, words: list[str]) -> str:
    """The line of play that the search expects; the colour, if there is one, must be that of the player to move."""
    if words and engine.colour(words[0]) != engine.played.to_move:
        raise GtpError(f"it is {COLOUR_NAMES[engine.played.to_move]}'s turn")
    result = _result(engine)
    return " ".join(line_texts(engine.game, engine.state, result.moves[0].pv)) if result.moves else ""


@command("tesuji-search")
def search_table(engine: Engine, _words: list[str]) -> str:
    """A table of the best moves: visits, chance for the player to move, proven bounds, line."""
    result = _result(engine)
    lines = [f"Playouts: {result.playouts}", f"Nodes: {result.nodes}", f"Proven: {'yes' if result.proven else 'no'}"]
    for report in result.moves[:MOST_SHOWN]:
        line = " ".join(line_texts(engine.game, engine.state, report.pv)[:MOST_SHOWN])
        chance = 100 * result.chance(report.value)
        lower, upper = (bound * engine.game.outcome_unit for bound in (report.lower, report.upper))
        lines.append(f"{report.visits:>9} {chance:5.1f}% {lower:+g}..{upper:+g}  {line}")
    return "\n".join(lines)


# -- rules -----------------------------------------------------------------------------------------------------------------
@command("gogui-rules_game_id", needs=needs_points)
def rules_game_id(engine: Engine, _words: list[str]) -> str:
    """One word of letters, the first of them large."""
    name = engine.game.title or engine.game.name.partition(":")[0]
    return "".join(letter for letter in name if letter.isalpha()).capitalize() or "Game"


@command("gogui-rules_board_size", needs=needs_points)
def rules_board_size(engine: Engine, _words: list[str]) -> str:
    board = engine.game.board
    assert board is not None
    return str(max(board.columns, board.rows))


@command("gogui-rules_board", needs=needs_points)
def rules_board(engine: Engine, _words: list[str]) -> str:
    return "\n" + _rows(engine, {point: SIGNS[owner] for point, owner in engine.played.stones().items()}, ".")


@command("gogui-rules_legal_moves", needs=needs_points)
def rules_legal_moves(engine: Engine, _words: list[str]) -> str:
    """Vertices of the player to move, with the pass at the end; nothing when the game is over. GoGui knows no other moves."""
    texts = [move_text(engine.game, engine.state, move) for move in engine.game.legal_moves(engine.state)]
    known = [text for text in texts if text.lower() == "pass" or parse_vertex(engine.game, text) is not None]
    return " ".join(sorted(known, key=lambda text: text.lower() == "pass"))


@command("gogui-rules_side_to_move", needs=needs_points)
def rules_side_to_move(engine: Engine, _words: list[str]) -> str:
    return COLOUR_NAMES[engine.played.to_move]


@command("gogui-rules_final_result", needs=needs_points)
def rules_final_result(engine: Engine, _words: list[str]) -> str:
    """In words; nothing yet while the game goes on."""
    if not rules.is_over(engine.state):
        return "unknown"
    if engine.game.players == 1:
        return f"score {int(rules.outcome(engine.state))}"
    text = engine.final().result
    return "draw" if text == "0" else f"{'black' if text.startswith('B') else 'white'} wins: {text}"
