"""Matches between built-in players and GTP programs: planned, played in parallel by worker processes, refereed, saved, resumed.

plan.py         players, limits, time control, openings, and what each game is
contestants.py  a search, or a GTP program, as a player of a game
games.py        one game: the referee and the clocks
worker.py       the process that plays games
jobs.py         a job: a few games for a worker
pool.py         hands jobs to workers
games_run.py    plays the games of a plan and keeps them: what a match and a tune have in common
runner.py       a match as jobs of one game each; `open_match` begins it all
store.py        the match file; lock.py, that only one run writes to it
games_file.py   the games as a small text
standing.py     the score, and the table of it
"""

from tesuji.lab.match.runner import open_match

__all__ = ["open_match"]
