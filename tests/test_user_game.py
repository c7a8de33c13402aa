"""Loading a user's own game: the documentation page's, local imports, the compile cache, and all that can be wrong."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from warm_process import run_warm

from tesuji.core import rules, user_files
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games import referee
from tesuji.games.registry import find_game
from tesuji.games.user import load_user_game
from tesuji.lab.check import check_game

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "your-own-game.md"
RACE = """
import numpy as np

from tesuji import Game, implements, rules, state_type

STATE = state_type("race", [("at", np.int32), ("to_play", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    out[0] = 0
    out[1] = 1
    return 2


@implements(rules.play, STATE)
def play(state, move):
    state["at"] += 1 + move
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["at"] >= 10


@implements(rules.outcome, STATE)
def outcome(state):
    return 2 * state["to_play"] - 1


game = Game("race", np.zeros(1, STATE)[0], outcomes=(-1, 1), move_count=2, max_plies=10)
"""


def page_source() -> str:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 4
    return blocks[0]


def page_symmetries() -> str:
    """The second piece of code, placed where it belongs: before the game is made."""
    symmetries = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    return page_source().replace("def move_text", f"{symmetries}\ndef move_text")


@pytest.fixture
def coins(tmp_path):
    (tmp_path / "coins.py").write_text(page_source())
    return f"{tmp_path / 'coins.py'}:game"


def page_planes() -> str:
    """The third and fourth piece of code in their place, with what the text says of the game."""
    planes = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[2:4])
    (encoding,) = re.findall(r"`Game\(\.\.\., (encoding=.*)\)` gives", PAGE.read_text())
    source = (
        page_source().replace("def move_text", f"{planes}\ndef move_text").replace("import Game,", "import Encoding, Game,")
    )
    return source.replace("draw=draw)", f"draw=draw, {encoding})")


def write(folder: Path, source: str, name: str = "race.py") -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source)
    return f"{folder / name}:game"


# -- the page ----------------------------------------------------------------------------------------------------------
def test_the_pages_game_is_short_and_sound(coins, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    assert len([line for line in page_source().splitlines() if line.strip()]) < 60
    game = load_user_game(coins)
    assert game.name == coins and game.source == coins.removesuffix(":game") and game.title == "coins"
    assert game.drawing(game.state_after(["left", "right"])).endswith("first leads by -3")
    report = check_game(game, games=20)
    assert report.ok, report.summary()


def test_the_pages_planes_and_evaluation_are_right(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    game = load_user_game(write(tmp_path, page_planes()))
    assert game.encoding is not None and game.encoding.shape == (1, 20, 2)
    values = [rules.evaluate(game.state_after(moves)) for moves in (["left"], ["left", "right"])]
    assert values[0] > 0 > values[1] == -3
    report = check_game(game, games=20)
    assert report.ok, report.summary()


def test_the_page_tells_what_the_checker_says_of_a_weak_hash(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    weak = page_source().replace(
        '    number = (state["first"] * 64 + state["last"]) * 512 + state["lead"] + 256\n',
        '    number = state["first"] * 64 + state["last"]\n',
    )
    assert weak != page_source()
    report = check_game(load_user_game(write(tmp_path, weak)), games=20)
    assert report.kinds == ["hash-weak"]
    assert "position_hash is too weak: it is equal after" in PAGE.read_text()


def test_the_pages_symmetries_are_right_for_coins_that_read_the_same_from_both_ends_only(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check_game(load_user_game(write(tmp_path / "wrong", page_symmetries())))
    assert report.kinds == ["symmetry"]
    shown = report.findings[0].text.split(" (")[0]
    assert shown in PAGE.read_text() and "    ".join(("", *report.findings[0].drawings)) in PAGE.read_text()
    even = page_symmetries().replace("TOTAL = ", "COINS = (2, 7, 4, 4, 7, 2)\nTOTAL = ")
    report = check_game(load_user_game(write(tmp_path / "right", even)), games=20)
    assert report.ok, report.summary()


def test_the_search_proves_the_pages_game_as_the_page_says(coins):
    from tesuji.players.presets import find_player

    game = load_user_game(coins)
    row = sys.modules[game.move_text.__module__].COINS

    @cache
    def lead(first: int, last: int) -> int:
        """What the player to move wins of the coins first..last, less what the other one does."""
        return max(row[first] - lead(first + 1, last), row[last] - lead(first, last - 1)) if first < last else row[first]

    result = find_player("prove").engine(game, pure=True).run(Limits(playouts=200_000))  # compiled: test_extending_cache.py
    assert result.proven and result.lower == result.upper == lead(0, len(row) - 1)
    assert f"wins by {lead(0, len(row) - 1)}" in PAGE.read_text()


# -- loading -----------------------------------------------------------------------------------------------------------
def test_loading_leaves_no_trace_in_the_folder_and_nothing_on_stdout(tmp_path, capsys):
    write(tmp_path, "SIZE = 10\n", "sizes.py")
    text = write(tmp_path, "import sizes\nprint('hello')\n" + RACE.replace(">= 10", ">= sizes.SIZE"))
    before = list(sys.path)
    game = find_game(text)
    assert game.name == text and sys.path == before
    assert capsys.readouterr().out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["race.py", "sizes.py"]
    assert find_game(text).initial.dtype is game.initial.dtype  # not run again


def test_an_edit_of_the_file_or_of_what_it_imports_is_another_type(tmp_path):
    write(tmp_path, "SIZE = 10\n", "sizes.py")
    text = write(tmp_path, "from sizes import SIZE\n" + RACE)
    first = load_user_game(text)
    write(tmp_path, "SIZE = 12\n", "sizes.py")
    second = load_user_game(text)
    write(tmp_path, "from sizes import SIZE\n" + RACE.replace(">= 10", ">= 9"))
    third = load_user_game(text)
    assert len({first.initial.dtype, second.initial.dtype, third.initial.dtype}) == 3
    assert third.state_after([1, 1, 1, 1, 0])["at"] == 9


def test_a_record_defined_in_an_imported_file_follows_the_whole_game(tmp_path):
    """The rules are in race.py and the type in board.py: an edit of the rules must still be another type."""
    definition = RACE[RACE.index("STATE = ") : RACE.index("@implements(rules.to_play")]
    write(tmp_path, "import numpy as np\nfrom tesuji import state_type\n" + definition, "board.py")
    rules_file = RACE.replace(definition, "from board import STATE\n")
    first = load_user_game(write(tmp_path, rules_file)).initial.dtype
    second = load_user_game(write(tmp_path, rules_file.replace(">= 10", ">= 8"))).initial.dtype
    assert first != second


def test_two_folders_may_have_modules_of_the_same_name(tmp_path):
    for size in (4, 7):
        folder = tmp_path / str(size)
        write(folder, f"SIZE = {size}\n", "sizes.py")
        game = load_user_game(write(folder, "import sizes\n" + RACE.replace(">= 10", ">= sizes.SIZE")))
        assert not game.legal_moves(game.state_after([0] * size)) and game.legal_moves(game.state_after([0] * (size - 1)))


def test_compiled_code_is_cached_for_equal_sources_only(tmp_path):
    """Counts compilations in new processes: the first, a second, a copy elsewhere, an edited file."""
    program = (
        "import sys; from tesuji.core.numba import registration; from tesuji.games.registry import find_game;"
        "from tesuji.games.trace import compile_trace; compile_trace(find_game(sys.argv[1])); print(registration.compilations)"
    )
    environment = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TESUJI_PURE", None)

    def compilations(text: str) -> int:
        return int(run_warm(["-c", program, text], environment).stdout)

    text = write(tmp_path / "one", RACE)
    assert compilations(text) > 0
    assert compilations(text) == 0
    assert compilations(write(tmp_path / "two", RACE)) == 0
    assert compilations(write(tmp_path / "one", RACE.replace("2 * state", "state"))) > 0


# -- what can be wrong -------------------------------------------------------------------------------------------------
BROKEN_FILES = {
    "not Python": ("def (:\n", r"race\.py:1: not Python: "),
    "null bytes": ("a = 1\0", r"race\.py(:1)?:? (is )?not Python"),
    "raises": (RACE + "\n1 / 0\n", r"race\.py:\d+: the file raises ZeroDivisionError: division by zero$"),
    "no such module": ("import no_such_module\n", r"race\.py:1: the file raises ModuleNotFoundError"),
    "exits": ("import sys\nsys.exit(3)\n", r"race\.py:2: the file raises SystemExit: 3$"),
    "loops": (RACE + "\nwhile True:\n    pass\n", r"race\.py:\d+: the file does not end"),
    "parameters": (RACE.replace("def play(state, move)", "def play(state)"), r"race\.py:\d+: play takes 1 param.*takes 2"),
    "no plies": (
        RACE.replace("max_plies=10", "max_plies=0"),
        r"race\.py:\d+: race: max_plies=0 is out of range",
    ),
    "no game": ("game = 3\n", r"'game' is of type int, not a tesuji\.Game; there is no tesuji\.Game in it$"),
    "other name": (RACE.replace("game = Game", "race = Game"), r"has no 'game'; games in it: \S+race\.py:race$"),
}
BROKEN_GAMES = {
    "missing": ("@implements(rules.outcome, STATE)\n", "", "nothing implements outcome"),
    "raises": (
        'state["at"] += 1 + move',
        'state["att"] += 1',
        r"play of \d raises \S*Error: .*att.*, at the start \(\S*race\.py:23\)",
    ),
    "loops": (
        "    return 2\n",
        "    while True:\n        pass\n",
        r"moves does not end .*, at the start \(\S*race\.py:1[89]\)",
    ),
    "too long": (">= 10", ">= 100", r"max_plies is 10, after 0 (\d ){9}\(\S*race\.py:27\)"),
    "player": (
        '    return state["to_play"]',
        "    return 5",
        r"to_play gives 5; players are 0 and 1, at the start \(\S*race\.py:9\)",
    ),
    "outcome": ('    return 2 * state["to_play"] - 1', "    return 7", r"outcome gives 7; outcomes=\(-1, 1\), after "),
    "moves": ("out[1] = 1", "out[1] = 0", r"moves lists 0 twice, at the start \(\S*race\.py:14\)"),
    "draws": ("max_plies=10", "max_plies=10, draw=lambda state: 1 / 0", r"draw raises ZeroDivisionError"),
}


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(referee, "RULE_SECONDS", 0.3)
    monkeypatch.setattr(user_files, "IMPORT_SECONDS", 0.5)


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_a_broken_file_is_refused_in_one_line(name, tmp_path, impatient):
    source, expected = BROKEN_FILES[name]
    with pytest.raises(UserError, match=expected) as caught:
        load_user_game(write(tmp_path, source))
    assert "\n" not in str(caught.value) and "race.py" in str(caught.value)


@pytest.mark.parametrize("name", BROKEN_GAMES)
def test_a_broken_game_is_refused_in_one_line_that_says_where(name, tmp_path, impatient):
    old, new, expected = BROKEN_GAMES[name]
    assert old in RACE
    text = write(tmp_path, RACE.replace(old, new))
    for _ in range(2):  # the second time as well
        with pytest.raises(UserError, match=expected) as caught:
            load_user_game(text)
        line = str(caught.value)
        assert line.startswith(f"{text}: ") and line.endswith(f"`tesuji check {text}` says more") and "\n" not in line
    assert load_user_game(text, trial=False).name == text  # for the checker


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nowhere/none.py:game", r"there is no file nowhere/none\.py; a game of your own is path/to/file\.py:name"),
        ("./:game", "is not a Python file"),
        ("some/text.txt:game", "is not a Python file"),
        ("some\0thing.py:game", "cannot be opened"),
    ],
)
def test_a_path_that_leads_nowhere(text, expected):
    with pytest.raises(UserError, match=expected):
        find_game(text)


def test_the_name_may_not_be_left_out(tmp_path):
    text = write(tmp_path, RACE).removesuffix(":game")
    for short in (text, text + ":"):
        with pytest.raises(UserError, match=r"say which game of the file; games in it: \S+race\.py:game$"):
            find_game(short)
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(UserError, match="is not a file"):
        find_game(f"{tmp_path / 'folder.py'}:game")


def test_an_interrupt_stays_an_interrupt(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        load_user_game(write(tmp_path, "raise KeyboardInterrupt\n"))


def test_the_line_after_a_certificate_is_one_that_works(tmp_path, monkeypatch, capsys):
    """A certificate never names code to run, so the command to check it must name the game."""
    from tesuji.cli.main import main

    monkeypatch.setenv("TESUJI_PURE", "1")
    (tmp_path / "race.py").write_text(RACE)
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "race.py:game", "--certificate", "race.cert"]) == 0
    hint = capsys.readouterr().out.split("check it: tesuji ")[1].split()
    assert hint == ["verify", "race.cert", "--game", "race.py:game"] and main(hint) == 0
    assert main(hint[:2]) == 2 and "name the game" in capsys.readouterr().err


@pytest.mark.parametrize("reason", ["NRT required but not enabled", "Only accept returning of array passed into the function"])
def test_a_rule_that_makes_an_array_is_told_what_it_may_not_do(tmp_path, reason):
    from tesuji.core.numba.errors import explain

    path = tmp_path / "mine.py"
    path.write_text(RACE)
    said, place = explain(TypeError(f'Failed (step: nopython)\n{reason}\n\nFile "{path}", line 13:\n'))
    assert said.startswith("rules make nothing new") and place.endswith("mine.py:13")
