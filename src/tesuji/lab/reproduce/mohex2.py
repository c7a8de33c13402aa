"""Huang et al., "MOHEX 2.0: a pattern-based MCTS Hex player" (2013): the program against others, and each part on and off: what
the paper's section 3 and Figures 10 and 11 report.

As in the paper, every game begins with another first move, drawn at random, and each is played twice, with colours exchanged.
The paper's programs thought for minutes a game on four cores; by default the games here are shorter: each experiment is meant
to end within about an hour on two cores. Single parts are measured in the programs without virtual connections.
"""

from __future__ import annotations

from typing import NamedTuple

from tesuji.lab.elo import score_of_elo
from tesuji.lab.reproduce.experiment import Paper
from tesuji.lab.reproduce.matches import MatchRow, MatchTable

PAPER = Paper("mohex2", "Huang et al. 2013, MOHEX 2.0: a pattern-based MCTS Hex player")
for claim in (
    ("Figure 10", "2.0 against 2011, 11x11, 3 minutes a game", "0.811 ± 0.010", "match"),
    ("Figure 10", "2.0 against 2011, 13x13, 1 minute", "0.853 ± 0.006", "match"),
    ("Figure 10", "2.0 against 2011, 13x13, 3 minutes", "0.852 ± 0.006", "match"),
    ("Figure 10", "2.0 against 2011, 13x13, 5 minutes", "0.856 ± 0.010", "match"),
    ("section 5", "2.0 against Wolve, 13x13, 3 minutes", "0.854 ± 0.006", "wolve"),
    ("section 5", "2011 against Wolve, 13x13, 3 minutes", "0.587 ± 0.008", "wolve"),
    ("section 5", "2.0 scores more than 2011 against Wolve", "245 Elo", "wolve"),
    ("Figure 11", "extension of unstable searches", "0.55", "unstable"),
    ("Figure 11", "patterns in the tree", "0.732", "patterns"),
    ("Figure 11", "constants by CLOP", "0.566", "clop"),
    ("section 3", "RAVE, in 2011", "0.738", "rave"),
    ("section 3", "bridges saved, in 2011 without RAVE", "0.64", "save-bridge"),
    ("section 3", "twice the simulations, in 2011", "0.552", "doubling"),
    ("section 4.2", "exploration inside the UCT term improves", "", "formula"),
    ("section 4.3", "patterns learned from 35,000 games: 65,932, of which 46% show inferior moves", "", ""),
    ("section 4.3", "games of people and of programs together teach best", "", ""),
    ("section 4.5", "a square root in the progressive bias works best", "", ""),
    ("section 4.6", "playouts by patterns gain slightly", "", "simulations"),
    ("section 4.6", "they more than halve the speed", "", ""),
    ("section 4.6", "they work only with strengths capped", "", "cap"),
    ("section 4.6", "half of the moves of playouts on the empty 13x13 board are local", "0.50", ""),
    ("section 4.7", "breakbridge and ladders in playouts: 0.6 at 10,000 playouts, 0.5 at 100,000", "", ""),
    ("section 4.7", "RAVE by distance to the last move does not help", "", ""),
    ("section 4.7", "criticality does not help", "", ""),
    ("section 4", "smaller sets of virtual connections in half the time", "", ""),
    ("Figures 5, 6", "positions that MoHex or Wolve lost", "", ""),
):
    PAPER.claim(*claim)
FULL_GAMES = 1000
# Without RAVE, UCT needs an exploration constant above 0.
NO_RAVE = "selection=uct,exploration=0.4,first_play=1"
# What CLOP has set in the paper, as it might have been before: the RAVE weights of 2011, and round numbers.
UNTUNED = "rave_initial=1,rave_final=20000,exploration=0.5,first_play=0.5,prior_weight=1,weight_cap=1"
# Both players as they are without studies: virtual connections, inferior cells.
PLAIN1, PLAIN2 = "mohex1:policy=bridges", "mohex2:policy=mohex"


class Limit(NamedTuple):
    """What each player may use for a move, by default and with --full."""

    own: str
    full: str


PLAYOUTS = Limit("playouts=1000", "playouts=50000")
TIME = Limit("seconds=0.1", "seconds=3")
TIMES = (Limit("seconds=0.05", "seconds=1"), TIME, Limit("seconds=0.2", "seconds=9"))


def compare(table: str, summary: str, share: float, title: str, *matches: tuple[MatchRow, ...]) -> None:
    """Declares matches of a player with a part against one without it."""
    rows = [row for some in matches for row in some]
    scores = MatchTable(rows, FULL_GAMES, f"{title} Score of the first against the second.", {"random_plies": 1})
    PAPER.experiment(table, summary, share, has_matches=True)(scores)


def part(
    label: str,
    with_part: str,
    without: str,
    paper: float | None = None,
    limits: tuple[Limit, ...] = (PLAYOUTS,),
    boards: tuple[int, ...] = (11, 13),
    times: float = 1.0,
) -> tuple[MatchRow, ...]:
    """A match at each limit on each board. `paper` is the score that the printed difference of ratings stands for."""
    first, second = (f"{player}{',' if ':' in player else ':'}{{limit}}" for player in (with_part, without))
    return tuple(
        MatchRow(f"{label}, {n}x{n}, {{limit}}", f"hex:{n}", first, second, paper, limit.own, limit.full, times=times)
        for limit in limits
        for n in boards
    )


