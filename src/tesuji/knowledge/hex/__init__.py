"""Policies for Hex: patterns learned from game records, playouts with and without them, the swap."""
