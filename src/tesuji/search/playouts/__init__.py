"""Choosers of playout moves, beside the policy: what the search learns from its own games, and moves that win at once."""
