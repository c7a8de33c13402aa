"""Patterns of inferior cells in Hex, proven one by one: what a few empty cells and the stones around them say for certain.

A window is a connected shape of empty cells, the *area*, and all cells next to it, its *rim*. A cell of the rim has a stone
(or is border, which counts as a stone), or nothing is known of it: it may be or become anything. The proof of a pattern looks
only at that.

Filled areas are compared first. One filling is at least as good for Black as another if, however the rim is filled, every two
black cells of the rim that the second joins are joined by the first. Then a board that Black has won stays won.

Areas that are still played in are compared as games (Selinger, On the combinatorial value of Hex positions, 2022). G <= H,
"H is at least as good for Black", if a second player can answer every move of Black in G and every move of White in H, by a
move of White in G, of Black in H or by a pass, so that at the end the filling of G is no better for Black than that of H. If
G <= H, then Black, who plays on a board with H, can play as if it was G: he wins wherever he would win there, whoever is to
move and whatever the rest of the board is. So with X the area without stones, and X[c=b] with a black stone on c, there are
three kinds of patterns (for Black; those for White have colours exchanged):

    filled      X[S=b, T=b] <= X[T=b] for all sets T of other cells: S may be filled with black stones, now and after any of
                Black's moves, so that a move that wins on the filled board wins on this one, too. Dead cells, captured sets,
                permanently inferior cells
    dominated   X[c=b] <= X[d=b]  if c wins for Black, so does d
    reversible  X[c=b, r=w, T=w] <= X[c=w, r=w, T=w] for all sets T of other cells: once White has answered r, the black stone
                on c is worth no more than a white one, whatever else White has. Vulnerable cells are those of an area {c, r}.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from tesuji.knowledge.hex.inferior.dead_cells import DEAD
from tesuji.knowledge.hex.inferior.windows import (
    IMAGES,
    SHAPES,
    Cell,
    Rims,
    WindowShape,
    as_text,
    dominated_bit,
    exchanged,
    neighbours,
    reversible_bit,
)

EMPTY, BLACK, WHITE = 0, 1, 2
Area = tuple[int, ...]  # the colour of each cell of the area
U32_ONE = np.uint32(1)
BLOCK = 3**7  # rims that are worked on at a time


# -- filled areas --------------------------------------------------------------------------------------------------------------
def joined_pairs(shape: WindowShape, area: Area, rim: Area) -> int:
    """The pairs of black cells of the rim that are joined within the window, as bits."""
    cells = [*shape.area, *shape.rim]
    black = {cell for cell, colour in zip(cells, [*area, *rim], strict=True) if colour == BLACK}
    label: dict[Cell, int] = {}
    for number, start in enumerate(sorted(black)):
        reached = [] if start in label else [start]
        while reached:
            cell = reached.pop()
            label[cell] = number
            reached += [near for near in neighbours(cell) if near in black and near not in label]
    pairs = combinations(range(len(shape.rim)), 2)
    return sum(
        1 << bit for bit, (i, j) in enumerate(pairs) if rim[i] == rim[j] == BLACK and label[shape.rim[i]] == label[shape.rim[j]]
    )


def filled_order(shape: WindowShape) -> dict[tuple[Area, Area], np.ndarray]:
    """By two fillings of the area: whether the second is at least as good for Black, for every rim of stones and unknown
    cells (the number of a rim has three digits: 0 unknown, 1 black, 2 white; the first cell's counts 1).
    """
    fillings = list(product((BLACK, WHITE), repeat=len(shape.area)))
    rims = list(product((BLACK, WHITE), repeat=len(shape.rim)))
    pairs = {area: [joined_pairs(shape, area, rim) for rim in rims] for area in fillings}
    sides = (2,) * len(shape.rim)
    order = {}
    for first, second in product(fillings, repeat=2):
        holds = np.array([one & ~other == 0 for one, other in zip(pairs[first], pairs[second], strict=True)])
        order[first, second] = with_unknown_cells(holds.reshape(sides))
    return order


def with_unknown_cells(holds: np.ndarray) -> np.ndarray:
    """From what holds for every rim of stones, what holds for rims with unknown cells: for all stones there."""
    for axis in range(holds.ndim):
        both = np.all(holds, axis=axis, keepdims=True)
        holds = np.concatenate([both, holds], axis=axis)
    return np.ascontiguousarray(holds.transpose()).reshape(-1)


# -- areas that are played in --------------------------------------------------------------------------------------------------
def options(area: Area, colour: int) -> Iterator[Area]:
    for i, content in enumerate(area):
        if content == EMPTY:
            yield (*area[:i], colour, *area[i + 1 :])


def order_of_games(cells: int, filled: dict[tuple[Area, Area], np.ndarray]) -> dict[tuple[Area, Area], np.ndarray]:
    """By two contents G, H of the area: whether G <= H, for each of the rims that `filled` is about."""
    below = dict(filled)
    first_moves = dict(filled)  # whether the second player, if he is to move, comes to G <= H
    areas = sorted(product((EMPTY, BLACK, WHITE), repeat=cells), key=lambda area: area.count(EMPTY))
    pairs = sorted(product(areas, repeat=2), key=lambda pair: pair[0].count(EMPTY) + pair[1].count(EMPTY))
    for g, h in pairs:
        if (g, h) in below:
            continue
        answered = [first_moves[option, h] for option in options(g, BLACK)]
        answered += [first_moves[g, option] for option in options(h, WHITE)]
        below[g, h] = np.logical_and.reduce(answered)
        better = [below[option, h] for option in options(g, WHITE)] + [below[g, option] for option in options(h, BLACK)]
        first_moves[g, h] = np.logical_or.reduce([below[g, h], *better])
    return below


# -- patterns ------------------------------------------------------------------------------------------------------------------
def patterns_of(shape: WindowShape) -> np.ndarray:
    """By the number of the rim: what is proven for Black, as bits (windows.py)."""
    filled = filled_order(shape)
    count = 3 ** len(shape.rim)
    words = np.zeros(count, np.uint32)
    for start in range(0, count, BLOCK):
        block = slice(start, start + BLOCK)
        below = order_of_games(len(shape.area), {pair: holds[block] for pair, holds in filled.items()})
        words[block] = proven(len(shape.area), below)
    return words


def proven(cells: int, below: dict[tuple[Area, Area], np.ndarray]) -> np.ndarray:
    empty = (EMPTY,) * cells
    words = np.zeros(len(below[empty, empty]), np.uint32)

    def placed(black: tuple[int, ...] = (), white: tuple[int, ...] = ()) -> Area:
        return tuple(BLACK if i in black else WHITE if i in white else EMPTY for i in range(cells))

    best = np.zeros(len(words), np.uint32)
    for size in range(1, cells + 1):  # the largest set that may be filled
        for chosen in combinations(range(cells), size):
            rest = subsets([i for i in range(cells) if i not in chosen])
            holds = np.logical_and.reduce([below[placed((*chosen, *more)), placed(more)] for more in rest])
            best[holds] = sum(1 << i for i in chosen)
    words |= best
    for one, other in product(range(cells), repeat=2):
        if one == other:
            continue
        holds = below[placed((one,)), placed((other,))]
        words |= holds.astype(np.uint32) << np.uint32(dominated_bit(cells, one, other))
        rest = subsets([i for i in range(cells) if i not in (one, other)])
        holds = np.logical_and.reduce([below[placed((one,), (other, *more)), placed((), (one, other, *more))] for more in rest])
        words |= holds.astype(np.uint32) << np.uint32(reversible_bit(cells, one, other))
    return words


def subsets(cells: list[int]) -> list[tuple[int, ...]]:
    return [chosen for size in range(len(cells) + 1) for chosen in combinations(cells, size)]


# -- what smaller windows do not show ------------------------------------------------------------------------------------------
def image_on(cells: Sequence[Cell]) -> tuple[str, WindowShape] | None:
    """The image of a shape whose area are these cells, and the name of the shape."""
    for name, image in IMAGES:
        x, y = (a - b for a, b in zip(min(cells), min(image.area), strict=True))
        area, rim = (tuple((a + x, b + y) for a, b in part) for part in (image.area, image.rim))
        if set(area) == set(cells):
            return name, WindowShape(area, rim)
    return None


def without_smaller(name: str, proven: dict[str, np.ndarray]) -> np.ndarray:
    """What is proven for Black of a shape, without what its own parts show. Where something in these is to be filled, nothing
    is left: that comes first. Nor is dominance kept of or by a cell that is reversible anyway.
    """
    one, words = SHAPES[name], proven[name].copy()
    cells, rims = len(one.area), Rims(one)
    to_fill = np.logical_or.reduce([DEAD[rims.ring_of(cell)] for cell in one.area])
    for size in range(2, cells):
        for part in combinations(one.area, size):
            found = image_on(part)
            if found is None:
                continue
            smaller, image = found
            number = rims.number_of(image.rim)
            facts = proven[smaller][number]
            for_white = proven[smaller][exchanged(len(image.rim))[number]]
            to_fill |= (facts | for_white) & ((1 << size) - 1) != 0
            for i, j in permutations(range(size), 2):
                first, second = one.area.index(image.area[i]), one.area.index(image.area[j])
                for bit in (dominated_bit, reversible_bit):
                    words &= ~((facts >> np.uint32(bit(size, i, j)) & U32_ONE) << np.uint32(bit(cells, first, second)))
    for i, j in permutations(range(cells), 2):
        reversible = words >> np.uint32(reversible_bit(cells, i, j)) & U32_ONE
        for k in range(cells):
            if k != i:
                words &= ~(reversible << np.uint32(dominated_bit(cells, i, k)))
                words &= ~(reversible << np.uint32(dominated_bit(cells, k, i)))
    return np.where(to_fill, np.uint32(0), words)


def prove_windows() -> dict[str, np.ndarray]:
    """What is shipped: what is proven for Black, by shape and number of the rim. Takes half a minute."""
    proven = {name: patterns_of(one) for name, one in SHAPES.items()}
    return {name: without_smaller(name, proven) for name in SHAPES}


if __name__ == "__main__":  # writes the file that the package ships
    from tesuji.knowledge.hex.inferior.windows import FILE

    FILE.write_text(as_text(prove_windows()))
