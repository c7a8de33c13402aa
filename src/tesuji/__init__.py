"""Tesuji: one Monte-Carlo tree search that plays, proves and explains."""

__version__ = "0.1.0"
