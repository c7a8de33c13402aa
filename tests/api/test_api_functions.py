"""Names of games and players, proofs, matches, checks, errors, and the package itself."""

import dataclasses
import json

import numpy as np
import pytest

import tesuji
from tesuji.core.errors import GameError, UserError


# -- names -------------------------------------------------------------------------------------------------------------
def test_games_by_name_and_as_objects():
    game = tesuji.game("connect4:4x4")
    assert tesuji.game(game) is game and repr(game) == "<Game connect4:4x4>"
    assert "connect4" in [entry.name for entry in tesuji.list_games()]
    with pytest.raises(tesuji.Error, match="there is no game 'chess'"):
        tesuji.game("chess")
    with pytest.raises(tesuji.Error, match=r"not int"):
        tesuji.game(4)  # type: ignore[arg-type]
    with pytest.raises(tesuji.Error, match="not by np"):
        tesuji.game(dataclasses.replace(game, initial=np.zeros(1, [("a", int)])[0]))
    with pytest.raises(tesuji.Error, match="a position, a game, or a game string"):
        tesuji.player("uct").search(None)  # type: ignore[arg-type]


def test_players_by_name_and_as_objects():
    player = tesuji.player("uct:exploration=0.3", threads=2, playouts=10)
    assert repr(player) == "<Player uct:exploration=0.3,threads=2,playouts=10>" and player.limits.playouts == 10
    again = tesuji.player(player, exploration=0.125, seconds=2)
    settings = again.settings_for(tesuji.game("tictactoe"))
    assert (settings["exploration"], settings["threads"]) == (0.125, 2)
    assert (again.limits.playouts, again.limits.seconds) == (10, 2.0)
    assert tesuji.player().name == "tesuji" == tesuji.list_players()[0].name
    with pytest.raises(tesuji.Error, match=r"x: there is no parameter 'solvr' \(did you mean solver\?\)"):
        tesuji.Player("x", values={"solvr": "off"}).search("tictactoe")
    with pytest.raises(tesuji.Error, match="there is no parameter 'speed'; there are: policy, "):
        tesuji.player("uct", speed=3)
    with pytest.raises(tesuji.Error, match="exploration=much is not possible"):
        tesuji.player("uct", exploration="much").search("tictactoe")
    with pytest.raises(tesuji.Error, match="rave_bias has no effect here"):
        tesuji.player("uct", rave_bias=0.1).search("tictactoe")
    with pytest.raises(tesuji.Error, match="a player is a string"):
        tesuji.player(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("player", tesuji.list_players(), ids=lambda player: player.name)
def test_a_players_string_names_it(player):
    changed = tesuji.player(player, memory=1 / 3, playouts=7)
    assert tesuji.player(changed.as_string()) == dataclasses.replace(changed, changes={"memory": "0.3333333333333333"})


# -- proofs ------------------------------------------------------------------------------------------------------------
def test_solve_and_verify(tmp_path):
    position = tesuji.game("tictactoe").start.play("b2", "b1", "a1")
    proof = tesuji.solve(position, seed=2)
    assert proof.proven and proof.value == 1 and proof.outcome == "loss" and proof.bounds == (1, 1)  # for o, who is to move
    assert proof.position == position and proof.best in position.legal_moves and proof.playouts > 0
    count = proof.save(tmp_path / "a.cert")
    found = tesuji.verify(tmp_path / "a.cert")
    assert found and found.valid and found.reason == "" and found.nodes == count
    assert (found.game, found.moves, found.bounds, found.proof) == (
        *("tictactoe", ("b2", "b1", "a1"), (1, 1)),
        "x wins with perfect play",
    )
    other = tesuji.verify(tmp_path / "a.cert", "connect4:4x4")
    assert not other and "connect4:4x4" in other.reason and other.bounds is None
    proof.search.play(proof.best)
    with pytest.raises(tesuji.Error, match="moved on to another position"):
        proof.save(tmp_path / "b.cert")
    (tmp_path / "c.cert").write_bytes(b"nothing")
    with pytest.raises(tesuji.Error, match="is not a certificate"):
        tesuji.verify(tmp_path / "c.cert")


def test_an_interrupt_ends_the_writing_of_a_certificate(tmp_path, monkeypatch):
    monkeypatch.setattr("tesuji.proof.trusted.walk.PROGRESS_EVERY", 1)
    proof = tesuji.solve(tesuji.game("tictactoe").start.play("b2", "b1", "a1"))
    told = []

    def interrupt(done, total):
        told.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        proof.save(tmp_path / "a.cert", interrupt)
    assert told == [(1, 0)]
    assert proof.save(tmp_path / "b.cert", lambda *counts: told.append(counts)) == told[-1][0] > 1


def test_solve_keeps_to_the_limits_of_the_player():
    player = tesuji.player("tesuji", playouts=5)
    assert tesuji.solve("tictactoe", player).playouts == 5
    assert tesuji.solve("tictactoe", player, playouts=7).playouts == 7


def test_bounds_of_a_refused_certificate_are_in_points(tmp_path):
    """Go counts in half points: a claim of 9 halves is one of 4.5 points, whether it holds or not."""
    from tesuji.proof.trusted.format import Certificate, Header, save_certificate

    header = Header("go:2:komi=0.5", (), 5, 7, True, "", 0, 0, "")
    save_certificate(tmp_path / "a.cert", Certificate(header, ()))
    found = tesuji.verify(tmp_path / "a.cert")
    assert not found.valid and found.bounds == (2.5, 3.5)


def test_what_is_not_proven():
    proof = tesuji.solve("connect4:5x4", playouts=20)
    assert not proof.proven and proof.value is None and proof.outcome == "unknown" and "nothing is proven" in repr(proof)
    with pytest.raises(tesuji.Error, match="nothing is proven"):
        proof.save("never.cert")
    with pytest.raises(tesuji.Error, match="solver=off proves nothing"):
        tesuji.solve("tictactoe", "uct")
    with pytest.raises(tesuji.Error, match="solver=off proves nothing"):
        tesuji.solve("tictactoe", solver="off")


def test_solving_leaves_out_what_a_player_does_just_to_play_well():
    proof = tesuji.solve("go:2:komi=0.5", playouts=10)
    assert proof.search.engine.settings["solver"] == "bounds"
    playing, proving = tesuji.player().settings_for(tesuji.game("connect4:4x3")), tesuji.solve("connect4:4x3", playouts=1)
    assert playing["policy"] == "decisive" and playing["exploration"] == 0.5
    assert proving.search.player.name == "prove" and proving.search.engine.settings["selection"] == "most-proving"
    by_means = tesuji.solve("connect4:4x3", playouts=1, exploration=0.2).search.engine.settings
    assert by_means["policy"] == "auto" and by_means["exploration"] == 0.2
    with pytest.raises(tesuji.Error, match="keeps no tree"):
        tesuji.solve("loa", "mia2006", playouts=10, depth=1).save("never.cert")


# -- matches -----------------------------------------------------------------------------------------------------------
def test_match(tmp_path):
    told = []
    options = {"game": "tictactoe", "playouts": 3, "workers": 1, "file": tmp_path / "m.db"}
    match = tesuji.match(tesuji.player("uct", exploration=0.5), "uct", games=2, **options)
    assert (match.a, match.b, len(match.games), match.file) == ("uct:exploration=0.5", "uct", 2, str(tmp_path / "m.db"))
    assert match.wins + match.losses + match.draws == 2 and match.score == sum(g.score for g in match.games) / 2
    first, second = match.games
    assert (first.first, second.first) == (match.a, match.b)  # colours are exchanged
    end = tesuji.game("tictactoe").start.play(*first.moves)
    assert end.is_over and end.result == first.result and first.reason == "score" and first.sgf.startswith("(;FF[4]")
    assert repr(first) == f"<CompletedGame 1: uct:exploration=0.5 - uct, {first.result} (score), {len(first.moves)} moves>"
    low, high = match.elo_interval
    assert low <= match.elo <= high and match.to_json()["elo_low"] == low
    longer = tesuji.match("uct:exploration=0.5", "uct", games=3, on_progress=lambda *counts: told.append(counts), **options)
    assert longer.games[:2] == match.games and len(longer.games) == 3 and all(total == 3 for _, total in told)


def test_players_and_games_of_a_notebook_play_in_this_process():
    mine = tesuji.Player("mine", values={"solver": "off", "selection": "uct"})
    own = dataclasses.replace(tesuji.game("tictactoe"), max_plies=10, name="own")
    told = []
    match = tesuji.match(mine, "uct", game=own, games=4, playouts=3, seed=1, on_progress=lambda *counts: told.append(counts))
    assert (match.a, match.b, match.game, match.file) == ("mine", "uct", "own", None)
    assert match.wins + match.losses + match.draws == 4 and told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [one.first for one in match.games] == ["mine", "uct", "mine", "uct"]
    again = tesuji.match(mine, "uct", game=own, games=4, playouts=3, seed=1)
    assert [one.moves for one in again.games] == [one.moves for one in match.games]


def test_what_a_match_cannot_play():
    mine = tesuji.Player("mine", values={"solver": "off"})
    with pytest.raises(tesuji.Error, match="the player mine is not found by its name"):
        tesuji.match(mine, "uct", game="tictactoe", workers=2)
    own = dataclasses.replace(tesuji.game("tictactoe"), max_plies=10, name="own")
    with pytest.raises(tesuji.Error, match="own is not found by its name"):
        tesuji.match("uct", "uct", game=own, file="never.db")
    with pytest.raises(tesuji.Error, match="games=0 is not possible"):
        tesuji.match("uct", "uct", game="tictactoe", games=0)


def test_an_interrupted_match_raises(monkeypatch, tmp_path):
    def interrupted(runner):
        runner.interrupted = True

    monkeypatch.setattr("tesuji.lab.match.runner.Runner.run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tesuji.match("uct", "uct", game="tictactoe", file=tmp_path / "m.db")


# -- checks ------------------------------------------------------------------------------------------------------------
def test_check():
    report = tesuji.check(tesuji.game("tictactoe"), games=2)
    assert report.ok and report.findings == [] and "no mistake found" in str(report)
    broken = dataclasses.replace(tesuji.game("tictactoe"), max_plies=3)
    (finding,) = tesuji.check(broken, games=2).findings
    assert "max_plies" in str(finding) and finding.kind and finding.moves


def test_an_interrupted_check_raises(monkeypatch):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("tesuji.lab.check._pure_games", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tesuji.check("tictactoe")


# -- the package -------------------------------------------------------------------------------------------------------
def test_one_hierarchy_of_errors():
    assert issubclass(GameError, UserError) and issubclass(UserError, tesuji.Error) and tesuji.UserError is UserError


def test_every_public_name_is_there_and_typed():
    assert tesuji.__all__ == sorted(tesuji.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert dir(tesuji) == sorted(tesuji.__all__)
    for name in tesuji.__all__:
        assert getattr(tesuji, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tesuji.nothing  # noqa: B018
    from importlib.resources import files

    assert files("tesuji").joinpath("py.typed").is_file()


# -- the command line --------------------------------------------------------------------------------------------------
def test_analyze_writes_the_tree(tmp_path, capsys):
    from tesuji.cli.main import main

    def run(*words):
        code = main(["analyze", "tictactoe", "--moves", "b2 a1 c3", "--playouts", "200", "--seed", "1", *words])
        return code, capsys.readouterr()

    path = tmp_path / "tree.json"
    assert run("--tree", str(path), "--tree-depth", "2", "--tree-visits", "5")[0] == 0
    search = tesuji.player("tesuji").search(tesuji.game("tictactoe").start.play("b2", "a1", "c3"), seed=1)
    search.run(playouts=200)
    assert json.loads(path.read_text()) == search.tree.to_json(depth=2, visits=5)
    assert run("--tree", str(path))[0] == 0
    assert json.loads(path.read_text()) == search.tree.to_json()
    for words, complaint in {
        ("--tree-depth", "2"): "--tree-depth goes with --tree FILE",
        ("--tree", "x", "--jsonl"): "--tree cannot go with --jsonl",
        ("--tree", str(tmp_path)): "is a folder; name a file",
    }.items():
        code, printed = run(*words)
        assert code == 2 and complaint in printed.err and printed.err.count("\n") == 1, printed.err
