"""Offline knowledge H(d) of MoGo (Chaslot et al. 2009, section 2): what is known of a move before any game is played with it.

Each rule and shape says of a move how many games it is taken to have won or lost, by a parameter of its own; 0 turns it off,
and a negative number turns its games into losses. RAVE begins with these games. The same number, times `rules_prior` or
`shapes_prior`, is what it adds to the prior H(d): "proportional to the number of AMAF-simulations" is read so here. The learned
patterns (nearest_patterns.py) add their probability of play to the prior, and nothing else.

Who owns a point at the end (ownership.py) is the one rule that is learned during the search, from its own games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.game import Game
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.parameters import Parameter
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.expected_games import OWN, RAVE, add_games
from tesuji.knowledge.go.nearest_patterns import EMPTY_WORK, chance_of_play, see_board
from tesuji.knowledge.go.ownership import OWNERS, closeness_to_best_share
from tesuji.knowledge.go.pattern_weights import PatternWeights
from tesuji.knowledge.go.shapes import SHAPES, shapes_of
from tesuji.knowledge.go.tactics import (
    NO_EXTENSIONS,
    TACTICS,
    closeness_to_best_line,
    line_of,
    nearness,
    read_extensions,
    tactics_of,
)
from tesuji.knowledge.weight_files import WEIGHTS, files_by_kind
from tesuji.search.policy import PRIOR, VALUE

MOST_GAMES = 10_000.0
EVEN = 0.5  # the value of a move of which nothing is known
IDLE_PASS = 0.1  # that of a pass while there is much to play: it is tried before a game is given up
PASS_GAMES = 10.0


# The rules and shapes, by the names that tactics.py and shapes.py give them: how many games each counts for, and what it is.
BY_TACTICS = {
    "capture": (15.0, "the capture of one stone"),
    "capture_more": (30.0, "the capture of two or more stones"),
    "rescue": (15.0, "a capture that saves own stones in atari, besides,"),
    "extend": (10.0, "an extension out of atari that no ladder catches"),
    "ladder_run": (-10.0, "an extension into a ladder"),
    "atari": (3.0, "an atari"),
    "atari_in_ko": (5.0, "an atari while there is a ko, besides,"),
    "self_atari": (-10.0, "a self-atari"),
}
BY_DEGREE = {
    "border": (5.0, "the third line (less on the lines beside)"),
    "near_last": (10.0, "a move next to the last one (less farther off)"),
    "near_second_last": (5.0, "a move next to the one before the last (less farther off)"),
    "owner": (0.0, "a point that the mover owns after a third of the games (less at other shares)"),
}
BY_SHAPES = {
    "territory_line": (5.0, "the territory line (third)"),
    "line_of_death": (-10.0, "the line of death (first) with no stone near"),
    "peep_connect": (10.0, "a connection that the opponent threatens to cut"),
    "hane": (5.0, "a hane"),
    "threat": (5.0, "an atari on a string of two liberties"),
    "connect": (3.0, "the connection of two strings"),
    "wall": (3.0, "going on with a wall"),
    "bad_kogeima": (-5.0, "a knight's move that can be cut"),
    "empty_triangle": (-10.0, "an empty triangle"),
    "cut": (10.0, "a cut"),
}
BORDER, NEAR_LAST, NEAR_SECOND_LAST, OWNER = range(len(TACTICS), len(TACTICS) + len(BY_DEGREE))


def _sources(names: Iterable[str], sources: Mapping[str, tuple[float, str]]) -> tuple[Parameter, ...]:
    """A parameter for each source, in the order of the names."""
    what = "games that {} counts for; below 0 they are lost"
    return tuple(
        Parameter(f"{name}_games", sources[name][0], what.format(sources[name][1]), -MOST_GAMES, MOST_GAMES) for name in names
    )


RULE_GAMES = (*_sources(TACTICS, BY_TACTICS), *_sources(BY_DEGREE, BY_DEGREE))
SHAPE_GAMES = _sources(SHAPES, BY_SHAPES)
PATTERN_PRIOR = Parameter(
    "pattern_prior", 1.0, "what a probability of play of 1 adds to the prior", 0.0, 1e6, needs=PRIOR, tuning="0.1..10:log"
)
RULES_PRIOR = Parameter(
    "rules_prior", 0.005, "what each game of the rules adds to the prior", 0.0, 1e6, needs=PRIOR, tuning="0..0.05"
)
SHAPES_PRIOR = Parameter("shapes_prior", 0.005, "what each game of the shapes adds to the prior", 0.0, 1e6, needs=PRIOR)
SHAPES_FROM = Parameter("shapes_from", 19, "the smallest board on which shapes count", 2, 20)


class OfflineKnowledge(NamedTuple):
    """The weights and tables of all sources, for one game. A policy keeps it in a field and calls `rate_by_knowledge`."""

    rules: np.ndarray  # float64: the games of each tactic, by its bit, then those of BY_DEGREE
    shapes: np.ndarray  # float64: the games of each shape, by its bit
    patterns: np.ndarray  # the table of nearest_patterns.py
    owners: np.ndarray  # one record of ownership.py, which playouts fill
    uses_rules: bool  # whether any of these says something: what does not is not looked at
    uses_ladders: bool
    uses_owners: bool
    uses_shapes: bool
    pattern_prior: float
    rules_prior: float
    shapes_prior: float

    PARAMETERS = (
        *RULE_GAMES,
        *SHAPE_GAMES,
        PATTERN_PRIOR,
        RULES_PRIOR,
        SHAPES_PRIOR,
        SHAPES_FROM,
        WEIGHTS,
    )
    GIVES = (PRIOR, VALUE)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> OfflineKnowledge:
        with_shapes = int(game.initial["size"]) >= settings["shapes_from"]
        rules = np.array([settings[source.name] for source in RULE_GAMES], np.float64)
        shapes = np.array([settings[source.name] * with_shapes for source in SHAPE_GAMES], np.float64)
        return cls(
            rules=rules,
            shapes=shapes,
            patterns=PatternWeights.chosen(files_by_kind(settings["weights"], [PatternWeights.KIND])).table(),
            owners=np.zeros(1, OWNERS),
            uses_rules=bool(rules.any()),
            uses_ladders=any(rules[TACTICS.index(name)] for name in ("extend", "ladder_run")),
            uses_owners=bool(rules[OWNER]),
            uses_shapes=bool(shapes.any()),
            pattern_prior=float(settings["pattern_prior"]),
            rules_prior=float(settings["rules_prior"]),
            shapes_prior=float(settings["shapes_prior"]),
        )


@kernel
def rate_by_knowledge(knowledge, state, moves, count, pass_value, ratings):
    """Rates the moves that are kept: their prior, and the games of RAVE that they are taken to have won and lost.

    A pass, which has no RAVE, has PASS_GAMES of its own, worth `pass_value`.
    """
    point_of = state["point_of"]
    work = local_zeros(EMPTY_WORK)
    extensions = local_zeros(NO_EXTENSIONS)
    board = work["board"]
    uses_tactics = knowledge.uses_rules or knowledge.uses_shapes
    see_board(work, state)
    if knowledge.uses_ladders:
        read_extensions(extensions, state)
    total = 0.0  # probability of play of all moves
    if knowledge.pattern_prior != 0.0:
        for i in range(count):
            point = np.int64(point_of[moves[i]])
            if point != NOWHERE and ratings[i]["kept"]:
                chance = chance_of_play(knowledge.patterns, work, point)
                ratings[i]["prior"] = chance
                total += chance
    for i in range(count):
        if not ratings[i]["kept"]:
            continue
        point = np.int64(point_of[moves[i]])
        if point == NOWHERE:
            add_games(ratings[i], pass_value, PASS_GAMES, OWN)
            continue
        chance = ratings[i]["prior"] / total if total > 0.0 else 0.0
        tactics = tactics_of(extensions, state, point) if uses_tactics else 0
        won, lost, won_by_shape, lost_by_shape = 0.0, 0.0, 0.0, 0.0
        if knowledge.uses_rules:
            won, lost = games_of(knowledge.rules, tactics)
            more_won, more_lost = games_by_degree(knowledge, state, point)
            won, lost = won + more_won, lost + more_lost
        if knowledge.uses_shapes:
            won_by_shape, lost_by_shape = games_of(knowledge.shapes, shapes_of(board, state, point, tactics))
        add_result(ratings[i], won + won_by_shape, lost + lost_by_shape)
        prior = knowledge.pattern_prior * chance + knowledge.rules_prior * (won - lost)
        ratings[i]["prior"] = max(0.0, prior + knowledge.shapes_prior * (won_by_shape - lost_by_shape))


@kernel
def add_result(rating, won, lost):
    """The same for games won and lost."""
    if won + lost > 0.0:
        add_games(rating, won / (won + lost), won + lost, RAVE)


@kernel
def games_of(weights, bits):
    """The games won and lost by the sources whose bits are set."""
    won, lost = 0.0, 0.0
    at = 0
    while bits != 0:
        if bits & 1 != 0:
            won += max(0.0, weights[at])
            lost += max(0.0, -weights[at])
        bits >>= 1
        at += 1
    return won, lost


@kernel
def games_by_degree(knowledge, state, point):
    """The same for the sources that apply more or less."""
    weights = knowledge.rules
    border = weights[BORDER] * closeness_to_best_line(line_of(state, point))
    last = weights[NEAR_LAST] * nearness(state, point, np.int64(state["last_move"]))
    before = weights[NEAR_SECOND_LAST] * nearness(state, point, np.int64(state["second_last_move"]))
    owner = 0.0
    if knowledge.uses_owners:
        owner = weights[OWNER] * closeness_to_best_share(knowledge.owners[0], np.int64(state["to_play"]), point)
    won = max(0.0, border) + max(0.0, last) + max(0.0, before) + max(0.0, owner)
    return won, won - border - last - before - owner


@kernel
def value_of_pass(passing_matters):
    """What a pass is worth beforehand."""
    return EVEN if passing_matters else IDLE_PASS
