"""The score, and which stones are dead: GTP's final_score and final_status_list.

A game that is over has the result of its rules, the one that a referee and a game record give. Before that the score is an
estimate: a game that knows passes is passed to its end, after dead stones are taken off the board, where somebody can tell
them (`engine.status`).
"""

from __future__ import annotations

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.io.gtp.commands import command, needs_status
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import vertex_text
from tesuji.io.gtp.protocol import GtpError
from tesuji.io.gtp.record import strings

STATUSES = ("alive", "dead", "seki")
MOST_PASSES = 4


@command("final_score")
def final_score(engine: Engine, _words: list[str]) -> str:
    game, state = engine.game, engine.state
    if rules.is_over(state):
        return str(int(rules.outcome(state))) if game.players == 1 else game.result(state)
    board = game.board
    stones = engine.record.stones()
    dead = dead_stones(engine) if board is not None and board.set_up is not None and engine.status is not None else set()
    if dead and board is not None and board.set_up is not None:
        left = {point: owner for point, owner in stones.items() if point not in dead}
        try:
            state = board.set_up(state, left, engine.record.to_move)
        except UserError as error:
            raise GtpError(f"cannot score: {error}") from None
    return game.result(passed_to_end(game, state))


def passed_to_end(game: Game, state: State) -> State:
    """The position after as many passes as end the game; a GtpError where passing does not end it."""
    state = copy_state(state)
    for _ in range(MOST_PASSES):
        if rules.is_over(state):
            return state
        board = game.board
        passes = [move for move in game.legal_moves(state) if board is not None and board.point(state, move) is None]
        if len(passes) != 1 or game.text(state, passes[0]).lower() != "pass":
            break
        rules.play(state, passes[0])
    if rules.is_over(state):
        return state
    raise GtpError("cannot score: the game is not over")


def dead_stones(engine: Engine) -> set[tuple[int, int]]:
    assert engine.status is not None
    return {point for point, found in engine.status(engine.game, engine.state).items() if found == "dead"}


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
    return "\n".join(" ".join(vertex_text(point) for point in group) for group in strings(stones, points))
