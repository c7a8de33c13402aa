"""A user's own player: where it is accepted, where it never is, and all that can be wrong with it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tesuji.cli.main import main
from tesuji.core.errors import GameError, UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import filled
from tesuji.games.registry import find_game
from tesuji.io.jsonl_requests import Defaults, read_job
from tesuji.lab.match.store import read_match
from tesuji.players.presets import PLAYERS, find_player
from tesuji.search.kernel.tree import CROSSED, ROOT
from tesuji.search.selection.uct import Uct

MINE = """
import math
from typing import NamedTuple

import numpy as np

from tesuji import NO_LOWER, NO_UPPER, PRIOR, RAVE, Parameter, Player, below, begin_playout, evaluate, implements, played
from tesuji import playout_move, rate_moves, rules, selection_rule, study, study_at, worth


@selection_rule(parameters=(Parameter("exploration", 1.5, "weight of the prior", 0.0, 100.0),), uses=(PRIOR,))
class Puct(NamedTuple):
    exploration: float
    half: float = 0.5


@implements(worth, Puct)
def puct(rule, child, parent):
    return child.mean + rule.half * rule.exploration * child.prior * math.sqrt(parent.visits) / (1.0 + child.visits)


class Mine(NamedTuple):
    PARAMETERS = ()
    NOTES = (("made", np.int64),)
    GIVES = (PRIOR,)


@implements(begin_playout, Mine)
def begin(policy, notes, state):
    notes["made"] = 0


@implements(played, Mine)
def count(policy, notes, state, move):
    notes["made"] += 1


@implements(playout_move, Mine)
def draw(policy, notes, state, rng):
    moves = notes["moves"]
    return moves[below(rng, rules.moves(state, moves))]


@implements(rate_moves, Mine)
def rate(policy, state, moves, count, ratings):
    for i in range(count):
        ratings[i]["prior"] = 1.0 / count


@implements(study_at, Mine)
def when(policy):
    return 20


@implements(study, Mine)
def look(policy, state, moves, count, kept):
    return NO_LOWER, NO_UPPER, False


player = Player("puct", rule=Puct, policy=Mine, values={"exploration": 2.0, "solver": "off"})
"""


NO_PRIORS = """
class Plain(NamedTuple):
    pass


@implements(playout_move, Plain)
def draw_any(policy, notes, state, rng):
    return draw(policy, notes, state, rng)


without = Player("without", rule=Puct, policy=Plain, values={"solver": "off"})
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """mine.py in an empty working folder, and no compiler to wait for."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def edit(path: Path, *pairs: tuple[str, str]) -> None:
    source = path.read_text()
    for old, new in pairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path.write_text(source)


def line_of(path: Path, text: str) -> int:
    return path.read_text()[: path.read_text().index(text)].count("\n") + 1


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    capsys.readouterr()
    code = main([*words, "--json"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, ""), captured
    return json.loads(captured.out)


def error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refusal."""
    capsys.readouterr()
    code = main(words or ("analyze", "tictactoe", "--player", "mine.py:player", "--playouts", "60"))
    captured = capsys.readouterr()
    assert (code, captured.out, captured.err.count("\n")) == (2, "", 1), captured
    return captured.err.removeprefix("tesuji: ").rstrip("\n")


# -- where it is accepted ------------------------------------------------------------------------------------------------
def test_commands_take_it(mine, capsys):
    found = run(capsys, "analyze", "connect4:4x4", "--player", "mine.py:player:exploration=3,playouts=40")
    assert (found["player"], found["playouts"]) == ("mine.py:player", 40)
    proven = run(capsys, "solve", "tictactoe", "--moves", "a1 b1 b2 c1", "--player", f"{mine}:player:solver=bounds")
    assert (proven["outcome"], proven["player"]) == ("win", f"{mine}:player")
    speed = run(capsys, "bench", "tictactoe", "--player", "mine.py:player", "--seconds", "0.01", "--repeats", "1")
    assert speed["results"][0]["player"] == "mine.py:player"
    words = ("play", "tictactoe", "--side", "none", "--player", "mine.py:player:playouts=5", "--json")
    assert main(words) == 0 and json.loads(capsys.readouterr().out)["over"]


