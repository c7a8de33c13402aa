"""The report of a tune file: a picture with a slice for each parameter, pairs of parameters, and how the estimate came about.

An SVG file is the picture; an HTML file has the same figures as tables above it. Neither needs anything else.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind
from tesuji.core.picture.canvas import FAINT, GREY, Canvas, Scale, scale, short
from tesuji.lab.elo import Z95, score_interval
from tesuji.lab.match.standing import Standing
from tesuji.lab.tune.clop import Localized, localize
from tesuji.lab.tune.estimate import FEWEST, KEPT, Summary, history, optimum_interval
from tesuji.lab.tune.methods import make_method
from tesuji.lab.tune.plan import GAMES_A_SAMPLE, TunePlan
from tesuji.lab.tune.regression import Floats, Samples, sigmoid, terms
from tesuji.lab.tune.runner import scores_of
from tesuji.lab.tune.space import TunedParameter, point_of
from tesuji.lab.tune.store import TuneFile, read_tune
from tesuji.lab.tune.validation import standing_of, validation_json

SVG_MARK = '<svg data-tesuji="tune"'
HTML_MARK = '<!doctype html><html lang="en" data-tesuji="tune">'
PICTURES = {
    ".svg": FileKind("a picture of a tune", (SVG_MARK.encode(),), 1 << 26),
    ".html": FileKind("a report of a tune", (HTML_MARK.encode(),), 1 << 26),
}
WIDTH = 760.0
LEFT, RIGHT = 70.0, 24.0
SLICE_HEIGHT, HISTORY_HEIGHT, PAIR_SIZE = 190.0, 130.0, 150.0
GAP = 70.0
KEPT_COLOUR, LOST_COLOUR, CURVE, INTERVAL, BEFORE = "#3b86d0", "#7a7a7a", "#d9822b", "#d9822b30", "#2f9e62"
MOST_DOTS = 400  # of a panel
BINS = 10
STEPS = 80  # of a curve
QUARTERS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def file_kind(path: str) -> FileKind:
    """The kind of file that a report's name asks for."""
    for ending, kind in PICTURES.items():
        if path.lower().endswith(ending):
            return kind
    raise UserError(f"{path}: a report is an .html or an .svg file")


def draw_report(path: str, out: str) -> tuple[str, dict[str, Any]]:
    """The report of a tune file as text, and its figures."""
    kind = file_kind(out)
    tune = read_tune(path)
    results = complete_results(tune)
    if len(results.games) < FEWEST:
        raise UserError(f"{path} holds {len(results.games)} complete samples: too few for a report, which needs {FEWEST}")
    plan = tune.plan
    method = make_method(plan.method, len(plan.parameters), plan.seed)
    past = history(plan.parameters, method, results)
    standings = [standing_of(validation) for validation in tune.validations]
    figures = {
        "game": plan.game,
        "player": plan.tuned.label,
        "against": [player.label for player in plan.players[1:]],
        "method": plan.method,
        **past[-1].as_json(),
        "validations": [
            {
                "tuned": validation.plan.players[0].given,
                "playouts": validation.plan.players[0].playouts,
                **validation_json(standing),
            }
            for validation, standing in zip(tune.validations, standings, strict=True)
        ],
    }
    picture = TunePicture(plan, results, past).svg()
    if kind is PICTURES[".svg"]:
        return picture, figures
    return _html(tune, past, standings, picture), figures


def complete_results(tune: TuneFile) -> Samples:
    """The samples at the beginning that are all complete."""
    scores = scores_of(tune.games)
    count = 0
    while count in scores and count < len(tune.samples):
        count += 1
    points = np.array([point_of(tune.plan.parameters, values) for values in tune.samples[:count]])
    points = points.reshape(count, len(tune.plan.parameters))
    return Samples(points, np.full(count, float(GAMES_A_SAMPLE)), np.array([scores[number] for number in range(count)]))


