"""Connect Four on any board with W * (H + 1) <= 64, and any length of line."""