def test_its_parameters_are_like_built_in_ones(mine):
    game = find_game("tictactoe")
    player = find_player("mine.py:player", may_load=True)
    assert player.settings_for(game)["selection"] == "Puct" and player.settings_for(game)["policy"] == "Mine"
    rule = find_player("mine.py:player:exploration=3", may_load=True).engine(game).rule
    assert (rule.exploration, rule.half) == (3.0, 0.5)
    assert type(filled(type(rule), {"exploration": 3}).exploration) is float, "a float also where a whole number is given"
    assert type(filled(Uct, {"exploration": 1, "first_play": 1}).exploration) is float
    for wrong, why in (
        ("exploration=1000", "exploration=1000 is not possible: 0 .. 100"),
        ("rave_bias=1", "rave_bias has no effect here"),
        ("width=1", "there is no parameter 'width'; there are: "),
    ):
        with pytest.raises(UserError, match=why):
            find_player(f"mine.py:player:{wrong}", may_load=True).settings_for(game)


def test_an_unknown_parameter_is_answered_by_those_that_the_player_has(mine):
    """Its own first, then those of the search with its rule; not the ones of other rules, games and engines."""
    mine.write_text(
        MINE.replace("    PARAMETERS = ()\n", '    near: float\n    PARAMETERS = (Parameter("near", 0.5, "how near"),)\n')
    )
    for text, first in (
        ("mine.py:player:nearr=1", "exploration, near, policy, selection"),
        ("uct:speed=1", "policy, selection"),
    ):
        with pytest.raises(UserError) as caught:
            find_player(text, may_load=True)
        line = str(caught.value)
        assert f"; there are: {first}, " in line and line.endswith(
            " (those of games and other players: tesuji players --parameters)"
        )
        assert ("(did you mean near?)" in line) == ("nearr" in text)
        assert (
            not any(f" {name}," in line for name in ("rave_bias", "nakade", "null_move", "virtual_loss")) and " solver," in line
        )


def test_rules_and_policies_are_made_for_a_game_in_the_same_way(mine):
    made = "    @classmethod\n    def made_for(cls, game, settings):\n        return cls(VALUES)\n"
    edit(
        mine,
        (
            "    half: float = 0.5\n",
            "    half: float = 0.5\n" + made.replace("VALUES", "settings['exploration'], game.move_count"),
        ),
        ("    PARAMETERS = ()\n", "    half: float\n    PARAMETERS = ()\n" + made.replace("VALUES", "game.move_count")),
    )
    search = find_player("mine.py:player:exploration=3", may_load=True).engine(find_game("tictactoe"))
    assert (tuple(search.rule), tuple(search.policy)) == ((3.0, 9), (9,))


def test_its_notes_may_be_a_record_type(mine, capsys):
    edit(mine, ('(("made", np.int64),)', 'np.dtype([("made", np.int64), ("more", np.int8, (3,))])'))
    assert run(capsys, "analyze", "tictactoe", "--player", "mine.py:player", "--playouts", "9")["playouts"] == 9


def test_one_file_may_hold_a_game_and_a_player(mine, capsys):
    page = Path(__file__).parent.parent / "docs" / "your-own-game.md"
    game = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)[0].replace("def draw(", "def drawing(")
    mine.write_text(MINE.replace("def count(", "def counted(") + game.replace("draw=draw", "draw=drawing"))
    found = run(capsys, "analyze", "mine.py:game", "--player", "mine.py:player", "--playouts", "20")
    assert found["game"] == "mine.py:game" and found["playouts"] == 20


def test_a_match_loads_it_in_its_processes(mine, capsys):
    words = ("match", "mine.py:player:playouts=4", "uct:playouts=4", "--game", "tictactoe", "--workers", "2")
    found = run(capsys, *words, "--games", "4")
    assert (found["a"], found["games"]) == ("mine.py:player:playouts=4", 4)
    plan, _ = read_match(found["file"])
    assert re.fullmatch(r"mine\.py:player@[0-9a-f]{8}:playouts=4", plan.players[0].label) and plan.players[0].source
    assert run(capsys, *words, "--games", "4")["file"] == found["file"], "the same match goes on"
    edit(mine, ("1.5, ", "1.25, "))
    assert run(capsys, *words, "--games", "2")["file"] != found["file"], "an edited file is another player"
    assert "the file of player 1: " in error(capsys, *words, "--file", found["file"])


# -- where it never is ------------------------------------------------------------------------------------------------------
TRAP = "open('loaded', 'w').close()\n"


def test_a_request_never_loads_a_file(mine):
    mine.write_text(TRAP + MINE)
    with pytest.raises(UserError, match="can only be named on the command line"):
        read_job({"id": 1, "game": "tictactoe", "player": f"{mine}:player"}, Defaults())
    assert not Path("loaded").exists()
    defaults = Defaults(player=find_player("mine.py:player", may_load=True))
    assert read_job({"id": 1, "game": "tictactoe"}, defaults).player.name == "mine.py:player"
    assert Path("loaded").exists()


