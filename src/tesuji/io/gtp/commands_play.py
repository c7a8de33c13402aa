"""Setting up, playing, taking back, thinking, and the clock: GTP's setup, play, tournament and regression subsets."""

from __future__ import annotations

import math
import time

from tesuji.core.arguments import MOST_SECONDS
from tesuji.core.errors import UserError
from tesuji.io.gtp.clock import GtpClock, byoyomi_clock, canadian_clock, fischer_clock
from tesuji.io.gtp.commands import command, needs_handicap, needs_status
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import move_text, parse_move, parse_vertex, vertex_text
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError, real_number, whole_number
from tesuji.play.game import GameInPlay

MOST_STONES = 1 << 30
MOST_KOMI = 361.0  # what the largest board has


# -- setting up ----------------------------------------------------------------------------------------------------------
@command("boardsize", "SIZE [ROWS]")
def boardsize(engine: Engine, words: list[str]) -> None:
    """Another size, if the game comes in sizes; the size that it has is always fine. The board is cleared."""
    size = whole_number(words[0], "the size")
    rows = whole_number(words[1], "the number of rows") if len(words) > 1 else None
    board = engine.game.board
    if board is not None:
        asked = (size, rows) if rows is not None else (size, size)
        largest = max(board.columns, board.rows)
        if asked in ((board.columns, board.rows), (largest, largest)):
            engine.new_game()
            return
    if engine.game.vary is None:
        raise GtpError("unacceptable size")
    try:
        game = engine.game.of_size(size, size if rows is None else rows)
    except UserError as error:
        raise GtpError(f"unacceptable size: {error}") from None
    engine.check(game)
    engine.new_game(game)


@command("clear_board")
def clear_board(engine: Engine, _words: list[str]) -> None:
    engine.new_game()


@command("komi", "KOMI")
def komi(engine: Engine, words: list[str]) -> None:
    """Another komi; what was played stays. GTP demands that the command is there, also where it can only be refused.

    Any number is accepted, as GTP wants. Scores are whole points, so every komi between two of them means the half point there;
    and more than the whole board is as much as the whole board.
    """
    value = real_number(words[0], "komi")
    if engine.game.vary is None or "komi" not in engine.game.extra:
        raise GtpError("this game has no komi")
    value = min(max(value, -MOST_KOMI), MOST_KOMI)
    if not (2 * value).is_integer():
        value = math.floor(value) + 0.5
    try:
        game = engine.game.vary(komi=value)
    except UserError as error:
        raise GtpError(f"unacceptable komi: {error}") from None
    engine.replay_in(game)


def _place(engine: Engine, points: list[tuple[int, int]]) -> str:
    engine.played.set_up(dict.fromkeys(points, 0), 1)
    return " ".join(vertex_text(engine.game, point) for point in points)


def _check_empty(engine: Engine) -> None:
    if engine.played.moves() or engine.played.stones():
        raise GtpError("board not empty")


@command("fixed_handicap", "STONES", needs=needs_handicap)
def fixed_handicap(engine: Engine, words: list[str]) -> str:
    stones = whole_number(words[0], "the number of stones")
    _check_empty(engine)
    return _place(engine, _handicap_points(engine, stones))


@command("place_free_handicap", "STONES", needs=needs_handicap)
def place_free_handicap(engine: Engine, words: list[str]) -> str:
    """As many of the fixed points as there are, up to the number asked for: fewer are allowed."""
    stones = whole_number(words[0], "the number of stones")
    _check_empty(engine)
    board = engine.game.board
    assert board is not None
    if stones < 2 or stones >= board.columns * board.rows:
        raise GtpError("invalid number of stones")
    for fewer in range(min(stones, 32), 1, -1):
        try:
            return _place(engine, _handicap_points(engine, fewer))
        except GtpError:
            continue
    raise GtpError("invalid number of stones: this board has no handicap points")


def _handicap_points(engine: Engine, stones: int) -> list[tuple[int, int]]:
    board = engine.game.board
    assert board is not None and board.handicap is not None
    if stones < 2:
        raise GtpError("invalid number of stones")
    try:
        return list(board.handicap(stones))
    except UserError as error:
        raise GtpError(f"invalid number of stones: {error}") from None


@command("set_free_handicap", "VERTEX VERTEX...", needs=needs_handicap)
def set_free_handicap(engine: Engine, words: list[str]) -> None:
    _check_empty(engine)
    points = [parse_vertex(engine.game, word) for word in words]
    board = engine.game.board
    assert board is not None
    if None in points or len(set(points)) < len(points) or len(points) >= board.columns * board.rows:
        raise GtpError("bad vertex list")
    _place(engine, [point for point in points if point is not None])


@command("loadsgf", "FILE... [MOVE]")
def loadsgf(engine: Engine, words: list[str]) -> str:
    """The position of a game record, before its move of that number if one is given. Answers with the colour to move."""
    from tesuji.io.sgf.played import open_tree, read_game_file

    moves = None
    if len(words) > 1 and words[-1].isdecimal():
        moves = whole_number(words[-1], "the move number", 1) - 1
        words = words[:-1]
    path = " ".join(words)
    path = path[1:-1] if len(path) > 2 and path[0] == path[-1] == '"' else path
    try:
        tree, _, _ = open_tree(read_game_file(path), path, ours=engine.played.game, moves=moves, variations=False)
    except UserError as error:
        raise GtpError(f"cannot load file: {error}") from None
    engine.check(tree.game)
    engine.played = GameInPlay(tree)
    engine.clock.restart()
    return COLOUR_NAMES[engine.played.to_move]


