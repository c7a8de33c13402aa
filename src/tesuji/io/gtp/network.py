"""What a network says of the position without any search, in KataGo's form."""

from __future__ import annotations

from tesuji.core.parameters import SHIPPED
from tesuji.io.gtp.commands import command
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import move_text, moves_are_points
from tesuji.io.gtp.protocol import GtpError
from tesuji.knowledge.network.evaluation import PositionEvaluator, evaluator_for, offered

ALL = "all"
NO_MOVE = "NAN"
WHITE = 1


def needs_network(engine: Engine) -> bool:
    """A policy is a number for each point, so moves must be points."""
    named = engine.player.network_for(engine.game)
    return moves_are_points(engine.game) and named is not None and offered(engine.game, named) is not None


@command("kata-raw-nn", "SYMMETRY", needs=needs_network)
def raw_network(engine: Engine, words: list[str]) -> str:
    """Chances of White and Black, and the policy from the top row down, for a symmetric image of the position or for all."""
    game = engine.game
    evaluator = evaluator_for(game, engine.player.network_for(game) or SHIPPED)
    turns = list(evaluator.encoding.turns)
    if words[0].lower() == ALL:
        images = list(range(len(turns)))
    elif words[0].isdecimal() and len(words[0]) < 3 and int(words[0]) in turns:
        images = [turns.index(int(words[0]))]
    else:
        raise GtpError(f"syntax error: the symmetry is {', '.join(map(str, turns))} or {ALL}, not {words[0][:40]!r}")
    return "\n".join(_block(engine, evaluator, image, turns[image]) for image in images)


def _block(engine: Engine, evaluator: PositionEvaluator, image: int, turn: int) -> str:
    game, state, board = engine.game, engine.state, engine.game.board
    assert board is not None
    found = evaluator.evaluate(state, image, quick=True)
    sign = 1 if engine.played.to_move == WHITE else -1
    # A draw is half a win, as there; "no result" is what a game has that must be played again.
    win, loss = (found.win, found.loss) if sign > 0 else (found.loss, found.win)
    lines = [
        f"symmetry {turn}",
        f"whiteWin {win + found.draw / 2:.6f}",
        f"whiteLoss {loss + found.draw / 2:.6f}",
        f"noResult {0:.6f}",
    ]
    if found.score is not None:
        lines.append(f"whiteLead {sign * found.score:.3f}")
    policy, beside = {}, {}
    for move, prior in found.priors.items():
        point = board.point(state, move)
        if point is None:
            beside[move_text(game, state, move).partition("-")[0].capitalize()] = prior
        else:
            policy[point] = prior
    lines.append("policy")
    for row in range(board.rows) if board.from_top else reversed(range(board.rows)):
        cells = (policy.get((column, row)) for column in range(board.columns))
        lines.append(" ".join(f"{NO_MOVE:>8}" if prior is None else f"{prior:8.6f}" for prior in cells))
    lines += [f"policy{name} {prior:.6f}" for name, prior in beside.items()]
    return "\n".join(lines)
