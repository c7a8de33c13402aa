"""Parameters: parsing, ranges, which of them exist beside which values, and errors that say what is allowed."""

from typing import NamedTuple, get_type_hints

import numpy as np
import pytest

import tesuji
from tesuji.core.errors import UserError
from tesuji.core.parameters import SHIPPED, Declaration, Parameter, Settings, filled, parse_assignments
from tesuji.games.registry import ENTRIES, find_game
from tesuji.knowledge.go.offline import SHAPE_GAMES
from tesuji.knowledge.registry import all_policies, make_policy
from tesuji.players.parameters import all_parameters
from tesuji.players.presets import PLAYERS, find_player
from tesuji.search.engine.final_move import ANSWER, Answer
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.setup import make_end, make_rule
from tesuji.search.kernel.bounds import REVISIT_PROVEN, SOLVER, SolverOptions
from tesuji.search.kernel.playouts import ENDINGS, Ending
from tesuji.search.kernel.threads import THREADS, Sharing
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES


def test_every_parameter_is_fully_declared():
    for name, parameter in all_parameters().items():
        assert parameter.name == name and parameter.meaning and parameter.range_text
        assert parameter.parse(parameter.default) == parameter.default
        assert parameter.parse(parameter.format(parameter.default)) == parameter.default


@pytest.mark.parametrize(
    "name, text",
    [
        ("exploration", "-1"),
        ("exploration", "much"),
        ("exploration", "nan"),
        ("expand_after", "0"),
        ("expand_after", "1.5"),
        ("solver", "some"),
        ("cuts", "maybe"),
        ("threads", "0"),
        ("memory", "-3"),
    ],
)
def test_bad_values(name, text):
    with pytest.raises(UserError, match=name) as caught:
        SEARCH.settings({name: text})
    assert "\n" not in str(caught.value)


def test_unknown_names_list_the_known():
    with pytest.raises(
        UserError, match=r"there is no parameter 'explorations' \(did you mean exploration\?\); there are: .*exploration"
    ):
        SEARCH.settings({"explorations": 1})


def test_settings_are_values():
    a = SEARCH.settings({"exploration": "0.5", "cuts": "off"})
    assert a == SEARCH.settings().changed_by({"exploration": 0.5, "cuts": False})
    assert a.describe() == "exploration=0.5,cuts=off"
    assert SEARCH.settings(parse_assignments(a.describe())) == a
    assert SEARCH.settings({"expand-after": 3}) == SEARCH.settings({"expand_after": 3})


def test_player_strings():
    player = find_player("uct:exploration=0.7,playouts=100,seconds=2")
    settings = player.settings_for(find_game("tictactoe"))
    assert settings["exploration"] == 0.7 and settings["solver"] == "off"
    assert (player.limits.playouts, player.limits.seconds) == (100, 2.0)
    assert len({p.name for p in PLAYERS}) == len(PLAYERS)
    for bad in (
        "nobody",
        "uct:exploration",
        "uct:playouts=x",
        "uct:playouts=-1",
        "uct:nothing=1",
        "uct:self=1",
        "uct:cuts=on,cuts=off",
    ):
        with pytest.raises(UserError):
            find_player(bad)


# -- parameters that others bring ----------------------------------------------------------------------------------------------
DEPTH = Parameter("depth", 2, "how deep", 0, 9)
SHARED = Parameter("shared", 1.0, "of both kinds")
TOY = Declaration(
    Parameter(
        "kind",
        "plain",
        "which",
        choices=("plain", "deep", "wide"),
        parts={"deep": (DEPTH, SHARED), "wide": (SHARED, Parameter("width", 3, "how wide", needs="room"))},
    ),
    Parameter("steps", 0, "how many", 0, 9, brings=(Parameter("pace", 1.5, "how fast"),)),
)


def test_policies_of_all_games_are_loaded_only_for_a_parameter_of_one(monkeypatch):
    loaded = []
    monkeypatch.setattr("tesuji.players.parameters.all_policies", lambda: loaded.append(1) or all_policies())
    player = find_player("uct:exploration=0.2,expand-after=2,playouts=5,seconds=1")
    assert (player.changes, player.limits.playouts) == ({"exploration": "0.2", "expand_after": "2"}, 5)
    assert tesuji.player("uct", memory=1.0).changes == {"memory": 1.0} and not loaded
    assert find_player("mogo:two_liberties=0.5").changes == {"two_liberties": "0.5"} and loaded


