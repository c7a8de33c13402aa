"""What a search knows, for people and programs: analysis, nodes of the tree, explanations."""
