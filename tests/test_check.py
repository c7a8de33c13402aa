"""One broken game for each mistake that the checker names, made from one sound game by a small change."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tesuji.games import referee
from tesuji.games.registry import find_game
from tesuji.games.user import load_user_game
from tesuji.lab.check import CheckReport, check_game

SOUND = """
import itertools

import numpy as np

from tesuji import Game, implements, kernel, mixed, rules, state_type

WORTH = (1, 2, 3, 4, 5)
STATE = state_type(
    "claim", [("owner", np.int32, (5,)), ("lead", np.int32), ("left", np.int32), ("last", np.int32), ("to_play", np.int32)]
)
ZERO = np.uint64(0)
calls = itertools.count(1)


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    owner = state["owner"]
    count = 0
    for cell in range(5):
        if owner[cell] == 0:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    owner = state["owner"]
    sign = 1 - 2 * state["to_play"]
    owner[move] = sign
    state["lead"] += sign * WORTH[move]
    state["left"] -= 1
    state["last"] = move
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["lead"]


@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    owner = state["owner"]
    free = 0
    for cell in range(5):
        if owner[cell] == 0:
            free += WORTH[cell]
    return state["lead"] - free, state["lead"] + free


@implements(rules.position_hash, STATE)
def position_hash(state):
    owner = state["owner"]
    result = ZERO
    for cell in range(5):
        result = mixed(result, np.uint64(owner[cell] + 1))
    return result


def move_text(state, move):
    return "abcde"[move]


def draw(state):
    return " ".join("o.x"[owner + 1] for owner in state["owner"])


start = np.zeros(1, STATE)[0]
start["left"] = 5
game = Game(
    "claim",
    start,
    outcomes=(-15, 15),
    move_count=5,
    max_plies=5,
    move_text=move_text,
    draw=draw,
)
"""

MIRROR = """
@implements(rules.symmetries, STATE)
def symmetries(state):
    return 2


@implements(rules.image, STATE)
def image(state, number, out):
    owner, turned = state["owner"], out["owner"]
    for cell in range(5):
        turned[cell] = owner[4 - cell] if number == 1 else owner[cell]


def move_text"""
# The same game with worths that read the same from both ends, and its mirror image.
SYMMETRIC = SOUND.replace("(1, 2, 3, 4, 5)", "(1, 2, 3, 2, 1)").replace("\ndef move_text", MIRROR, 1)

SEEN = """
@implements(rules.planes, STATE)
def planes(state, planes):
    owner = state["owner"]
    for cell in range(5):
        planes[0, cell, 0] = 1 if owner[cell] == 1 - 2 * state["to_play"] else 0
        planes[0, cell, 1] = 1 if owner[cell] == 2 * state["to_play"] - 1 else 0


@implements(rules.place, STATE)
def place(state, move):
    return move


@implements(rules.evaluate, STATE)
def evaluate(state):
    return 0.5 * state["owner"][0]