def test_a_match_file_never_loads_what_it_names(mine, capsys):
    mine.write_text(TRAP + MINE)
    found = run(capsys, "match", "mine.py:player", "uct", "--game", "tictactoe", "--games", "2", "--playouts", "3")
    Path("loaded").unlink()
    assert len(read_match(found["file"])[1]) == 2
    run(capsys, "ratings", found["file"])
    assert main(["match", "uct", "uct", "--game", "tictactoe", "--file", found["file"]]) == 2
    assert not Path("loaded").exists()


def test_a_search_with_it_is_not_saved(mine, capsys):
    words = ("analyze", "tictactoe", "--player", "mine.py:player", "--playouts", "9", "--save", "search")
    assert ", your own class, cannot be saved" in error(capsys, *words)


# -- what can be wrong ---------------------------------------------------------------------------------------------------------
def test_an_unknown_player_is_told_what_there_is(mine, capsys):
    line = error(capsys, "analyze", "tictactoe", "--player", "nobody")
    assert all(player.name in line for player in PLAYERS) and line.endswith("or path/to/file.py:name for your own")


WRONG_NAMES = {
    "mine.py": "mine.py: say which player of the file; players in it: mine.py:player",
    "mine.py:": "mine.py: say which player of the file; players in it: mine.py:player",
    "mine.py:other": "mine.py has no 'other'; players in it: mine.py:player",
    "mine.py:Puct": "mine.py: 'Puct' is of type type, not a tesuji.Player; players in it: mine.py:player",
    "mine.py:player:exploration": "'exploration' is not of the form name=value",
    "none.py:player": "there is no file none.py; a player of your own is path/to/file.py:name",
    "./none:player": "'./none' is not a Python file; a player of your own is path/to/file.py:name",
}


@pytest.mark.parametrize("text", WRONG_NAMES)
def test_a_wrong_name(text, mine, capsys):
    assert error(capsys, "analyze", "tictactoe", "--player", text) == WRONG_NAMES[text]


