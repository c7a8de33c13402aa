"""What may choose the moves of playouts beside the policy: what the search learns from its own games, and moves that win at once."""
