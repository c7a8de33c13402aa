"""The parameters of the choice of playout moves, and the chooser that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.search.kernel.scale import Scale
from tesuji.search.playouts.adaptation import ADAPTATION, Adapted
from tesuji.search.playouts.averages import DRAW_BY, SEQUENCE_GAMES, Greedy, Moves, Sequences, Softmax
from tesuji.search.playouts.decisive import DECISIVE_MOVES, AntiDecisiveMoves, DecisiveMoves
from tesuji.search.playouts.interface import ByPolicy, Chooser, NoOpinion
from tesuji.search.playouts.memory import Learned, NothingLearned, make_learned
from tesuji.search.playouts.replies import FORGET_REPLIES, PairReplies, Replies

LEARNED_DECAY = Parameter(
    "learned_decay",
    0.2,
    "share of what playouts have learned that each move of the game leaves",
    0.0,
    1.0,
    tuning="0..1",
)
LEARNED_MEMORY = Parameter("learned_memory", 4.0, "MiB a thread for each table of sequences of moves", 0.0, 65536.0)
PLAYOUT_MOVES = Parameter(
    "playout_moves",
    "policy",
    "what chooses the moves of playouts: the policy, or what the search has learned from its own games",
    choices=("policy", "mast", "nst", "ppa"),
    parts={
        "mast": (DRAW_BY, LEARNED_DECAY),
        "nst": (DRAW_BY, SEQUENCE_GAMES, LEARNED_MEMORY, LEARNED_DECAY),
        "ppa": (ADAPTATION, LEARNED_DECAY),
    },
)
LAST_GOOD_REPLY = Parameter(
    "last_good_reply",
    0,
    "playouts answer the last move (2: the last two moves) as a winner last did; 0 = no",
    0,
    2,
    brings=(FORGET_REPLIES, LEARNED_MEMORY, LEARNED_DECAY),
)
CHOICE = (PLAYOUT_MOVES, LAST_GOOD_REPLY, DECISIVE_MOVES)


def make_chooser(game: Game, settings: Mapping[str, Any], scale: Scale) -> Any:
    """What chooses the moves of playouts, by these settings."""
    values = {**{parameter.name: parameter.default for parameter in CHOICE}, **settings}
    if all(values[parameter.name] == parameter.default for parameter in CHOICE):
        return ByPolicy()
    if game.players != 2:
        for name, asks_who_wins in (
            ("playout_moves=ppa", values["playout_moves"] == "ppa"),
            ("last_good_reply", values["last_good_reply"] > 0),
            ("decisive_moves", values["decisive_moves"] != "off"),
        ):
            if asks_who_wins:
                raise UserError(f"{name} asks who has won: it cannot be used in {game.name}, a game for one")
    even = 0.0 if scale.only_wins else scale.break_even * scale.unit  # the score of a game that nobody wins
    return Chooser(
        decisive=_decisive(values, float(scale.break_even)),
        replies=_replies(values, even),
        draw=_draw(values, scale, even),
        memory=float(values.get("learned_memory", 0.0)),
        decay=float(values.get("learned_decay", 0.0)),
    )


def _decisive(values: Mapping[str, Any], even: float) -> NamedTuple:
    which = values["decisive_moves"]
    return (
        NoOpinion()
        if which == "off"
        else (DecisiveMoves if which == "win" else AntiDecisiveMoves)(int(values["decisive_plies"]), even)
    )


def _replies(values: Mapping[str, Any], even: float) -> NamedTuple:
    moves = values["last_good_reply"]
    return NoOpinion() if moves == 0 else (Replies if moves == 1 else PairReplies)(bool(values["forget_replies"]), even)


def _draw(values: Mapping[str, Any], scale: Scale, even: float) -> NamedTuple:
    by = values["playout_moves"]
    if by == "policy":
        return ByPolicy()
    if by == "ppa":
        return Adapted(float(values["adaptation"]), even)
    worth = Moves() if by == "mast" else Sequences(int(values["sequence_games"]))
    if values["draw_by"] == "softmax":
        return Softmax(worth, float(values["temperature"]), scale.least, scale.per_sum)
    return Greedy(worth, float(values["epsilon"]), scale.least, scale.per_sum)


def make_memory(game: Game, chooser: Any) -> Learned | NothingLearned:
    """One thread's tables for this chooser."""
    if not isinstance(chooser, Chooser):
        return NothingLearned()
    parts = (chooser.replies, chooser.draw, getattr(chooser.draw, "values", NoOpinion()))
    return make_learned(parts, game.move_count, chooser.memory)
