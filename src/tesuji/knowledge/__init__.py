"""What players know beyond the rules of one game: playout policies, and later priors, patterns and evaluation."""
