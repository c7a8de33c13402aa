"""Learning patterns of Hex: what is harvested, what is predicted, the file and what is wrong with others, the command."""

import gc
import json
import random
import weakref

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.go.pattern_weights import SHIPPED as GO_PATTERNS
from tesuji.knowledge.hex.patterns.codes import SIX
from tesuji.knowledge.hex.patterns.weights import SHIPPED, HexPatterns
from tesuji.knowledge.weight_files import from_steps, in_steps, packed
from tesuji.learn import hex_patterns
from tesuji.learn.hex_patterns import Harvest, learn_patterns, patterns_of, predict, teams_of
from tesuji.learn.records import RecordedGame, read_collection
from tesuji.players.presets import find_player

GAME = find_game("hex:4")


def quiet(share, text):
    pass


def texts(seed, plies=9, game=GAME):
    """The moves of a random game, as texts."""
    chooser, state, found = random.Random(seed), game.new_state(), []
    while len(found) < plies and not rules.is_over(state):
        move = chooser.choice(game.legal_moves(state))
        found.append(game.text(state, move))
        rules.play(state, move)
    return found


def recorded(seeds, game=GAME):
    games = []
    for seed in seeds:
        state, moves = game.new_state(), []
        for text in texts(seed, game=game):
            moves.append(game.parse(state, text))
            rules.play(state, moves[-1])
        games.append(RecordedGame(str(seed), game.new_state(), tuple(moves)))
    return games


def run(capsys, *words):
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, found.err


def test_every_move_but_the_first_is_harvested():
    games = recorded([1, 2, 3])
    harvest = Harvest(games, quiet)
    examples = sum(len(one.moves) - 1 for one in games)
    candidates = sum(16 - ply for one in games for ply in range(1, len(one.moves)))
    for kind in ("shape", "large"):
        there = harvest.of_kind(kind)
        assert harvest.plays[there].sum() == examples and harvest.seen[there].sum() == candidates
    replies = harvest.of_kind("reply")
    assert 0 < harvest.seen[replies].sum() < candidates
    part, count, _ = teams_of(games, harvest.keys, quiet)
    assert part.count == examples and len(part.teams) == candidates and part.teams.max() < count


def test_a_harvest_that_grows_keeps_its_counts(monkeypatch):
    games = recorded([1, 2, 3])
    at_once = Harvest(games, quiet)
    monkeypatch.setattr(hex_patterns, "FIRST_COUNTS", 16)
    grown = Harvest(games, quiet)
    for name in ("keys", "seen", "plays"):
        assert np.array_equal(getattr(grown, name), getattr(at_once, name))


def test_games_seen_before_are_predicted_better_than_others():
    weights = patterns_of(recorded([1] * 6), 2, quiet)
    for summed in (False, True):
        known, unknown = (predict(weights, recorded([seed]), summed) for seed in (1, 7))
        assert known.top1 > unknown.top1 and known.log_likelihood > max(unknown.log_likelihood, known.uniform_log_likelihood)
    assert set(weights.everywhere.keys & np.uint64(SIX)) == {0, SIX}
    with pytest.raises(UserError, match="too few patterns occur 1000 times in 1 game: give more games, or a smaller --least"):
        patterns_of(recorded([1]), 1000, quiet)


def test_held_out_games_are_not_learned_from():
    learned = learn_patterns(recorded([1, 2, 3, 4]), 0.25, 0, 2)
    assert (learned.learned_from, learned.held_out, learned.weights.games) == (3, 1, 3)
    assert set(learned.predictions) == {"prediction", "summed"} and learned.predictions["prediction"].positions > 0


