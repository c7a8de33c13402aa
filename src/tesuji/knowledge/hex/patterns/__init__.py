"""Patterns and features of moves, and the strengths that were learned for them."""
