"""What a run of self-play is: its game, its parameters, and how large its network is after how many games."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.parameters import Declaration, Parameter, Settings
from tesuji.core.words import has_scores
from tesuji.games.same_game import own_digest
from tesuji.lab.sprt import MOST_ELO, Sprt
from tesuji.learn.network.settings import RANGES, RunSettings
from tesuji.learn.root_search import Exploration, RootSearch
from tesuji.learn.self_play import SelfPlay, TwoLengths, Variety
from tesuji.players.presets import find_player

SIZES = "2x32,4x32@4000,6x48@60000"
MOST_SIZES = 16
_SIZE = re.compile(r"(\d{1,3})x(\d{1,4})(?:@(\d{1,9}))?")
MEMORY = 64  # MiB of each search

SELF_PLAY = Declaration(
    Parameter("round_games", 400, "games between two times of learning", 1, 1_000_000),
    Parameter("window_games", 4000, "the newest games, which are learned from; at first there are fewer", 1, 10_000_000),
    Parameter("window_share", 0.4, "share of all games that is learned from where that is more", 0.0, 1.0),
    Parameter("reuse", 8.0, "how often a position is learned from, on average", 0.01, 1000.0),
    Parameter("quick_playouts", 32, "playouts of most searches, which only choose a move", 1, 1 << 30),
    Parameter("full_playouts", 200, "playouts of the others, which are learned from", 1, 1 << 30),
    Parameter("full_share", 0.25, "share of these", 0.01, 1.0),
    Parameter(
        "root",
        "forced",
        "how moves of the root are made to be tried in full searches",
        choices=("forced", "gumbel"),
        parts={
            "forced": (
                Parameter("noise", 0.25, "share of noise in the priors of the root", 0.0, 1.0),
                Parameter("forced", 2.0, "k: a move gets sqrt(k P N) of N playouts at least, P its prior", 0.0, 100.0),
            ),
            "gumbel": (Parameter("considered", 16, "moves that are sampled, and then halved in number", 2, 1000),),
        },
    ),
    Parameter("random_plies", 4, "moves at the beginning that are drawn at random, at most", 0, 1000),
    Parameter("drawn_plies", 12, "moves before this ply are drawn in proportion to visits", 0, 10_000),
    Parameter("early_ends", 0.85, "share of games that end when the result is proven, or hardly a chance is left", 0.0, 1.0),
    Parameter("resign", 0.05, "the chance below which a player resigns in these, in a full search", 0.0, 0.5),
    Parameter("search_share", 0.5, "of what the search expected, in what is learned of the result", 0.0, 1.0),
    Parameter("proven_targets", True, "learn proven values and best moves as they are, and end games there"),
    Parameter("match_games", 80, "games of a new network against the one that plays, at most", 2, 100_000),
    Parameter("match_playouts", 100, "playouts a move in these", 1, 1 << 30),
    Parameter("match_elo", 60.0, "what a new network must be better by, as the test's second hypothesis", 1.0, MOST_ELO),
)


@dataclass(frozen=True)
class Size:
    """A network of so many blocks and channels, from this number of games on."""

    blocks: int
    channels: int
    games: int

    @property
    def text(self) -> str:
        return f"{self.blocks}x{self.channels}"

    @property
    def work(self) -> int:
        """In proportion to the multiplications of an evaluation."""
        return self.blocks * self.channels * self.channels


def parse_sizes(text: str) -> tuple[Size, ...]:
    """2x32,4x32@4000: 2 blocks of 32 channels, and 4 of 32 after 4,000 games."""
    words = text.split(",")
    found = [_SIZE.fullmatch(word.strip()) for word in words]
    if not all(found) or len(words) > MOST_SIZES:
        raise UserError(f"--sizes {shortened(text, quoted=True)} is not possible: BLOCKSxCHANNELS@GAMES,... as in {SIZES}")
    sizes = tuple(Size(int(one[1]), int(one[2]), int(one[3] or 0)) for one in found if one is not None)
    for one in sizes:
        RunSettings(blocks=one.blocks, channels=one.channels)
    for before, after in pairwise(sizes):
        grows = after.blocks >= before.blocks and after.channels >= before.channels and after.games > before.games
        if not grows or sizes[0].games:
            raise UserError(f"--sizes {text}: the first is that from the beginning, and each is larger than those before it")
    if sizes[0].games:
        raise UserError(f"--sizes {text}: the first is that from the beginning: without a number of games")
    return sizes


@dataclass(frozen=True)
class SelfPlayPlan:
    """All that a run is made of. Two commands with equal plans mean one run."""

    game: str
    source: str  # digest of a user's own game
    sizes: str
    batch: int
    rate: float
    value_weight: float
    seed: int
    values: Mapping[str, Any]  # of SELF_PLAY: all of them

    @property
    def settings(self) -> Settings:
        return SELF_PLAY.settings(self.values)

    def learning(self, size: Size) -> RunSettings:
        """What the network of this size is learned with."""
        return RunSettings(size.blocks, size.channels, self.batch, self.rate, self.value_weight, seed=self.seed)

    def size_at(self, games: int) -> Size:
        return [size for size in parse_sizes(self.sizes) if size.games <= games][-1]

    def window(self, games: int) -> int:
        """How many of the newest games are learned from, when there are so many."""
        settings = self.settings
        return max(int(settings["window_games"]), int(settings["window_share"] * games))

    @property
    def sprt(self) -> Sprt:
        return Sprt(0.0, float(self.settings["match_elo"]))

    # -- who plays ---------------------------------------------------------------------------------------------------
    def player(self, game: Game, network: str, plays_out: bool) -> str:
        """The player by this network file; `plays_out`: what the network expects counts nothing, and playouts do.

        Networks know of wins, draws and losses, so scores count as these.
        """
        reward = "reward=win," if has_scores(game) else ""
        return f"network:{reward}memory={MEMORY},value_share={0 if plays_out else 1},network={network}"

    def self_play(self, game: Game, network: str, plays_out: bool) -> SelfPlay:
        s = self.settings
        names = [name for name in ("noise", "forced", "considered") if name in s]
        root = RootSearch(Exploration(s["root"], **{name: s[name] for name in names}), s["proven_targets"])
        variety = Variety((0, s["random_plies"]), s["drawn_plies"], s["early_ends"], s["resign"], s["proven_targets"])
        searches = TwoLengths(root, s["quick_playouts"], s["full_playouts"], s["full_share"])
        player = find_player(self.player(game, network, plays_out), may_load=True)
        return SelfPlay(game, player, self.seed, s["full_playouts"], variety, searches)

    # -- as text -----------------------------------------------------------------------------------------------------
    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """A plan out of JSON; a ValueError if it is none."""
        try:
            plan = cls(**values)
            plan.settings  # noqa: B018 it reads every value
            sizes = parse_sizes(plan.sizes)
            plan.learning(sizes[0])
        except (TypeError, KeyError, AttributeError, UserError) as error:
            raise ValueError(str(error)) from None
        kinds = {"game": str, "source": str, "batch": int, "rate": float, "value_weight": float, "seed": int}
        if not all(type(getattr(plan, name)) is kind for name, kind in kinds.items()):
            raise ValueError("a value is of the wrong type")
        return plan

    def fingerprint(self) -> dict[str, str]:
        """What must be equal for two commands to mean one run."""
        options = {f"--{name.replace('_', '-')}": getattr(self, name) for name in ("sizes", "batch", "rate", "value_weight")}
        return {
            "game": self.game,
            "the game's file": self.source[:12],
            **{name: str(value) for name, value in options.items()},
            "--seed": str(self.seed),
            **{name: Parameter.format(value) for name, value in self.settings.items()},
        }


def make_plan(game: Game, kept: SelfPlayPlan | None, named: Mapping[str, Any], values: Mapping[str, str]) -> SelfPlayPlan:
    """The plan of a command: that of the folder with what the command names in its place, which must then be equal to it.

    `named` are options that are given, `values` parameters of SELF_PLAY.
    """
    plan = kept
    if plan is None:
        first = parse_sizes(named.get("sizes", SIZES))[0]
        usual = RunSettings(first.blocks, first.channels)
        plan = SelfPlayPlan("", "", SIZES, usual.batch, usual.rate, usual.value_weight, usual.seed, {})
    parse_sizes(named.get("sizes", plan.sizes))
    settings = SELF_PLAY.settings(plan.values).changed_by(values)
    plan = replace(plan, game=game.name, source=own_digest(game), values=dict(settings), **named)
    for name in ("batch", "rate", "value_weight"):
        low, high = RANGES[name]
        if not low <= getattr(plan, name) <= high:
            raise UserError(f"{name.replace('_', '-')}={getattr(plan, name)} is out of range: {low:g} to {high:g}")
    return plan
