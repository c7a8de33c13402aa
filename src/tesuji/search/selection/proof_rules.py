"""Selection by proof numbers (search/selection/proof_numbers.py): as a bonus beside the mean of a move, or alone.

The goal is that of the tree as a whole. Only bounds prove anything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST
from tesuji.search.kernel.bounds import is_open
from tesuji.search.kernel.tree import PRUNED, ROOT
from tesuji.search.policy import PRIOR, VALUE
from tesuji.search.selection.choose_child import back_up, choose_child, count_game
from tesuji.search.selection.interface import plays_out, selection_rule, tries_in_order, worth
from tesuji.search.selection.proof_numbers import (
    HIGH,
    MEMO,
    NUMBERS,
    RATED_NUMBERS,
    adds_up,
    ask_easiest,
    ask_for_room,
    choose_goal,
    keep_numbers,
    number_node,
    open_prefix,
    set_goal,
    widening_of,
)
from tesuji.search.selection.uct import EXPLORATION, FIRST_PLAY, PRIOR_WEIGHT, biased_confidence, upper_confidence

RANK_WEIGHT = Parameter(
    "rank_weight", 0.5, "C of C (1 - rank / last rank), moves in the order of what is left to prove", 0.0, 1e6
)


NUMBERS_TERM = {"bonus": "proof numbers"}


# -- beside means --------------------------------------------------------------------------------------------------------------
@selection_rule(
    parameters=(EXPLORATION, FIRST_PLAY, RANK_WEIGHT), statistics=RATED_NUMBERS, proves=True, term_names=NUMBERS_TERM
)
class PnMcts(NamedTuple):
    """UCT + C (1 - rank / last rank): moves are ranked by the proof number where the root's player moves, else by the other.

    PN-MCTS (Doe, Winands, Soemers and Browne 2022; Kowalski et al. 2024). The question is whether the root's player can
    get the best outcome that is still open to him; once that is answered, the next best. Moves of equal number have equal
    rank, 1 + the number of moves before them.
    """

    exploration: float
    first_play: float
    rank_weight: float


@selection_rule(
    parameters=(EXPLORATION, FIRST_PLAY, PRIOR_WEIGHT, RANK_WEIGHT),
    uses=(PRIOR,),
    statistics=RATED_NUMBERS,
    proves=True,
    term_names=NUMBERS_TERM,
)
class PnProgressiveBias(NamedTuple):
    """PN-MCTS with the policy's prior P of the move: + W P / (n + 1), as in progressive-bias."""

    exploration: float
    first_play: float
    prior_weight: float
    rank_weight: float


@implements(worth, PnMcts)
def pn_mcts(rule, child, parent):
    return upper_confidence(rule, child, parent) + rule.rank_weight * child.bonus


@implements(worth, PnProgressiveBias)
def pn_progressive_bias(rule, child, parent):
    return biased_confidence(rule, child, parent) + rule.rank_weight * child.bonus


@implements(choose_goal, PnMcts)
@implements(choose_goal, PnProgressiveBias)
@kernel
def ask_for_the_root(rule, tree, scratch, options):
    """Can the root's player get the best that is open to him?"""
    root = tree.nodes[ROOT]
    high = np.int64(root["upper"]) if root["to_play"] == FIRST else np.int64(root["lower"]) + 1
    return set_goal(rule, tree, high, options)


@implements(back_up, PnMcts)
@implements(back_up, PnProgressiveBias)
@kernel
def back_up_with_bonus(rule, tree, scratch, depth, score, options):
    """Counts the game, then brings numbers up to date, and the bonuses of moves where a number has changed."""
    count_game(rule, tree, scratch, depth, score, options)
    path = scratch.path
    if choose_goal(rule, tree, scratch, options):
        for d in range(depth, -1, -1):
            set_bonuses(tree, path[d])
        return
    high = tree.counters[HIGH]
    changed = True
    for d in range(depth, -1, -1):
        record = tree.statistics[path[d]]
        proof = record["proof"]
        disproof = record["disproof"]
        number_node(rule, tree, path[d], high, True)
        if changed:
            set_bonuses(tree, path[d])
        changed = d == depth or proof != record["proof"] or disproof != record["disproof"]


