"""Positions of Hex as bits, and connections and edge templates put to the judge. For the tests and a script of benchmarks/."""

from __future__ import annotations

from naive_connections import ConnectionJudge, TooHard

from tesuji.games.hex.state import BLACK, WHITE, empty_board
from tesuji.knowledge.hex.connections.listing import all_pairs, carriers


def position(width, height, black, white):
    """A record with these stones, given as bits. Only the stones matter here."""
    state = empty_board(width, height)
    for player, bits in ((BLACK, black), (WHITE, white)):
        for row in range(height):
            state["stones"][player, row] = bits >> row * width & (1 << width) - 1
    return state


def random_stones(rng, cells):
    """Stones on a random share of the cells, on at least a quarter of them if there are many."""
    share = rng.uniform(0.0 if cells < 16 else 0.25, 1.0)
    black = white = 0
    for cell in range(cells):
        if rng.random() < share:
            if rng.random() < 0.5:
                black |= 1 << cell
            else:
                white |= 1 << cell
    return black, white


def as_bits(cells):
    return sum(1 << cell for cell in cells)


def wrong_connections(known, judge, stones):
    """The connections that are not true, and how many were judged."""
    own = stones[int(known.colour)]
    count, wrong = 0, []
    for x, y in all_pairs(known):
        for full in (True, False):
            for cells in carriers(known, x, y, full):
                count += 1
                carrier = as_bits(cells)
                try:
                    if carrier & (stones[0] | stones[1]) or not judge.joins(own, carrier, x, y, not full):
                        wrong.append((stones, int(known.colour), x, y, full, cells))
                except TooHard:
                    count -= 1
    return wrong, count


def template_joins(template, most=10**9):
    """Whether a template is true, judged by playing on the strip that just holds it; `most` as for ConnectionJudge."""
    places = [(0, template.height), *template.carrier, *template.stones]
    left = min(column for column, _height in places)
    width, rows = max(column for column, _height in places) - left + 1, max(height for _column, height in places) + 2
    judge = ConnectionJudge(width, rows, BLACK, most)  # the row above is White's

    def cell(place):
        return (rows - 1 - place[1]) * width + place[0] - left

    return judge.joins(
        as_bits(map(cell, template.stones)),
        as_bits(map(cell, template.carrier)),
        cell((0, template.height)),
        judge.cells + 1,
        False,
    )
