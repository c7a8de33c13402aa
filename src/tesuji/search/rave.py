"""All moves as first (RAVE): a move played anywhere later in a game tells something of playing it now."""

from __future__ import annotations

import math

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import FIRST


@kernel
def begin_rave(tree, first, count, mover, expectations, options):
    """Gives new children `prior_games` games with the policy's expectations, which are the mover's."""
    games = np.int64(options.prior_games)
    for i in range(count):
        share = expectations[i] if mover == FIRST else 1.0 - expectations[i]
        entry = tree.rave[first + i]
        entry["visits"] = games
        entry["sum"] = np.int64(math.floor(games * (options.least + share * (options.most - options.least)) + 0.5))


@kernel
def update_rave(tree, scratch, depth, length, score, stamp):
    """Credits the game's score to every child, of every node on the path, whose move its mover made then or later.

    `path[d]` is the node before move d of the game. Going backwards, `seen` holds the moves of the rest of the game for
    each player, marked with the number of this game so that it need never be cleared. With several threads an addition may
    be lost now and then; these are hints, not counts that must agree.
    """
    nodes = tree.nodes
    path = scratch.path
    seen = scratch.seen
    for ply in range(length - 1, -1, -1):
        seen[scratch.movers[ply], scratch.history[ply]] = stamp
        if ply <= depth:
            node = nodes[path[ply]]
            player = node["to_play"]
            first = node["first_child"]
            for child in range(first, first + node["child_count"]):
                if seen[player, nodes[child]["move"]] == stamp:
                    entry = tree.rave[child]
                    entry["sum"] += score
                    entry["visits"] += 1
