"""Semeai: two strings of Go stones with no shared liberty race to capture each other."""
