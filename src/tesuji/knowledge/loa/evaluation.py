"""What a position of Lines of Action is worth: the nine features, each times its weight, in points for player 0 (Black).

At +-1000 points a game is as good as decided: a chance of 95% by the logistic curve, so that a chance is
1 / (1 + exp(-points / POINTS)). Three sets of weights of rising strength, after MIA's of 2000, 2002 and 2006 (Winands,
Bjornsson and Saito 2008, section 5.2), whose own are not public: two by hand, and one fitted (evaluation.json,
written by `tesuji learn evaluation`).
"""

from __future__ import annotations

import math

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.loa.state import BLACK
from tesuji.knowledge.loa.features import FEATURES, features

DECIDED = 1000.0
POINTS = DECIDED / math.log(0.95 / 0.05)  # points for each unit of the logarithm of the odds

# The hand's weights in points for one unit of a feature. They were put on the common scale, and rounded.
BY_HAND = {
    "mia2000": {"concentration": 1900.0, "centralisation": 3.0, "quads": 95.0},
    "mia2002": {
        "concentration": 1750.0,
        "centralisation": 2.7,
        "centre of mass": 0.8,
        "quads": 88.0,
        "mobility": 17.5,
        "walls": 88.0,
        "connectedness": 49.0,
        "uniformity": 3500.0,
        "player to move": 35.0,
    },
}


def hand_weights(name: str) -> np.ndarray:
    """float64[FEATURE_COUNT] of 'mia2000' or 'mia2002'."""
    return np.array([BY_HAND[name].get(feature, 0.0) for feature in FEATURES])


@called_kernel  # eighteen copies of it were half of a search's code
def evaluation(terms, blacks, whites, player):
    """The points of Black when `player` is to move; `terms` are the weights of the features."""
    found = features(blacks, whites, player)
    points = terms[0] * found[0] + terms[1] * found[1] + terms[2] * found[2] + terms[3] * found[3] + terms[4] * found[4]
    return points + terms[5] * found[5] + terms[6] * found[6] + terms[7] * found[7] + terms[8] * found[8]


@kernel
def evaluation_for(terms, own, other, player):
    """The points of `player`, who has just moved: `own` are his pieces now."""
    if player == BLACK:
        return evaluation(terms, own, other, 1 - player)
    return -evaluation(terms, other, own, 1 - player)
