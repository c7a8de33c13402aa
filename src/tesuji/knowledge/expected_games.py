"""What a policy expects of a move, as games of RAVE, of the move itself, or of both (RATING in search/policy.py)."""

from __future__ import annotations

from tesuji.core.dispatch import kernel

INTO = ("rave", "own", "both")
RAVE, OWN, BOTH = 0, 1, 2


@kernel
def add_games(rating, value, games, into):
    """Adds games of a mean value, for the player who makes the move, to what is expected of it."""
    if games > 0.0 and into != RAVE:
        all_games = rating["own_games"] + games
        rating["own_value"] = (rating["own_value"] * rating["own_games"] + value * games) / all_games
        rating["own_games"] = all_games
    if games > 0.0 and into != OWN:
        all_games = rating["games"] + games
        rating["value"] = (rating["value"] * rating["games"] + value * games) / all_games
        rating["games"] = all_games