def test_a_choice_brings_its_parameters_and_a_number_those_that_it_needs():
    assert list(TOY.settings()) == ["kind", "steps"]
    assert list(TOY.settings({"kind": "deep", "steps": 2})) == ["kind", "depth", "shared", "steps", "pace"]
    assert list(TOY.all()) == ["kind", "depth", "shared", "width", "steps", "pace"]
    assert "pace" in TOY and "place" not in TOY


def test_what_is_needed_must_be_there():
    assert "width" in TOY.settings({"kind": "wide"}) and "width" in Settings(TOY, {"kind": "wide"}, frozenset({"room"}))
    without = Settings(TOY, {}, frozenset())
    assert "width" not in without.changed_by({"kind": "wide"})
    with pytest.raises(UserError, match="width has no effect here: it needs room"):
        without.changed_by({"kind": "wide", "width": 4})
    with pytest.raises(UserError, match="width has no effect here: it goes with kind=wide;"):
        without.changed_by({"kind": "deep", "width": 4})


def test_what_was_given_goes_with_what_brought_it():
    deep = TOY.settings({"kind": "deep", "depth": 5, "shared": 2})
    assert dict(deep.changed_by({"kind": "plain"})) == {"kind": "plain", "steps": 0}
    assert deep.changed_by({"kind": "wide"})["shared"] == 2.0
    with pytest.raises(UserError, match="depth has no effect here: it goes with kind=deep; there are: kind, steps"):
        deep.changed_by({"kind": "plain", "depth": 4})
    with pytest.raises(UserError, match="shared has no effect here: it goes with kind=deep or kind=wide;"):
        TOY.settings({"shared": 3})
    with pytest.raises(UserError, match="pace has no effect here: it goes with steps other than 0;"):
        TOY.settings({"pace": 3})


# -- of players ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "player", "name", "reason"),
    [
        ("tictactoe", "tesuji:selection=gaussian,rave_bias=1", "rave_bias", "it goes with selection=rave"),
        ("tictactoe", "tesuji:prior_weight=1", "prior_weight", "it goes with selection=progressive-bias"),
        ("tictactoe", "tesuji:opti_bias=1", "opti_bias", "it goes with selection=bound-bias"),
        ("tictactoe", "tesuji:solver=off,cuts=on", "cuts", "it goes with solver other than off"),
        ("tictactoe", "uct:probe_children=on", "probe_children", "it goes with solver other than off"),
        ("tictactoe", "tesuji:secure_constant=1", "secure_constant", "it goes with final_move=secure"),
        ("tictactoe", "tesuji:virtual_loss=2", "virtual_loss", "it goes with threads other than 1"),
        ("tictactoe", "tesuji:judge_after=2", "judge_after", "it needs a policy with an evaluation"),
        ("go:5", "tesuji:selection=uct,prior_games=5", "prior_games", "it needs a policy with values"),
        ("go:5", "uct:prior_games=5", "prior_games", "it goes with policy=auto or policy=local or policy=crazystone"),
        ("go:5", "tesuji:selection=progressive-bias,prior_weight=5", "prior_weight", "it needs a policy with priors"),
        (
            "loa",
            "mc-loa:evaluate_every=0,evaluation_limit=9",
            "evaluation_limit",
            "it goes with selection=implicit-minimax or evaluate_every other than 0",
        ),
        ("loa", "mia2006:best_of=2", "best_of", "it needs playouts"),
    ],
)
def test_a_parameter_without_effect_is_refused_with_those_that_have_one(game, player, name, reason):
    head, _, rest = player.partition(":")
    others = {key: value for key, value in parse_assignments(rest).items() if key != name}
    there = find_player(head).changed(others).settings_for(find_game(game))
    with pytest.raises(UserError) as caught:
        find_player(player).settings_for(find_game(game))
    text = str(caught.value)
    assert text.startswith(f"{name} has no effect here: {reason}") and "\n" not in text
    assert text.endswith(f"; there are: {', '.join(there)}") and name not in there


