"""How a match stands: wins, draws, pairs, the score with its interval and Elo; and the table that a person sees of it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tesuji.core.tables import TablePart
from tesuji.lab.elo import elo_of_score, elo_text, score_interval
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import Plan
from tesuji.lab.sprt import PAIR_SCORES

if TYPE_CHECKING:
    from tesuji.lab.match.runner import Runner

COLUMNS = ["", "games", "won", "lost", "drawn", "score % (95%)", "Elo (95%)", "CPU s a move", "faults"]
NUMBERS = COLUMNS[1:]
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass
class CpuTime:
    """The CPU time of a player, in the games in which it is known."""

    seconds: float = 0.0
    moves: int = 0

    def add(self, seconds: float | None, moves: int | None) -> None:
        if seconds is not None and moves is not None:
            self.seconds += seconds
            self.moves += moves

    @property
    def per_move(self) -> float | None:
        return self.seconds / self.moves if self.moves else None

    @property
    def text(self) -> str:
        return "?" if self.per_move is None else f"{self.per_move:.3g}"


@dataclass
class Standing:
    """One pairing, from the point of view of its first player, A."""

    a_wins: int = 0
    b_wins: int = 0
    draws: int = 0
    a_first_points: float = 0.0  # A's points in the games in which it moved first
    a_first_games: int = 0
    a_forfeits: int = 0  # games that A lost by doing something wrong
    b_forfeits: int = 0
    seconds: float = 0.0
    a_time: CpuTime = field(default_factory=CpuTime)
    b_time: CpuTime = field(default_factory=CpuTime)
    _halves: dict[int, float] = field(default_factory=dict)  # A's points of pairs of which one game is there
    pairs: list[int] = field(default_factory=lambda: [0] * len(PAIR_SCORES))

    @property
    def games(self) -> int:
        return self.a_wins + self.b_wins + self.draws

    @property
    def score(self) -> float | None:
        return (self.a_wins + self.draws / 2) / self.games if self.games else None

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.score or 0.0, self.games)

    def add(self, played: Played, a: int) -> None:
        """Counts a game; `a` is the slot of A."""
        points = 0.5 if played.winner is None else float(played.winner == a)
        self.draws += played.winner is None
        self.a_wins += points == 1.0
        self.b_wins += points == 0.0
        self.seconds += played.seconds_first + played.seconds_second
        first, second = (self.a_time, self.b_time) if played.first == a else (self.b_time, self.a_time)
        first.add(played.cpu_first, played.moves_first)
        second.add(played.cpu_second, played.moves_second)
        if played.is_forfeit:
            self.a_forfeits += played.winner != a
            self.b_forfeits += played.winner == a
        if played.first == a:
            self.a_first_points += points
            self.a_first_games += 1
        if played.opening in self._halves:
            self.pairs[round(2 * (self._halves.pop(played.opening) + points))] += 1
        else:
            self._halves[played.opening] = points

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        score = self.score
        return {
            "games": self.games,
            "a_wins": self.a_wins,
            "b_wins": self.b_wins,
            "draws": self.draws,
            "score": score,
            "elo": None if score is None else elo_of_score(score),
            "elo_low": elo_of_score(low),
            "elo_high": elo_of_score(high),
            "score_low": low,
            "score_high": high,
            "pairs": list(self.pairs),
            "a_score_first": self.a_first_points / self.a_first_games if self.a_first_games else None,
            "a_forfeits": self.a_forfeits,
            "b_forfeits": self.b_forfeits,
            "forfeits": self.a_forfeits + self.b_forfeits,
            "a_cpu": self.a_time.per_move,
            "b_cpu": self.b_time.per_move,
        }


def standings(plan: Plan, games: Iterable[Played]) -> list[Standing]:
    """One standing for each pairing of the plan."""
    pairings = plan.pairings
    found = [Standing() for _ in pairings]
    for played in games:
        pairing = plan.entry(played.number).pairing
        found[pairing].add(played, pairings[pairing][0])
    return found


# -- the table -----------------------------------------------------------------------------------------------------------
def legend(runner: Runner) -> list[str]:
    """The letters that stand for the players in the table."""
    return [f"{letter(slot)}  {player.label}" for slot, player in enumerate(runner.plan.players)]


def letter(slot: int) -> str:
    return ALPHABET[slot % 26] + (str(slot // 26) if slot >= 26 else "")


def rows(runner: Runner) -> list[list[str]]:
    """One row for each pairing, from the first one's point of view. Faults are games lost by doing something wrong."""
    pairings = zip(runner.plan.pairings, runner.standings, strict=True)
    width = len(columns(runner))
    return [[f"{letter(a)} : {letter(b)}", *figures(standing)][:width] for (a, b), standing in pairings]


def columns(runner: Runner) -> list[str]:
    faulty = any(standing.a_forfeits or standing.b_forfeits for standing in runner.standings)
    return COLUMNS if faulty else COLUMNS[:-1]


def figures(standing: Standing) -> list[str]:
    score, (low, high) = standing.score, standing.interval
    counts = [str(n) for n in (standing.games, standing.a_wins, standing.b_wins, standing.draws)]
    cpu = f"{standing.a_time.text} : {standing.b_time.text}"
    faults = f"{standing.a_forfeits} : {standing.b_forfeits}"
    if score is None:
        return [*counts, "", "", "", faults]
    elo, elo_low, elo_high = (elo_text(elo_of_score(value)) for value in (score, low, high))
    return [
        *counts,
        f"{100 * score:.1f} ({100 * low:.1f} .. {100 * high:.1f})",
        f"{elo} ({elo_low} .. {elo_high})",
        cpu,
        faults,
    ]


def status(runner: Runner) -> str:
    """How far the match is, and when it will be done."""
    elapsed = time.monotonic() - runner.began
    parts = [f"{runner.done} of {runner.total} games", f"{runner.playing} under way"]
    if runner.played_now:
        left = (runner.total - runner.done) * elapsed / runner.played_now
        parts.append(f"{duration(elapsed)} gone, about {duration(left)} to go")
    return "   ".join([*parts, *filter(None, [sprt_text(runner)])])


def sprt_text(runner: Runner) -> str:
    """The state of the sequential test in one line; nothing if there is none."""
    test = runner.test
    if test is None:
        return ""
    pairs = runner.standings[0].pairs
    low, high = test.bounds
    decision = test.decision(pairs)
    meaning = {"H0": f": H0 accepted, {test.elo0:g} Elo", "H1": f": H1 accepted, {test.elo1:g} Elo"}.get(decision, "")
    return f"SPRT LLR {test.llr(pairs):.2f} ({low:.2f}, {high:.2f}){meaning}"


def duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def view(runner: Runner) -> list[str | TablePart]:
    """The match as a person sees it while it runs."""
    return [*legend(runner), TablePart(columns(runner), rows(runner), NUMBERS), status(runner)]
