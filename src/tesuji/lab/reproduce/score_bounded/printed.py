"""The figures that the paper prints. A text begins with '>' where runs were stopped at the limit."""

from __future__ import annotations

# Table 1: rows are the own liberties 1 to 9 of the side to move, columns the opponent's.
TABLE_1 = (
    (1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
    (1.00, 0.50, 0.30, 0.20, 0.14, 0.11, 0.08, 0.07, 0.05),
    (1.00, 0.70, 0.50, 0.37, 0.29, 0.23, 0.18, 0.15, 0.13),
    (1.00, 0.80, 0.63, 0.50, 0.40, 0.33, 0.28, 0.24, 0.20),
    (1.00, 0.86, 0.71, 0.60, 0.50, 0.42, 0.36, 0.31, 0.27),
    (1.00, 0.89, 0.77, 0.67, 0.58, 0.50, 0.44, 0.38, 0.34),
    (1.00, 0.92, 0.82, 0.72, 0.64, 0.56, 0.50, 0.45, 0.40),
    (1.00, 0.93, 0.85, 0.76, 0.69, 0.62, 0.55, 0.50, 0.45),
    (1.00, 0.95, 0.87, 0.80, 0.73, 0.66, 0.60, 0.55, 0.50),
)

# Tables 2 to 5: rows are Min's liberties 1 to 6, columns Max's.
TABLE_2 = (
    ("Draw", "Won", "Won", "Won", "Won", "Won"),
    ("Draw", "Draw", "Won", "Won", "Won", "Won"),
    ("Lost", "Draw", "Draw", "Won", "Won", "Won"),
    ("Lost", "Lost", "Draw", "Draw", "Won", "Won"),
    ("Lost", "Lost", "Lost", "Draw", "Draw", "Won"),
    ("Lost", "Lost", "Lost", "Lost", "Draw", "Draw"),
)
OVER = ">1000000"
PLAYOUTS: dict[str, tuple[tuple[int | str, ...], ...]] = {
    "plain": (
        (359, 479, 1535, 2059, 10566, 25670),
        (1389, 11047, 12627, 68718, 98155, 289324),
        (7219, 60755, 541065, 283782, 516514, 791945),
        (41385, 422975, OVER, OVER, ">989407", ">999395"),
        (275670, OVER, OVER, OVER, OVER, OVER),
        (OVER, OVER, OVER, OVER, OVER, OVER),
    ),
    "cuts": (
        (192, 421, 864, 2000, 4605, 14521),
        (786, 3665, 3427, 17902, 40364, 116749),
        (4232, 22021, 107353, 94844, 263485, 588912),
        (21581, 177693, ">964871", OVER, 878072, OVER),
        (125793, OVER, OVER, OVER, OVER, OVER),
        (825760, OVER, OVER, OVER, OVER, OVER),
    ),
    "guided": (
        (137, 259, 391, 1135, 2808, 7164),
        (501, 1098, 1525, 3284, 13034, 29182),
        (1026, 5118, 9208, 19523, 31584, 141440),
        (2269, 10094, 58397, 102314, 224109, 412043),
        (6907, 27947, 127588, 737774, ">999587", OVER),
        (16461, 85542, 372366, OVER, OVER, OVER),
    ),
}

# Table 6: playouts by board (columns x rows) and algorithm.
TABLE_6: dict[str, dict[str, float | str]] = {
    "3x3": {"plain": 2700.9, "cuts": 2529.2, "guided": 1607.1},
    "3x4": {"plain": 26042.7, "cuts": 12496.7, "guided": 9792.7},
    "4x3": {"plain": 227617.6, "cuts": 31772.9, "guided": 24340.2},
    "4x4": {"plain": ">5000000", "cuts": 386324.3, "guided": 351320.3},
}

MATCH_GAMES = 200
MATCH_POINTS = 114.5  # for the side with cuts


def seki_problems() -> list[tuple[int, int]]:
    """The 36 problems (Max's liberties, Min's), in the order of the tables' rows."""
    return [(of_max, of_min) for of_min in range(1, 7) for of_max in range(1, 7)]


def is_drawn(problem: tuple[int, int]) -> bool:
    return TABLE_2[problem[1] - 1][problem[0] - 1] == "Draw"
