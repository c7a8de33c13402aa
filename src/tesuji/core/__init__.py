"""Dispatch, compilation, random numbers, parameters and limits. Knows no game."""
