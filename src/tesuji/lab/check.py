"""`tesuji check`: plays random games and reports mistakes in the rules of a game.

Every rule is first asked in pure Python, where a mistake can do no harm, by the referee of games/referee.py. Around the games
that it plays, check_positions.py looks at hashes and bounds, and check_neighbours.py at positions beside
theirs. Only a game without mistakes is then compiled, and check_compiled.py compares it with itself, position by position.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.numba.registration import is_pure
from tesuji.core.watchdog import Watchdog
from tesuji.games.referee import Fault, Referee, RulesPosition, place_of, structure_faults
from tesuji.lab.check_compiled import compare_rules, compare_searches
from tesuji.lab.check_neighbours import NeighbourChecks
from tesuji.lab.check_planes import PlaneChecks
from tesuji.lab.check_positions import Observation, PositionChecks
from tesuji.lab.check_symmetry import SymmetryChecks

Progress = Callable[[int, int, str], None]
TEXT_GAMES = 3  # games in which every move is written and read back
MOST_BROKEN_GAMES = 10
NEIGHBOUR_SECONDS = 2.0  # for neighbouring positions, beside the seconds of the games


@dataclass
class Finding:
    """One mistake: its kind (a short name that does not change), the line that explains it, and an example's moves.

    `drawings` are of the positions that contradict each other, where the line alone does not show them.
    """

    kind: str
    text: str
    moves: tuple[str, ...] = ()
    times: int = 1
    drawings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text + (f" [{self.times} times]" if self.times > 1 else "")


@dataclass
class CheckReport:
    game: str
    games: int = 0
    positions: int = 0
    endgames: int = 0  # positions whose value was found by brute force
    longest: int = 0
    most_moves: int = 0
    outcomes: dict[int, int] = field(default_factory=dict)  # how often each was seen
    compared: int = 0  # games of which the compiled rules said the same
    seconds: float = 0.0
    interrupted: bool = False  # then `ok` says nothing of the games that were not played
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether games were played, and no mistake was found in them."""
        return self.games > 0 and not self.findings

    @property
    def kinds(self) -> list[str]:
        return [finding.kind for finding in self.findings]

    def __str__(self) -> str:
        return self.summary()

    def summary(self) -> str:
        """Some lines for a person: what was found, and what was looked at."""
        lines = []
        for finding in self.findings:
            lines.append(f"- {finding}")
            lines += beside(finding.drawings)
        count = len(self.findings)
        verdict = "no mistake found" if not count else f"{count} mistake{'s' if count > 1 else ''} found"
        so_far = "interrupted; so far " if self.interrupted else ""
        lines.insert(0, f"{self.game}: {so_far}{verdict} in {self.games} random games")
        if self.games and self.positions:
            shown = ", ".join(f"{value} ({times}x)" for value, times in sorted(self.outcomes.items())[:9])
            more = ", ..." if len(self.outcomes) > 9 else ""
            lines.append(
                f"  positions {self.positions}, longest game {self.longest} moves, most moves in a position {self.most_moves}"
            )
            lines.append(f"  outcomes: {shown or 'none'}{more}")
            lines.append(
                f"  brute force: {self.endgames} endgame positions; compiled and in pure Python: {self.compared} games compared"
            )
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def beside(drawings: tuple[str, ...]) -> list[str]:
    """The lines of drawings, side by side and indented."""
    rows: list[str] = []
    for drawing in drawings:
        lines = [line.rstrip() for line in drawing.splitlines()]
        rows += [""] * (len(lines) - len(rows))
        width = max(map(len, rows), default=0)
        rows = [f"{row:<{width}}    {lines[i] if i < len(lines) else ''}".rstrip() for i, row in enumerate(rows)]
    return rows


