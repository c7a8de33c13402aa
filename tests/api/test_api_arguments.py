"""What cannot be is told in one line, as a tesuji.Error that names it, wherever a program calls the package."""

import pytest

import tesuji

START = tesuji.game("tictactoe").start
NAN = float("nan")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A saved search and a certificate."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TESUJI_PURE", "1")
        proof = tesuji.solve(START.play("b2", "b1", "a1"))
        proof.search.save(folder / "a.search")
        proof.save(folder / "a.cert")
    return folder


def refused(call, *told):
    with pytest.raises(tesuji.Error) as error:
        call()
    text = str(error.value)
    assert all(part in text for part in told) and "\n" not in text, text


@pytest.mark.parametrize("seed", [None, 1.5, "a", True, -1, 1 << 64, 10**5000, NAN], ids=range(8))
def test_seeds(seed):
    for call in (
        lambda: tesuji.player("uct").search(START, seed=seed),
        lambda: tesuji.solve(START, seed=seed),
        lambda: tesuji.match("uct", "uct", game="tictactoe", seed=seed),
        lambda: tesuji.check("tictactoe", seed=seed),
    ):
        refused(call, "seed=", "is not possible: a whole number from 0")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"a": None}, "a player is a string as in 'uct', or a tesuji.Player, not NoneType"),
        ({"b": 5}, "not int"),
        ({"game": None}, "a game is a string as in 'connect4:7x6', or a tesuji.Game, not NoneType"),
        *(({"games": games}, "games=") for games in (True, 0, -1, "x", 1.5, None)),
        ({"clock": 5}, "clock=5 is not possible"),
        *(({"workers": workers}, "workers=") for workers in ("x", -1, 0, True)),
        *(({"random_plies": plies}, "random_plies=") for plies in ("x", -1, 1001)),
        *(({"playouts": playouts}, "playouts=") for playouts in ("x", -1, 0, 1.5)),
        *(({"seconds": seconds}, "seconds=") for seconds in ("x", -1, NAN)),
        ({"file": 5}, "a file name is a text or a Path, not int"),
        ({"openings": 5}, "a file name is a text or a Path, not int"),
    ],
    ids=str,
)
def test_matches(arguments, told):
    given = {"a": "uct:playouts=2", "b": "uct:playouts=2", "game": "tictactoe", "games": 1, **arguments}
    refused(lambda: tesuji.match(given.pop("a"), given.pop("b"), **given), told)


@pytest.mark.parametrize("games", [-1, 0, True, "x", None])
def test_games_of_a_check(games):
    refused(lambda: tesuji.check("tictactoe", games=games), "games=")


@pytest.mark.parametrize("seconds", [NAN, float("inf"), -1, "1", None])
def test_seconds_of_a_check(seconds):
    refused(lambda: tesuji.check("tictactoe", seconds=seconds), "seconds=")


def test_a_report_on_no_games_is_not_ok():
    from tesuji.lab.check import CheckReport, check_game

    assert not CheckReport("x").ok
    assert not check_game(START.game, games=0).ok and check_game(START.game, games=1).ok


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"seconds": "x"}, "seconds='x'"),
        ({"seconds": True}, "seconds=True"),
        ({"seconds": 10**400}, "seconds="),
        ({"playouts": 1.5}, "playouts=1.5"),
        ({"playouts": "x"}, "playouts='x'"),
        ({"playouts": NAN}, "playouts=nan"),
    ],
    ids=str,
)
def test_limits(arguments, told):
    refused(lambda: tesuji.Limits(**arguments), told, "is not possible")
    refused(lambda: tesuji.player("uct", **arguments), told, "is not possible")


def test_whole_numbers_may_be_written_as_floats():
    limits = tesuji.Limits(playouts=1e4, seconds=2)  # type: ignore[arg-type]
    assert limits == tesuji.Limits(playouts=10_000, seconds=2.0) and type(limits.playouts) is int


def test_trees():
    search = tesuji.player("tesuji").search(START)
    search.run(playouts=5)
    for depth in (-1, "x", None):
        refused(lambda depth=depth: search.tree.to_json(depth=depth), "depth=", "a whole number from 0")
    refused(lambda: search.tree.to_json(visits=-1), "visits=-1")


def test_files_and_their_games(files):
    search = tesuji.load(files / "a.search")
    no_name = "a file name is a text or a Path, not "
    for call in (lambda: search.save(None), lambda: tesuji.load(None), lambda: tesuji.verify(None)):
        refused(call, no_name + "NoneType")
    refused(lambda: tesuji.verify(0), no_name + "int")
    refused(lambda: tesuji.load(files / "a.search", weights=5), no_name + "int")
    refused(lambda: tesuji.load(files / "a.search", 5), "a game is a string", "not int")
    refused(lambda: tesuji.verify(files / "a.cert", 5), "a game is a string", "not int")
    proof = tesuji.Proof.of(search.analysis(), search)
    refused(lambda: proof.save(None), no_name + "NoneType")
    assert tesuji.verify(str(files / "a.cert")).valid
