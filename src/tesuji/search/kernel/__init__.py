"""The one tree-search loop and what it works on: tree, table, bounds, expansion, studies, playouts, threads."""