class _Collector:
    """Keeps, of each mistake, how often it was seen and the example with the fewest moves."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Finding] = {}

    def __call__(self, fault: Fault) -> None:
        moves = fault.position.texts if fault.position is not None else ()
        finding = Finding(fault.kind, str(fault), moves, drawings=fault.drawings)
        key = (fault.kind, fault.what.split(maxsplit=1)[0])
        if key in self.found:
            known = self.found[key]
            known.times += 1
            if len(moves) >= len(known.moves):
                return
            finding.times = known.times
        self.found[key] = finding


def check_game(
    game: Game,
    games: int = 100,
    seed: int = 0,
    seconds: float = 20.0,
    search: bool = True,
    on_progress: Progress | None = None,
) -> CheckReport:
    """Plays up to `games` random games for about `seconds` (what the compiler takes comes on top) and reports mistakes.

    With `search`, a game whose rules pass is also searched, compiled and in pure Python, and the trees are compared.
    """
    report = CheckReport(game.name)
    collector = _Collector()
    began = time.monotonic()
    tell = on_progress or (lambda _done, _total, _text: None)
    try:
        for fault in structure_faults(game):
            collector(fault)
        if not collector.found:
            with contextlib.redirect_stdout(sys.stderr), Watchdog() as watchdog:  # should a rule print
                referee = Referee(game, watchdog, collector)
                lines = _pure_games(referee, games, seed, seconds, report, tell)
            if collector.found:
                report.notes.append("compiled rules were not looked at: mend these first")
            elif is_pure():
                report.notes.append("compiled rules were not looked at: this process runs without the compiler")
            else:
                tell(report.games, games, "compiling the rules")
                _compiled(game, lines, seed, seconds, search, report, collector, tell)
    except KeyboardInterrupt:
        report.interrupted = True
    report.findings = list(collector.found.values())
    report.seconds = time.monotonic() - began
    return report


def _pure_games(
    referee: Referee, games: int, seed: int, seconds: float, report: CheckReport, tell: Progress
) -> list[list[Observation]]:
    """Plays the random games; returns those without a fault, position by position."""
    game = referee.game
    checks = PositionChecks(game, referee, referee.found, random.Random(f"pairs {seed}"))
    symmetry = SymmetryChecks(game, referee, random.Random(f"images {seed}"))
    looks = PlaneChecks(game, referee, random.Random(f"planes {seed}"))
    chance = random.Random(f"games {seed}")
    players: set[int] = set()
    lines: list[list[Observation]] = []
    began = time.monotonic()
    broken = 0
    for number in range(games):
        tell(number, games, "random games")
        try:
            line = _one_game(game, referee, chance, checks, with_texts=number < TEXT_GAMES)
            symmetry.compare_game(line)
            looks.look_at_game(line)
            report.longest = max(report.longest, len(line) - 1)
            report.most_moves = max(report.most_moves, *(len(observation.legal) for observation in line))
            report.outcomes[line[-1].outcome] = report.outcomes.get(line[-1].outcome, 0) + 1
            players.update(observation.player for observation in line if not observation.over)
            lines.append(line)
            checks.solve_end(line)
        except Fault as fault:  # the collector has it already; this game cannot go on
            broken += 1
            if fault.kind == "loops" or broken >= MOST_BROKEN_GAMES:
                report.notes.append("stopped early: the games break off")
                break
        report.games = number + 1
        if time.monotonic() - began > seconds:
            report.notes.append(f"stopped after {report.games} of {games} games, as the time was up")
            break
    if broken == 0:
        tell(report.games, games, "other orders of moves")
        with contextlib.suppress(Fault):
            checks.swap_moves(lines, max(began + seconds, time.monotonic() + 1.0))
        tell(report.games, games, "neighbouring positions")
        with contextlib.suppress(Fault):
            neighbours = NeighbourChecks(referee, checks, random.Random(f"neighbours {seed}"))
            neighbours.compare(lines, time.monotonic() + min(NEIGHBOUR_SECONDS, seconds))
    if checks.idle_fields:
        report.notes.append(checks.idle_fields)
    report.positions = checks.positions
    report.endgames = len(checks.values)
    if game.players == 2 and players == {0}:
        report.notes.append("player 1 never moved; if this is a puzzle for one, say players=1")
    if not rules.position_hash.is_implemented(game.initial.dtype):
        report.notes.append("there is no position_hash, so equal positions are searched and proven again each time")
    return lines


def _one_game(
    game: Game, referee: Referee, chance: random.Random, checks: PositionChecks, with_texts: bool
) -> list[Observation]:
    position = referee.start()
    line: list[Observation] = []
    while True:
        if with_texts:
            referee.drawing(position)
        observation = checks.observe(position)
        line.append(observation)
        checks.compare(observation)
        if observation.over:
            break
        referee.check_length(position)
        if with_texts:
            _check_texts(game, referee, observation)
        position = referee.play(position, chance.choice(observation.legal))
    if len(line) == 1:
        fault = Fault("no-moves", "the game is over before the first move", position, place_of(referee.game, rules.is_over))
        referee.found(fault)
        raise fault
    _check_replay(referee, position)
    return line


def _check_texts(game: Game, referee: Referee, observation: Observation) -> None:
    """Each legal move has a text of its own that is read as that move."""
    position = observation.position
    known: dict[str, int] = {}
    for move in observation.legal:
        text = referee.text(position, move)
        same = known.setdefault(text if game.parse_move else text.lower(), move)
        if same != move:
            what = f"move_text gives {text!r} for both {same} and {move}"
            referee.found(Fault("text", what, position, place_of(referee.game, game.move_text)))
            return
        if game.parse_move is not None:
            read = referee.parse_move(position, text)
            if read != move:
                what = f"parse_move reads {text!r} as {read}, but move_text writes {move} so"
                referee.found(Fault("text", what, position, place_of(referee.game, game.parse_move)))
                return


def _check_replay(referee: Referee, end: RulesPosition) -> None:
    """The same moves lead to the same position again, or the rules use something outside the state."""
    again = referee.start()
    for move in end.played:
        again = referee.play(again, move)
    if again.state.tobytes() != end.state.tobytes():
        what = "play gives another position when the same moves are played again; it may use nothing but the state"
        referee.found(Fault("not-repeatable", what, end, place_of(referee.game, rules.play)))


def _compiled(
    game: Game,
    lines: list[list[Observation]],
    seed: int,
    seconds: float,
    search: bool,
    report: CheckReport,
    collector: _Collector,
    tell: Progress,
) -> None:
    try:
        for _line in compare_rules(game, lines, seconds):
            report.compared += 1
            tell(report.compared, len(lines), "comparing with the compiled rules")
        if search:
            tell(report.compared, len(lines), "comparing a search")
            compare_searches(game, seed, seconds / 4)
    except Fault as fault:
        collector(fault)