compare(
    *("match", "Figure 10: MoHex 2.0 against MoHex of 2011, 11x11 and 13x13", 0.2),
    "Figure 10. MoHex 2.0 against MoHex of 2011.",
    part("11x11", "mohex2", "mohex1", 0.811, TIMES, (11,)),
    *(
        part("13x13", "mohex2", "mohex1", paper, (time,), (13,))
        for time, paper in zip(TIMES, (0.853, 0.852, 0.856), strict=True)
    ),
)
compare(
    *("plain", "the same without virtual connections", 0.2),
    "The same, both without virtual connections.",
    part("plain", PLAIN2, PLAIN1, limits=(PLAYOUTS, TIME)),
)
compare(
    *("connections", "virtual connections and inferior cells", 0.2),
    "Virtual connections and inferior cells at nodes of many visits.",
    part("2.0", "mohex2", PLAIN2, limits=(PLAYOUTS, TIME)),
    part("2011", "mohex1", PLAIN1, limits=(PLAYOUTS, TIME)),
)
compare(
    *("beyond", "the player hex against MoHex 2.0", 0.2),
    "Our strongest player against MoHex 2.0.",
    part("hex", "hex", "mohex2", limits=(PLAYOUTS, TIME)),
)
compare(
    *("wolve", "section 5: both programs against Wolve", 0.2),
    "Section 5. Both programs against Wolve.",
    part("MoHex 2.0", "mohex2", "wolve", None, (TIME,), (11,)),
    part("MoHex 2.0", "mohex2", "wolve", 0.854, (TIME,), (13,)),
    part("MoHex of 2011", "mohex1", "wolve", None, (TIME,), (11,)),
    part("MoHex of 2011", "mohex1", "wolve", 0.587, (TIME,), (13,)),
)
compare(
    *("rave", "section 3: RAVE", 0.1),
    "Section 3. MoHex of 2011 with RAVE.",
    part("RAVE", PLAIN1, f"{PLAIN1},{NO_RAVE}", score_of_elo(180)),
)
compare(
    *("save-bridge", "section 3: bridges saved in playouts", 0.1),
    "Section 3. MoHex of 2011 with bridges saved in playouts.",
    part("without RAVE", f"{PLAIN1},{NO_RAVE}", f"mohex1:policy=uniform,{NO_RAVE}", score_of_elo(100)),
    part("with RAVE", PLAIN1, "mohex1:policy=uniform"),
)
compare(
    *("doubling", "section 3: twice the simulations", 0.1),
    "Section 3. MoHex of 2011 with twice the simulations.",
    part("doubled", PLAIN1, PLAIN1, score_of_elo(36), times=2.0),
)
compare(
    *("formula", "section 4.2: exploration inside the UCT term", 0.1),
    "Section 4.2. Exploration inside the UCT term (equation 2) against none (equation 1 with its best constant, 0).",
    part(
        "equation 2",
        f"{PLAIN1},selection=rave-inside,exploration=0.22,first_play=0.35,rave_initial=2.12,rave_final=830,rave_skip=30",
        PLAIN1,
    ),
)
compare(
    *("patterns", "Figure 11: patterns in the tree", 0.2),
    "Figure 11. Patterns in the tree.",
    part(
        "patterns in the tree",
        f"{PLAIN2},simulation=bridges,extend_unstable=0",
        f"{PLAIN2},simulation=bridges,extend_unstable=0,prior_from=nothing,pruning=off",
        score_of_elo(175),
        (PLAYOUTS, TIME),
    ),
    part("all features instead", f"{PLAIN2},prior_from=features", PLAIN2),
)
compare(
    *("simulations", "section 4.6: playouts by patterns", 0.1),
    "Section 4.6. Playouts by patterns against playouts that save bridges.",
    part("playouts by patterns", PLAIN2, f"{PLAIN2},simulation=bridges", limits=(PLAYOUTS, TIME)),
)
compare(
    *("cap", "section 4.6: playouts by patterns with capped strengths", 0.1),
    "Section 4.6. Playouts by patterns with strengths capped at 0.157 against strengths as they were learned.",
    part("capped", PLAIN2, f"{PLAIN2},weight_cap=1000000"),
)
compare(
    *("clop", "Figure 11: constants by CLOP", 0.5),
    "Figure 11. Constants by CLOP, as printed, against round ones: the paper does not say what they were before.",
    part("CLOP", PLAIN2, f"{PLAIN2},{UNTUNED}", score_of_elo(46)),
)
compare(
    *("unstable", "Figure 11: extension of unstable searches", 0.1),
    "Figure 11. Extension of unstable searches: a stable one takes as long as those of the other player.",
    part("extension", PLAIN2, f"{PLAIN2},extend_unstable=0", score_of_elo(35), (TIME,), times=1.5),
)
