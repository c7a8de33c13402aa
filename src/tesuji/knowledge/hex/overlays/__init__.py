"""What is known of a position, drawn on the board and in words."""
