"""Table 1: how often the side to move wins a semeai that is played at random, exactly."""

from __future__ import annotations

from tesuji.games.semeai.probability import win_probability
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.score_bounded.printed import TABLE_1


def table_1() -> tuple[list[Row], str]:
    rows = []
    lines = []
    for own, printed in enumerate(TABLE_1, 1):
        cells = []
        for other, paper in enumerate(printed, 1):
            exact = win_probability(own, other)
            rows.append(Row(f"{own} against {other}", paper, exact))
            cells.append(f"{exact:.2f}" if agrees(exact, paper) else f"{exact:.2f} ({paper:.2f})")
        lines.append((str(own), cells))
    agreeing = sum(agrees(row.measured, row.paper) for row in rows)
    columns = [str(other) for other in range(1, len(TABLE_1) + 1)]
    text = [
        "Table 1. Probability that the side to move wins a random semeai: own liberties down, the opponent's across.",
        grid("", columns, lines),
        f"{agreeing} of {len(rows)} agree with the paper after rounding"
        + ("." if agreeing == len(rows) else "; the paper's figure in brackets where not."),
    ]
    return rows, "\n".join(text)


def agrees(exact: object, paper: object) -> bool:
    return f"{exact:.2f}" == f"{paper:.2f}"
