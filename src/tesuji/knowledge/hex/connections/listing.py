"""Connections as plain Python values, for whoever looks at them."""

from __future__ import annotations

from typing import Any

from tesuji.knowledge.hex.connections.lists import (
    ATTEMPTS,
    FULLS,
    FULLS_AT,
    ONE_END,
    OTHER_END,
    OVERFLOWED,
    PAIR_NUMBERS,
    PAIRS_USED,
    SEMIS,
    SEMIS_AT,
    Connections,
)


def carriers(connections: Connections, x: int, y: int, full: bool) -> list[list[int]]:
    """The carriers of the full, or the semi, connections of two points, as lists of cells."""
    first = int(connections.pair_of[x * int(connections.points) + y]) * PAIR_NUMBERS
    at, count = (FULLS_AT, FULLS) if full else (SEMIS_AT, SEMIS)
    width = len(connections.kind)
    found = []
    for i in range(int(connections.pairs[first + count])):
        place = (int(connections.pairs[first + at]) + i) * width
        bits = sum(int(word) << 64 * number for number, word in enumerate(connections.arena[place : place + width]))
        found.append([cell for cell in range(int(connections.points)) if bits >> cell & 1])
    return found


def all_pairs(connections: Connections) -> list[tuple[int, int]]:
    """The pairs of points that have a connection."""
    rows = connections.pairs[: int(connections.counts[PAIRS_USED]) * PAIR_NUMBERS].reshape(-1, PAIR_NUMBERS)[1:]
    return [(int(row[ONE_END]), int(row[OTHER_END])) for row in rows if row[FULLS] + row[SEMIS] > 0]


def sizes(connections: Connections) -> dict[str, Any]:
    """How many connections there are, and on how many pairs."""
    rows = connections.pairs[: int(connections.counts[PAIRS_USED]) * PAIR_NUMBERS].reshape(-1, PAIR_NUMBERS)[1:]
    return {
        "fulls": int(rows[:, FULLS].sum()),
        "full_pairs": int((rows[:, FULLS] > 0).sum()),
        "semis": int(rows[:, SEMIS].sum()),
        "semi_pairs": int((rows[:, SEMIS] > 0).sum()),
        "left_out": int(connections.counts[OVERFLOWED]),
        "attempts": int(connections.counts[ATTEMPTS]),
    }