def move_text"""
# The symmetric game as networks see it.
WITH_PLANES = (
    SYMMETRIC.replace("\ndef move_text", SEEN, 1)
    .replace("import Game,", "import Encoding, Game,")
    .replace("    draw=draw,", '    draw=draw,\n    encoding=Encoding(1, 5, ("own", "other"), turns=(0, 1)),')
)
SWITCH = '        state["to_play"] = 1 - state["to_play"]\n'
STEP = '        state["last"] += 1\n'
# Each: the kind of the mistake, a word that its line must hold, and the changes that make it.
MISTAKES = {
    "duplicate move": ("duplicate-move", "twice", ("    return count\n", "    out[count] = out[0]\n    return count + 1\n")),
    "move out of range": ("move-range", "0 to 4", ("out[count] = cell", "out[count] = cell + 1")),
    "no move": ("no-moves", "lists no move", ("    return count\n", "    return count if state['left'] != 2 else 0\n")),
    "over at once": ("no-moves", "before the first move", ('state["left"] == 0', 'state["left"] == 5')),
    "more moves than said": ("too-many-moves", "max_moves is 3", ("max_plies=5", "max_plies=5, max_moves=3")),
    "count of moves": ("move-count", "writes 5", ("    return count\n", "    return count + 1\n")),
    "moves changes the state": (
        "changes-state",
        "moves changes",
        ("    count = 0\n", '    count = 0\n    state["last"] += 1\n'),
    ),
    "to_play changes the state": (
        "changes-state",
        "to_play changes",
        ('    return state["to_play"]', '    state["last"] += 1\n    return state["to_play"]'),
    ),
    "is_over changes the state": (
        "changes-state",
        "is_over changes",
        ('    return state["left"] == 0', '    state["last"] += 1\n    return state["left"] == 0'),
    ),
    "outcome changes the state": (
        "changes-state",
        "outcome changes",
        ('    return state["lead"]\n', '    state["last"] += 1\n    return state["lead"]\n'),
    ),
    "bounds changes the state": (
        "changes-state",
        "bounds changes",
        ("    free = 0\n", '    free = 0\n    state["last"] += 1\n'),
    ),
    "hash changes the state": (
        "changes-state",
        "position_hash changes",
        ("    result = ZERO\n", '    result = ZERO\n    state["last"] += 1\n'),
    ),
    "outcome out of range": ("outcome-range", "(-2, 2)", ("(-15, 15)", "(-2, 2)")),
    "outcome no number": ("not-whole", "None", ('    return state["lead"]\n', '    state["lead"]\n')),
    "outcome a float": ("not-whole", "float", ('    return state["lead"]\n', '    return float(state["lead"])\n')),
    "no such player": ("player", "players are 0 and 1", ('    return state["to_play"]', '    return state["to_play"] + 1')),
    "second player in a puzzle": ("player", "players=1", ("max_plies=5", "max_plies=5, players=1")),
    "longer than said": ("too-long", "max_plies is 4", ("max_plies=5", "max_plies=4")),
    "bounds out of range": ("bounds", "not within", ('state["lead"] + free', 'state["lead"] + free + 100')),
    "bounds crossed": ("bounds", "above upper", ('state["lead"] - free', 'state["lead"] + free + 1')),
    "bounds not a pair": ("bounds", "(lower, upper)", ('    return state["lead"] - free,', "    return free + 0 *")),
    "bounds not true": ("bounds-wrong", "perfect play", ('state["lead"] - free', 'state["lead"] + free')),
    "hash of something else": (
        "hash-unequal",
        "equal states",
        ("    result = ZERO\n", "    result = np.uint64(next(calls))\n"),
    ),
    "hash without owners": ("hash-weak", "too weak", ("np.uint64(owner[cell] + 1)", "np.uint64(owner[cell] * owner[cell])")),
    "hash of almost nothing": ("hash-weak", "too weak", ("        result = mixed(result,", "        result = mixed(ZERO,")),
    "position comes back": (
        "repetition",
        "the same as 2 moves before",
        ("    owner[move] = sign\n", "    if move == 0:\n" + SWITCH + "        return\n    owner[move] = sign\n"),
        ("max_plies=5", "max_plies=200"),
    ),
    "hash without the count of moves": (
        "repetition",
        "hash its history",
        (
            "    owner[move] = sign\n",
            "    if move == 0 and state['last'] < 12:\n" + SWITCH + STEP + "        return\n    owner[move] = sign\n",
        ),
        ('    state["last"] = move\n', '    state["last"] += 1\n'),
        ("max_plies=5", "max_plies=40"),
    ),
    "nothing implements": ("missing", "nothing implements outcome", ("@implements(rules.outcome, STATE)\n", "")),
    "raises": ("raises", "IndexError", ("    owner[move] = sign\n", "    owner[move + 1] = sign\n")),
    "loops": (
        "loops",
        "play of",
        ("    owner[move] = sign\n", "    while move == 3:\n        sign = -sign\n    owner[move] = sign\n"),
    ),
    "moves by chance": (
        "not-repeatable",
        "asked again",
        (
            "    for cell in range(5):\n        if owner[cell] == 0:\n            out",
            "    for cell in range(5) if next(calls) % 2 else range(4, -1, -1):\n        if owner[cell] == 0:\n            out",
        ),
    ),
    "play by chance": (
        "not-repeatable",
        "when the same moves are played again",
        ('    state["last"] = move\n', '    state["last"] = next(calls)\n'),
    ),
    "text of two moves": ("text", "for both", ('"abcde"[move]', '"aacde"[move]')),
    "text with a blank": ("text", "without spaces", ('"abcde"[move]', '"a " + str(move)')),
    "text raises": ("raises", "move_text raises", ('"abcde"[move]', '"abc"[move]')),
    "text read otherwise": (
        "text",
        "parse_move reads",
        ("    draw=draw,", "    draw=draw,\n    parse_move=lambda state, text: 0,"),
    ),
    "draw raises": ("raises", "draw raises", ('"o.x"[owner + 1]', '"o.x"[owner + 7]')),
    "no record": ("state", "np.zeros(1, STATE)[0]", ("start = np.zeros(1, STATE)[0]", "start = np.zeros(1, STATE)")),
    "other record type": ("state", "tesuji.state_type", ('STATE = state_type(\n    "claim", ', "STATE = np.dtype(\n    ")),
    "objects in the record": ("state", "numbers", ('("last", np.int32)', '("last", object)')),
    "three players": ("state", "players is 3", ("max_plies=5", "max_plies=5, players=3")),
}


# The same for what networks see.
WRONG_PLANES = {
    "no encoding": ("encoding", "encoding=Encoding", (", turns=(0, 1)),", ") and None,")),
    "no planes": ("missing", "nothing implements planes", ("@implements(rules.planes, STATE)\n", "")),
    "out of range": ("planes", "writes 2, not 0 to 1, in plane 'own'", ("planes[0, cell, 0] = 1", "planes[0, cell, 0] = 2")),
    "no number": ("planes", "writes nan", ("planes[0, cell, 1] = 1", "planes[0, cell, 1] = np.nan")),
    "beyond the board": ("raises", "IndexError", ("planes[0, cell, 1] = 1", "planes[1, cell, 1] = 1")),
    "beyond the places": ("place", "place gives 5; places are 0 to 4", ("    return move\n", "    return move + 1\n")),
    "place below 0": ("place", "place gives -1", ("    return move\n", "    return move - 1\n")),
    "one place for two": ("place", "for two legal moves", ("    return move\n", "    return min(move, 3)\n")),
    "place changes the state": (
        "changes-state",
        "place changes",
        ("    return move\n", '    state["last"] += 1\n    return move\n'),
    ),
    "evaluation that is no number": (
        "evaluation",
        "evaluate gives nan; it must give a number",
        ("return 0.5 *", "return np.nan *"),
    ),
    "evaluation that is missing": ("evaluation", "evaluate gives None", ("return 0.5 *", "0.5 *")),
    "images that do not turn": ("planes", "wrong for image 1: its plane", ("turns=(0, 1)", "turns=(0, 0)")),
    "moves that do not turn": (
        "place",
        "the places of its moves are not",
        ("    return move\n", "    return move if move > 1 else 1 - move\n"),
    ),
}


def check(folder: Path, source: str, **options) -> CheckReport:
    file = folder / "claim.py"
    file.write_text(source)
    return check_game(load_user_game(f"{file}:game", trial=False), **{"games": 25, "search": False, **options})


def test_a_field_that_only_keeps_equal_positions_apart_is_noted(tmp_path, monkeypatch):
    """It is no mistake for sure: random games may not come to where it matters, as to a limit of moves."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check(tmp_path, SOUND.replace("    result = ZERO\n", '    result = mixed(ZERO, np.uint64(state["last"]))\n'))
    assert report.ok and any("only last differs" in note for note in report.notes), report.summary()