class TunePicture:
    """One tune, drawn from top to bottom."""

    def __init__(self, plan: TunePlan, results: Samples, past: list[Summary]):
        self.plan = plan
        self.results = results
        self.past = past
        self.found: Localized = localize(results)
        self.kept = self.found.weights >= KEPT
        self.estimate = point_of(plan.parameters, past[-1].values)
        low, high = optimum_interval(self.found)
        self.low, self.high = np.minimum(low, self.estimate), np.maximum(high, self.estimate)
        self.covariance = self.found.local.covariance()
        self.canvas = Canvas(SVG_MARK, WIDTH)
        self.shown = np.unique(np.linspace(0, len(results.games) - 1, min(MOST_DOTS, len(results.games))).astype(int))

    def svg(self) -> str:
        plan = self.plan
        title = f"{plan.tuned.label} in {plan.game}: {self.past[-1].games} games by {plan.method}"
        self.canvas.text(LEFT, 30, title, size=18, font_weight="bold")
        x = LEFT
        for colour, words in (
            (KEPT_COLOUR, "samples kept"),
            (LOST_COLOUR, "discarded"),
            (CURVE, "fit and estimate, with 95% intervals"),
            (BEFORE, "value before"),
        ):
            self.canvas.add("rect", x=x, y=42.0, width=12, height=12, fill=colour)
            self.canvas.text(x + 18, 53, words)
            x += 44 + 7.2 * len(words)
        top = 100.0
        for index, parameter in enumerate(plan.parameters):
            self._slice(index, parameter, top)
            top += SLICE_HEIGHT + GAP
        top = self._pairs(top)
        top = self._history(top)
        return self.canvas.svg(top, title)

    # -- slices ------------------------------------------------------------------------------------------------------
    def _slice(self, index: int, parameter: TunedParameter, top: float) -> None:
        """Score over one parameter: means of all samples, the local fit through the estimate, the samples as ticks below."""
        canvas, bottom = self.canvas, top + SLICE_HEIGHT
        x, y = scale(-1.0, 1.0, LEFT, WIDTH - RIGHT), scale(0.0, 1.0, bottom - 26, top)
        row = self.past[-1].parameters[index]
        verdict = f": {row.verdict}" if row.verdict else ""
        heading = f"{parameter.name}: {row.value} ({row.low} to {row.high}), before {row.before}{verdict}"
        canvas.text(LEFT, top - 14, heading, size=14, font_weight="bold")
        left, right = x(float(self.low[index])), x(float(self.high[index]))
        canvas.add("rect", x=left, y=top, width=max(right - left, 1.0), height=SLICE_HEIGHT - 26, fill=INTERVAL)
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
            canvas.line(LEFT, y(tick), WIDTH - RIGHT, y(tick), FAINT)
            canvas.text(LEFT - 8, y(tick) + 4, f"{100 * tick:g}%", "end")
        self._values(parameter, x, bottom)
        units = self.results.points[:, index]
        for number in self.shown:
            colour = KEPT_COLOUR if self.kept[number] else LOST_COLOUR
            at = x(float(units[number]))
            canvas.line(at, bottom - 22, at, bottom - 4, colour, stroke_opacity=0.35)
        self._means(index, x, y)
        self._curve(index, x, y)
        middle = x(float(self.estimate[index]))
        canvas.line(middle, top, middle, bottom, CURVE, stroke_width=2)
        if parameter.holds(parameter.before):
            place = x(parameter.unit_of(parameter.before))
            canvas.line(place, top, place, bottom, BEFORE, stroke_width=2, stroke_dasharray="5 4")

    def _means(self, index: int, x: Scale, y: Scale) -> None:
        """The mean score of all samples in tenths of the range, whatever the other parameters were."""
        places = np.clip(((self.results.points[:, index] + 1.0) / 2.0 * BINS).astype(int), 0, BINS - 1)
        for place in range(BINS):
            chosen = places == place
            games = float(self.results.games[chosen].sum())
            if games:
                score = float(self.results.scores[chosen].sum()) / games
                low, high = score_interval(score, games)
                at = x(-1.0 + (place + 0.5) * 2.0 / BINS)
                self.canvas.line(at, y(low), at, y(high), GREY)
                self.canvas.add("circle", cx=at, cy=y(score), r=3.5, fill=GREY)

    def _curve(self, index: int, x: Scale, y: Scale) -> None:
        """The local fit, the other parameters at the estimate, with its band; only where samples are kept."""
        units = self.results.points[self.kept, index]
        places = np.linspace(float(units.min()), float(units.max()), STEPS)
        points = np.repeat(self.estimate[None, :], STEPS, axis=0)
        points[:, index] = places
        design = terms(points)
        middle = design @ self.found.local.coefficients
        spread = Z95 * np.sqrt(np.einsum("ij,jk,ik->i", design, self.covariance, design))
        above, below = sigmoid(middle + spread), sigmoid(middle - spread)
        band = _joined(x, y, places, above) + " " + _joined(x, y, places[::-1], below[::-1])
        self.canvas.add("polygon", points=band, fill=INTERVAL)
        line = _joined(x, y, places, sigmoid(middle))
        self.canvas.add("polyline", points=line, fill="none", stroke=CURVE, stroke_width=2.5)

    def _values(self, parameter: TunedParameter, x: Scale, bottom: float) -> None:
        self.canvas.line(LEFT, bottom, WIDTH - RIGHT, bottom)
        for unit in QUARTERS:
            self.canvas.line(x(unit), bottom, x(unit), bottom + 5)
            self.canvas.text(x(unit), bottom + 18, parameter.value_at(unit), "middle", size=12)

    # -- pairs -------------------------------------------------------------------------------------------------------
    def _pairs(self, top: float) -> float:
        """Samples of every two parameters; returns where the next part begins."""
        names = [parameter.name for parameter in self.plan.parameters]
        pairs = [(a, b) for b in range(len(names)) for a in range(b)]
        if not pairs:
            return top
        self.canvas.text(LEFT, top - 14, "Pairs of parameters", size=14, font_weight="bold")
        in_a_row = 3
        pitch = (WIDTH - RIGHT - LEFT + 50) / in_a_row
        for place, (a, b) in enumerate(pairs):
            left = LEFT + (place % in_a_row) * pitch
            self._pair(a, b, left, top + 6 + (place // in_a_row) * (PAIR_SIZE + 46))
        return top + -(-len(pairs) // in_a_row) * (PAIR_SIZE + 46) + GAP - 20

    def _pair(self, a: int, b: int, left: float, top: float) -> None:
        x, y = scale(-1.0, 1.0, left, left + PAIR_SIZE), scale(-1.0, 1.0, top + PAIR_SIZE, top)
        self.canvas.add("rect", x=left, y=top, width=PAIR_SIZE, height=PAIR_SIZE, fill="none", stroke=FAINT)
        for number in sorted(self.shown, key=lambda n: self.kept[n]):
            colour = KEPT_COLOUR if self.kept[number] else LOST_COLOUR
            at = self.results.points[number]
            self.canvas.add("circle", cx=x(float(at[a])), cy=y(float(at[b])), r=2, fill=colour, fill_opacity=0.5)
        self.canvas.add("circle", cx=x(float(self.estimate[a])), cy=y(float(self.estimate[b])), r=5, fill=CURVE)
        names = [parameter.name for parameter in self.plan.parameters]
        self.canvas.text(left + PAIR_SIZE / 2, top + PAIR_SIZE + 16, names[a], "middle", size=12)
        turned = f"rotate(-90 {short(left - 8)} {short(top + PAIR_SIZE / 2)})"
        self.canvas.text(left - 8, top + PAIR_SIZE / 2, names[b], "middle", size=12, transform=turned)

    # -- history -----------------------------------------------------------------------------------------------------
    def _history(self, top: float) -> float:
        """Score and estimates with their bands after a quarter of the games, a half, all; returns the height so far."""
        panels: list[tuple[str, list[tuple[float, float, float]], list[str], Scale]] = []
        scored = [summary for summary in self.past if summary.score is not None]
        y = scale(0.0, 1.0, 1.0, -1.0)  # of a panel of height 2 around 0
        scores = [summary.score or (0.0, 0.0, 1.0) for summary in scored]
        panels.append(("score around the estimate", scores, ["0%", "50%", "100%"], y))
        for index, parameter in enumerate(self.plan.parameters):
            rows = [summary.parameters[index] for summary in scored]
            units = [(parameter.unit_of(r.value), parameter.unit_of(r.low), parameter.unit_of(r.high)) for r in rows]
            panels.append(
                (parameter.name, units, [parameter.value_at(u) for u in (-1.0, 0.0, 1.0)], scale(-1.0, 1.0, 1.0, -1.0))
            )
        games = [summary.games for summary in scored]
        for heading, bands, labels, place in panels:
            self._past(top, f"{heading}, by games", games, bands, labels, place)
            top += HISTORY_HEIGHT + GAP - 10
        return top

    def _past(self, top: float, heading: str, games: list[int], bands: list[Any], labels: list[str], place: Scale) -> None:
        canvas, half = self.canvas, HISTORY_HEIGHT / 2
        canvas.text(LEFT, top - 12, heading, size=14, font_weight="bold")

        def y(value: float) -> float:
            return top + half + half * min(max(place(value), -1.0), 1.0)

        first, last = np.log(games[0]), np.log(games[-1])
        x = scale(float(first), float(last) if last > first else float(first) + 1.0, LEFT + 20, WIDTH - RIGHT - 20)
        places = np.log(np.array(games, dtype=float))
        for share, label in zip((1.0, 0.0, -1.0), labels, strict=True):
            canvas.line(LEFT, top + half + half * share, WIDTH - RIGHT, top + half + half * share, FAINT)
            canvas.text(LEFT - 8, top + half + half * share + 4, label, "end", size=12)
        for count, at in zip(games, places, strict=True):
            canvas.text(x(float(at)), top + HISTORY_HEIGHT + 16, f"{count}", "middle", size=12)
        middle, low, high = (np.array([band[k] for band in bands]) for k in range(3))
        canvas.add("polygon", points=_joined(x, y, places, high) + " " + _joined(x, y, places[::-1], low[::-1]), fill=INTERVAL)
        canvas.add("polyline", points=_joined(x, y, places, middle), fill="none", stroke=CURVE, stroke_width=2.5)
        for at, value in zip(places, middle, strict=True):
            canvas.add("circle", cx=x(float(at)), cy=y(float(value)), r=3.5, fill=CURVE)


def _joined(x: Scale, y: Scale, places: Floats, values: Floats) -> str:
    return " ".join(f"{short(x(float(a)))},{short(y(float(b)))}" for a, b in zip(places, values, strict=True))


# -- HTML ----------------------------------------------------------------------------------------------------------------
def _html(tune: TuneFile, past: list[Summary], standings: list[Standing], picture: str) -> str:
    plan, now = tune.plan, past[-1]
    title = f"{plan.tuned.label} in {plan.game}"
    rows = [[p.name, p.before, p.value, f"{p.low} to {p.high}", p.verdict] for p in now.parameters]
    score = "" if now.score is None else "{:.1f}% ({:.1f}% to {:.1f}%)".format(*(100 * value for value in now.score))
    against = ", ".join(player.label for player in plan.players[1:])
    parts = [
        f"{HTML_MARK}<head><meta charset='utf-8'><meta name='viewport' content='width=device-width'>",
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{now.games} games against {escape(against)} by {escape(plan.method)}. Score of the samples around the estimate, "
        f"which flatters: {score}.</p>",
        _table(["parameter", "before", "estimate", "95%", ""], rows),
        "<h2>Validation</h2><p>The tuned player against the one it was made from, on new seeds and openings: the gain.</p>",
    ]
    checks = []
    for validation, standing in zip(tune.validations, standings, strict=True):
        low, high = standing.interval
        text = "" if standing.score is None else f"{100 * standing.score:.1f}% ({100 * low:.1f}% to {100 * high:.1f}%)"
        counts = [str(n) for n in (standing.games, standing.a_wins, standing.b_wins, standing.draws)]
        checks.append([validation.plan.players[0].label, *counts, text])
    columns = ["tuned player", "games", "won", "lost", "drawn", "score (95%)"]
    parts.append(_table(columns, checks) if checks else "<p>None yet.</p>")
    return "\n".join([*parts, picture, "</body></html>", ""])


def _table(columns: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


STYLE = (
    ":root{color-scheme:light dark}body{font:15px sans-serif;max-width:800px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.2em .8em .2em 0;border-bottom:1px solid #7a7a7a40}"
    "svg{max-width:100%;height:auto}"
)
