"""Writes certificates: strategies out of a finished search tree."""
