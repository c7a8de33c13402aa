"""Matches between players of ours: results, openings, the sequential test."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tesuji.cli.main import main
from tesuji.games.registry import find_game
from tesuji.lab.match.plan import read_openings
from tesuji.lab.match.store import read_match

WEAK, STRONG = "uct:playouts=2", "uct:playouts=12"
SMALL = "connect4:4x4"
KEYS = {"game", "a", "b", "games", "a_wins", "b_wins", "draws", "score", "elo", "elo_low", "elo_high"}
MORE = {"other_code", "score_low", "score_high", "forfeits", "sprt", "seconds", "file", "pairs", "interrupted"}


def test_a_match_between_players_of_ours(match, tmp_path):
    code, found, err = match(STRONG, WEAK, "--game", SMALL, "--games", "8", "--workers", "2", "--sgf-dir", "games")
    assert (code, err) == (0, "")
    assert set(found) >= KEYS | MORE
    assert (found["game"], found["a"], found["b"], found["games"]) == (SMALL, STRONG, WEAK, 8)
    assert found["a_wins"] + found["b_wins"] + found["draws"] == 8
    assert found["score"] == (found["a_wins"] + found["draws"] / 2) / 8
    assert found["score"] > 0.5 and found["elo_low"] < (found["elo"] or 1e9)
    plan, games = read_match(found["file"])
    assert [game.number for game in games] == list(range(8))
    assert [game.first for game in games] == [0, 1] * 4, "colours are balanced"
    assert {game.reason for game in games} == {"score"}
    files = sorted((tmp_path / "games").iterdir())
    assert [file.read_text() for file in files] == [game.sgf for game in games]
    assert all(f"PB[{plan.players[game.first].label}]" in game.sgf for game in games)
    assert not list(tmp_path.rglob("*.lock"))


def test_the_same_seed_gives_the_same_games_with_any_number_of_workers(match):
    played = []
    for workers, seed in (("1", "5"), ("2", "5"), ("1", "6")):
        name = f"match-{workers}-{seed}.db"
        match(STRONG, WEAK, "--game", SMALL, "--games", "4", "--workers", workers, "--seed", seed, "--file", name)
        played.append([game.moves for game in read_match(name)[1]])
    assert played[0] == played[1] != played[2]


def test_going_on_and_making_it_longer(match):
    words = (STRONG, WEAK, "--game", SMALL, "--workers", "1")
    first = match(*words, "--games", "3")[1]
    again = match(*words, "--games", "3")[1]
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    longer = match(*words, "--games", "5")[1]
    assert longer["file"] == first["file"] and longer["games"] == 5
    whole = match(*words, "--games", "5", "--file", "other.db")[1]
    assert [g.moves for g in read_match(longer["file"])[1]] == [g.moves for g in read_match(whole["file"])[1]]
    assert match(*words, "--games", "3")[1]["games"] == 3, "a shorter match is the beginning of the longer one"


def test_more_than_two_players(match):
    code, found, _ = match(STRONG, WEAK, "uct:playouts=10", "--game", "tictactoe", "--games", "2", "--workers", "2")
    assert code == 0
    assert [(m["a"], m["b"], m["games"]) for m in found["matches"]] == [
        (STRONG, WEAK, 2),
        (STRONG, "uct:playouts=10", 2),
        (WEAK, "uct:playouts=10", 2),
    ]


def test_a_player_against_itself(match):
    code, found, _ = match(WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1")
    assert (code, found["a"], found["b"], found["games"]) == (0, WEAK, WEAK, 2)


def test_for_people(apart, capsys):
    assert main(["match", WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "2 of 2 games, 0 of them played earlier; saved in matches/" in out
    assert main(["ratings", *map(str, Path("matches").iterdir())]) == 0
    assert "the mean Elo is 0" in capsys.readouterr().out


def test_a_file_that_is_named_twice_counts_once(match, capsys):
    found = match(STRONG, WEAK, "--game", SMALL, "--games", "2", "--workers", "1")[1]
    capsys.readouterr()
    assert main(["ratings", found["file"], f"./{found['file']}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


def test_ratings_of_a_match_file(match, capsys):
    found = match(STRONG, WEAK, "--game", SMALL, "--games", "4", "--workers", "1")[1]
    assert main(["ratings", found["file"], "--json"]) == 0
    ratings = json.loads(capsys.readouterr().out)
    assert (ratings["game"], ratings["games"]) == (SMALL, 4)
    assert {r["player"]: r["score"] for r in ratings["players"]}[STRONG] == found["score"]
    assert main(["ratings", "nowhere.db"]) == 2
    Path("text.db").write_text("this is a text that is longer than the header of a database would be, or so one hopes " * 9)
    assert main(["ratings", "text.db"]) == 2
    assert "not a match file" in capsys.readouterr().err


def test_a_hopeless_player_resigns_but_not_after_a_few_playouts(match):
    sure, quick = "uct:playouts=100,resign=0.999", "uct:playouts=99,resign=0.999"
    found = match(sure, quick, "--game", SMALL, "--games", "2", "--workers", "1")[1]
    games = read_match(found["file"])[1]
    assert (found["b_wins"], found["forfeits"]) == (2, 0)
    assert [(game.reason, game.result) for game in games] == [("resign", "W+R"), ("resign", "B+R")]
    assert [game.plies for game in games] == [0, 1], "the quick one has moved first in the second game"


# -- openings ------------------------------------------------------------------------------------------------------------
def test_random_openings_come_twice_and_differ(match):
    found = match(WEAK, WEAK, "--game", SMALL, "--games", "8", "--random-plies", "3", "--workers", "1")[1]
    openings = [game.moves.split()[:3] for game in read_match(found["file"])[1]]
    assert openings[::2] == openings[1::2]
    assert len({tuple(opening) for opening in openings}) == 4


def test_a_number_of_plies_is_for_openings_of_a_file(match):
    code, found, err = match(
        "uct:playouts=2", "uct:playouts=1", "--game", "connect4:4x4", "--games", "2", "--opening-plies", "2"
    )
    assert (code, found) == (2, {}) and "--openings FILE" in err


def test_openings_from_a_file(match):
    Path("book.txt").write_text("# two openings\n1 2 3\n\n4 4   # the second\n")
    found = match(WEAK, WEAK, "--game", SMALL, "--games", "6", "--openings", "book.txt", "--workers", "1")[1]
    games = read_match(found["file"])[1]
    assert [game.opening_plies for game in games] == [3, 3, 2, 2, 3, 3]
    assert games[0].moves.startswith("1 2 3 ") and games[2].moves.startswith("4 4 ")
    Path("game.sgf").write_text(games[0].sgf)
    words = ("--game", SMALL, "--games", "2", "--openings", "game.sgf", "--workers", "1")
    found = match(WEAK, WEAK, *words, "--opening-plies", "4")[1]
    assert all(game.moves.split()[:4] == games[0].moves.split()[:4] for game in read_match(found["file"])[1])
    code, _, err = match(WEAK, WEAK, *words)
    assert code == 2 and "the game is over after this opening" in err
    Path("book.txt").write_text("1 2\n1 1 1 1 1\n")
    code, _, err = match(WEAK, WEAK, "--game", SMALL, "--openings", "book.txt")
    assert code == 2 and "book.txt, line 2: move 5 (1)" in err


def test_sgf_files_of_openings_in_all_their_forms(tmp_path):
    game = find_game("go:5")
    text = "(;GM[1]SZ[5];B[aa];W[bb])"
    forms = {
        "a.sgf": b"from a mail\n\n" + text.encode(),
        "b.sgf.gz": gzip.compress(text.encode()),
        "c.book": f"( ;{text[2:]}".encode(),
        "d.book": text.encode("utf-16"),
        "e.book": b"\xef\xbb\xbf" + text.encode(),
        "f.txt": b"A5 B4  # (;SZ[9])\n",
        "g.txt.gz": gzip.compress(b"A5 B4"),
    }
    for name, data in forms.items():
        (tmp_path / name).write_bytes(data)
        assert read_openings(game, str(tmp_path / name)) == [(20, 16)], name


# -- the sequential test -------------------------------------------------------------------------------------------------
def test_the_sequential_test_stops_early(match):
    players = ("uct:playouts=10", "uct:playouts=1")
    words = ("--game", "tictactoe", "--games", "2000", "--workers", "2", "--sprt", "--elo0", "0", "--elo1", "300")
    code, found, _ = match(*players, *words)
    assert (code, found["sprt"]["state"]) == (0, "H1")
    assert found["games"] < 200 and found["sprt"]["llr"] >= found["sprt"]["high"]
    again = match(*players, *words)[1]
    assert again["games"] == found["games"], "what is decided stays decided"
    code, found, _ = match(WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--sprt", "--workers", "1")
    assert (code, found["sprt"]["state"]) == (0, "undecided")
