"""Rules only: one folder a game, with its rules and its drawing. `find_game` turns a game string into a Game."""
