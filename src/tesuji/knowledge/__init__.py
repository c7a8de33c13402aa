"""What players know beyond the rules of one game, as policies: playouts, priors, patterns, evaluation. None is needed yet."""
