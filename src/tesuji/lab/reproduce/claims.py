"""What a paper claims, figure by figure, and what of it is shown here.

A paper's module declares the claims; the first table of docs/papers/PAPER.md has a row for each, with our figure, how many
games or runs are behind it, a verdict, and why. Where a row links to a file of games, its figure is counted from these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tesuji.core.errors import UserError
from tesuji.core.sources import PACKAGE
from tesuji.lab.match.games_file import read_games_file

PAGES = Path("docs/papers")
COLUMNS = ("where", "claim", "paper", "ours, 95% interval", "n", "verdict", "conditions, and why")
REPRODUCED, SIGN_ONLY, NOT_SHOWN = "reproduced", "sign only", "not shown"
CONTRADICTED, NOT_RECOVERABLE = "contradicted", "not recoverable here"
VERDICTS: tuple[str, ...] = (REPRODUCED, SIGN_ONLY, NOT_SHOWN, CONTRADICTED, NOT_RECOVERABLE)
NO_DIFFERENCE = 0.1  # between one half and either end of an interval that shows that nothing much is gained
_PRINTED = re.compile(r"(0\.\d+)(?: ± (0\.\d+))?")
_MEASURED = re.compile(r"(\d\.\d+) \((\d\.\d+) to (\d\.\d+)\)")
_GAMES = re.compile(r"\]\(([^)\s]+\.tsv)\)(?: `([^`]+)`)?")


class PaperClaim(NamedTuple):
    """One figure, table or statement. `figure` is as printed, scores as shares of one: '0.56 ± 0.01'; "" = words alone.

    `table` is the experiment that repeats it; "" = none does.
    """

    where: str
    text: str
    figure: str = ""
    table: str = ""

    @property
    def score(self) -> float | None:
        """The printed score of a match, where the figure is one."""
        found = _PRINTED.fullmatch(self.figure)
        return float(found[1]) if found else None


@dataclass(frozen=True)
class ClaimRow:
    """A claim as the page of its paper has it."""

    claim: PaperClaim
    measured: str
    n: str
    verdict: str
    why: str

    @property
    def games(self) -> tuple[str, str] | None:
        """The file of games behind the figure, and the match in it ("" = its only one)."""
        found = _GAMES.search(self.why)
        return (found[1], found[2] or "") if found else None

    @property
    def words(self) -> str:
        """The last column without links."""
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", self.why)

    def as_json(self) -> dict[str, Any]:
        names = {"where": self.claim.where, "claim": self.claim.text, "paper": self.claim.figure or None}
        return {**names, "measured": self.measured or None, "n": self.n or None, "verdict": self.verdict, "why": self.words}


def verdict_of(claim: PaperClaim, measured: str) -> str | None:
    """What a score and its interval say of a printed score; None where one of them is no score.

    Reproduced: the interval holds the printed figure, and is on its side of one half. Where the paper's own interval holds one
    half, it claims that there is no difference: ours must hold its figure, and be narrow enough to show that.
    """
    printed, ours = _PRINTED.fullmatch(claim.figure), _MEASURED.fullmatch(measured.replace("*", ""))
    if printed is None or ours is None:
        return None
    figure, low, high = float(printed[1]), float(ours[2]), float(ours[3])
    if abs(figure - 0.5) <= float(printed[2] or 0.0):
        if not low <= figure <= high:
            return CONTRADICTED
        return REPRODUCED if max(0.5 - low, high - 0.5) <= NO_DIFFERENCE else NOT_SHOWN
    if low <= 0.5 <= high:
        return NOT_SHOWN
    if (low > 0.5) != (figure > 0.5):
        return CONTRADICTED
    return REPRODUCED if low <= figure <= high else SIGN_ONLY


# -- the pages -----------------------------------------------------------------------------------------------------------
def pages() -> Path:
    """The folder of the papers' pages: here, or that of this project's sources."""
    for folder in (PAGES, PACKAGE.parents[1] / PAGES):
        if folder.is_dir():
            return folder
    raise UserError(f"there is no folder {PAGES} here: the papers' tables are part of the sources of this program")


def read_rows(paper: str) -> list[ClaimRow]:
    """The rows of the first table of a paper's page."""
    path = pages() / f"{paper}.md"
    lines = path.read_text(encoding="utf-8").splitlines()
    heading = f"| {' | '.join(COLUMNS)} |"
    if heading not in lines:
        raise UserError(f"{path} has no table of the paper's claims: {heading}")
    rows = []
    for line in lines[lines.index(heading) + 2 :]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            break
        if len(cells) != len(COLUMNS):
            raise UserError(f"{path}: a row has {len(cells)} cells in place of {len(COLUMNS)}: {line[:80]}")
        where, text, figure, measured, n, verdict, why = ("" if cell == "-" else cell for cell in cells)
        rows.append(ClaimRow(PaperClaim(where, text, figure), measured, n, verdict, why))
    return rows


def counted_anew(row: ClaimRow) -> ClaimRow:
    """The row with the figure that its games give, and the verdict that follows from this."""
    if row.games is None:
        return row
    name, match = row.games
    folder = pages().parent.resolve()
    path = (folder / PAGES.name / name).resolve()
    if not path.is_relative_to(folder):
        raise UserError(f"a page names games outside of the documentation: {name} is not below {folder}")
    found = [one for one in read_games_file(path) if one.match == match]
    if len(found) != 1 or len(found[0].standings) != 1:
        raise UserError(f"{path.name}: there is no match {match!r} of two players")
    (standing,) = found[0].standings.values()
    low, high = standing.interval
    measured = f"{standing.score:.2f} ({low:.2f} to {high:.2f})"
    verdict = row.verdict if row.verdict == NOT_RECOVERABLE else verdict_of(row.claim, measured) or row.verdict
    return replace(row, measured=measured, n=str(standing.games), verdict=verdict)


def count_verdicts(rows: Sequence[ClaimRow]) -> dict[str, int]:
    """How many rows have each verdict, in the order of `VERDICTS`."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def verdicts_text(counts: dict[str, int]) -> str:
    """As in: 18 reproduced, 17 sign only, 40 not shown, 2 contradicted, 23 not recoverable here."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