@command("printsgf")
def printsgf(engine: Engine, _words: list[str]) -> str:
    """The session as an SGF file, in the answer."""
    from tesuji.io.sgf import sgf_text
    from tesuji.io.sgf.played import sgf_of

    played = engine.played
    return sgf_text([sgf_of(played.tree, {"result": engine.final().result} if played.position.is_over else {})])


# -- playing -------------------------------------------------------------------------------------------------------------
@command("play", "COLOUR MOVE...")
def play(engine: Engine, words: list[str]) -> None:
    position = engine.turned_to(engine.colour(words[0]))
    engine.played.play_from(position, parse_move(engine.game, position.state, " ".join(words[1:])))


@command("undo")
def undo(engine: Engine, _words: list[str]) -> None:
    engine.undo()


@command("gg-undo", "[MOVES]")
def gg_undo(engine: Engine, words: list[str]) -> None:
    engine.undo(whole_number(words[0], "the number of moves") if words else 1)


def _generate(engine: Engine, mover: int, plays: bool, passes: bool = True) -> str:
    """Thinks and answers with a move, which is played unless it is to be only named."""
    position = engine.turned_to(mover)
    search, limits = engine.think(position, mover)
    began = time.perf_counter()
    result = engine.run(search, limits)
    chosen = engine.choose(result) if passes else engine.stone_move(result, position)
    if plays:
        engine.note_time(mover, limits, time.perf_counter() - began)
    if isinstance(chosen, str):
        return chosen
    return engine.commit(position, chosen, result) if plays else move_text(engine.game, position.state, chosen)


@command("genmove", "COLOUR")
def genmove(engine: Engine, words: list[str]) -> str:
    return _generate(engine, engine.colour(words[0]), plays=True)


@command("reg_genmove", "COLOUR")
def reg_genmove(engine: Engine, words: list[str]) -> str:
    return _generate(engine, engine.colour(words[0]), plays=False)


@command("tesuji-why")
@command("gomill-explain_last_move")
def explain_last_move(engine: Engine, _words: list[str]) -> str:
    """Why the engine made its last move, in sentences; nothing if the last move was not its own."""
    return "\n".join(engine.played.why())


@command("set_random_seed", "SEED")
def set_random_seed(engine: Engine, words: list[str]) -> None:
    """From here on the searches draw the same random numbers after the same commands. GNU Go has this one, too."""
    engine.set_seed(whole_number(words[0], "the seed"))


@command("kgs-genmove_cleanup", "COLOUR", needs=needs_status)
def genmove_cleanup(engine: Engine, words: list[str]) -> str:
    """A move that does not pass as long as dead stones of the opponent are on the board."""
    mover = engine.colour(words[0])
    assert engine.status is not None
    status = engine.status(engine.game, engine.state)
    stones = engine.played.stones()
    unclean = any(owner != mover and status.get(point) == "dead" for point, owner in stones.items())
    return _generate(engine, mover, plays=True, passes=not unclean)


# -- the clock -----------------------------------------------------------------------------------------------------------
@command("time_settings", "MAIN PERIOD STONES")
def time_settings(engine: Engine, words: list[str]) -> None:
    main, period, stones = _times(words)
    engine.start_clock(canadian_clock(main, period, stones))


@command("kgs-time_settings", "KIND [MAIN] [PERIOD] [COUNT]")
def kgs_time_settings(engine: Engine, words: list[str]) -> None:
    kind, numbers = words[0].lower(), words[1:]
    counts = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
    if counts.get(kind) != len(numbers):
        raise GtpError("syntax error: kgs-time_settings none | absolute MAIN | canadian or byoyomi MAIN PERIOD COUNT")
    _set_clock(engine, kind, numbers)


@command("kata-time_settings", "KIND [MAIN] [PERIOD] [COUNT]")
def kata_time_settings(engine: Engine, words: list[str]) -> None:
    """As kgs-time_settings, and increments, of which GTP itself knows nothing."""
    kind, numbers = words[0].lower(), words[1:]
    counts = {"none": 0, "absolute": 1, "fischer": 2, "canadian": 3, "byoyomi": 3}
    if counts.get(kind) != len(numbers):
        form = "none | absolute MAIN | fischer MAIN INCREMENT | canadian or byoyomi MAIN PERIOD COUNT"
        raise GtpError(f"syntax error: kata-time_settings {form}")
    _set_clock(engine, kind, numbers)


def _set_clock(engine: Engine, kind: str, numbers: list[str]) -> None:
    if kind == "none":
        engine.start_clock(GtpClock())
    elif kind == "absolute":
        engine.start_clock(canadian_clock(real_number(numbers[0], "main time", 0, MOST_SECONDS), 0.0, 0))
    elif kind == "fischer":
        main, increment = (real_number(text, "the time", 0, MOST_SECONDS) for text in numbers)
        engine.start_clock(fischer_clock(main, increment))
    else:
        main, period, count = _times(numbers)
        if period <= 0 or count == 0:
            raise GtpError(
                f"syntax error: {kind} needs a period above 0 and at least one {'stone' if kind[0] == 'c' else 'period'}"
            )
        engine.start_clock((canadian_clock if kind == "canadian" else byoyomi_clock)(main, period, count))


def _times(words: list[str]) -> tuple[float, float, int]:
    main = real_number(words[0], "main time", 0, MOST_SECONDS)
    period = real_number(words[1], "the period", 0, MOST_SECONDS)
    return main, period, whole_number(words[2], "the number of stones", 0, MOST_STONES)


@command("time_left", "COLOUR SECONDS STONES")
def time_left(engine: Engine, words: list[str]) -> None:
    mover = engine.colour(words[0])
    seconds = real_number(words[1], "the time", -MOST_SECONDS, MOST_SECONDS)
    engine.clock.time_left(mover, max(0.0, seconds), whole_number(words[2], "the number of stones", 0, MOST_STONES))
