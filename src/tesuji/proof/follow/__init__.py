"""Plays by a certificate that was checked, or walks through it."""
