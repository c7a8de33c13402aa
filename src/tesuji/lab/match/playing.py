"""What plays the jobs of a plan, in whichever process: the contestants, made once, and the games that they play."""

from __future__ import annotations

from tesuji.games.registry import find_game
from tesuji.lab.match.contestants import Contestant, make_contestant
from tesuji.lab.match.games import Played, play_game
from tesuji.lab.match.jobs import GamesJob
from tesuji.lab.match.plan import Plan


class JobPlayer:
    """The contestants of a plan. A UserError if one cannot play its game."""

    def __init__(self, plan: Plan, game_text: str):
        self.place = ""  # the game that is being played, for messages
        self.programs: list[str] = []  # who the contestants say they are
        self._plan = plan
        self._game = find_game(game_text, False)
        self._contestants: list[Contestant] = []
        self._has_values = False
        for spec in plan.players:
            self._contestants.append(make_contestant(plan, spec))
            self.programs.append(self._contestants[-1].prepare(self._game))

    def play(self, job: GamesJob) -> list[Played]:
        """The games of a job."""
        if job.values or self._has_values:
            self._contestants[0].set_values(job.values)
            self._has_values = bool(job.values)
        games = []
        for entry, opening in job.games:
            self.place = f"game {entry.number + 1}: "
            sides = (self._contestants[entry.first], self._contestants[entry.second])
            games.append(play_game(self._plan, self._game, entry, opening, sides))
        self.place = ""
        return games

    def close(self) -> None:
        for contestant in self._contestants:
            contestant.close()
