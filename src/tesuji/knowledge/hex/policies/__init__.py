"""What players of Hex know, as policies of the search."""
