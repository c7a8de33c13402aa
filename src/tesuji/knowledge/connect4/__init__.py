"""What players know of Connect Four beyond its rules."""
