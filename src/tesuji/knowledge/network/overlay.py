"""What a network says of a position, drawn on the board and in words: `tesuji analyze --show network`."""

from __future__ import annotations

from tesuji.core import rules
from tesuji.core.game import Game, State
from tesuji.core.picture.drawing import picture_of
from tesuji.core.picture.lettered import lettered_board
from tesuji.core.words import signed
from tesuji.knowledge.network.evaluation import PositionEvaluator
from tesuji.knowledge.overlays import NETWORK, Overlay, PointMark

LEAST = 0.005  # of a prior that is shown on the board
MOST_LISTED = 10  # moves in words


def network_overlay(evaluator: PositionEvaluator, game: Game, state: State) -> Overlay:
    found = evaluator.evaluate(state)
    mover, picture, board = int(rules.to_play(state)), picture_of(game), game.board
    name = game.player_names[mover]
    texts: dict[str, str] = {}
    marks = {}
    for move, prior in found.priors.items():
        at = picture.at(state, move) if picture else ()
        if prior < LEAST or len(at) != 1 or at[0] in texts:
            continue
        texts[at[0]] = f"{100 * prior:.0f}"
        point = board.point(state, move) if board is not None else None
        if point is not None:
            marks[point] = PointMark(texts[at[0]], "prior", mover)
    win, draw, loss = (_percent(share) for share in (found.win, found.draw, found.loss))
    lines = [f"{name}: {_percent(found.chance)} (win {win}, draw {draw}, loss {loss})"]
    if found.score is not None:
        lines.append(f"score {signed(round(found.score, 1))} for {name}")
    listed = list(found.priors.items())[:MOST_LISTED]
    lines.append("moves: " + ", ".join(f"{game.text(state, move)} {_percent(prior)}" for move, prior in listed))
    if texts:
        lines.append(f"numbers on the board are {name}'s moves in percent, from {_percent(LEAST)} on")
    data = {
        "network": evaluator.name,
        "mover": name,
        "value": {"chance": found.chance, "win": found.win, "draw": found.draw, "loss": found.loss},
        "score": found.score,
        "moves": [{"move": game.text(state, move), "prior": prior} for move, prior in found.priors.items()],
    }
    title = f"What the network {evaluator.about} says"
    return Overlay(NETWORK, title, lettered_board(game, state, texts), marks, lines, data)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
