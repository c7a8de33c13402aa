"""Hex on boards of up to 19x19, with or without the swap rule."""
