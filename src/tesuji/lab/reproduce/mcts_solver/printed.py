"""The figures that the paper prints."""

from __future__ import annotations

GAMES = 1000  # of every match
SECONDS = 5.0  # a move
OPENINGS, OPENING_PLIES = 100, 3

TABLE_1 = 646.5  # points of MCTS-Solver against MCTS

# Table 2: points of 1,000 games, by the paper's program and the evaluation of its opponent MIA.
OPPONENTS = ("mia2000", "mia2002", "mia2006")
TABLE_2 = {"mcts": (585.5, 394.0, 69.5), "mcts-solver": (692.0, 543.5, 115.5)}
NAMES = {"mcts": "MCTS", "mcts-solver": "MCTS-Solver", "mia2000": "MIA 2000", "mia2002": "MIA 2002", "mia2006": "MIA 2006"}
