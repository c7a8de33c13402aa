"""A player is data: a selection rule, a policy and parameters, and limits where its paper gives some.

Its parameters are the union of those of its parts in the game at hand. One that no part declares is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tesuji.core.arguments import seed_number
from tesuji.core.errors import UserError, did_you_mean
from tesuji.core.limits import Limits
from tesuji.core.parameters import SHIPPED, Declaration, Parameter, Settings
from tesuji.knowledge.network.file import shipped_networks
from tesuji.knowledge.registry import NETWORK, family, load_for_alphabeta, make_policy, parameters_of, policies_of
from tesuji.players.parameters import known_parameters
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.engine.evaluator import BATCH, Evaluator
from tesuji.search.engine.final_move import ANSWER
from tesuji.search.engine.parameters import declaration
from tesuji.search.kernel.bounds import features_of_game
from tesuji.search.kernel.quality import features_of_wins
from tesuji.search.policy import EVALUATION, PROVING
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES, features_of

if TYPE_CHECKING:
    from tesuji.core.game import Game, State
    from tesuji.core.position import Position
    from tesuji.players.search import Search

Values = Mapping[str, Any]


@dataclass(frozen=True, repr=False)
class Player:
    """A named set of parameter values: `values`, then `by_game`, then `changes` (by name, as in a player string); later ones
    override earlier ones.

    A user's own player may have its own class of selection rule and of policy. With an evaluator, it asks that one wherever it
    would ask a network.
    """

    name: str
    summary: str = ""
    values: Values = field(default_factory=dict, hash=False)
    by_game: Mapping[str, Values] = field(default_factory=dict, hash=False)  # by the first word of the game string
    games: tuple[str, ...] = ()  # first words of the games it is made for; () = every game
    alphabeta: bool = False
    rule: type | None = None
    policy: type | None = None
    evaluator: Evaluator | None = None  # in place of a network
    limits: Limits = field(default_factory=Limits)
    changes: Values = field(default_factory=dict, hash=False)
    source: str = ""  # of a user's own player: its file, and the digest of that
    digest: str = ""

    def rules(self) -> dict[str, type]:
        """All selection rules by name, its own first."""
        return RULES if self.rule is None else {self.rule.__name__: self.rule, **RULES}

    def policies(self, game: Game) -> dict[str, type]:
        """All policies for this game by name, its own first."""
        policies = policies_of(game)
        return policies if self.policy is None else {self.policy.__name__: self.policy, **policies}

    def own_parameters(self) -> dict[str, Parameter]:
        """The parameters of its own rule and policy, by name."""
        of_rule = spec_of(self.rule).parameters if self.rule is not None else ()
        of_evaluator = (BATCH,) if self.evaluator is not None else ()
        return {p.name: p for p in (*of_rule, *getattr(self.policy, "PARAMETERS", ()), *of_evaluator)}

    def no_parameter(self, name: str, names: Iterable[str]) -> UserError:
        """The error for a parameter that does not exist, where `names` do. Lists those of this player in every game."""
        its_names = dict.fromkeys([*self.own_parameters(), "policy", *Settings(self._search_declaration(), self.values)])
        return UserError(
            f"there is no parameter {name!r}{did_you_mean(name, names)}; there are: {', '.join(its_names)} "
            "(those of games and other players: tesuji players --parameters)"
        )

    def declaration_for(self, game: Game) -> Declaration:
        """All parameters that it has in this game."""
        policies = self.policies(game)
        policy = Parameter(
            "policy",
            NETWORK if self.evaluator is not None and NETWORK in policies else next(iter(policies)),
            "what it knows beyond the rules, and how its playouts choose moves",
            choices=tuple(policies),
            parts={name: parameters_of(game, kind) for name, kind in policies.items()},
        )
        own = Declaration(policy, BATCH) if self.evaluator is not None else Declaration(policy)
        return own + self._search_declaration()

    def _search_declaration(self) -> Declaration:
        return ALPHABETA if self.alphabeta else declaration(self.rules()) + ANSWER

    def values_for(self, game: Game) -> dict[str, Any]:
        """Its values in this game, `changes` included."""
        return {**self.values, **self.by_game.get(family(game), {}), **self.changes}

    def plays(self, game: Game) -> bool:
        """Whether it is for this game, and has the network that it may need: of the package, of a file, or its evaluator."""
        if self.games and family(game) not in self.games:
            return False
        values = self.values_for(game)
        has_network = self.evaluator is not None or values.get("network", SHIPPED) != SHIPPED or bool(shipped_networks(game))
        return values.get("policy") != NETWORK or has_network

    def settings_for(self, game: Game) -> Settings:
        """The parameters with which this player plays the game."""
        if self.games and family(game) not in self.games:
            raise UserError(f"the player {self.name} plays {', '.join(self.games)}, not {game.name}")
        declared = self.declaration_for(game)
        values = self.values_for(game)
        self.check_names(declared.all())
        everything = Settings(declared, values)
        if not self.alphabeta and not self._check_rule(game, everything):
            values.pop("selection")  # the player's own rule does not suit the policy that replaces its own
            everything = Settings(declared, values)
        if self.alphabeta:
            features = frozenset({EVALUATION})
        else:
            proves = {PROVING} if everything["solver"] != "off" else set()
            rule, policy = self._parts(game, everything)
            features = features_of(rule, policy) | features_of_game(game) | features_of_wins(game) | proves
        return Settings(declared, values, features).checked(self.changes)

    def network_for(self, game: Game) -> str | None:
        """The network that it plays this game by, or else that of the package; None = it asks an evaluator."""
        if self.evaluator is not None:
            return None
        return str(self.settings_for(game).get("network", SHIPPED))

    def check_names(self, declared: Iterable[str] = ()) -> None:
        """Refuses a name that no parameter has, for whichever game or board it is meant. `declared` are known to exist."""
        names = {*self.values, *self.changes, *(name for values in self.by_game.values() for name in values)}
        elsewhere = sorted(names.difference(declared, self.own_parameters()))
        parameters = known_parameters(elsewhere) if elsewhere else {}
        for name in elsewhere:
            if name not in parameters:
                raise UserError(f"{self.name}: {self.no_parameter(name, parameters)}")

    def _check_rule(self, game: Game, settings: Settings) -> bool:
        """Whether the policy has all that the selection rule needs. If not, a rule set by name or a user's own is refused."""
        rule, policy = self._parts(game, settings)
        needs = [*spec_of(rule).needs, *([EVALUATION] if spec_of(rule).evaluates else [])]
        lacking = [needed for needed in needs if needed not in features_of(rule, policy)]
        if lacking and ("selection" in self.changes or rule is self.rule):
            policies = self.policies(game).items()
            can = [name for name, kind in policies if name != "auto" and lacking[0] in features_of(rule, kind)]
            choice = f"policy={' or '.join(can)} can be used" if can else f"{game.name} has none"
            giver = getattr(lacking[0], "giver", lacking[0])
            reason = f"needs {giver}, which policy={settings['policy']} is not"
            raise UserError(f"selection={settings['selection']} {reason}: {choice}")
        return not lacking

    def _parts(self, game: Game, settings: Settings) -> tuple[type, type]:
        return self.rules()[settings["selection"]], self.policies(game)[settings["policy"]]

    def search(self, position: Position | Game | str, seed: int = 0) -> Search:
        """A search of the position by this player. A game, or the string of one, stands for its first position.

        With one thread, equal seeds give equal searches.
        """
        from tesuji.players.search import Search, position_of
        from tesuji.search.files.origin import origin_of

        position, seed = position_of(position), seed_number(seed)
        engine = self.engine(position.game, position.state, seed)
        engine.origin = origin_of(position)
        return Search(self, position, engine, seed)

    def engine(self, game: Game, state: State = None, seed: int = 0, pure: bool | None = None) -> Any:
        """The engine for a position of the game, by default its first one: every search of a player is made here.

        A TreeSearch or an AlphaBeta, which share an interface (`run`, `advance`, `result`, `state`, `settings`, `answer`). Its
        moves are numbers and its results in the units of the rules; `search` wraps it for texts and the game's own units.
        """
        settings = self.settings_for(game)
        evaluation = None
        if self.evaluator is not None:
            from tesuji.knowledge.network.outside import evaluation_of

            if self.alphabeta:
                raise UserError(f"the player {self.name} searches by alpha-beta, which asks no evaluator")
            evaluation = evaluation_of(game, self.evaluator, settings)
        policy = make_policy(game, self.policies(game)[settings["policy"]], settings, evaluation)
        if self.alphabeta:
            from tesuji.search.alphabeta.engine import AlphaBeta

            load_for_alphabeta(game)
            return AlphaBeta(game, state, settings, policy, seed, pure)
        from tesuji.search.engine.tree_search import TreeSearch

        rule = self.rules()[settings["selection"]]
        return TreeSearch(game, state, settings, policy, seed, pure, rule, evaluation)

    def changed(self, values: Values) -> Player:
        """The player with these parameters instead of its own, in every game."""
        return replace(self, changes={**self.changes, **{name.replace("-", "_"): value for name, value in values.items()}})

    def overridden(self, values: Values) -> Player:
        """`changed`, but earlier `changes` become ordinary values, which may lose their effect by these parameters."""
        by_game = {game: {**own, **self.changes} for game, own in self.by_game.items()}
        return replace(self, values={**self.values, **self.changes}, by_game=by_game, changes={}).changed(values)

    def as_string(self) -> str:
        """The player string with all changes and limits: 'uct:exploration=0.2,playouts=1000'."""
        values = {**self.changes, **self.limits.values()}
        return self.name + ":" * bool(values) + _assignments(values)

    def __repr__(self) -> str:
        return f"<Player {self.as_string()}>"

    def describe(self) -> str:
        """Its values as text: 'selection=rave,solver=off'."""
        return _assignments({**self.values, **self.changes})


def _assignments(values: Values) -> str:
    return ",".join(f"{name}={Parameter.format(value)}" for name, value in values.items())


def search_from(game: Game, values: Values, files: Values, seed: int = 0) -> Any:
    """A tree search with the settings of a saved one. `files` are the values of parameters that name files, from a person."""
    player = Player("saved", values={**values, **files})
    for name in player.settings_for(game).named_files():
        if name not in files:  # a path in a file is never opened
            raise UserError(f"the search was saved with {name} from files: name them again with --{name}")
    return player.engine(game, seed=seed)
