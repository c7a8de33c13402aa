"""All moves as first (RAVE): a move played anywhere later in a game tells something of playing it now."""

from __future__ import annotations

from tesuji.core.dispatch import kernel


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
