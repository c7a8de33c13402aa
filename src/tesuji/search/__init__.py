"""The one tree search: tree, selection, proof by bounds, playouts, the loop, and the engine that runs it in slices."""
