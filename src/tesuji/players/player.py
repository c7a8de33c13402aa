"""A player is data: a selection rule, a policy, and parameters; and limits of its own where its paper gives some.

Its parameters are the union of those of its parts for the game at hand. One that no part reads is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tesuji.core.arguments import seed_number
from tesuji.core.errors import UserError, did_you_mean
from tesuji.core.limits import Limits
from tesuji.core.parameters import Declaration, Parameter, Settings, Value
from tesuji.knowledge.registry import AUTO, family, load_for_alphabeta, make_policy, parameters_of, policies_of
from tesuji.players.parameters import known_parameters
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.engine.final_move import ANSWER
from tesuji.search.engine.parameters import declaration
from tesuji.search.kernel.bounds import features_of_game
from tesuji.search.policy import EVALUATION, PROVING
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES, features_of

if TYPE_CHECKING:
    from tesuji.core.game import Game, State
    from tesuji.core.position import Position
    from tesuji.players.search import Search

Values = Mapping[str, Any]
LARGE = 15 * 15  # points of the smallest board that is large


@dataclass(frozen=True, repr=False)
class Player:
    """Later values stand above earlier ones: `values`, those for one game, those for large boards, and `changes`, what someone
    asked for by name.

    Someone's own player may bring a class of a selection rule and of a policy of its own.
    """

    name: str
    summary: str = ""
    values: Values = field(default_factory=dict, hash=False)
    by_game: Mapping[str, Values] = field(default_factory=dict, hash=False)  # by the first word of the game string
    large: Values = field(default_factory=dict, hash=False)  # on boards of LARGE points or more
    games: tuple[str, ...] = ()  # first words of the games it is made for; () = every game
    alphabeta: bool = False
    rule: type | None = None
    policy: type | None = None
    limits: Limits = field(default_factory=Limits)
    changes: Values = field(default_factory=dict, hash=False)
    source: str = ""  # for a user's own: the file it comes from, and the digest of that
    digest: str = ""

    def rules(self) -> dict[str, type]:
        """The selection rules that it can have, its own first."""
        return RULES if self.rule is None else {self.rule.__name__: self.rule, **RULES}

    def policies(self, game: Game) -> dict[str, type]:
        """The policies that it can have in this game, its own first."""
        found = policies_of(game)
        return found if self.policy is None else {self.policy.__name__: self.policy, **found}

    def own_parameters(self) -> dict[str, Parameter]:
        """The parameters of its own rule and policy, by name."""
        of_rule = spec_of(self.rule).parameters if self.rule is not None else ()
        return {p.name: p for p in (*of_rule, *getattr(self.policy, "PARAMETERS", ()))}

    def no_parameter(self, name: str, known: Iterable[str]) -> UserError:
        """That none of the known parameters has this name, and which ones this player has in every game, its own first."""
        declared = ALPHABETA if self.alphabeta else declaration(self.rules()) + ANSWER
        there = dict.fromkeys([*self.own_parameters(), "policy", *Settings(declared, self.values)])
        return UserError(
            f"there is no parameter {name!r}{did_you_mean(name, known)}; there are: {', '.join(there)} "
            "(those of games and other players: tesuji players --parameters)"
        )

    def declaration_for(self, game: Game) -> Declaration:
        """Every parameter that it can have in this game."""
        policies = self.policies(game)
        policy = Parameter(
            "policy",
            next(iter(policies)),
            "what it knows beyond the rules, and how its playouts go",
            choices=tuple(policies),
            parts={name: parameters_of(game, kind) for name, kind in policies.items()},
        )
        if self.alphabeta:
            return Declaration(policy) + ALPHABETA
        return Declaration(policy) + declaration(self.rules()) + ANSWER

    def values_for(self, game: Game) -> dict[str, Any]:
        """What it sets in this game, by itself or because someone asked for it."""
        large = self.large if game.points >= LARGE else {}
        return {**self.values, **self.by_game.get(family(game), {}), **large, **self.changes}

    def settings_for(self, game: Game) -> Settings:
        """The parameters with which this player plays the game."""
        if self.games and family(game) not in self.games:
            raise UserError(f"the player {self.name} plays {', '.join(self.games)}, not {game.name}")
        declared = self.declaration_for(game)
        values = self.values_for(game)
        self._check_names(values, declared)
        everything = Settings(declared, values)
        if not self.alphabeta and not self._check_rule(game, everything):
            values.pop("selection")  # its own, which does not suit the policy that was chosen in place of its own
            everything = Settings(declared, values)
        if self.alphabeta:
            features = frozenset({EVALUATION})
        else:
            proves = {PROVING} if everything["solver"] != "off" else set()
            rule, policy = self._parts(game, everything)
            features = features_of(rule, policy) | features_of_game(game) | proves
        return Settings(declared, values, features).checked(self.changes)

    def _check_names(self, values: Values, declared: Declaration) -> None:
        """Refuses a value that no parameter has the name of. One that is without effect in this game is left out."""
        elsewhere = [name for name in values if name not in declared.all() and name not in self.own_parameters()]
        known = known_parameters(elsewhere) if elsewhere else {}
        for name in elsewhere:
            if name not in known:
                raise UserError(f"{self.name}: {self.no_parameter(name, known)}")

    def _check_rule(self, game: Game, settings: Settings) -> bool:
        """Whether its selection rule can do with its policy. One that cannot is refused if somebody asked for it or made it."""
        rule, policy = self._parts(game, settings)
        lacking = [needed for needed in spec_of(rule).needs if needed not in features_of(rule, policy)]
        if lacking and ("selection" in self.changes or rule is self.rule):
            policies = self.policies(game).items()
            can = [name for name, kind in policies if name != "auto" and lacking[0] in features_of(rule, kind)]
            choice = f"policy={' or '.join(can)} can be used" if can else f"{game.name} has none"
            reason = f"needs {lacking[0].giver}, which policy={settings['policy']} is not"
            raise UserError(f"selection={settings['selection']} {reason}: {choice}")
        return not lacking

    def _parts(self, game: Game, settings: Settings) -> tuple[type, type]:
        return self.rules()[settings["selection"]], self.policies(game)[settings["policy"]]

    def search(self, position: Position | Game | str, seed: int = 0) -> Search:
        """A search of the position by this player; a game, or its string, stands for its start.

        With one thread, equal seeds give equal searches.
        """
        from tesuji.players.search import Search, position_of
        from tesuji.search.files.origin import origin_of

        found, seed = position_of(position), seed_number(seed)
        engine = self.engine(found.game, found.state, seed)
        engine.origin = origin_of(found)
        return Search(self, found, engine, seed)

    def engine(self, game: Game, state: State = None, seed: int = 0, pure: bool | None = None) -> Any:
        """What searches a position of the game (the start if none is given): every search of a player is made here.

        A tree search, or alpha-beta; both are used alike (`run`, `advance`, `result`, `state`, `settings`, `answer`). Moves
        are numbers here, and results in the units of rules; `search` puts texts and the game's own units around it.
        """
        settings = self.settings_for(game)
        policy = make_policy(game, self.policies(game)[settings["policy"]], settings)
        if self.alphabeta:
            from tesuji.search.alphabeta.engine import AlphaBeta

            load_for_alphabeta(game)
            return AlphaBeta(game, state, settings, policy, seed, pure)
        from tesuji.search.engine.tree_search import TreeSearch

        return TreeSearch(game, state, settings, policy, seed, pure, self.rules()[settings["selection"]])

    def changed(self, values: Values) -> Player:
        """The player with these parameters in place of its own, in every game."""
        return replace(self, changes={**self.changes, **{name.replace("-", "_"): value for name, value in values.items()}})

    def overridden(self, values: Values) -> Player:
        """The player with these parameters above all that was asked for before, some of which may lose its effect by them."""
        by_game = {game: {**own, **self.changes} for game, own in self.by_game.items()}
        large = {**self.large, **self.changes}
        return replace(self, values={**self.values, **self.changes}, by_game=by_game, large=large, changes={}).changed(values)

    def as_string(self) -> str:
        """The string that names it, with what was asked for by name: 'uct:exploration=0.2,playouts=1000'."""
        values = {**self.changes, **self.limits.values()}
        return self.name + ":" * bool(values) + ",".join(f"{name}={_text(value)}" for name, value in values.items())

    def __repr__(self) -> str:
        return f"<Player {self.as_string()}>"

    def describe(self) -> str:
        """What sets it apart, as text: 'selection=rave,solver=off'."""
        values = {**self.values, **self.changes}
        return ",".join(f"{name}={_text(value)}" for name, value in values.items())


def _text(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)  # whatever is written can be read back
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def search_from(game: Game, values: Values, files: Values, seed: int = 0) -> Any:
    """A tree search with the settings of a saved one. `files` are the values of parameters that name files, from a person."""
    player = Player("saved", values={**values, **files})
    for name in player.settings_for(game).named_files():
        if name not in files:  # a path in a file is never opened
            raise UserError(f"the search was saved with {name} from files: name them again with --{name}")
    return player.engine(game, seed=seed)


__all__ = ["AUTO", "Player", "search_from"]
