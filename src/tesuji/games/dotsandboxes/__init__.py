"""Dots and boxes on boards of up to 7 by 7 boxes."""
