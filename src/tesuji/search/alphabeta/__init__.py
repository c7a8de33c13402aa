"""Alpha-beta: the second engine, for games that offer an evaluation. docs/alphabeta.md tells how it works."""
