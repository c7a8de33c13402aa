"""Offline knowledge H(d) of MoGo (Chaslot et al. 2009, section 2): what is known of a move before any game is played with it.

Each source of knowledge says of a move how many games it is taken to have won or lost, by a parameter of its own; 0 turns the
source off, and a negative number turns its games into losses. The same number, times `rules_prior` or `shapes_prior`, is
what the source adds to the prior H(d): so "proportional to the number of AMAF-simulations" of the paper is read here. The
learned patterns (nearest_patterns.py) add their probability of play, times `pattern_prior`, and won games in proportion to its
root, as in Pachi and michi. With `patterns_by=strengths` that probability depends on other features, too (move_features.py).

Who owns a point at the end (ownership.py) is the one source that is learned during the search, from its own games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.parameters import Parameter
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.expected_games import INTO, RAVE, add_games
from tesuji.knowledge.go.move_features import strength_of_features
from tesuji.knowledge.go.nearest_patterns import EMPTY_WORK, chance_of_play, see_board
from tesuji.knowledge.go.ownership import OWNERS, closeness_to_best_share
from tesuji.knowledge.go.shapes import SHAPES, shapes_of
from tesuji.knowledge.go.tactics import (
    EMPTY_OVERVIEW,
    TACTICS,
    closeness_to_best_line,
    line_of,
    measure_distances,
    nearness,
    read_ladders,
    tactics_of,
)
from tesuji.knowledge.weight_files import WEIGHTS, Kind, files_by_kind
from tesuji.search.policy import OWN_VALUE, PRIOR, VALUE

MOST_GAMES = 10_000.0
EVEN = 0.5  # the value of a move of which nothing is known
IDLE_PASS = 0.1  # that of a pass while there is much to play: it is tried before a game is given up


# The sources, by the names that tactics.py and shapes.py give them: how many games each counts for, and what it is.
BY_TACTICS = {
    "capture": (15.0, "the capture of one stone"),
    "capture_more": (30.0, "the capture of two or more stones"),
    "rescue": (15.0, "a capture that saves own stones in atari, besides,"),
    "extend": (10.0, "an extension out of atari that no ladder catches"),
    "ladder_run": (-10.0, "an extension into a ladder"),
    "atari": (3.0, "an atari"),
    "atari_in_ko": (5.0, "an atari while there is a ko, besides,"),
    "ladder": (10.0, "an atari that begins a working ladder"),
    "self_atari": (-10.0, "a self-atari"),
    "distance_1": (24.0, "distance 1 from the last move, strings counted as points,"),
    "distance_2": (22.0, "distance 2"),
    "distance_3": (8.0, "distance 3"),
    "shape_3x3": (10.0, "a 3x3 pattern of MoGo's playouts"),
    "empty_area": (10.0, "the third line with no stone near"),
    "empty_edge": (-10.0, "the first two lines with no stone near"),
}
BY_DEGREE = {
    "border": (0.0, "the third line (less on the lines beside)"),
    "near_last": (0.0, "a move next to the last one (less farther off)"),
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
EVEN_GAMES = Parameter(
    "even_games", 10.0, "games that every move has beforehand, half of them won", 0.0, MOST_GAMES, needs=VALUE, tuning="0..40"
)
PATTERN_GAMES = Parameter(
    "pattern_games",
    60.0,
    "games won by patterns, times the root of the probability of play",
    0.0,
    MOST_GAMES,
    needs=VALUE,
    tuning="5..300:log",
)
FREQUENCIES, STRENGTHS = "frequencies", "strengths"
PATTERNS_BY = Parameter(
    "patterns_by",
    FREQUENCIES,
    "probability of play: how often the pattern is played, or the strength of pattern and other features",
    choices=(FREQUENCIES, STRENGTHS),
)
PATTERN_PRIOR = Parameter(
    "pattern_prior", 1.0, "what a probability of play of 1 adds to the prior", 0.0, 1e6, needs=PRIOR, tuning="0.1..10:log"
)
RULES_PRIOR = Parameter(
    "rules_prior", 0.005, "what each game of the rules adds to the prior", 0.0, 1e6, needs=PRIOR, tuning="0..0.05"
)
SHAPES_PRIOR = Parameter("shapes_prior", 0.005, "what each game of the shapes adds to the prior", 0.0, 1e6, needs=PRIOR)
SHAPES_FROM = Parameter("shapes_from", 19, "the smallest board on which shapes count", 2, 20)


UNUSED = "0"  # in place of one of INTO, where the parameter has no effect (knowledge/registry.py)
PLACES = tuple(
    Parameter(
        f"{source}_into",
        default,
        f"whether the games of {what} count among RAVE's, which soon outnumber them, the move's own, or both",
        choices=INTO,
        needs=OWN_VALUE,
    )
    for source, default, what in (
        ("rules", "own", "rules"),
        ("shapes", "rave", "shapes"),
        ("patterns", "own", "patterns"),
        ("even", "own", "even_games"),
    )
)


class OfflineKnowledge(NamedTuple):
    """The weights and tables of all sources, for one game. A policy keeps it in a field and calls `rate_by_knowledge`."""

    rules: np.ndarray  # float64: the games of each tactic, by its bit, then those of BY_DEGREE
    shapes: np.ndarray  # float64: the games of each shape, by its bit
    patterns: np.ndarray  # the table of nearest_patterns.py, of frequencies or of strengths
    features: np.ndarray  # float64 [family, feature]: strengths (move_features.py)
    owners: np.ndarray  # one record of ownership.py, which playouts fill
    uses_features: bool  # whether the probability of play depends on them
    uses_rules: bool  # whether any of these says something: what does not is not looked at
    uses_ladders: bool
    uses_owners: bool
    uses_shapes: bool
    rules_into: int  # which games those of a source are added to: one of INTO
    shapes_into: int
    patterns_into: int
    even_into: int
    even_games: float
    pattern_games: float
    pattern_prior: float
    rules_prior: float
    shapes_prior: float

    PARAMETERS = (
        *RULE_GAMES,
        *SHAPE_GAMES,
        EVEN_GAMES,
        PATTERNS_BY,
        PATTERN_GAMES,
        PATTERN_PRIOR,
        RULES_PRIOR,
        SHAPES_PRIOR,
        SHAPES_FROM,
        *PLACES,
        WEIGHTS,
    )
    GIVES = (PRIOR, VALUE)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> OfflineKnowledge:
        from tesuji.knowledge.go import pattern_weights, strength_weights

        by_strength = settings["patterns_by"] == STRENGTHS
        files = _weight_files(settings["weights"], settings["patterns_by"])
        if by_strength:
            strengths = strength_weights.chosen_strengths(files)
            patterns, features = strengths.table(), strengths.features
        else:
            patterns, features = pattern_weights.chosen_patterns(files).table(), np.ones((0, 0))
        with_shapes = int(game.initial["size"]) >= settings["shapes_from"]
        rules = np.array([settings[source.name] for source in RULE_GAMES], np.float64)
        shapes = np.array([settings[source.name] * with_shapes for source in SHAPE_GAMES], np.float64)
        return cls(
            rules=rules,
            shapes=shapes,
            patterns=patterns,
            features=features,
            owners=np.zeros(1, OWNERS),
            uses_features=by_strength,
            uses_rules=bool(rules.any()),
            uses_ladders=by_strength or any(rules[TACTICS.index(name)] for name in ("extend", "ladder_run", "ladder")),
            uses_owners=bool(rules[OWNER]),
            uses_shapes=bool(shapes.any()),
            rules_into=_place(settings["rules_into"]),
            shapes_into=_place(settings["shapes_into"]),
            patterns_into=_place(settings["patterns_into"]),
            even_into=_place(settings["even_into"]),
            even_games=float(settings["even_games"]),
            pattern_games=float(settings["pattern_games"]),
            pattern_prior=float(settings["pattern_prior"]),
            rules_prior=float(settings["rules_prior"]),
            shapes_prior=float(settings["shapes_prior"]),
        )


def _weight_files(weights: str, by: str) -> dict[Kind, str]:
    """The files by kind, of which the one that `patterns_by` needs is used. Only another one is a UserError."""
    from tesuji.knowledge.go import pattern_weights, strength_weights

    kinds = {FREQUENCIES: pattern_weights.KIND, STRENGTHS: strength_weights.KIND}
    files = files_by_kind(weights, list(kinds.values()))
    for other, kind in kinds.items():
        if kind in files and kinds[by] not in files:
            holds = f"{files[kind]} holds {kind.what}, and patterns_by is {by} here"
            raise UserError(f"{holds}: add patterns_by={other}, or learn with '--by {by}'")
    return files


def _place(chosen: str) -> int:
    """Which games those of a source are added to: RAVE's, where the selection rule counts none as the move's own."""
    return RAVE if chosen == UNUSED else INTO.index(chosen)


@kernel
def rate_by_knowledge(knowledge, state, moves, count, passing_matters, ratings):
    """Rates the moves that are kept: their prior, and the games that they are taken to have won and lost.

    A pass has the even games alone, half of them won where `passing_matters`.
    """
    point_of = state["point_of"]
    work = local_zeros(EMPTY_WORK)
    overview = local_zeros(EMPTY_OVERVIEW)
    board = work["board"]
    uses_patterns = knowledge.pattern_games != 0.0 or knowledge.pattern_prior != 0.0
    uses_features = knowledge.uses_features and uses_patterns
    uses_tactics = knowledge.uses_rules or knowledge.uses_shapes or uses_features
    if uses_patterns or uses_tactics:
        see_board(work, state)
    if uses_tactics:
        measure_distances(overview, state)
        if knowledge.uses_ladders:
            read_ladders(overview, state)
    total = 0.0  # probability of play of all moves
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        if point == NOWHERE or not ratings[i]["kept"]:
            continue
        if uses_tactics:
            overview["tactics"][point] = tactics_of(overview, board, state, point)
        if uses_patterns:
            chance = chance_of_play(knowledge.patterns, work, point)
            if uses_features:
                chance *= strength_of_features(knowledge.features, np.int64(overview["tactics"][point]), state, point)
            ratings[i]["prior"] = chance
            total += chance
    for i in range(count):
        if not ratings[i]["kept"]:
            continue
        point = np.int64(point_of[moves[i]])
        if point == NOWHERE:
            value = EVEN if passing_matters else IDLE_PASS
            add_games(ratings[i], value, knowledge.even_games, knowledge.even_into)
            continue
        chance = ratings[i]["prior"] / total if total > 0.0 else 0.0
        tactics = np.int64(overview["tactics"][point])
        won, lost, won_by_shape, lost_by_shape = 0.0, 0.0, 0.0, 0.0
        if knowledge.uses_rules:
            won, lost = games_of(knowledge.rules, tactics)
            more_won, more_lost = games_by_degree(knowledge, state, point)
            won, lost = won + more_won, lost + more_lost
        if knowledge.uses_shapes:
            won_by_shape, lost_by_shape = games_of(knowledge.shapes, shapes_of(board, state, point, tactics))
        add_games(ratings[i], EVEN, knowledge.even_games, knowledge.even_into)
        add_games(ratings[i], 1.0, knowledge.pattern_games * math.sqrt(chance), knowledge.patterns_into)
        add_result(ratings[i], won, lost, knowledge.rules_into)
        add_result(ratings[i], won_by_shape, lost_by_shape, knowledge.shapes_into)
        prior = knowledge.pattern_prior * chance + knowledge.rules_prior * (won - lost)
        ratings[i]["prior"] = max(0.0, prior + knowledge.shapes_prior * (won_by_shape - lost_by_shape))


@kernel
def add_result(rating, won, lost, into):
    """The same for games won and lost."""
    if won + lost > 0.0:
        add_games(rating, won / (won + lost), won + lost, into)


@kernel
def games_of(weights, found):
    """The games won and lost by the sources whose bits are set."""
    won, lost = 0.0, 0.0
    at = 0
    while found != 0:
        if found & 1 != 0:
            won += max(0.0, weights[at])
            lost += max(0.0, -weights[at])
        found >>= 1
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
