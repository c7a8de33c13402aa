"""Tuning: which values of a player's parameters score best against given opponents.

space.py       the parameters with their ranges, and points of the cube [-1, 1]^d in place of their values
regression.py  quadratic logistic regression with a prior
clop.py        which samples count, by CLOP; where the next sample is; the estimate
methods.py     CLOP, SPSA and uniform sampling behind one interface
estimate.py    the estimate with its interval, and what has no measurable effect
synthetic.py   functions with a known optimum, to try the methods on
plan.py        what a tune is, and which game has which sample, colours, opening and seed
store.py       the tune file
runner.py      samples as jobs of two games each; `open_tune` begins it all
validation.py  the match of the tuned player against the one it was made from
outlook.py     what can be expected of so many games
view.py        the tables that a person sees, live and at the end
picture.py     the report of a tune file
"""