def test_the_sides_are_learned_alike():
    """A game, and the same with colours, columns and rows exchanged, from White's first move: equal strengths."""
    game = find_game("hex:5:5/5/5/5/5:b")
    state = find_game("hex:5").board.set_up(game.new_state(), {(0, 0): 1}, 1)
    mirrored = find_game("hex:5").board.set_up(game.new_state(), {(4, 4): 0}, 0)
    for one, player in ((state, 1), (mirrored, 0)):
        assert one["to_play"] == player
    moves = [12, 7, 6, 18]
    turned = [24 - (move % 5 * 5 + move // 5) for move in moves]
    here, there = (
        patterns_of([RecordedGame("", start, tuple(line))] * 3, 2, quiet)
        for start, line in ((state, moves), (mirrored, turned))
    )
    assert np.array_equal(here.features.keys, there.features.keys)
    assert here.features.gammas == pytest.approx(there.features.gammas)


# -- the file ------------------------------------------------------------------------------------------------------------------
def test_files_hold_what_was_learned(tmp_path):
    weights = patterns_of(recorded([1, 2]), 2, quiet)
    weights.save(tmp_path / "w.json")
    again = HexPatterns.load(tmp_path / "w.json")
    for name in ("everywhere", "replies", "features"):
        assert np.array_equal(getattr(again, name).keys, getattr(weights, name).keys)
        assert getattr(again, name).gammas == pytest.approx(getattr(weights, name).gammas, rel=1e-3)
    assert again.last == pytest.approx(weights.last, rel=1e-3) and again.games == 2
    with pytest.raises(ValueError):
        from_steps(np.array([1 << 16], np.uint64))
    assert from_steps(in_steps(np.array([1.0]))) == [1.0]


def test_the_shipped_file():
    assert SHIPPED.stat().st_size <= 5_000_000
    weights = HexPatterns.load(SHIPPED)
    assert weights.games > 40_000 and weights.count > 50_000


def changed(**changes):
    return json.dumps(json.loads(SHIPPED.read_text()) | changes, indent=2)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: "", "it is not JSON"),
        (lambda: GO_PATTERNS.read_text(), "is not a file of patterns of Hex ('tesuji learn patterns --game hex' writes them)"),
        (lambda: changed(game="go"), "of the game go, not of hex"),
        (lambda: changed(version=9), "of version 9, not of version 1: learn them again"),
        (lambda: changed(last="AAAA"), "is damaged"),
        (lambda: changed(edges=packed(np.full(98, 1 << 20, np.uint64))), "is damaged"),
        (lambda: changed(replies=[]), "is damaged"),
        (lambda: changed(replies={"count": 2, "keys": packed(np.array([1, 0])), "strengths": ""}), "is damaged"),
        (lambda: changed(features={"count": 10**9, "keys": "", "strengths": ""}), "is damaged"),
        (lambda: changed(games=None), "is damaged"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, make, reason):
    path = tmp_path / "w.json"
    path.write_text(make())
    with pytest.raises(UserError) as error:
        HexPatterns.load(path)
    assert reason in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 300 + len(str(path))


def test_a_player_takes_files_of_its_patterns_only(tmp_path):
    path = tmp_path / "w.json"
    patterns_of(recorded([1, 2]), 2, quiet).save(path)
    search = find_player(f"mohex2:weights={path}", may_load=True).engine(GAME, pure=True)
    assert len(search.policy.features.keys) < 1 << 13
    with pytest.raises(UserError, match="is not a file of patterns of Hex"):
        find_player(f"mohex2:weights={GO_PATTERNS}", may_load=True).engine(GAME, pure=True)


def policy_with(path, cap=0.157, prior="features"):
    text = f"mohex2:weights={path},weight_cap={cap},prior_from={prior}"
    return find_player(text, may_load=True).engine(GAME, pure=True).policy


def test_tables_of_a_file_are_made_once_and_again_only_if_it_changes(tmp_path):
    path = tmp_path / "w.json"
    patterns_of(recorded([1, 2]), 2, quiet).save(path)
    one, other, summed = policy_with(path), policy_with(path), policy_with(path, prior="patterns")
    assert one.table.words is other.table.words and one.features.keys is other.features.keys
    assert summed.features.keys is policy_with(path, prior="patterns").features.keys is not one.features.keys
    patterns_of(recorded([3, 4, 5]), 2, quiet).save(path)
    anew = policy_with(path)
    assert set(anew.features.keys[anew.features.keys != 0].tolist()) == set(HexPatterns.load(path).features.keys.tolist())


def test_tables_of_many_files_and_caps_are_not_all_kept(tmp_path):
    """A process that begins searches with ever other weights keeps those of the last few."""
    first = patterns_of(recorded([1, 2]), 2, quiet)
    kept = []
    for number in range(8):
        path = tmp_path / f"{number}.json"
        first.save(path)
        policy = policy_with(path)
        kept += [weakref.ref(policy.table.words), weakref.ref(policy.features.keys)]
    kept += [weakref.ref(policy_with(path, cap=0.1 + number / 100).table.words) for number in range(8)]
    del policy
    gc.collect()
    assert sum(one() is not None for one in kept) <= 12


# -- the command ---------------------------------------------------------------------------------------------------------------
def table(path, seeds, sizes=(4,)):
    rows = [f"{size}\t?\t{' '.join(texts(seed, game=find_game(f'hex:{size}')))}" for seed in seeds for size in sizes]
    path.write_text("#size\twinner\tmoves (Black first)\n" + "\n".join(rows) + "\n")
    return path


def test_the_command_learns_and_tests(tmp_path, capsys):
    records, out = table(tmp_path / "games.tsv", range(4), (4, 5)), tmp_path / "w.json"
    words = ("learn", "patterns", records, "--least", 2, "--out", out)
    code, text, errors = run(capsys, *words, "--game", "hex", "--held-out", 0.25, "--json")
    facts = json.loads(text)
    assert (code, errors) == (0, "") and (facts["games"], facts["learned_from"], facts["held_out"]) == (8, 6, 2)
    assert facts["patterns"] == HexPatterns.load(out).count and facts["summed"]["positions"] == facts["prediction"]["positions"]
    code, text, errors = run(capsys, *words, "--game", "hex:5", "--held-out", 0)
    assert code == 0 and "4 games" in text and "tested" not in text and errors.count("it is of size 4, not of 5") == 4
    code, text, _ = run(capsys, "learn", "patterns", records, "--game", "hex", "--weights", out)
    assert code == 0 and "sum of two patterns" in text and "tested on 8 games" in text


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("4\tB\ta1 a1 b2", "ply 2: a1 is not a legal move"),
        ("4\tB\ta1 e5", "ply 2: e5 is not a legal move"),
        ("x\tB\ta1 b2", "its size 'x' is not a number"),
        ("40\tB\ta1 b2", "a board of 40x40 is out of range"),
        ("4\tB\t", "there are no moves"),
        ("4\tB\tb:a1 b:b2", "ply 2: b:b2 is out of turn"),
        ("4\tB\ta1 b2 swap-pieces", "ply 3: swap-pieces is not a legal move"),
        ("4\tB\ta1 swap-sides b2", "after swap-sides the same colour moves"),
    ],
)
def test_bad_games_are_named_and_left_out(tmp_path, row, reason):
    path = table(tmp_path / "games.tsv", [1])
    path.write_text(path.read_text() + row + "\n")
    found = read_collection(find_game("hex"), [path], any_size=True)
    assert len(found.games) == 1 and len(found.refused) == 1 and reason in found.refused[0]


