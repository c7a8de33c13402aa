"""Saved searches and tables of proofs, and the checks on reading them."""
