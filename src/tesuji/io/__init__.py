"""Protocols and files by which other programs and the search meet: SGF game records, GTP, analysis as JSON lines."""
