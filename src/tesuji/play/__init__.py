"""One game being played: its tree of moves, who plays, how it ends, and the search that goes along with it."""