@pytest.mark.parametrize(
    ("game", "player", "gone", "kept"),
    [
        ("go:5", "tesuji:selection=uct", ("rave_bias", "prior_games"), {"exploration": 0.0, "expand_after": 2}),
        ("go:5", "tesuji:policy=uniform", ("prior_games", "useless_rules"), {"rave_bias": 0.001}),
        ("go:5", "crazystone:selection=uct", ("backup", "allocation", "mean_below"), {"policy": "crazystone"}),
        ("loa", "loa:policy=categories", ("prior_by", "judge_after"), {"expected_games": 5}),
        ("loa", "mc-loa:final_move=visits", ("secure_constant",), {"solver": "win-loss"}),
        ("tictactoe", "bounds-guided:solver=off", ("probe_children", "cuts"), {"opti_bias": -0.1}),
        ("tictactoe", "mcts", ("cuts", "transpositions"), {"secure_constant": 0.5}),
        ("tictactoe", "mcts:solver=win-loss", (), {"cuts": False, "transpositions": False}),
    ],
)
def test_values_of_a_preset_that_no_longer_apply_are_dropped(game, player, gone, kept):
    settings = find_player(player).settings_for(find_game(game))
    assert not set(gone) & set(settings)
    assert {name: settings[name] for name in kept} == kept


def test_what_overrides_may_take_the_effect_of_earlier_changes():
    """As when one parameter after the other is set over GTP."""
    game = find_game("tictactoe")
    player = find_player("tesuji:cuts=off,exploration=0.7")
    with pytest.raises(UserError, match="cuts has no effect"):
        player.changed({"solver": "off"}).settings_for(game)
    settings = player.overridden({"solver": "off"}).settings_for(game)
    assert "cuts" not in settings and (settings["solver"], settings["exploration"]) == ("off", 0.7)
    back = player.overridden({"solver": "off"}).overridden({"solver": "bounds"}).settings_for(game)
    assert back == player.settings_for(game)
    with pytest.raises(UserError, match="rave_bias has no effect"):
        player.overridden({"rave_bias": 1}).settings_for(game)
    go = find_game("go:5")
    assert find_player("tesuji:expand_after=7").overridden({"threads": 2}).settings_for(go)["expand_after"] == 7


# -- tuples for compiled code -------------------------------------------------------------------------------------------------
class Numbers(NamedTuple):
    share: float
    count: int
    flag: bool
    table: list


class Unevaluated(NamedTuple):
    """As where a module has its annotations as texts."""

    share: "float"
    count: "int"
    flag: "bool"
    table: "list"


@pytest.mark.parametrize("kind", [Numbers, Unevaluated])
def test_fields_are_filled_in_their_own_type(kind):
    table = [1]
    made = filled(kind, {"share": 1, "count": True, "flag": 1, "more": 2}, table=table)
    assert made == (1.0, 1, True, [1]) and [type(value) for value in made] == [float, int, bool, list]
    assert made.table is table


def test_fields_are_filled_from_others_first():
    assert filled(Numbers, {"share": 1, "count": 2, "flag": 0, "table": []}, count=5).count == 5
    with pytest.raises(UserError, match=r"the field count of Numbers .*has no value"):
        filled(Numbers, {"share": 1})


@pytest.mark.parametrize("kind", [*RULES.values(), *all_policies()])
def test_every_field_of_a_component_is_a_parameter_or_computed(kind):
    parameters = getattr(kind, "PARAMETERS", ()) or spec_of(kind).parameters
    declared = {parameter.name for parameter in parameters}
    assert set(kind._fields) == declared or hasattr(kind, "made_for")


@pytest.mark.parametrize(
    ("kind", "declared", "computed"),
    [
        (SolverOptions, (SOLVER, REVISIT_PROVEN), set()),
        (Ending, ENDINGS, set()),
        (Sharing, (THREADS,), {"shared"}),
        (Answer, ANSWER.parameters, set()),
    ],
)
def test_every_field_of_the_other_parts_too(kind, declared, computed):
    of_others = {"threads", "table_share", "presearch"}  # of the engine, the memory and the look before the search
    assert set(kind._fields) - computed == set(Declaration(*declared).all()) - of_others


def types_are_right(made):
    """Another type in a field would be other machine code."""
    wanted = {name: hint for name, hint in get_type_hints(type(made)).items() if hint in (int, float, bool)}
    return all(type(getattr(made, name)) is hint for name, hint in wanted.items())


