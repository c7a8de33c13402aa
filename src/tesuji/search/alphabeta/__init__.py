"""Alpha-beta: the second engine, for games that offer an evaluation. See docs/proving.md."""
