"""Certificates: proofs of a position's value that can be checked without the search that found them (docs/proofs.md)."""
