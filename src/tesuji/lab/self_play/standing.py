"""How a run of self-play stands: its rounds as a table, and all of it as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tesuji.core.picture.canvas import Canvas
from tesuji.core.tables import TablePart
from tesuji.core.words import counted
from tesuji.lab.elo import elo_text
from tesuji.lab.match.standing import duration
from tesuji.lab.ratings import RatedGame, Rating, rate
from tesuji.lab.self_play.store import LEARN, MATCH, PLAY, Round
from tesuji.learn.network.picture import BLUE, GAP, GREEN, HEIGHT, LEFT, MARK, ORANGE, WIDTH, calibration, curves, percent

if TYPE_CHECKING:
    from tesuji.lab.self_play.run import SelfPlayRun

COLUMNS = ["round", "games", "positions", "proven", "network", "first choice", "winner right", "match % (95%)", "Elo (95%)", ""]
NUMBERS = COLUMNS[:4] + COLUMNS[5:9]
ROWS_SHOWN = 12
PHASE_WORDS = {PLAY: "plays", LEARN: "learns", MATCH: "the match"}


def ratings(rounds: Sequence[Round]) -> dict[int, Rating]:
    """Elo of the networks by all their matches, beside that of the first one, which has 0."""
    games = []
    for one in rounds:
        points = [(1.0, "a_wins"), (0.0, "b_wins"), (0.5, "draws")]
        for worth, name in points:
            games += [RatedGame(str(one.network), str(one.best), worth)] * int(one.match.get(name, 0))
    if not games:
        return {}
    return {int(one.player): one for one in rate(games, anchor="0").players}


def round_rows(rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """What each round came to, as far as it is. None = not known."""
    rated = ratings(rounds)
    rows = []
    for one in rounds:
        rating, played = rated.get(one.network), one.seconds.get(PLAY, 0.0)
        rows.append(
            {
                "round": one.number + 1,
                "games": one.end,
                "positions": one.positions,
                "proven": one.proven / one.positions if one.positions else None,
                "network": one.size,
                "top1": one.measured.get("top1"),
                "value_right": one.measured.get("value_right"),
                "nats": one.measured.get("nats"),
                "value_nats": one.measured.get("value_nats"),
                "calibration": one.measured.get("calibration") or (),
                "score": one.match.get("score"),
                "score_low": one.match.get("score_low"),
                "score_high": one.match.get("score_high"),
                "match_games": one.match.get("games"),
                "better": one.match.get("better"),
                "elo": None if rating is None else rating.elo,
                "elo_interval": None if rating is None else (rating.low, rating.high),
                "games_a_second": (one.end - one.first) / played if played > 0 and one.positions else None,
                "positions_a_second": one.positions / played if played > 0 and one.positions else None,
                "seconds": dict(one.seconds),
            }
        )
    return rows


# -- the table -----------------------------------------------------------------------------------------------------------
def table(rounds: Sequence[Round], most: int | None = ROWS_SHOWN) -> TablePart:
    rows = round_rows([one for one in rounds if one.size])
    return TablePart(COLUMNS, [_cells(row) for row in rows[-most if most else 0 :]], NUMBERS)


def _cells(row: dict[str, Any]) -> list[str]:
    def share(name: str) -> str:
        return "-" if row[name] is None else f"{100 * row[name]:.1f}%"

    match = elo = verdict = "-"
    if row["score"] is not None:
        match = "{:.0f} ({:.0f} .. {:.0f})".format(*(100 * row[name] for name in ("score", "score_low", "score_high")))
        verdict = "taken" if row["better"] else ""
    if row["elo"] is not None:
        low, high = row["elo_interval"]
        elo = f"{elo_text(row['elo'])} ({elo_text(low)} .. {elo_text(high)})"
    known = [f"{row['games']:,}", f"{row['positions']:,}", share("proven"), row["network"], share("top1"), share("value_right")]
    return [str(row["round"]), *known, match, elo, verdict]


def title(run: SelfPlayRun) -> str:
    return f"{run.plan.game} by self-play: {counted(run.current.first + _played(run), 'game')}"


def _played(run: SelfPlayRun) -> int:
    one = run.current
    return run.store.counts(one.first, one.end)[0]


def status(run: SelfPlayRun) -> str:
    """What the run does now, and how long it will."""
    one = run.current
    done, positions, proven = run.store.counts(one.first, one.end)
    parts = [f"round {one.number + 1} {PHASE_WORDS.get(one.phase, '')}"]
    if one.phase == PLAY:
        seconds = max(one.seconds.get(PLAY, 0.0), 1e-9)
        parts += [f"{done:,} of {one.end - one.first:,} games", f"{done / seconds:.2f} games and {positions / seconds:.1f}"]
        parts[-1] += f" positions a second, {100 * proven / max(1, positions):.0f}% proven"
    elif one.phase == LEARN:
        parts.append(f"step {run.learner.step:,} of {one.end_step:,}")
    elif run.match_standing is not None:
        standing = run.match_standing.standings[0]
        parts.append(f"{standing.a_wins} won, {standing.b_wins} lost, {standing.draws} drawn")
    parts.append(f"{duration(run.seconds)} gone, {duration(max(0.0, run.budget - run.seconds))} to go")
    return "   ".join(parts)


def view(run: SelfPlayRun) -> list[str | TablePart]:
    """The run as a person sees it while it goes on."""
    return [title(run), table(run.rounds), status(run)]


# -- the picture ---------------------------------------------------------------------------------------------------------
def picture(game: str, rounds: Sequence[Round]) -> str:
    """The text of an SVG file."""
    canvas = Canvas(MARK, WIDTH)
    heading = f"{game}: a network by self-play"
    canvas.text(LEFT, 30, heading, size=18, font_weight="bold")
    done = [one for one in rounds if one.size]
    rows = round_rows(done)
    seconds = sum(sum(one.seconds.values()) for one in rounds)
    taken = sum(one.is_better for one in done)
    words = f"{counted(done[-1].end if done else 0, 'game')} in {duration(seconds)}; {counted(taken, 'network')} taken"
    canvas.text(LEFT, 54, words)
    top = 116.0
    panels = (
        ("Elo of each round's network, by all matches; 0 = before the first", (("Elo (95%)", "elo", BLUE),), "{:.0f}".format),
        ("Games not learned from yet: moves and results", PREDICTION, percent),
        ("The same in nats", (("moves", "nats", BLUE), ("results", "value_nats", ORANGE)), "{:.3g}".format),
        ("Games and positions a second of play", SPEED, "{:.3g}".format),
        ("Positions with a proven value", (("share", "proven", GREEN),), percent),
    )
    for number, (words, series, text) in enumerate(panels):
        shown = [row for row in rows if any(row[name] is not None for _, name, _ in series)]
        if shown:
            curves(canvas, top, words, shown, series, text, "games", "" if number else "elo_interval")
            top += HEIGHT + GAP
    measured = [row for row in rows if row["calibration"]]
    if measured:
        calibration(canvas, top, measured[-1])
        top += HEIGHT + GAP
    return canvas.svg(top - GAP + 56, heading)


PREDICTION = (("first choice right", "top1", BLUE), ("result right", "value_right", GREEN))
SPEED = (("games", "games_a_second", BLUE), ("positions", "positions_a_second", ORANGE))