@pytest.mark.parametrize("player", [player.name for player in PLAYERS])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_parameter_of_a_component_reaches_it(entry, player):
    """The rule and the policy of each player are made of its settings, and every parameter of theirs changes them."""
    game, chosen = find_game(entry.small or entry.example), find_player(player)
    if chosen.games and entry.name not in chosen.games:
        with pytest.raises(UserError, match=f"the player {player} plays"):
            chosen.settings_for(game)
        return
    if not chosen.plays(game):  # no network for it comes with the package
        with pytest.raises(UserError, match="network"):
            chosen.engine(game)
        return
    if "shapes_from" in chosen.settings_for(game):  # shapes count on large boards only
        chosen = chosen.changed({"shapes_from": int(game.initial["size"]), SHAPE_GAMES[0].name: 3.0})
    if chosen.settings_for(game).get("prior_share") == 0.0:  # that of the root would be the same
        chosen = chosen.changed({"prior_share": 2.0})
    if "end_share" in chosen.settings_for(game):  # without it the constants of the end change nothing
        chosen = chosen.changed({"end_share": 0.5})
    settings = chosen.settings_for(game)
    policy = chosen.policies(game)[settings["policy"]]
    made = make_policy(game, policy, settings)
    assert types_are_right(made)
    for parameter in getattr(policy, "PARAMETERS", ()):
        if parameter.name in settings and not parameter.files:
            other = chosen.changed({parameter.name: another(parameter, settings[parameter.name])}).settings_for(game)
            assert contents_of(make_policy(game, policy, other)) != contents_of(made), parameter.name
    if chosen.alphabeta:
        return
    rule = RULES[settings["selection"]]
    assert types_are_right(make_rule(game, settings, rule))
    for parameter in spec_of(rule).parameters:
        if parameter.name in settings:
            other = chosen.changed({parameter.name: another(parameter, settings[parameter.name])}).settings_for(game)
            rules_made = [(make_rule(game, values, rule), make_end(game, values, rule)) for values in (other, settings)]
            assert rules_made[0] != rules_made[1], parameter.name


def another(parameter, value):
    """Some other value that the parameter can have."""
    if parameter.choices:
        return next(choice for choice in parameter.choices if choice != value)
    if isinstance(parameter.default, bool):
        return not value
    if parameter.high is None or value + 1 <= parameter.high:
        return value + 1
    return parameter.low if value != parameter.low else parameter.high


def contents_of(policy):
    """The fields with their arrays as bytes, also within parts of the policy."""
    return [contents_of(f) if isinstance(f, tuple) else f.tobytes() if isinstance(f, np.ndarray) else f for f in policy]


# -- one name, one meaning ----------------------------------------------------------------------------------------------------
def beside(parameters):
    """All parameters that can exist together with all of these: not those of two choices of one parameter."""
    found = []
    for parameter in parameters:
        found.append(parameter)
        found += beside(parameter.brings)
    return found


def placed(parameters, choices=()):
    """Every parameter, and the choices of others that it exists with."""
    for parameter in beside(parameters):
        yield parameter, dict(choices)
        for choice, part in parameter.parts.items():
            yield from placed(part, (*choices, (parameter.name, choice)))


def clashes(parameters):
    """Names that two different parameters of one settings would have: none if they go with different choices of another."""
    by_name = {}
    for parameter, choices in placed(parameters):
        by_name.setdefault(parameter.name, []).append((parameter, choices))
    return {
        name
        for name, found in by_name.items()
        for one, choices in found
        for other, others in found
        if one != other and all(others.get(owner, choice) == choice for owner, choice in choices.items())
    }


def test_two_parameters_that_can_exist_together_have_two_names():
    assert clashes(TOY.parameters) == set()
    assert clashes([*TOY.parameters, Parameter("width", 7, "of something else")]) == {"width"}
    for entry in ENTRIES:
        for player in PLAYERS:
            game = find_game(entry.small or entry.example)
            if player.plays(game):
                declared = player.declaration_for(game)
                assert clashes(declared.parameters) == set()


def test_settings_without_checks_leave_out_what_does_not_exist():
    assert dict(Settings(TOY, {"depth": 3, "nothing": 1})) == {"kind": "plain", "steps": 0}


def test_files_are_told_apart_by_the_parameter_that_names_them_and_by_their_contents(tmp_path):
    one = tmp_path / "one"
    one.write_text("1")
    declared = Declaration(Parameter("weights", SHIPPED, "", files=True), Parameter("book", SHIPPED, "", files=True))
    each = [declared.settings(values) for values in ({}, {"weights": str(one)}, {"book": str(one)})]
    before = [settings.file_digests() for settings in each]
    assert [list(digests) for digests in before] == [[], ["weights"], ["book"]]
    one.write_text("2")
    assert [settings.file_digests() == digests for settings, digests in zip(each, before, strict=True)] == [True, False, False]
