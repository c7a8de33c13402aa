"""Matches between players of ours and GTP programs: planned, played in parallel, refereed, kept, and gone on with."""
