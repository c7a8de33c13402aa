"""SameGame: a puzzle for one player, with many outcomes."""
