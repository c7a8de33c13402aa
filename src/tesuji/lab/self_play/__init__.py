"""Learning by self-play, from the rules of a game alone: games by the newest network, learning from them, and a match of the
new network against the one that plays, again and again.

plan.py      what a run is: its game, its parameters, how large its network is after how many games
store.py     the file of a run: every game, and every round with how far it is
players.py   the processes that play
learner.py   the network that is learned: the window of games, the checkpoint, growing, going back after a failure
run.py       a run: round after round
standing.py  how a run stands: its tables and its picture
"""

from tesuji.lab.self_play.run import SelfPlayRun

__all__ = ["SelfPlayRun"]
