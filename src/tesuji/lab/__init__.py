"""Checking, measuring and reproducing: what is done with games and players rather than in them."""
