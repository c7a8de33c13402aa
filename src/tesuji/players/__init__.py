"""Players: named presets of parameters, one for each way of the papers to search."""
