"""What a position looks like: the board, plain drawing data, SVG."""
