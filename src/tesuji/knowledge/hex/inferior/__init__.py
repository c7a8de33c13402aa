"""Cells that may be filled in or left out, as they never change who wins."""