@pytest.mark.parametrize("name", ["hex", "hex:5", "hex:5:swap=on", "hex:5:5/2b2/5/5/5:w"])
@pytest.mark.parametrize("as_table", [False, True])
def test_games_with_a_swap_are_of_their_size(tmp_path, name, as_table):
    """`swap-pieces` moves the stone; if the same colour moves next, the players changed places, and no stone moved."""
    rows = ["b:b1 w:swap-pieces b:c3 w:d4", "b:b1 w:swap-pieces w:c3 b:d4", "b:b1 w:c3 b:d4", "b1 swap-pieces c3 d4"]
    path = tmp_path / "games"
    if as_table:
        path.write_text("size\tmoves\n" + "".join(f"5\t{row}\n" for row in rows))
    else:
        marked = [row.replace(":", "[").replace(" ", "];").replace("b[", "B[").replace("w[", "W[") for row in rows[:3]]
        path.write_text("\n".join(f"(;FF[4]GM[11]SZ[5];{row}])" for row in marked))
    collection = read_collection(find_game(name), [path], any_size=name == "hex", even_only=True)
    assert collection.refused == []
    found = [one.moves for one in collection.games]
    assert found[:3] == [(1, 25, 12, 18), (1, 12, 18), (1, 12, 18)] and found[3:] == [(1, 25, 12, 18)] * as_table
    for one in collection.games:
        assert (int(one.start["count"]), int(one.start["width"])) == (0, 5)
    Harvest(collection.games, quiet)


def test_patterns_of_other_games_are_refused(tmp_path, capsys):
    records = table(tmp_path / "games.tsv", [1])
    code, _, errors = run(capsys, "learn", "patterns", records, "--game", "loa", "--out", tmp_path / "w.json")
    assert code == 2 and "patterns are learned from games of Go and Hex, not of loa" in errors
