"""Runs the loop from Python: set-up, slices and the clock, the final move, trials of classes from users."""
