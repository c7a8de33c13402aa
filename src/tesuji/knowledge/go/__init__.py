"""What players of Go know beyond the rules: urgencies of moves, moves that are useless, which stones are dead."""