@kernel
def set_bonuses(tree, index):
    """The bonuses of a node's children: the less is left to prove for the player who moves there, the higher."""
    nodes = tree.nodes
    statistics = tree.statistics
    node = nodes[index]
    maximises = node["to_play"] == FIRST
    first = np.int64(node["first_child"])
    last = first + np.int64(node["child_count"])
    last_rank = 1
    for child in range(first, last):
        if nodes[child]["flags"] & PRUNED != 0:
            continue
        number = np.float64(statistics[child]["proof"] if maximises else statistics[child]["disproof"])
        rank = rank_among(nodes, statistics, first, last, number, maximises)
        statistics[child]["bonus"] = rank
        last_rank = max(last_rank, rank)
    for child in range(first, last):
        statistics[child]["bonus"] = 1.0 - np.float64(statistics[child]["bonus"]) / last_rank


@kernel
def rank_among(nodes, statistics, first, last, number, maximises):
    """1 + the number of children, nodes[first : last], with less left to prove than `number`.

    statistics   records with the numbers, parallel to nodes
    maximises    whether player 0 moves there, so that proof numbers count, not disproof numbers
    """
    rank = 1
    for child in range(first, last):
        other = np.float64(statistics[child]["proof"] if maximises else statistics[child]["disproof"])
        if other < number and nodes[child]["flags"] & PRUNED == 0:
            rank += 1
    return rank


# -- alone ---------------------------------------------------------------------------------------------------------------------
NUMBER_SUM = Parameter(
    "number_sum",
    True,
    "a number that needs several moves is the sum of theirs; off: the largest, and one for each other move, which counts "
    "transpositions once",
)
WIDENING = Parameter(
    "widening",
    1.0,
    "the share of a node's open moves, those of the highest priors, that are looked at, and one more; 1 = all",
    0.0,
    1.0,
    needs=PRIOR,
)


@selection_rule(parameters=(NUMBER_SUM, WIDENING), uses=(VALUE, PRIOR), statistics=NUMBERS, memo=MEMO, proves=True)
class MostProving(NamedTuple):
    """Proof-number search (Allis, van der Meulen and van den Herik 1994): goes to the leaf that proves most.

    Where player 0 is to move that is the child of least proof number, where player 1 is the one of least disproof number.
    There are no playouts: every simulation expands a leaf.

    With `widening` below 1 only the first of the open moves by their priors are looked at, and the mover's number is the least
    of theirs; as these turn out badly, others take their places. The search stays with few moves and sees them to their end
    (focused proof-number search, Arneson, Hayward and Henderson 2010).
    """

    number_sum: bool
    widening: float


@implements(plays_out, MostProving)
def has_no_playouts(rule):
    return False


@implements(adds_up, MostProving)
def adds_up_by_parameter(rule):
    return rule.number_sum


@implements(widening_of, MostProving)
def widening_by_parameter(rule):
    return rule.widening


@implements(tries_in_order, MostProving)
def by_prior(rule):
    return rule.widening < 1.0  # of a rule that looks at all moves their order has no meaning


implements(choose_goal, MostProving)(ask_easiest)


@implements(back_up, MostProving)
@kernel
def back_up_numbers(rule, tree, scratch, depth, score, options):
    count_game(rule, tree, scratch, depth, score, options)
    if not choose_goal(rule, tree, scratch, options):
        high = tree.counters[HIGH]
        keeps = len(tree.memo) > 1
        for d in range(depth, -1, -1):
            number_node(rule, tree, scratch.path[d], high, True)
            if keeps and d > 0:
                keep_numbers(tree, scratch.path[d], scratch.hashes[d], high)
        ask_for_room(tree)


@implements(choose_child, MostProving)
@kernel
def most_proving_child(rule, tree, scratch, depth, options):
    """The open child with the least left to prove for the player to move.

    With several threads its number grows by one until the simulation is backed up, which computes it anew: like a virtual loss
    it sends the next thread elsewhere if there is another child as good.
    """
    nodes = tree.nodes
    statistics = tree.statistics
    node = nodes[scratch.path[depth]]
    maximises = node["to_play"] == FIRST
    count = np.int64(node["child_count"])
    first = np.int64(node["first_child"])
    best = np.int64(-1)
    least = math.inf
    left = open_prefix(rule, tree, node, count, tree.counters[HIGH])
    for child in range(first, first + count):
        if not is_open(nodes[child], node, maximises, options):
            continue
        number = np.float64(statistics[child]["proof"] if maximises else statistics[child]["disproof"])
        if best < 0 or number < least:
            best = child
            least = number
        left -= 1 if number < math.inf else 0
        if left == 0:
            break
    if options.sharing.shared and best >= 0:
        if maximises:
            statistics[best]["proof"] = least + 1.0
        else:
            statistics[best]["disproof"] = least + 1.0
    return best


RULES = {
    "pn-mcts": PnMcts,
    "pn-progressive-bias": PnProgressiveBias,
    "most-proving": MostProving,
}