@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_named(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(referee, "RULE_SECONDS", 0.3)
    kind, word, *changes = MISTAKES[name]
    source = SOUND
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    report = check(tmp_path, source)
    assert not report.ok
    found = [finding for finding in report.findings if finding.kind == kind]
    assert found, report.summary()
    assert any(word in finding.text for finding in found), report.summary()
    for finding in report.findings:
        assert "\n" not in str(finding)
        assert kind in ("state", "missing") or "claim.py:" in finding.text, finding.text
    assert word in report.summary() or found[0].text in report.summary()


@pytest.mark.parametrize("name", WRONG_PLANES)
def test_what_networks_see_is_looked_at(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    kind, word, (old, new) = WRONG_PLANES[name]
    assert old in WITH_PLANES
    report = check(tmp_path, WITH_PLANES.replace(old, new))
    found = [finding for finding in report.findings if finding.kind == kind]
    assert found and any(word in finding.text for finding in found), report.summary()
    assert all("\n" not in str(finding) for finding in report.findings)


def test_sound_planes_pass_compiled_too(tmp_path):
    report = check(tmp_path, WITH_PLANES)
    assert report.ok and report.compared == 25, report.summary()


@pytest.mark.filterwarnings("ignore:overflow")
def test_planes_and_evaluations_that_differ_compiled_are_found(tmp_path):
    """A narrow number that overflows in pure Python only."""
    source = WITH_PLANES.replace("planes[0, cell, 1] = 1 if", "planes[0, cell, 1] = np.int8(100) + np.int8(100) < 0 if")
    report = check(tmp_path, source)
    assert report.kinds == ["unequal"] and "planes writes other numbers" in report.summary()
    source = WITH_PLANES.replace('0.5 * state["owner"][0]', "np.int8(100) + np.int8(100)")
    report = check(tmp_path, source)
    assert report.kinds == ["unequal"] and "evaluate gives 200.0 compiled and gives -56.0" in report.summary()


def test_the_example_is_a_short_one_and_leads_there(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check(tmp_path, SOUND.replace("    return count\n", "    return count if state['left'] != 2 else 0\n"))
    (finding,) = [f for f in report.findings if f.kind == "no-moves"]
    assert len(finding.moves) == 3
    assert f"after {' '.join(finding.moves)}" in finding.text
    assert finding.times > 1 and f"[{finding.times} times]" in str(finding)


def test_a_sound_game_passes_compiled_too(tmp_path):
    told = []
    report = check(tmp_path, SOUND, on_progress=lambda done, total, text: told.append((done, total, text)))
    assert report.ok, report.summary()
    assert report.games == report.compared == 25
    assert report.longest == 5 and report.most_moves == 5
    assert sum(report.outcomes.values()) == 25
    assert report.endgames > 50
    assert "no mistake found in 25 random games" in report.summary()
    assert {"random games", "compiling the rules", "comparing with the compiled rules"} <= {text for _, _, text in told}


def test_a_search_is_compared_too(monkeypatch):
    told = []
    report = check_game(find_game("tictactoe"), games=3, on_progress=lambda done, total, text: told.append(text))
    assert report.ok and report.compared == 3, report.summary()
    assert told[-1] == "comparing a search"

    from tesuji.search.engine.tree_search import TreeSearch

    monkeypatch.setattr(TreeSearch, "tree_hash", lambda search: str(id(search)))
    report = check_game(find_game("tictactoe"), games=3)
    assert report.kinds == ["unequal"] and "another tree compiled" in report.findings[0].text


def test_unequal_compiled_and_pure(tmp_path):
    """A byte wraps around in pure Python only: 100 + 100 is -56 there and 200 in compiled code."""
    narrow = SOUND.replace('("last", np.int32)', '("last", np.int32), ("byte", np.int8)').replace(
        '    state["last"] = move\n', '    state["last"] = state["byte"] + state["byte"]\n'
    )
    report = check(tmp_path, narrow.replace('start["left"] = 5\n', 'start["left"] = 5\nstart["byte"] = 100\n'))
    assert report.kinds == ["unequal"], report.summary()
    text = report.findings[0].text
    assert "play leaves last = 200 compiled and leaves last = -56 in pure Python" in text and "claim.py:" in text


def test_what_does_not_compile_is_told_in_one_line(tmp_path):
    helper = SOUND.replace(
        "@implements(rules.is_over, STATE)", "def ended(left):\n    return left == 0\n\n\n@implements(rules.is_over, STATE)"
    )
    report = check(tmp_path, helper.replace('    return state["left"] == 0\n', '    return ended(state["left"])\n', 1))
    assert report.kinds == ["compile"], report.summary()
    line = 1 + helper.splitlines().index('    return state["left"] == 0')
    assert report.findings[0].text.endswith(f"claim.py:{line})") and "put @kernel above it" in report.findings[0].text
    assert "\n" not in report.findings[0].text

    mixed_types = SOUND.replace('    return state["lead"]\n', '    return state["lead"] if state["left"] == 0 else "none"\n')
    report = check(tmp_path, mixed_types)
    assert report.kinds == ["compile"], report.summary()
    assert "claim.py:" in report.findings[0].text


def test_limits_and_notes(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check(tmp_path, SOUND, games=1000, seconds=0.0)
    assert report.games == 1 and any("time was up" in note for note in report.notes)
    assert any("without the compiler" in note for note in report.notes)
    report = check(tmp_path, SOUND.replace("@implements(rules.position_hash, STATE)\n", ""))
    assert report.ok and any("no position_hash" in note for note in report.notes)


def test_the_same_seed_finds_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    weak = SOUND.replace("np.uint64(owner[cell] + 1)", "np.uint64(owner[cell] * owner[cell])")
    first, second = (check(tmp_path, weak, seed=7) for _ in range(2))
    assert [str(f) for f in first.findings] == [str(f) for f in second.findings]


def test_an_interrupt_keeps_what_was_found(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")

    def interrupt(done, _total, _text):
        if done == 5:
            raise KeyboardInterrupt

    report = check(tmp_path, SOUND.replace('["lead"] - free', '["lead"] + free + 1'), on_progress=interrupt)
    assert report.kinds == ["bounds"] and report.interrupted and "interrupted; so far" in report.summary()


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "seki:2,2", "semeai:3,2", "dotsandboxes:2x1", "samegame:4x4:1"])
def test_the_games_of_the_package_pass(name, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check_game(find_game(name), games=8)
    assert report.ok, report.summary()


def test_compiled_code_that_loops_is_left_behind(monkeypatch):
    from tesuji.lab import check_compiled

    monkeypatch.setattr(check_compiled, "PATIENCE", 0.05)
    game, release = find_game("tictactoe"), threading.Event()
    with pytest.raises(referee.Fault, match="do not end"):
        check_compiled._patiently(game, referee.RulesPosition(game.initial), lambda: release.wait(60))
    release.set()
    monkeypatch.setattr(check_compiled, "PATIENCE", 60.0)
    with pytest.raises(referee.Fault, match="ZeroDivisionError"):
        check_compiled._patiently(game, referee.RulesPosition(game.initial), lambda: [1 // 0][0])  # type: ignore[arg-type]


# -- symmetries ----------------------------------------------------------------------------------------------------------------
TURNED = "turned[cell] = owner[4 - cell] if number == 1 else owner[cell]"
# Each: a word that the line must hold, what is replaced, and by what.
WRONG_SYMMETRIES = {
    "worths that differ": ("image 1 is wrong", "(1, 2, 3, 2, 1)", "(1, 2, 3, 2, 5)"),
    "another cycle": ("image 1 is wrong", TURNED, TURNED.replace("4 - cell", "(cell + 1) % 5")),
    "other player to move": ("is to move, and player", TURNED, f'{TURNED}\n    out["to_play"] = number'),
    "changes the winner": ("image 1 is wrong", TURNED, f'{TURNED}\n    out["lead"] = (1 - 2 * number) * state["lead"]'),
    "over too soon": ("only the image is over", TURNED, f'{TURNED}\n    out["left"] = (1 - number) * state["left"]'),
    "fewer moves": ("there are 5 moves, and 4", TURNED, f'{TURNED}\n    turned[0] += number * (state["left"] == 5)'),
    "two moves in one": ("image 1 is wrong", TURNED, TURNED.replace("4 - cell", "min(cell, 4 - cell)")),
    "not with play": ("no move leads to it", TURNED, TURNED.replace("4 - cell", '4 - cell if state["left"] > 2 else cell')),
    "image 0 another position": ("number 0 must be", TURNED, "turned[cell] = owner[4 - cell]"),
    "changes the state": ("image changes the state", TURNED, f'{TURNED}\n    state["last"] = 7'),
    "no image": ("nothing implements image", "@implements(rules.image, STATE)\n", ""),
    "none at all": ("symmetries gives 0", "    return 2\n", "    return 0\n"),
    "raises": ("image raises IndexError", TURNED, TURNED.replace("4 - cell", "5 - cell")),
}


def test_right_symmetries_are_not_found_fault_with(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    assert not check(tmp_path, SYMMETRIC).findings


@pytest.mark.parametrize("name", WRONG_SYMMETRIES)
def test_wrong_symmetries_are_named(tmp_path, monkeypatch, name):
    monkeypatch.setenv("TESUJI_PURE", "1")
    word, before, after = WRONG_SYMMETRIES[name]
    assert before in SYMMETRIC
    report = check(tmp_path, SYMMETRIC.replace(before, after, 1))
    assert any(word in str(finding) for finding in report.findings), report.summary()


def test_a_wrong_symmetry_is_shown_by_its_two_positions(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    _, before, after = WRONG_SYMMETRIES["worths that differ"]
    report = check(tmp_path, SYMMETRIC.replace(before, after, 1))
    (finding,) = report.findings
    assert finding.kind == "symmetry" and len(finding.drawings) == 2 and "claim.py:" in finding.text
    position, image = finding.drawings
    assert image.split() == position.split()[::-1]
    assert f"    {position}    {image}" in report.summary().splitlines()
    assert len(str(finding).splitlines()) == 1


OWN_HASH = """
@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, room):
    owner = state["owner"]
    forth, back = ZERO, ZERO
    for cell in range(5):
        forth = mixed(forth, np.uint64(owner[cell] + 1))
        back = mixed(back, np.uint64(owner[4 - cell] + 1))
    return min(forth, back)


def move_text"""
HASHED = SYMMETRIC.replace("\ndef move_text", OWN_HASH, 1)
# Each: a word that the line must hold, what is replaced, and by what.
WRONG_HASHES = {
    "not of the image": ("image 1 is wrong: symmetric_hash differs", "min(forth, back)", "forth"),
    "counts the free cells alone": ("symmetric_hash is too weak", "min(forth, back)", 'mixed(ZERO, np.uint64(state["left"]))'),
    "raises": ("symmetric_hash raises IndexError", "owner[4 - cell] + 1", "owner[5 - cell] + 1"),
    "changes the state": (
        "symmetric_hash changes the state",
        "    return min(forth",
        '    state["last"] = 7\n    return min(forth',
    ),
}


def test_a_right_hash_of_images_is_not_found_fault_with(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    assert not check(tmp_path, HASHED).findings


@pytest.mark.parametrize("name", WRONG_HASHES)
def test_wrong_hashes_of_images_are_named(tmp_path, monkeypatch, name):
    monkeypatch.setenv("TESUJI_PURE", "1")
    word, before, after = WRONG_HASHES[name]
    assert before in HASHED
    report = check(tmp_path, HASHED.replace(before, after, 1))
    assert any(word in str(finding) for finding in report.findings), report.summary()


def test_a_weak_hash_of_images_is_shown_by_its_two_positions(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    _, before, after = WRONG_HASHES["counts the free cells alone"]
    (finding,) = check(tmp_path, HASHED.replace(before, after, 1)).findings
    assert finding.kind == "hash-weak" and "claim.py:" in finding.text
    one, other = finding.drawings
    assert one.count(".") == other.count(".") and one not in (other, other[::-1])


# -- weak hashes that random games hardly ever show -------------------------------------------------------------------------
FOUR = """
import numpy as np

from tesuji import Game, implements, mixed, rules, state_type

SIDE, CELLS = 6, 36
STATE = state_type("four", [("cells", np.int32, (36,)), ("to_play", np.int32), ("winner", np.int32), ("left", np.int32)])
ZERO = np.uint64(0)


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    cells = state["cells"]
    count = 0
    for cell in range(CELLS):
        if cells[cell] == 0:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    cells = state["cells"]
    colour = 1 + state["to_play"]
    cells[move] = colour
    state["left"] -= 1
    for direction in range(4):
        down = (0, 1, 1, 1)[direction]
        right = (1, 0, 1, -1)[direction]
        length = 1
        for sign in range(-1, 2, 2):
            row = move // SIDE + sign * down
            column = move % SIDE + sign * right
            while 0 <= row < SIDE and 0 <= column < SIDE and cells[row * SIDE + column] == colour:
                length += 1
                row += sign * down
                column += sign * right
        if length >= 4:
            state["winner"] = colour
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return (0, 1, -1)[state["winner"]]


@implements(rules.position_hash, STATE)
def position_hash(state):
    cells = state["cells"]
    result = mixed(ZERO, np.uint64(state["left"]))
    for cell in range(CELLS):
        result = mixed(result, np.uint64(cells[cell]))
    return result


start = np.zeros(1, STATE)[0]
start["left"] = CELLS
game = Game("four", start, outcomes=(-1, 1), move_count=CELLS, max_plies=CELLS, move_text=lambda state, move: f"c{move}")
"""
CELL_HASHED = "        result = mixed(result, np.uint64(cells[cell]))\n"
HASHES_TOO_WEAK = {
    "five cells are ignored": f"        if cell % 8 != 3:\n    {CELL_HASHED}",
    "whose stones some cells hold is ignored": CELL_HASHED.replace(
        "cells[cell]", "cells[cell] if cell % 9 else min(cells[cell], 1)"
    ),
}


@pytest.mark.parametrize("name", HASHES_TOO_WEAK)
@pytest.mark.parametrize("seed", [0, 1])
def test_hashes_of_neighbouring_positions_are_compared(tmp_path, monkeypatch, name, seed):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check(tmp_path, FOUR.replace(CELL_HASHED, HASHES_TOO_WEAK[name]), games=72, seed=seed)
    assert report.kinds == ["hash-weak"]
    assert "position_hash is too weak" in report.findings[0].text


def test_a_full_hash_of_neighbouring_positions_passes(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = check(tmp_path, FOUR, games=72)
    assert report.ok, report