RATED = 'ratings[i]["prior"] = 1.0 / count'
STUDIED = "    return NO_LOWER, NO_UPPER, False\n"
DRAWN = "    return moves[below(rng, rules.moves(state, moves))]\n"
WORTH = "    return child.mean + rule.half"
RULE, POLICY = r"Puct \(mine.py:LINE\)", r"Mine \(mine.py:LINE\)"
# What is changed in the file; the line that is told; the text in the file whose line that should name.
BROKEN = {
    "no worth": (
        ("@implements(worth, Puct)\n", ""),
        f"{RULE} is no selection rule: nothing implements worth",
        "@selection_rule",
    ),
    "no playout_move": (
        ("@implements(playout_move, Mine)\n", ""),
        rf"{POLICY} is no policy: nothing implements playout_move.*@implements\(playout_move, Mine\)",
        "class Mine",
    ),
    "no class": (("rule=Puct", "rule=puct"), "a selection rule is a class of typing.NamedTuple, not <function puct", ""),
    "no NamedTuple": (("class Puct(NamedTuple)", "class Puct"), "a selection rule is a class of typing.NamedTuple", ""),
    "parameters": (("PARAMETERS = ()\n", "PARAMETERS = 5\n"), f"PARAMETERS of {POLICY} must be a tuple of", "class Mine"),
    "no parameter": (
        ("    half: float = 0.5\n", "    half: float\n"),
        f"the field half of {RULE} has no value: declare a parameter of that name",
        "@selection_rule",
    ),
    "field": (
        ("    half: float = 0.5\n", "    half: float = 0.5\n    names: tuple = ('a', 'b')\n"),
        f"{RULE}: its field names is of type tuple; fields are numbers",
        "@selection_rule",
    ),
    "taken name": (
        ("player = Player", "Puct.__name__ = 'uct'\nplayer = Player"),
        "uct.* has the name of one that comes with tesuji",
        "",
    ),
    "values": (
        ('"solver": "off"', '"sovler": "off"'),
        r"mine.py:player: there is no parameter 'sovler' \(did you mean solver\?\); there are: exploration, ",
        "",
    ),
    "notes": (("np.int64", "'nothing'"), f"the NOTES of the policy {POLICY} are not valid record fields", "class Mine"),
    "notes of one field": (
        ('(("made", np.int64),)', '("made", np.int64)'),
        rf"the NOTES of the policy {POLICY} are not valid record fields, as in \(\(\"last\", np.int32\),\): .*made",
        "class Mine",
    ),
    "notes of a number": (
        ('(("made", np.int64),)', "np.dtype(np.int64)"),
        rf"the NOTES of the policy {POLICY} are not .* as in \(\(\"last\", np.int32\),\): dtype\('int64'\)$",
        "class Mine",
    ),
    "notes of objects": (("np.int64", "object"), f"the NOTES of the policy {POLICY}: made is neither a number", "class Mine"),
    "statistics": (
        ("uses=(PRIOR,))", "uses=(PRIOR,), statistics=3)"),
        rf"statistics of {RULE} must be RAVE or Statistics\(a record type of NumPy\), not 3",
        "@selection_rule",
    ),
    "attributes": (
        ("    half: float = 0.5\n", "    half: float = 0.5\n    USES = (PRIOR,)\n"),
        rf"{RULE} has USES: a rule declares such things by @selection_rule\(...\) above it",
        "@selection_rule",
    ),
    "uses of a rule": (
        ("uses=(PRIOR,)", "uses=PRIOR"),
        f"uses of {RULE} must be a tuple of PRIOR and VALUE",
        "@selection_rule",
    ),
    "memo of a rule": (("uses=(PRIOR,)", "memo=3"), f"memo of {RULE} must be a record type of NumPy", "@selection_rule"),
    "misspelt declaration": (
        ("parameters=(P", "parameter=(P"),
        r"a selection rule has no parameter to declare \(did you mean parameters\?\)",
        "",
    ),
    "parameters of a rule": (
        ('parameters=(Parameter("exploration", 1.5, "weight of the prior", 0.0, 100.0),)', "parameters=7"),
        f"parameters of {RULE} must be a tuple of tesuji.Parameter",
        "@selection_rule",
    ),
    "prunes all": (
        (RATED, 'ratings[i]["kept"] = False'),
        r"the policy Mine, in tictactoe: rate_moves prunes every move \(mine.py:LINE\)$",
        "@implements(rate_moves",
    ),
    "prunes all later": (
        (RATED, 'ratings[i]["kept"] = count > 5'),
        r"the policy Mine, in tictactoe after( [abc][123]){4}: rate_moves prunes every move \(mine.py:LINE\)$",
        "@implements(rate_moves",
    ),
    "prior": ((RATED, 'ratings[i]["prior"] = -1.0'), "rate_moves gives [abc][123] the prior -1; it must be a number, 0 or", ""),
    "value": ((RATED, 'ratings[i]["value"] = 2.0'), "gives [abc][123] the value 2; it must be a number from 0 to 1", ""),
    "nan": ((RATED, 'ratings[i]["games"] = np.nan'), "gives [abc][123] the games nan; it must be a number, 0 or more", ""),
    "moves": ((RATED, "moves[i] = 0"), "rate_moves changes the list of moves", ""),
    "state": ((RATED, "rules.play(state, moves[i])"), "rate_moves changes the position", ""),
    "study prunes all": (
        (STUDIED, "    kept[:count] = False\n" + STUDIED),
        r"the policy Mine, in tictactoe: study leaves no move, though its bounds decide nothing \(mine.py:LINE\)$",
        "@implements(study,",
    ),
    "study plays": (
        (STUDIED, "    rules.play(state, moves[0])\n    return NO_LOWER, NO_UPPER, True\n"),
        "study replaces the position by one in which the other player is to move",
        "",
    ),
    "crossed": (
        (STUDIED, "    return 1, -1, False\n"),
        "in tictactoe: study narrows the bounds to a contradiction: lower 1 above upper -1",
        "",
    ),
    "study gives": ((STUDIED, "    return False\n"), r"study gives False; it must give \(lower, upper, replaced\)", ""),
    "NaN": (
        (WORTH, "    return math.nan * rule.half"),
        r"the selection rule Puct: worth gives nan for a child of visits 0, mean 0, .*\(mine.py:LINE\)$",
        "@implements(worth",
    ),
    "no number": ((WORTH, "    return 'much'\n    return child.mean"), "rule Puct: worth gives 'much' for a child of", ""),
    "worth raises": (
        (WORTH, "    return [][1]\n    return child.mean"),
        r"the selection rule Puct: worth raises IndexError: list index out of range \(mine.py:LINE\)$",
        "return [][1]",
    ),
    "out of range": (
        (DRAWN, "    return 99\n"),
        r"the policy Mine, in tictactoe: playout_move makes the illegal move 99 \(mine.py:LINE\)$",
        "@implements(playout_move",
    ),
    "not legal": (
        (DRAWN, "    return 4\n"),
        r"the policy Mine, in tictactoe after b2: playout_move makes the illegal move 4 \(mine.py:LINE\)$",
        "@implements(playout_move",
    ),
    "no move": ((DRAWN, "    return None\n"), "playout_move makes the illegal move None", ""),
    "raises": (
        (DRAWN, "    return 1 // 0\n"),
        r"in tictactoe: playout_move raises ZeroDivisionError.* \(mine.py:LINE\)$",
        "return 1 // 0",
    ),
    "the file": (("player = Player", "1 / 0\nplayer = Player"), "mine.py:LINE: the file raises ZeroDivisionError", "1 / 0"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_player_is_refused_in_one_line(name, mine, capsys):
    change, expected, place = BROKEN[name]
    edit(mine, change)
    if place:
        expected = expected.replace("LINE", str(line_of(mine, place)))
    assert re.search(expected, error(capsys)), error(capsys)


def test_bounds_that_contradict_the_rules_are_named(mine, capsys):
    lie = "    return NO_LOWER, -4 if state['difference'] > 0 else NO_UPPER, False\n"
    edit(mine, (STUDIED, lie), ("return 20\n", "return 2\n"))
    words = ("analyze", "dotsandboxes:2x2", "--player", "mine.py:player:solver=bounds", "--playouts", "3000")
    expected = rf"dotsandboxes:2x2 after .*: proofs contradict .*the policy Mine \(mine.py:{line_of(mine, 'class Mine')}\), its"
    assert re.search(expected, error(capsys, *words))


def test_other_values_of_a_players_parameters_are_tried_too(mine, capsys):
    edit(
        mine,
        ("    PARAMETERS = ()\n", '    wrong: int\n    PARAMETERS = (Parameter("wrong", 0, "whether to be wrong", 0, 1),)\n'),
        (DRAWN, "    if policy.wrong:\n        return 99\n" + DRAWN),
        (WORTH, "    if rule.exploration == 3.0:\n        return math.nan\n" + WORTH),
    )
    words = ("analyze", "tictactoe", "--playouts", "9", "--player")
    run(capsys, *words, "mine.py:player")
    assert "the policy Mine, in tictactoe: playout_move makes the illegal move 99" in error(
        capsys, *words, "mine.py:player:wrong=1"
    )
    assert "Puct: worth gives nan for a child of" in error(capsys, *words, "mine.py:player:exploration=3")


def test_a_study_is_tried_with_the_array_that_it_gets_from_the_search(mine, capsys):
    edit(mine, (STUDIED, "    if kept.dtype != np.int32:\n        return 1 // 0\n" + STUDIED))
    run(capsys, "analyze", "tictactoe", "--playouts", "60", "--player", "mine.py:player")


def test_a_policy_that_may_have_pruned_wrongly_is_named_too(mine):
    """Also one without a study."""
    mine.write_text(MINE.partition("@implements(study_at")[0] + "player" + MINE.partition("\nplayer")[2])
    for pruning, named in (("on", True), ("off", False)):
        player = find_player(f"mine.py:player:solver=bounds,pruning={pruning}", may_load=True)
        line = str(player.engine(find_game("tictactoe"))._fault(CROSSED, ROOT))
        assert line.startswith("tictactoe: proofs contradict each other; ") and ("the policy Mine (mine.py:" in line) == named


def test_an_endless_policy_is_stopped(mine, capsys, monkeypatch):
    monkeypatch.setattr("tesuji.search.engine.trial.ANSWER_SECONDS", 0.3)
    edit(mine, (DRAWN, "    while True:\n        pass\n"))
    assert "playout_move does not end" in error(capsys)


# What passes the trial and goes wrong later, in the midst of the search.
WRONG = "    notes['total'] += 1\n    if notes['total'] > 300:\n        return MOVE\n"
LATER = {
    "illegal": ((DRAWN, WRONG.replace("MOVE", "4") + DRAWN), "makes the illegal move 4 in tictactoe after .*b2"),
    "out of range": ((DRAWN, WRONG.replace("MOVE", "-1") + DRAWN), "makes the illegal move -1 in tictactoe after"),
    "NaN": (
        (WORTH, "    if parent.visits == 60.0:\n        return math.nan\n" + WORTH),
        r"the selection rule Puct \(mine.py:\d+\) gives no child of tictactoe a number",
    ),
    "raises": (
        (WORTH, "    if parent.visits == 60.0:\n        return [][1]\n" + WORTH),
        r"mine.py, line \d+, in puct: IndexError",
    ),
    "pruned": ((RATED, 'ratings[i]["kept"] = count > 1'), "prunes every move"),
}


@pytest.mark.parametrize("name", LATER)
def test_what_goes_wrong_later_is_named_too(name, mine, capsys, monkeypatch):
    monkeypatch.setattr("tesuji.search.engine.trial.TRIAL_PLAYOUTS", 2)
    change, expected = LATER[name]
    edit(mine, change, ("NOTES = (", "NOTES = (('total', np.int64), "))
    words = ("analyze", "tictactoe", "--player", "mine.py:player:solver=bounds", "--playouts", "3000")
    assert re.search(expected, error(capsys, *words))


# -- compiled -----------------------------------------------------------------------------------------------------------------
def test_compiled_searches_name_what_goes_wrong(mine, monkeypatch):
    """One class for both faults, chosen by parameters, so that one compilation serves."""
    monkeypatch.delenv("TESUJI_PURE")
    edit(
        mine,
        (WORTH, "    if parent.visits == rule.half:\n        return math.nan\n" + WORTH),
        ("    half: float = 0.5\n", "    half: float\n"),
        ("(parameters=(P", '(parameters=(Parameter("half", 1e9, "visits before a NaN"), P'),
        (DRAWN, "    notes['total'] += 1\n    if notes['total'] > policy.good:\n        return policy.wrong\n" + DRAWN),
        ("NOTES = (", "NOTES = (('total', np.int64), "),
        (
            "    PARAMETERS = ()\n",
            "    good: int\n    wrong: int\n"
            '    PARAMETERS = (Parameter("good", 10**9, "moves before a wrong one"), Parameter("wrong", 4, "that move"))\n',
        ),
    )
    game = find_game("tictactoe")
    for changes, expected in (
        ("half=60", r"the selection rule Puct \(mine.py:\d+\) gives no child of tictactoe a number"),
        ("good=2000", r"the policy Mine makes the illegal move 4 in tictactoe after .*b2.* \(mine.py:\d+\)$"),
        ("good=2000,wrong=1000000", r"the policy Mine makes the illegal move 1000000 in tictactoe.* \(mine.py:\d+\)$"),
        ("good=2000,wrong=-5,threads=2", r"the policy Mine makes the illegal move -5 in tictactoe.* \(mine.py:\d+\)$"),
    ):
        with pytest.raises(GameError, match=expected):
            find_player(f"mine.py:player:{changes}", may_load=True).engine(game).run(Limits(playouts=100_000))


def test_the_public_names_load_neither_numpy_nor_numba_before_they_are_used():
    program = (
        "import sys, tesuji; assert not {'numpy', 'numba', 'rich'} & set(sys.modules);"
        "[getattr(tesuji, name) for name in tesuji.__all__]; assert 'numba' not in sys.modules;"
        "assert {'Game', 'rules', 'Player', 'Parameter', 'worth', 'playout_move', 'RAVE', 'NO_LOWER'} <= set(dir(tesuji))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_rule_without_what_it_needs_is_refused(mine):
    mine.write_text(MINE.replace("uses=", "needs=(PRIOR,), uses="))
    player = find_player("mine.py:player", may_load=True)
    assert player.settings_for(find_game("tictactoe"))["selection"] == "Puct"  # with its own policy, which has priors
    with pytest.raises(UserError, match="selection=Puct needs a policy with priors, which policy=uniform is not: policy=Mine"):
        player.changed({"policy": "uniform"}).settings_for(find_game("tictactoe"))


def test_a_rule_that_explores_by_priors_alone_is_refused_with_a_policy_that_gives_none(mine, capsys):
    """Its formula without priors is the mean alone: all visits went to one move."""
    mine.write_text(MINE + NO_PRIORS)
    refused = "explores by priors alone, and the policy Plain gives none"
    assert main(["analyze", "tictactoe", "--player", "mine.py:without", "--playouts", "50"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and refused in error
    edit(mine, ("+ rule.half", "+ 0.01 * parent.root_of_log + rule.half"))  # it explores without them, too
    assert main(["analyze", "tictactoe", "--player", "mine.py:without", "--playouts", "50"]) == 0
