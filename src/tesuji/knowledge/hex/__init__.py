"""What is known of Hex.

geometry.py    places, neighbours, colours, moves
bitsets.py     sets of points
inferior/      cells that may be filled in or left out
connections/   virtual connections, and what follows from them
patterns/      learned patterns and features of moves
assessment.py  what all of that says of a position: the one kernel for studies, Wolve and overlays
workspaces.py  the memory for that, by thread
policies/      players of it
overlays/      the same for people
"""
